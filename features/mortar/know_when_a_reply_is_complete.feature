Feature: Know when a reply is complete
  "A reply is complete only when [DONE] arrives. Before it, the finish chunk's finish_reason says why
  generation ended." (Mortar, Stream responses)

  @mortar-stream-11 @openai-chat-03
  Scenario: [DONE] ends a complete reply
    Given any prompt
    When the client streams a chat completion
    Then [DONE] arrives exactly once, as the last event
    And nothing but the end of the body follows

  @mortar-stream-11 @openai-chat-03
  Scenario: [DONE] ends a complete reply with usage
    Given any prompt
    When the client streams a chat completion, asking for usage
    Then [DONE] arrives exactly once, as the last event
    And nothing but the end of the body follows

  @mortar-stream-11 @scripted
  Scenario: [DONE] arrives once when the model server sends its last events in one packet
    Given a model server that replies with 5 tokens
    And it sends several events in one packet
    When the client streams a chat completion, asking for usage
    Then [DONE] arrives exactly once, as the last event
    And nothing but the end of the body follows

  @mortar-stream-11 @scripted
  Scenario: [DONE] ends a reply of 2500 tokens
    Given a model server that replies with 2500 tokens
    When the client streams a chat completion
    Then [DONE] arrives exactly once, as the last event
    And nothing but the end of the body follows

  @mortar-stream-11 @scripted
  Scenario: [DONE] ends a reply without any text
    Given a model server that replies with 0 tokens
    When the client streams a chat completion
    Then [DONE] arrives exactly once, as the last event
    And nothing but the end of the body follows

  @mortar-stream-12 @openai-chat-09
  Scenario: Exactly one finish chunk comes before [DONE]
    Given any prompt
    When the client streams a chat completion
    Then each choice has exactly one finish chunk before [DONE]

  @mortar-stream-12 @openai-chat-09
  Scenario: Exactly one finish chunk comes before [DONE] when usage is asked for
    Given any prompt
    When the client streams a chat completion, asking for usage
    Then each choice has exactly one finish chunk before [DONE]

  @mortar-stream-12 @openai-chat-09
  Scenario: No content comes after the finish chunk
    Given any prompt
    When the client streams a chat completion, asking for usage
    Then no content of a choice comes after its finish chunk

  @mortar-stream-12 @scripted
  Scenario: Each of three choices has exactly one finish chunk
    Given a model server that replies with 3 tokens
    When the client streams a chat completion of 3 choices
    Then each choice has exactly one finish chunk before [DONE]
    And no content of a choice comes after its finish chunk

  @mortar-stream-13
  Scenario: The model finished its answer
    Given a model server that replies with 5 tokens
    And it finishes with reason "stop"
    When the client streams a chat completion
    Then finish_reason is "stop"

  @mortar-stream-13
  Scenario: The model finished its answer just below max_tokens
    Given a model server that replies with 5 tokens
    When the client streams a chat completion of at most 6 tokens
    Then finish_reason is "stop"

  @mortar-stream-14 @openai-chat-18
  Scenario: The reply hit max_tokens
    Given a prompt with a long answer
    When the client streams a chat completion of at most 3 tokens
    Then finish_reason is "length"

  @mortar-stream-14 @openai-chat-18
  Scenario: The reply hit max_completion_tokens
    Given a prompt with a long answer
    When the client streams a chat completion of at most 3 completion tokens
    Then finish_reason is "length"

  @mortar-stream-14 @scripted
  Scenario: The reply hit max_tokens on a model server that runs on
    Given a model server that replies with 9 tokens
    And it runs on past max_tokens
    When the client streams a chat completion of at most 3 tokens
    Then finish_reason is "length"
    And the reply is "t1 t2 t3"
    And [DONE] arrives exactly once, as the last event

  @mortar-stream-15
  Scenario: The reply filled the context window
    Given a model server that replies with 5 tokens
    And it finishes with reason "length"
    When the client streams a chat completion
    Then finish_reason is "length"
