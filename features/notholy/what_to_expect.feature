Feature: What to expect of a stream
  "Chat completions and text completions end with data: [DONE]. The chunk before it always carries usage, with or
  without include_usage. Responses ends with response.completed (or response.incomplete at the output limit).
  Messages ends with message_delta and message_stop. Neither sends [DONE]. Long pauses get keep-alive comments
  (OpenAI formats) or ping events (Messages)." (Notholy, Streaming, What to expect)

  @notholy-stream-03
  Scenario Outline: [DONE] ends a <format><usage>
    Given any prompt
    When the client streams a <format><usage>
    Then [DONE] arrives exactly once, as the last event
    And nothing but the end of the body follows

    Examples:
      | format          | usage                 |
      | chat completion |                       |
      | chat completion | , asking for usage    |
      | chat completion | , asking for no usage |
      | text completion |                       |
      | text completion | , asking for usage    |
      | text completion | , asking for no usage |

  @notholy-stream-03
  Scenario Outline: [DONE] ends a <format> that is cut at its limit
    Given a prompt with a long answer
    When the client streams a <format> of at most 16 tokens
    Then [DONE] arrives exactly once, as the last event
    And nothing but the end of the body follows

    Examples:
      | format          |
      | chat completion |
      | text completion |

  @notholy-stream-04
  Scenario Outline: The chunk before [DONE] of a <format><usage> carries usage
    Given any prompt
    When the client streams a <format><usage>
    Then the chunk before [DONE] carries usage

    Examples:
      | format          | usage                 |
      | chat completion |                       |
      | chat completion | , asking for usage    |
      | chat completion | , asking for no usage |
      | text completion |                       |
      | text completion | , asking for usage    |
      | text completion | , asking for no usage |

  @notholy-stream-04
  Scenario Outline: The chunk before [DONE] of a repeated <format> carries usage
    Given any prompt
    When the client streams a <format>
    And the client streams the same <format> again
    Then the chunk before [DONE] carries usage

    Examples:
      | format          |
      | chat completion |
      | text completion |

  @notholy-stream-04 @scripted
  Scenario Outline: The chunk before [DONE] of a <format> carries usage when the model server reports it <where>
    Given a model server that replies with 4 tokens
    And it reports usage <where>
    When the client streams a <format>
    Then the chunk before [DONE] carries usage
    And it counts 4 completion tokens

    Examples:
      | format          | where                       |
      | chat completion | on the finish chunk         |
      | chat completion | on every chunk, counting up |
      | chat completion | twice                       |
      | text completion | on the finish chunk         |
      | text completion | on every chunk, counting up |
      | text completion | twice                       |

  @notholy-stream-05
  Scenario: response.completed ends a response
    Given any prompt
    When the client streams a response
    Then one event ends the response, and nothing follows
    And the name, the type and the status of the end agree

  @notholy-stream-05 @scripted
  Scenario: A response that the model finished is completed
    Given a model server that replies with 5 tokens
    When the client streams a response
    Then the response is completed

  @notholy-stream-05
  Scenario: response.incomplete ends a response at the output limit
    Given a prompt with a long answer
    When the client streams a response of at most 16 tokens
    Then the response is incomplete because of max_output_tokens
    And one event ends the response, and nothing follows
    And the name, the type and the status of the end agree

  @notholy-stream-05
  Scenario Outline: A response <limit> has no [DONE]
    Given a prompt with a long answer
    When the client streams a response <limit>
    Then the response has no [DONE]

    Examples:
      | limit                   |
      | of at most 400 tokens   |
      | of at most 16 tokens    |

  @notholy-stream-06
  Scenario Outline: message_delta and message_stop end a message <limit>
    Given a prompt with a long answer
    When the client streams a message <limit>
    Then message_delta says why the message ended
    And message_stop is the last event

    Examples:
      | limit                   |
      | of at most 400 tokens   |
      | of at most 16 tokens    |

  @notholy-stream-06
  Scenario Outline: A message <limit> has no [DONE]
    Given a prompt with a long answer
    When the client streams a message <limit>
    Then the message has no [DONE]

    Examples:
      | limit                   |
      | of at most 400 tokens   |
      | of at most 16 tokens    |

  @notholy-stream-07
  Scenario Outline: A long pause of a <format> gets keep-alive comments
    Given a model server that replies with 6 tokens
    And it pauses for 35 s after token 3
    When the client streams a <format>
    Then a comment comes in every 15 s of the silence between tokens 3 and 4
    And the client receives the text that the model server generated

    Examples:
      | format          |
      | chat completion |
      | text completion |
      | response        |

  @notholy-stream-07
  Scenario Outline: A long pause before the first token of a <format> gets keep-alive comments
    Given a model server that replies with 3 tokens
    And it pauses for 35 s after token 0
    When the client streams a <format>
    Then a comment comes in every 15 s of the silence until token 1

    Examples:
      | format          |
      | chat completion |
      | text completion |
      | response        |

  @notholy-stream-08
  Scenario: A long pause of a message gets ping events
    Given a model server that replies with 6 tokens
    And it pauses for 35 s after token 3
    When the client streams a message
    Then a ping event comes in every 15 s of the silence between tokens 3 and 4
    And the client receives the text that the model server generated

  @notholy-stream-08
  Scenario: A long pause before the first token of a message gets ping events
    Given a model server that replies with 3 tokens
    And it pauses for 35 s after token 0
    When the client streams a message
    Then a ping event comes in every 15 s of the silence until token 1

  @notholy-stream-09 @scripted
  Scenario Outline: A <format> with keep-alives keeps the rules of its format
    Given a model server that replies with 6 tokens
    And it pauses for 35 s after token 3
    When the client streams a <format>
    Then the stream keeps every rule of its format

    Examples:
      | format          |
      | chat completion |
      | text completion |
      | response        |
      | message         |
