Feature: Stream with an SDK
  "Streaming sends the reply while it is generated, so a reader sees the first words after the time to the
  first token rather than after the whole reply." (Mortar, Stream responses)

  @mortar-stream-01 @openai-chat-01
  Scenario: A request with stream set to true is answered with an event stream
    Given any prompt
    When the client streams a chat completion
    Then the answer is 200 with Content-Type text/event-stream

  @mortar-stream-02
  Scenario: Every data event is a chat.completion.chunk
    Given any prompt
    When the client streams a chat completion
    Then every data event but [DONE] is a chat.completion.chunk

  @mortar-stream-02
  Scenario: Every data event is a chat.completion.chunk when usage is asked for
    Given any prompt
    When the client streams a chat completion, asking for usage
    Then every data event but [DONE] is a chat.completion.chunk

  @mortar-stream-03
  Scenario: A pause of the model server is seen between the same two tokens
    Given a model server that replies with 6 tokens
    And it pauses for 2 s after token 3
    When the client streams a chat completion
    Then the client sees a pause of 2 s between tokens 3 and 4

  @mortar-stream-03
  Scenario: Each token is passed on before the next one is generated
    Given a model server that replies with 12 tokens
    And it generates each token only when the client has received the one before
    When the client streams a chat completion
    Then the client receives every token while the model server waits

  @mortar-stream-03
  Scenario: The first token arrives long before the reply ends
    Given a model server that replies with 4 tokens
    And it waits after token 1
    When the client streams a chat completion
    And the client has received 1 token
    And the model server goes on
    Then the reply is "t1 t2 t3 t4"

  @mortar-stream-04 @openai-chat-12
  Scenario: With include_usage the last chunk carries usage and no choices
    Given any prompt
    When the client streams a chat completion, asking for usage
    Then the last chunk carries usage and an empty list of choices

  @mortar-stream-04 @scripted
  Scenario Outline: The usage chunk is the last one when the model server reports usage <where>
    Given a model server that replies with 4 tokens
    And it reports usage <where>
    When the client streams a chat completion, asking for usage
    Then the last chunk carries usage and an empty list of choices
    And no other chunk carries usage

    Examples:
      | where                         |
      | on the finish chunk           |
      | on its first chunk only       |
      | on every chunk, counting up   |
      | twice                         |

  @mortar-stream-04
  Scenario: The usage chunk comes with the second of two equal requests too
    Given any prompt
    When the client streams a chat completion, asking for usage
    And the client streams the same chat completion again
    Then the last chunk carries usage and an empty list of choices

  @mortar-stream-05 @openai-chat-13
  Scenario: Without include_usage no chunk carries usage
    Given any prompt
    When the client streams a chat completion
    Then no chunk carries usage

  @mortar-stream-05
  Scenario: Without include_usage no chunk has an empty list of choices
    Given any prompt
    When the client streams a chat completion
    Then no chunk has an empty list of choices

  @mortar-stream-05 @openai-chat-13
  Scenario: With include_usage set to false no chunk carries usage
    Given any prompt
    When the client streams a chat completion, asking for no usage
    Then no chunk carries usage

  @mortar-stream-05
  Scenario: With include_usage set to false no chunk has an empty list of choices
    Given any prompt
    When the client streams a chat completion, asking for no usage
    Then no chunk has an empty list of choices

  @mortar-stream-05 @scripted
  Scenario: Usage that the model server reports unasked is not passed on
    Given a model server that replies with 4 tokens
    And it reports usage although not asked
    When the client streams a chat completion
    Then no chunk carries usage
    And no chunk has an empty list of choices

  @mortar-stream-31
  Scenario: An official SDK can read the stream to its end
    Given any prompt
    When the client streams a chat completion
    Then the official SDKs read the stream to its end

  @mortar-stream-31
  Scenario: An official SDK can read the stream and its usage
    Given any prompt
    When the client streams a chat completion, asking for usage
    Then the official SDKs read the stream to its end

  @mortar-stream-32
  Scenario: The same request without stream answers one chat.completion
    Given any prompt
    When the client asks for a chat completion that is not streamed
    Then the answer is one chat.completion

  @mortar-stream-32 @openai-chat-22 @scripted
  Scenario: Streamed and not streamed, the reply agrees
    Given a model server that replies "Grüße", ", ", "🦙", " and ", "\"quotes\"", "\n", "end."
    When the client streams a chat completion, asking for usage
    And the client asks for the same chat completion without streaming
    Then the two replies agree on text, finish_reason and usage

  @mortar-stream-32 @openai-chat-22 @scripted
  Scenario: Streamed and not streamed, a reply that hits max_tokens agrees
    Given a model server that replies with 9 tokens
    When the client streams a chat completion of at most 4 tokens, asking for usage
    And the client asks for the same chat completion without streaming
    Then the two replies agree on text, finish_reason and usage
