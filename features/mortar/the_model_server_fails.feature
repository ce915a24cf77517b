Feature: The model server fails mid-reply
  "If the model server fails mid-reply, Mortar sends one event holding an error envelope whose type is
  upstream_error, then closes the stream without [DONE]. The text you received is a fragment: show it as
  failed, not as an answer." (Mortar, Stream responses, Know when a reply is complete)

  @mortar-stream-16
  Scenario Outline: One error event of type upstream_error when the model server <fails>
    Given a model server that replies with 3 tokens
    And it <fails> after token 3
    When the client streams a chat completion, asking for usage
    Then exactly one event holds an error envelope of type upstream_error

    Examples:
      | fails                                   |
      | resets the connection                   |
      | cuts the connection                     |
      | closes the body cleanly                 |
      | sends half an event and closes          |
      | sends a malformed chunk                 |
      | reports an error                        |
      | reports an error and then sends [DONE]  |

  @mortar-stream-16
  Scenario: One error event when the model server fails while it is silent
    Given a model server that replies with 2 tokens
    And it pauses for 1 s after token 2
    And it resets the connection after token 2
    When the client streams a chat completion
    Then exactly one event holds an error envelope of type upstream_error

  @mortar-stream-17
  Scenario Outline: Nothing that looks like success follows when the model server <fails>
    Given a model server that replies with 3 tokens
    And it <fails> after token 3
    When the client streams a chat completion, asking for usage
    Then the stream closes after the error event: no [DONE], no finish chunk, no usage chunk

    Examples:
      | fails                                   |
      | resets the connection                   |
      | cuts the connection                     |
      | closes the body cleanly                 |
      | sends half an event and closes          |
      | sends a malformed chunk                 |
      | reports an error                        |
      | reports an error and then sends [DONE]  |

  @mortar-stream-18
  Scenario Outline: The text before the failure is whole when the model server <fails>
    Given a model server that replies with 7 tokens
    And it <fails> after token 7
    When the client streams a chat completion
    Then the client receives the text that the model server generated

    Examples:
      | fails                                   |
      | resets the connection                   |
      | cuts the connection                     |
      | closes the body cleanly                 |
      | sends a malformed chunk                 |
      | reports an error                        |

  @mortar-stream-09 @openai-chat-19 @scripted
  Scenario: The error event is data without a name
    Given a model server that replies with 3 tokens
    And it resets the connection after token 3
    When the client streams a chat completion
    Then every line that is not data is a comment

  @mortar-stream-19
  Scenario Outline: The error message gives nothing of the deployment away when the model server <fails>
    Given a model server that replies with 3 tokens
    And it <fails> after token 3
    When the client streams a chat completion
    Then the message of the error envelope is a non-empty text
    And it carries no address, key or stack of the deployment

    Examples:
      | fails                                   |
      | resets the connection                   |
      | closes the body cleanly                 |
      | reports an error that names its secrets |

  @mortar-stream-16 @mortar-stream-20
  Scenario Outline: The client is told once when the model server <fails at once>
    Given a model server that <fails at once>
    When the client streams a chat completion
    Then the client is told once that the model server failed

    Examples:
      | fails at once                    |
      | answers 503 with "overloaded"    |
      | answers 500 with "<html>oops"    |
      | closes before its first token    |
      | resets before its first token    |
