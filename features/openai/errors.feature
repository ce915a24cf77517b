Feature: Errors before the stream starts
  The error envelope and catalogue as OpenAI documents and sends them.

  @openai-chat-23
  Scenario: An error has message, type, param and code
    When the client sends a chat completion whose messages is []
    Then the answer is an error with message, type, param and code as JSON

  @openai-chat-24
  Scenario Outline: <what> is refused
    When the client sends the body "<body>" as a chat completion
    Then its status is 400
    And its type is "invalid_request_error"

    Examples:
      | what                    | body                                                                      |
      | A body that is no JSON  | {\"messages\": [                                                          |
      | An array                | []                                                                        |
      | An empty body           |                                                                           |
      | messages that is a text | {\"messages\": \"hi\", \"stream\": true}                                  |
      | stream that is a text   | {\"messages\": [{\"role\":\"user\",\"content\":\"hi\"}], \"stream\": \"yes\"} |
      | max_tokens that is a text | {\"messages\": [{\"role\":\"user\",\"content\":\"hi\"}], \"max_tokens\": \"ten\"} |
      | temperature that is a text | {\"messages\": [{\"role\":\"user\",\"content\":\"hi\"}], \"temperature\": \"hot\"} |

  @openai-chat-25
  Scenario: Missing messages are refused with the field in param
    When the client sends a chat completion without messages
    Then its status is 400
    And its type is "invalid_request_error"
    And its param is "messages"

  @openai-chat-25
  Scenario Outline: <what> are refused with the field in param
    When the client sends a chat completion whose messages is <messages>
    Then its status is 400
    And its type is "invalid_request_error"
    And its param is "<param>"

    Examples:
      | what           | messages                                | param            |
      | Empty messages | []                                      | messages         |
      | Unknown roles  | [{"role": "wizard", "content": "hi"}]   | messages[0].role |

  @openai-chat-26
  Scenario Outline: <field> of <value> is refused
    When the client sends a chat completion whose <field> is <value>
    Then its status is 400
    And its type is "invalid_request_error"
    And its param is "<field>"

    Examples:
      | field        | value |
      | n            | 0     |
      | n            | 129   |
      | max_tokens   | -1    |
      | temperature  | 2.5   |
      | temperature  | -0.1  |
      | top_p        | 1.5   |
      | presence_penalty | 3 |

  @openai-chat-26
  Scenario: top_logprobs above 20 is refused
    When the client sends a chat completion with logprobs whose top_logprobs is 21
    Then its status is 400
    And its type is "invalid_request_error"
    And its param is "top_logprobs"

  @openai-chat-27
  Scenario: A model that does not exist is refused
    When the client sends a chat completion whose model is "plumbline-no-such-model"
    Then its status is 404 or 400
    And its type is "invalid_request_error"
    And its code is "model_not_found"

  @openai-chat-28
  Scenario: A missing key is refused
    Given any prompt
    When the client streams a chat completion without a key
    Then its status is 401
    And the answer is an error with message, type, param and code as JSON

  @openai-chat-28
  Scenario: A wrong key is refused and does not come back
    Given any prompt
    When the client streams a chat completion with a wrong key
    Then its status is 401
    And the answer is an error with message, type, param and code as JSON
    And the key does not come back in the answer

  @openai-chat-29
  Scenario: stream_options without stream is refused
    When the client sends a chat completion whose stream_options is {"include_usage": true}
    Then its status is 400
    And its type is "invalid_request_error"
    And its param is "stream_options"
