Feature: Messages
  POST /v1/messages as Anthropic documents it, streamed and not.

  @anthropic-messages-01
  Scenario: A streamed message is answered with an event stream
    Given any prompt
    When the client streams a message
    Then the answer is 200 with Content-Type text/event-stream

  @anthropic-messages-02
  Scenario: Every event of a message has a name, which is the type of its data
    Given any prompt
    When the client streams a message
    Then every event of the message has a name, which is the type of its data

  @anthropic-messages-02 @scripted
  Scenario: Every event of a message has a name, also while the model server is silent
    Given a model server that replies with 3 tokens
    And it pauses for 2 s after token 0
    When the client streams a message
    Then every event of the message has a name, which is the type of its data

  @anthropic-messages-03
  Scenario: A message begins with message_start
    Given any prompt
    When the client streams a message
    Then the message begins with one message_start

  @anthropic-messages-03 @scripted
  Scenario: A message begins with message_start, also while the model server is silent
    Given a model server that replies with 3 tokens
    And it pauses for 2 s after token 0
    When the client streams a message
    Then the message begins with one message_start

  @anthropic-messages-04
  Scenario: The blocks of a message come one after the other
    Given any prompt
    When the client streams a message
    Then the blocks come one after the other, each with its start, its deltas and its stop
    And the reply has some text

  @anthropic-messages-04 @scripted
  Scenario: Three blocks of a message have the indexes 0, 1 and 2
    Given a model server that calls the function "get_weather" with {"city":"Paris"} and "get_time" with {"zone":"CET"}
    And it thinks "Which city?" first
    When the client streams a message with the tools "get_weather" and "get_time"
    Then the blocks come one after the other, each with its start, its deltas and its stop

  @anthropic-messages-05
  Scenario: Each event of a message has the fields of its type
    Given any prompt
    When the client streams a message
    Then each event of the message has the fields of its type

  @anthropic-messages-06
  Scenario: message_delta says why a message ended
    Given any prompt
    When the client streams a message
    Then message_delta says why the message ended

  @anthropic-messages-07
  Scenario: message_stop ends a message
    Given any prompt
    When the client streams a message
    Then message_stop is the last event
    And the message has no [DONE]

  @anthropic-messages-07 @scripted
  Scenario: message_stop ends a message without any text
    Given a model server that replies with 0 tokens
    When the client streams a message
    Then message_stop is the last event
    And stop_reason is "end_turn"

  @anthropic-messages-08
  Scenario: A message that the model finished ends its turn
    Given a model server that replies with 5 tokens
    When the client streams a message
    Then stop_reason is "end_turn"

  @anthropic-messages-09
  Scenario: A message that reached max_tokens says so
    Given a prompt with a long answer
    When the client streams a message of at most 3 tokens
    Then stop_reason is "max_tokens"
    And the message counts no more tokens than max_tokens

  @anthropic-messages-10
  Scenario: A tool call is a block whose input comes in deltas
    Given a model server that calls the function "get_weather" with {"city":"Paris"} in 4 pieces
    When the client streams a message with the tool "get_weather"
    Then each tool call begins with input {} and its deltas are one JSON object
    And the client receives the call "get_weather" with {"city":"Paris"}
    And stop_reason is "tool_use"

  @anthropic-messages-10
  Scenario: Two tool calls of a message stay apart
    Given a model server that calls the function "get_weather" with {"city":"Paris"} and "get_time" with {"zone":"CET"}
    When the client streams a message with the tools "get_weather" and "get_time"
    Then the client receives the call "get_weather" with {"city":"Paris"}
    And the client receives the call "get_time" with {"zone":"CET"}

  @anthropic-messages-11
  Scenario: The counts of a message never fall
    Given any prompt
    When the client streams a message
    Then the counts of the message are whole numbers that never fall

  @anthropic-messages-12
  Scenario: The prompt of a message is counted
    Given any prompt
    When the client streams a message
    Then the prompt of the message is counted

  @anthropic-messages-13
  Scenario Outline: output_tokens of a message counts the <n> generated tokens
    Given a model server that replies with <n> tokens
    When the client streams a message
    Then it counts <n> completion tokens

    Examples:
      | n  |
      | 1  |
      | 33 |

  @anthropic-messages-13
  Scenario Outline: output_tokens of a message is right when the model server reports usage <where>
    Given a model server that replies with 4 tokens
    And it reports usage <where>
    When the client streams a message
    Then it counts 4 completion tokens

    Examples:
      | where                       |
      | on the finish chunk         |
      | on every chunk, counting up |
      | twice                       |

  @anthropic-messages-14
  Scenario: A stop sequence that spans two tokens ends a message and is named
    Given a model server that replies "one", " two", " STO", "P here", " three"
    When the client streams a message stopping at "STOP"
    Then stop_reason is "stop_sequence"
    And stop_sequence is "STOP"
    And the text does not contain "STOP"

  @anthropic-messages-15
  Scenario: A message that is not streamed is one JSON object
    Given any prompt
    When the client asks for a message that is not streamed
    Then the answer is one message

  @anthropic-messages-16
  Scenario: Streamed and not streamed, a message says the same
    Given a model server that replies "Grüße", ", ", "🦙", " and ", "\"quotes\"", "\n", "end."
    When the client streams a message
    And the client asks for the same message without streaming
    Then both forms of the reply say the same

  @anthropic-messages-16
  Scenario: Streamed and not streamed, a message at its limit says the same
    Given a model server that replies with 9 tokens
    When the client streams a message of at most 4 tokens
    And the client asks for the same message without streaming
    Then both forms of the reply say the same

  @anthropic-messages-16
  Scenario: Streamed and not streamed, a tool call says the same
    Given a model server that calls the function "get_weather" with {"city":"Paris"} in 4 pieces
    When the client streams a message with the tool "get_weather"
    And the client asks for the same message without streaming
    Then both forms of the reply say the same

  @anthropic-messages-17
  Scenario: An error of a message has the form of Anthropic's errors
    When the client sends a message whose messages is []
    Then the answer is the JSON error of its format

  @anthropic-messages-18
  Scenario Outline: A message is refused with <what>
    When the client sends the body "<body>" as a message
    Then its status is 400
    And its type is "invalid_request_error"

    Examples:
      | what                   | body              |
      | a body that is no JSON | {\"messages\": [  |
      | an array               | []                |
      | an empty body          |                   |

  @anthropic-messages-18
  Scenario Outline: A message without <field> is refused
    When the client sends a message without <field>
    Then its status is 400
    And its type is "invalid_request_error"

    Examples:
      | field      |
      | model      |
      | max_tokens |
      | messages   |

  @anthropic-messages-18
  Scenario Outline: A message whose <field> is <value> is refused
    When the client sends a message whose <field> is <value>
    Then its status is 400
    And its type is "invalid_request_error"

    Examples:
      | field       | value                                 |
      | messages    | []                                    |
      | messages    | "hi"                                  |
      | messages    | [{"role": "wizard", "content": "hi"}] |
      | max_tokens  | -1                                    |
      | max_tokens  | "ten"                                 |
      | stream      | "yes"                                 |
      | stop_sequences | "STOP"                             |

  @anthropic-messages-19
  Scenario: A message of a model that does not exist is refused
    When the client sends a message whose model is "plumbline-no-such-model"
    Then its status is 404
    And its type is "not_found_error"

  @anthropic-messages-21
  Scenario: The key of a message is taken from the header Authorization
    Given any prompt
    When the client streams a message
    Then the reply is complete

  @anthropic-messages-21
  Scenario: The key of a message is taken from the header X-Api-Key
    Given any prompt
    When the client streams a message with the key in the header X-Api-Key
    Then the reply is complete

  @anthropic-messages-21
  Scenario Outline: A message <key> is refused with authentication_error
    Given any prompt
    When the client streams a message <key>
    Then its status is 401
    And its type is "authentication_error"
    And the answer is the JSON error of its format

    Examples:
      | key              |
      | without a key    |
      | with a wrong key |

  @anthropic-messages-22
  Scenario Outline: The version <version> is served
    Given any prompt
    When the client streams a message with the version <version>
    Then the reply is complete

    Examples:
      | version    |
      | 2023-06-01 |
      | 2026-10-21 |

  @anthropic-messages-23
  Scenario: The deltas of a message are the whole reply
    Given a model server that replies with 200 tokens
    When the client streams a message
    Then the client receives the text that the model server generated

  @anthropic-messages-24
  Scenario: No two messages share an id
    Given any prompt
    When the client streams a message
    And the client streams the same message again
    Then no two replies share an id

  @anthropic-messages-25
  Scenario: Thinking is a block of its own before the text
    Given a model server that replies with 5 tokens
    And it thinks "Let me see" first
    When the client streams a message
    Then the first block is thinking, and the second text
    And the client receives the text that the model server generated
