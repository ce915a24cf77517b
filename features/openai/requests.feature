Feature: What a request can ask for
  The parameters of a chat completion as OpenAI documents them.

  @openai-chat-12
  Scenario: With include_usage, usage is null before the last chunk
    Given any prompt
    When the client streams a chat completion, asking for usage
    Then every chunk before the last has usage null

  @openai-chat-12 @scripted
  Scenario: With include_usage, usage of three choices comes once
    Given a model server that replies with 4 tokens
    When the client streams a chat completion of 3 choices, asking for usage
    Then the last chunk carries usage and an empty list of choices
    And no other chunk carries usage

  @openai-chat-14 @scripted
  Scenario: Token counts of three choices add up
    Given a model server that replies with 4 tokens
    When the client streams a chat completion of 3 choices, asking for usage
    Then the token counts add up

  @openai-chat-14
  Scenario: Token counts add up
    Given any prompt
    When the client streams a chat completion, asking for usage
    Then the token counts add up

  @openai-chat-15
  Scenario Outline: completion_tokens counts the <n> generated tokens
    Given a model server that replies with <n> tokens
    When the client streams a chat completion, asking for usage
    Then it counts <n> completion tokens

    Examples:
      | n  |
      | 1  |
      | 2  |
      | 33 |

  @openai-chat-16
  Scenario: With logprobs each content delta carries its tokens
    Given a model server that replies with 4 tokens
    When the client streams a chat completion with logprobs
    Then each content delta carries its tokens with logprobs

  @openai-chat-16
  Scenario: Without logprobs there are none
    Given a model server that replies with 4 tokens
    When the client streams a chat completion
    Then no delta carries logprobs

  @openai-chat-17
  Scenario Outline: A stop sequence <where> ends the reply
    Given a model server that replies "one", " two", " STO", "P here", " three"
    When the client streams a chat completion stopping at "<stop>"
    Then finish_reason is "stop"
    And the text does not contain "<stop>"

    Examples:
      | where               | stop  |
      | inside a token      | two   |
      | that spans two tokens | STOP  |

  @openai-chat-18 @scripted
  Scenario Outline: A reply of at most <n> tokens has no more than that
    Given a model server that replies with 20 tokens
    When the client streams a chat completion of at most <n> tokens, asking for usage
    Then finish_reason is "length"
    And it counts <n> completion tokens

    Examples:
      | n |
      | 1 |
      | 7 |

  @openai-chat-21
  Scenario: A completion that is not streamed is one JSON object
    Given any prompt
    When the client asks for a chat completion that is not streamed
    Then the answer is one chat.completion
    And the token counts of the completion add up

  @openai-chat-21 @scripted
  Scenario: A completion of three choices that is not streamed
    Given a model server that replies with 4 tokens
    When the client asks for a chat completion of 3 choices that is not streamed
    Then the answer is one chat.completion
