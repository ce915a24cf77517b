Feature: Read the stream yourself
  "Without an SDK, read the response body as text and split it into events at each blank line. In each event:
  a line starting with data: holds a chunk as JSON, or [DONE]. A line starting with : is a keep-alive comment.
  Ignore it. [DONE] is the last event of a complete reply." (Mortar, Stream responses)

  @mortar-stream-06
  Scenario: A request that names no model is served
    Given any prompt
    When the client streams a chat completion without naming a model
    Then the answer is 200 with Content-Type text/event-stream
    And the reply is complete

  @mortar-stream-07
  Scenario: Each event ends with a blank line
    Given any prompt
    When the client streams a chat completion
    Then each event ends with a blank line

  @mortar-stream-07
  Scenario: Lines end with LF
    Given any prompt
    When the client streams a chat completion
    Then every line ends with LF alone

  @mortar-stream-07 @scripted
  Scenario Outline: A model server that ends its lines with <end> does not change the line ends
    Given a model server that replies with 3 tokens
    And it ends its lines with <end>
    When the client streams a chat completion
    Then every line ends with LF alone
    And the reply is "t1 t2 t3"

    Examples:
      | end  |
      | CRLF |
      | CR   |

  @mortar-stream-07
  Scenario: The documented reader finds the whole reply
    Given any prompt
    When the client streams a chat completion
    Then the documented reader prints the whole reply

  @mortar-stream-08
  Scenario: A data line holds one whole JSON object or [DONE]
    Given any prompt
    When the client streams a chat completion, asking for usage
    Then every data line holds one whole JSON object or [DONE] after "data: "

  @mortar-stream-08 @scripted
  Scenario Outline: A data line stays whole when the model server <habit>
    Given a model server that replies with 4 tokens
    And it <habit>
    When the client streams a chat completion
    Then every data line holds one whole JSON object or [DONE] after "data: "
    And the reply is "t1 t2 t3 t4"

    Examples:
      | habit                                |
      | sends its bytes one by one           |
      | writes data lines without the space  |
      | begins with a byte order mark        |
      | sends a line of 100000 bytes         |
      | sends a line of 1500000 bytes        |
      | sends several events in one packet   |

  @mortar-stream-09 @openai-chat-19
  Scenario: Every other line is a comment
    Given any prompt
    When the client streams a chat completion
    Then every line that is not data is a comment

  @mortar-stream-09 @scripted
  Scenario: Comments of the model server do not become anything else
    Given a model server that replies with 3 tokens
    And it sends a comment after token 2
    When the client streams a chat completion
    Then every line that is not data is a comment
    And the reply is "t1 t2 t3"

  @mortar-stream-10
  Scenario: Characters of two to four bytes arrive unchanged
    Given a model server that replies "é", "ß", "漢", "字", "🦙", "👩‍👩‍👧", "\u0000", "tab\t", "\\", "\"", "\u2028", "end"
    When the client streams a chat completion
    Then the stream is UTF-8
    And the client receives the text that the model server generated

  @mortar-stream-10
  Scenario: Characters arrive unchanged when the model server cuts them over reads
    Given a model server that replies "é", "ß", "漢", "字", "🦙", "👩‍👩‍👧"
    And it sends its bytes one by one
    When the client streams a chat completion
    Then the stream is UTF-8
    And the client receives the text that the model server generated

  @mortar-stream-10
  Scenario: JSON escapes arrive as the characters that they stand for
    Given a model server that replies "é", "🦙", "漢字", "\n", "end"
    And it escapes every character that is not ASCII
    When the client streams a chat completion
    Then the client receives the text that the model server generated

  @mortar-stream-20 @key
  Scenario: A wrong key is refused before the stream starts
    Given any prompt
    When the client streams a chat completion with a wrong key
    Then the answer is an error with a JSON body whose error.message is a string
    And its status is 401

  @mortar-stream-20
  Scenario: A body that is no JSON is refused before the stream starts
    When the client sends the body "{\"stream\": true, \"messages\": [" as a chat completion
    Then the answer is an error with a JSON body whose error.message is a string
    And its status is 400

  @mortar-stream-20
  Scenario: A request without messages is refused before the stream starts
    When the client sends a chat completion without messages
    Then the answer is an error with a JSON body whose error.message is a string
    And its status is 400

  @mortar-stream-20 @scripted
  Scenario: A model server that refuses the request makes an error before the stream starts
    Given a model server that answers 400 with "context too long"
    When the client streams a chat completion
    Then the answer is an error with a JSON body whose error.message is a string
