Feature: Chunks of a chat completion
  The chat.completion.chunk object as OpenAI documents it.

  @openai-chat-02
  Scenario: Every chunk has the documented object, fields and types
    Given any prompt
    When the client streams a chat completion, asking for usage
    Then every data event but [DONE] is a chat.completion.chunk
    And every delta has the documented types

  @openai-chat-05
  Scenario: created is one Unix time in seconds
    Given any prompt
    When the client streams a chat completion, asking for usage
    Then every chunk has the same created, in seconds and close to now

  @openai-chat-05 @scripted
  Scenario: created stays the same over a pause
    Given a model server that replies with 4 tokens
    And it pauses for 2 s after token 2
    When the client streams a chat completion
    Then every chunk has the same created, in seconds and close to now

  @openai-chat-06
  Scenario: model is the same on every chunk
    Given any prompt
    When the client streams a chat completion, asking for usage
    Then every chunk has the same model

  @openai-chat-07
  Scenario: The first delta has the role assistant
    Given any prompt
    When the client streams a chat completion
    Then the first delta of each choice has the role assistant

  @openai-chat-07 @scripted
  Scenario: Each of three choices begins with the role assistant
    Given a model server that replies with 3 tokens
    When the client streams a chat completion of 3 choices
    Then the first delta of each choice has the role assistant

  @openai-chat-08
  Scenario: Each choice has its index
    Given any prompt
    When the client streams a chat completion
    Then each choice has an index from 0 to n-1

  @openai-chat-10
  Scenario: Three choices stream under their own indices
    Given a model server that replies with 4 tokens
    When the client streams a chat completion of 3 choices
    Then each choice has an index from 0 to n-1
    And each choice has exactly one finish chunk before [DONE]
    And every choice has the text "t1 t2 t3 t4"

  @openai-chat-11
  Scenario: A tool call comes in deltas
    Given a model server that calls the function "get_weather" with {"city":"Paris"} in 4 pieces
    When the client streams a chat completion with the tool "get_weather"
    Then the deltas of tool calls have the documented shape
    And the client receives the call "get_weather" with {"city":"Paris"}
    And finish_reason is "tool_calls"

  @openai-chat-11
  Scenario: Two tool calls stay apart
    Given a model server that calls the function "get_weather" with {"city":"Paris"} and "get_time" with {"zone":"CET"}
    When the client streams a chat completion with the tools "get_weather" and "get_time"
    Then the deltas of tool calls have the documented shape
    And the client receives the call "get_weather" with {"city":"Paris"}
    And the client receives the call "get_time" with {"zone":"CET"}

  @openai-chat-20
  Scenario: A good chunk has no error key
    Given any prompt
    When the client streams a chat completion, asking for usage
    Then no chunk has an error key

  @openai-chat-30 @scripted
  Scenario: The deltas are the whole reply
    Given a model server that replies with 200 tokens
    When the client streams a chat completion
    Then the client receives the text that the model server generated

  @openai-chat-30
  Scenario: The reply has some text
    Given any prompt
    When the client streams a chat completion
    Then the reply has some text
