Feature: Streaming in every API format
  "Receive tokens as they are generated with server-sent events, in every API format. Set stream: true. The response
  is text/event-stream. Events are sent one by one, without buffering." (Notholy, Streaming)

  @notholy-stream-01
  Scenario Outline: A <format> with stream set to true is answered with an event stream
    Given any prompt
    When the client streams a <format>
    Then the answer is 200 with Content-Type text/event-stream

    Examples:
      | format          |
      | chat completion |
      | text completion |
      | response        |
      | message         |

  @notholy-stream-02
  Scenario Outline: A pause of the model server is seen between the same two tokens of a <format>
    Given a model server that replies with 6 tokens
    And it pauses for 2 s after token 3
    When the client streams a <format>
    Then the client sees a pause of 2 s between tokens 3 and 4

    Examples:
      | format          |
      | chat completion |
      | text completion |
      | response        |
      | message         |

  @notholy-stream-02
  Scenario Outline: Each token of a <format> is passed on before the next one is generated
    Given a model server that replies with 12 tokens
    And it generates each token only when the client has received the one before
    When the client streams a <format>
    Then the client receives every token while the model server waits

    Examples:
      | format          |
      | chat completion |
      | text completion |
      | response        |
      | message         |

  @notholy-stream-09
  Scenario Outline: A <format><request> keeps the rules of its format
    Given any prompt
    When the client streams a <format><request>
    Then the stream keeps every rule of its format

    Examples:
      | format          | request                 |
      | chat completion |                         |
      | text completion |                         |
      | response        |                         |
      | message         |                         |
      | chat completion | , asking for usage      |
      | text completion | , asking for usage      |
      | chat completion | , asking for no usage   |
      | text completion | , asking for no usage   |

  @notholy-stream-09
  Scenario Outline: A repeated <format> keeps the rules of its format
    Given any prompt
    When the client streams a <format>
    And the client streams the same <format> again
    Then the stream keeps every rule of its format

    Examples:
      | format          |
      | chat completion |
      | text completion |
      | response        |
      | message         |

  @notholy-stream-09 @alias
  Scenario Outline: A <format> by the alias of the model keeps the rules of its format
    Given any prompt
    When the client streams a <format> by the alias of the model
    Then the stream keeps every rule of its format
    And the reply is complete

    Examples:
      | format          |
      | chat completion |
      | text completion |
      | response        |
      | message         |

  @notholy-stream-09
  Scenario Outline: A <format> that is cut at its limit keeps the rules of its format
    Given a prompt with a long answer
    When the client streams a <format> of at most 16 tokens
    Then the stream keeps every rule of its format

    Examples:
      | format          |
      | chat completion |
      | text completion |
      | response        |
      | message         |

  @notholy-stream-09 @scripted
  Scenario Outline: A <format> without any text keeps the rules of its format
    Given a model server that replies with 0 tokens
    When the client streams a <format>
    Then the stream keeps every rule of its format

    Examples:
      | format          |
      | chat completion |
      | text completion |
      | response        |
      | message         |

  @notholy-stream-09 @scripted
  Scenario Outline: A <format> with a tool call keeps the rules of its format
    Given a model server that calls the function "get_weather" with {"city":"Paris"} in 4 pieces
    When the client streams a <format> with the tool "get_weather"
    Then the stream keeps every rule of its format
    And the client receives the call "get_weather" with {"city":"Paris"}

    Examples:
      | format          |
      | chat completion |
      | response        |
      | message         |

  @notholy-stream-10
  Scenario: The same prompt gives the same reply in all four formats
    Given a model server that replies "Grüße", ", ", "🦙", " and ", "\"quotes\"", "\n", "end."
    When the client streams the prompt in all four formats
    Then every format gives the same text, end and token counts

  @notholy-stream-10
  Scenario: The same prompt gives the same reply in all four formats when it is cut at its limit
    Given a model server that replies with 40 tokens
    When the client streams the prompt in all four formats of at most 16 tokens
    Then every format gives the same text, end and token counts

  @notholy-stream-10
  Scenario: The same prompt gives the same reply in all four formats when it is not streamed
    Given a model server that replies with 9 tokens
    When the client asks in all four formats for a reply that is not streamed
    Then every format gives the same text, end and token counts

  @notholy-stream-10
  Scenario: The same prompt gives the same reply in each format when a stop sequence ends it
    Given a model server that replies "one", " two", " STO", "P here", " three"
    When the client streams the prompt in each format with stop sequences stopping at "STOP"
    Then every format gives the same text, end and token counts

  @notholy-stream-10
  Scenario: The same prompt gives the same tool calls in each format
    Given a model server that calls the function "get_weather" with {"city":"Paris"} and "get_time" with {"zone":"CET"}
    When the client streams the prompt in each format with tools with the tools "get_weather" and "get_time"
    Then every format gives the same text, end and token counts
