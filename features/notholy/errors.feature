Feature: Errors in every API format
  "Errors found before the stream starts (key, credits, limits) come back as a normal JSON error with its HTTP status.
  A failure after the stream starts arrives as an error event in the same format: data: {"error": ...},
  response.failed or an error event." (Notholy, Streaming, What to expect)

  @notholy-errors-01
  Scenario Outline: A <format> <key> is refused with 401
    Given any prompt
    When the client streams a <format> <key>
    Then its status is 401
    And the answer is the JSON error of its format

    Examples:
      | format          | key              |
      | chat completion | without a key    |
      | text completion | without a key    |
      | response        | without a key    |
      | message         | without a key    |
      | chat completion | with a wrong key |
      | text completion | with a wrong key |
      | response        | with a wrong key |
      | message         | with a wrong key |

  @notholy-errors-02
  Scenario Outline: A <format> with a key without credits is refused
    Given any prompt
    When the client streams a <format> with a key without credits
    Then its status is a 4xx
    And the answer is the JSON error of its format

    Examples:
      | format          |
      | chat completion |
      | text completion |
      | response        |
      | message         |

  @notholy-errors-03
  Scenario Outline: A <format> with a key over its limit is refused with 429
    Given any prompt
    When the client streams a <format> with a key over its limit
    Then its status is 429
    And the header Retry-After says when to come back
    And the answer is the JSON error of its format

    Examples:
      | format          |
      | chat completion |
      | text completion |
      | response        |
      | message         |

  @notholy-errors-04
  Scenario Outline: A failure of a <format> is an error envelope when the model server <fails>
    Given a model server that replies with 3 tokens
    And it <fails> after token 3
    When the client streams a <format>
    Then one event holds an error envelope with message, type, param and code

    Examples:
      | format          | fails                                  |
      | chat completion | resets the connection                  |
      | chat completion | closes the body cleanly                |
      | chat completion | sends a malformed chunk                |
      | chat completion | reports an error and then sends [DONE] |
      | text completion | resets the connection                  |
      | text completion | closes the body cleanly                |
      | text completion | sends a malformed chunk                |
      | text completion | reports an error and then sends [DONE] |

  @notholy-errors-05 @openai-responses-18
  Scenario Outline: A failure of a response is response.failed when the model server <fails>
    Given a model server that replies with 3 tokens
    And it <fails> after token 3
    When the client streams a response
    Then response.failed is the last event
    And response.error has a code, and a message that gives nothing away

    Examples:
      | fails                                   |
      | resets the connection                   |
      | closes the body cleanly                 |
      | sends a malformed chunk                 |
      | reports an error and then sends [DONE]  |
      | reports an error that names its secrets |

  @notholy-errors-06 @anthropic-messages-20
  Scenario Outline: A failure of a message is an error event when the model server <fails>
    Given a model server that replies with 3 tokens
    And it <fails> after token 3
    When the client streams a message
    Then one error event ends the message
    And no message_delta, message_stop or [DONE] comes

    Examples:
      | fails                                   |
      | resets the connection                   |
      | closes the body cleanly                 |
      | sends a malformed chunk                 |
      | reports an error and then sends [DONE]  |
      | reports an error that names its secrets |

  @notholy-errors-07
  Scenario Outline: Nothing that looks like success follows when a <format> fails and the model server <fails>
    Given a model server that replies with 3 tokens
    And it <fails> after token 3
    When the client streams a <format>
    Then no chunk and no [DONE] follows the error event

    Examples:
      | format          | fails                                  |
      | chat completion | resets the connection                  |
      | chat completion | closes the body cleanly                |
      | chat completion | reports an error and then sends [DONE] |
      | text completion | resets the connection                  |
      | text completion | closes the body cleanly                |
      | text completion | reports an error and then sends [DONE] |
