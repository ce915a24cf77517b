Feature: Proxies and timeouts
  "Mortar sends Cache-Control: no-cache, no-transform and X-Accel-Buffering: no. A stream stays open as long as
  the reply takes; Mortar puts no time limit on it. When the deployment forwards to a model server, Mortar also
  sends a : ping comment every 10 seconds." (Mortar, Stream responses)

  @mortar-stream-24
  Scenario: Cache-Control stops proxies from storing and transforming the stream
    Given any prompt
    When the client streams a chat completion
    Then the header Cache-Control is "no-cache, no-transform"

  @mortar-stream-25
  Scenario: X-Accel-Buffering stops proxies from buffering the stream
    Given any prompt
    When the client streams a chat completion
    Then the header X-Accel-Buffering is "no"

  @mortar-stream-25
  Scenario: A stream has neither a length nor an encoding, even for a client that offers gzip
    Given any prompt
    When the client streams a chat completion, offering gzip
    Then the stream has no Content-Length
    And the stream has no Content-Encoding

  @mortar-stream-25 @scripted
  Scenario: A model server that compresses its stream does not change that
    Given a model server that replies with 4 tokens
    And it compresses its stream
    When the client streams a chat completion
    Then the stream has no Content-Encoding
    And the reply is "t1 t2 t3 t4"

  @mortar-stream-26
  Scenario: A reply that is silent for 35 s is delivered whole
    Given a model server that replies with 6 tokens
    And it pauses for 35 s after token 3
    When the client streams a chat completion
    Then the reply is complete
    And the client receives the text that the model server generated

  @mortar-stream-26 @soak
  Scenario: A reply that is silent for 10 minutes is delivered whole
    Given a model server that replies with 6 tokens
    And it pauses for 600 s after token 3
    When the client streams a chat completion
    Then the reply is complete
    And the client receives the text that the model server generated

  @mortar-stream-27
  Scenario: Headers do not wait for the first token
    Given a model server that replies with 3 tokens
    And it waits after token 0
    When the client streams a chat completion
    Then the response headers arrive while the model server waits

  @mortar-stream-27
  Scenario: Pings come every 10 s while the model server is slow to start
    Given a model server that replies with 3 tokens
    And it pauses for 25 s after token 0
    When the client streams a chat completion
    Then pings come every 10 s until token 1

  @mortar-stream-27
  Scenario: Pings come although the model server sends no headers yet
    Given a model server that replies with 3 tokens
    And it holds its headers back for 25 s
    When the client streams a chat completion
    Then pings come every 10 s until token 1

  @mortar-stream-28
  Scenario: Pings come every 10 s in a pause in the middle of a reply
    Given a model server that replies with 6 tokens
    And it pauses for 25 s after token 3
    When the client streams a chat completion
    Then pings come every 10 s between tokens 3 and 4

  @mortar-stream-29
  Scenario: A ping never stands inside an event
    Given a model server that replies with 6 tokens
    And it pauses for 25 s in the middle of the event of token 3
    When the client streams a chat completion
    Then every comment stands between events
    And the client receives the text that the model server generated

  @mortar-stream-30
  Scenario: Chunks hold the fields of OpenAI alone
    Given any prompt
    When the client streams a chat completion, asking for usage
    Then no chunk has a field that OpenAI does not document
