Feature: Responses
  POST /v1/responses as OpenAI documents it, streamed and not.

  @openai-responses-01
  Scenario: A streamed response is answered with an event stream
    Given any prompt
    When the client streams a response
    Then the answer is 200 with Content-Type text/event-stream

  @openai-responses-02
  Scenario: Every event of a response has a name, which is the type of its data
    Given any prompt
    When the client streams a response
    Then every event of the response has a name, which is the type of its data

  @openai-responses-03
  Scenario: The sequence numbers of a response have no gap
    Given any prompt
    When the client streams a response
    Then the sequence numbers count every event from 0

  @openai-responses-03 @scripted
  Scenario: The sequence numbers of a response with two calls have no gap
    Given a model server that calls the function "get_weather" with {"city":"Paris"} and "get_time" with {"zone":"CET"}
    When the client streams a response with the tools "get_weather" and "get_time"
    Then the sequence numbers count every event from 0

  @openai-responses-04
  Scenario: A response is created first
    Given any prompt
    When the client streams a response
    Then the response is created first, and in progress before any item

  @openai-responses-04 @scripted
  Scenario: A response is created first, also while the model server is silent
    Given a model server that replies with 3 tokens
    And it pauses for 2 s after token 0
    When the client streams a response
    Then the response is created first, and in progress before any item

  @openai-responses-05
  Scenario: Items and parts of a response are opened, filled and closed
    Given any prompt
    When the client streams a response
    Then every item and part is opened, filled and closed in order

  @openai-responses-05 @scripted
  Scenario: Items of a response without any text are opened and closed
    Given a model server that replies with 0 tokens
    When the client streams a response
    Then every item and part is opened, filled and closed in order

  @openai-responses-05 @scripted
  Scenario: Two calls of a response are opened, filled and closed
    Given a model server that calls the function "get_weather" with {"city":"Paris"} and "get_time" with {"zone":"CET"}
    When the client streams a response with the tools "get_weather" and "get_time"
    Then every item and part is opened, filled and closed in order

  @openai-responses-06
  Scenario: An item of a response keeps its id
    Given any prompt
    When the client streams a response
    Then every item keeps one id of its own

  @openai-responses-06 @scripted
  Scenario: Two calls of a response keep their ids
    Given a model server that calls the function "get_weather" with {"city":"Paris"} and "get_time" with {"zone":"CET"}
    When the client streams a response with the tools "get_weather" and "get_time"
    Then every item keeps one id of its own

  @openai-responses-07
  Scenario: The deltas of a response make up its text
    Given any prompt
    When the client streams a response
    Then the deltas make up the texts at their ends
    And the output is the items that were added
    And the reply has some text

  @openai-responses-07 @scripted
  Scenario: A response without any text announces what its output holds
    Given a model server that replies with 0 tokens
    When the client streams a response
    Then the output is the items that were added

  @openai-responses-08
  Scenario: Each event of a response has the fields of its type
    Given any prompt
    When the client streams a response
    Then each event of the response has the fields of its type

  @openai-responses-08 @scripted
  Scenario: Each event of two calls has the fields of its type
    Given a model server that calls the function "get_weather" with {"city":"Paris"} and "get_time" with {"zone":"CET"}
    When the client streams a response with the tools "get_weather" and "get_time"
    Then each event of the response has the fields of its type

  @openai-responses-09
  Scenario: The response object has the documented fields throughout
    Given any prompt
    When the client streams a response
    Then every response object, item and part has the documented fields
    And the response keeps its id, created_at and model

  @openai-responses-10
  Scenario: One event ends a response
    Given any prompt
    When the client streams a response
    Then one event ends the response, and nothing follows
    And the response has no [DONE]
    And the name, the type and the status of the end agree

  @openai-responses-10 @scripted
  Scenario: A response ends in one event when the model server sends its last events in one packet
    Given a model server that replies with 5 tokens
    And it sends several events in one packet
    When the client streams a response
    Then one event ends the response, and nothing follows
    And the response is completed

  @openai-responses-11
  Scenario: A response at its limit is incomplete, and so is its last item
    Given a prompt with a long answer
    When the client streams a response of at most 16 tokens
    Then the response is incomplete because of max_output_tokens
    And the items say as the response does how they ended

  @openai-responses-11 @scripted
  Scenario: A response that the model finished is completed, and so are its items
    Given a model server that replies with 5 tokens
    When the client streams a response
    Then the response is completed
    And the items say as the response does how they ended

  @openai-responses-12
  Scenario: A function call is an item of its own whose arguments come in deltas
    Given a model server that calls the function "get_weather" with {"city":"Paris"} in 4 pieces
    When the client streams a response with the tool "get_weather"
    Then the calls begin empty and end as JSON
    And the deltas make up the texts at their ends
    And the client receives the call "get_weather" with {"city":"Paris"}
    And the response is completed

  @openai-responses-12
  Scenario: Two function calls of a response stay apart
    Given a model server that calls the function "get_weather" with {"city":"Paris"} and "get_time" with {"zone":"CET"}
    When the client streams a response with the tools "get_weather" and "get_time"
    Then the client receives the call "get_weather" with {"city":"Paris"}
    And the client receives the call "get_time" with {"zone":"CET"}
    And the output is the items that were added

  @openai-responses-13
  Scenario: The end of a response carries usage
    Given any prompt
    When the client streams a response
    Then the end of the response carries usage that adds up

  @openai-responses-13 @scripted
  Scenario Outline: The end of a response carries usage that the model server reports <where>
    Given a model server that replies with 4 tokens
    And it reports usage <where>
    When the client streams a response
    Then the end of the response carries usage that adds up
    And it counts 4 completion tokens

    Examples:
      | where                       |
      | on the finish chunk         |
      | on every chunk, counting up |
      | twice                       |

  @openai-responses-14
  Scenario Outline: output_tokens counts the <n> generated tokens
    Given a model server that replies with <n> tokens
    When the client streams a response
    Then it counts <n> completion tokens

    Examples:
      | n  |
      | 1  |
      | 33 |

  @openai-responses-14
  Scenario: output_tokens of a response at its limit is the limit
    Given a model server that replies with 40 tokens
    When the client streams a response of at most 16 tokens
    Then it counts 16 completion tokens

  @openai-responses-15
  Scenario: No event of a good response has an error key
    Given any prompt
    When the client streams a response
    Then no event of the response has an error key

  @openai-responses-16
  Scenario: A response that is not streamed is one JSON object
    Given any prompt
    When the client asks for a response that is not streamed
    Then the answer is one response

  @openai-responses-17
  Scenario: Streamed and not streamed, a response says the same
    Given a model server that replies "Grüße", ", ", "🦙", " and ", "\"quotes\"", "\n", "end."
    When the client streams a response
    And the client asks for the same response without streaming
    Then both forms of the reply say the same

  @openai-responses-17
  Scenario: Streamed and not streamed, a response at its limit says the same
    Given a model server that replies with 40 tokens
    When the client streams a response of at most 16 tokens
    And the client asks for the same response without streaming
    Then both forms of the reply say the same

  @openai-responses-17
  Scenario: Streamed and not streamed, a function call says the same
    Given a model server that calls the function "get_weather" with {"city":"Paris"} in 4 pieces
    When the client streams a response with the tool "get_weather"
    And the client asks for the same response without streaming
    Then both forms of the reply say the same

  @openai-responses-19
  Scenario: The deltas of a response are the whole reply
    Given a model server that replies with 200 tokens
    When the client streams a response
    Then the client receives the text that the model server generated

  @openai-responses-20
  Scenario: An error of a response has message, type, param and code
    When the client sends the body "{\"input\": [" as a response
    Then the answer is an error with message, type, param and code as JSON

  @openai-responses-21
  Scenario Outline: A response is refused with <what>
    When the client sends the body "<body>" as a response
    Then its status is 400
    And its type is "invalid_request_error"

    Examples:
      | what                    | body                                     |
      | a body that is no JSON  | {\"input\": [                            |
      | an array                | []                                       |
      | an empty body           |                                          |
      | an input that is a number | {\"input\": 7, \"stream\": true}       |
      | a stream that is a text | {\"input\": \"hi\", \"stream\": \"yes\"} |

  @openai-responses-22
  Scenario Outline: A response whose <field> is <value> is refused
    When the client sends a response whose <field> is <value>
    Then its status is 400
    And its type is "invalid_request_error"
    And its param is "<field>"

    Examples:
      | field             | value |
      | max_output_tokens | 15    |
      | temperature       | 2.5   |
      | top_logprobs      | 21    |

  @openai-responses-23
  Scenario: A response of a model that does not exist is refused
    When the client sends a response whose model is "plumbline-no-such-model"
    Then its status is 404 or 400
    And its code is "model_not_found"

  @openai-responses-24
  Scenario: No two responses share an id
    Given any prompt
    When the client streams a response
    And the client streams the same response again
    Then no two replies share an id

  @openai-responses-25
  Scenario: Reasoning is an item of its own before the message
    Given a model server that replies with 5 tokens
    And it thinks "Let me see" first
    When the client streams a response
    Then the first item is reasoning, and the second a message
    And the client receives the text that the model server generated
    And every item and part is opened, filled and closed in order
