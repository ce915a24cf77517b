Feature: Text completions
  POST /v1/completions as OpenAI documents it, streamed and not.

  @openai-text-01
  Scenario: A streamed text completion is answered with an event stream
    Given any prompt
    When the client streams a text completion
    Then the answer is 200 with Content-Type text/event-stream

  @openai-text-02
  Scenario Outline: Every chunk of a text completion is a text_completion<usage>
    Given any prompt
    When the client streams a text completion<usage>
    Then every data event but [DONE] is a text_completion

    Examples:
      | usage              |
      |                    |
      | , asking for usage |

  @openai-text-03
  Scenario Outline: [DONE] ends a text stream<usage>
    Given any prompt
    When the client streams a text completion<usage>
    Then [DONE] arrives exactly once, as the last event
    And nothing but the end of the body follows

    Examples:
      | usage              |
      |                    |
      | , asking for usage |

  @openai-text-03 @scripted
  Scenario: [DONE] ends a text stream without any text
    Given a model server that replies with 0 tokens
    When the client streams a text completion
    Then [DONE] arrives exactly once, as the last event
    And nothing but the end of the body follows

  @openai-text-04
  Scenario: id, created and model of a text completion stay the same
    Given any prompt
    When the client streams a text completion, asking for usage
    Then every chunk carries the same id
    And every chunk has the same created, in seconds and close to now
    And every chunk has the same model

  @openai-text-04
  Scenario: No two text completions share an id
    Given any prompt
    When the client streams a text completion
    And the client streams the same text completion again
    Then no two replies share an id

  @openai-text-05
  Scenario: A choice of a text completion holds its text itself
    Given any prompt
    When the client streams a text completion
    Then every choice holds its text itself
    And the reply has some text

  @openai-text-06
  Scenario: Each choice of a text completion has its index
    Given any prompt
    When the client streams a text completion
    Then each choice has an index from 0 to n-1

  @openai-text-06 @scripted
  Scenario: Three choices of a text completion stream under their own indices
    Given a model server that replies with 4 tokens
    When the client streams a text completion of 3 choices
    Then each choice has an index from 0 to n-1
    And every choice has the text "t1 t2 t3 t4"

  @openai-text-07
  Scenario: A text completion finishes once
    Given any prompt
    When the client streams a text completion
    Then finish_reason is null, or a word of text completions
    And each choice has exactly one finish chunk before [DONE]
    And no content of a choice comes after its finish chunk

  @openai-text-07 @scripted
  Scenario: A text completion that the model finished ends with stop
    Given a model server that replies with 5 tokens
    When the client streams a text completion
    Then finish_reason is "stop"

  @openai-text-08
  Scenario: With include_usage the last chunk of a text completion carries usage and no choices
    Given any prompt
    When the client streams a text completion, asking for usage
    Then the last chunk carries usage and an empty list of choices
    And no other chunk carries usage
    And every chunk before the last has usage null

  @openai-text-09
  Scenario Outline: Without include_usage no chunk of a text completion carries usage<usage>
    Given any prompt
    When the client streams a text completion<usage>
    Then no chunk carries usage

    Examples:
      | usage                 |
      |                       |
      | , asking for no usage |

  @openai-text-10
  Scenario: Token counts of a text completion add up
    Given any prompt
    When the client streams a text completion, asking for usage
    Then the token counts add up
    And the last chunk carries usage and an empty list of choices

  @openai-text-11
  Scenario Outline: completion_tokens of a text completion counts the <n> generated tokens
    Given a model server that replies with <n> tokens
    When the client streams a text completion, asking for usage
    Then it counts <n> completion tokens

    Examples:
      | n  |
      | 1  |
      | 33 |

  @openai-text-12
  Scenario: With logprobs each piece of text carries its tokens
    Given a model server that replies with 4 tokens
    When the client streams a text completion with logprobs
    Then each piece of text carries its tokens with logprobs

  @openai-text-12
  Scenario: Without logprobs no piece of text carries any
    Given a model server that replies with 4 tokens
    When the client streams a text completion
    Then no piece of text carries logprobs

  @openai-text-13
  Scenario Outline: A stop sequence <where> ends a text completion
    Given a model server that replies "one", " two", " STO", "P here", " three"
    When the client streams a text completion stopping at "<stop>"
    Then finish_reason is "stop"
    And the text does not contain "<stop>"

    Examples:
      | where                 | stop |
      | inside a token        | two  |
      | that spans two tokens | STOP |

  @openai-text-14
  Scenario: A text completion that hits max_tokens ends with length
    Given a prompt with a long answer
    When the client streams a text completion of at most 3 tokens
    Then finish_reason is "length"

  @openai-text-14 @scripted
  Scenario Outline: A text completion of at most <n> tokens has no more than that
    Given a model server that replies with 20 tokens
    When the client streams a text completion of at most <n> tokens, asking for usage
    Then finish_reason is "length"
    And it counts <n> completion tokens

    Examples:
      | n |
      | 1 |
      | 7 |

  @openai-text-15
  Scenario: A text completion has at most 16 tokens where the request does not say
    Given a model server that replies with 40 tokens
    When the client streams a text completion without a limit, asking for usage
    Then finish_reason is "length"
    And it counts 16 completion tokens

  @openai-text-16
  Scenario: Events of a text completion are unnamed
    Given any prompt
    When the client streams a text completion
    Then every line that is not data is a comment

  @openai-text-17
  Scenario: A good chunk of a text completion has no error key
    Given any prompt
    When the client streams a text completion, asking for usage
    Then no chunk has an error key

  @openai-text-18
  Scenario: A text completion that is not streamed is one JSON object
    Given any prompt
    When the client asks for a text completion that is not streamed
    Then the answer is one text_completion

  @openai-text-18 @scripted
  Scenario: A text completion of three choices that is not streamed
    Given a model server that replies with 4 tokens
    When the client asks for a text completion of 3 choices that is not streamed
    Then the answer is one text_completion

  @openai-text-19
  Scenario: Streamed and not streamed, a text completion says the same
    Given a model server that replies "Grüße", ", ", "🦙", " and ", "\"quotes\"", "\n", "end."
    When the client streams a text completion, asking for usage
    And the client asks for the same text completion without streaming
    Then both forms of the reply say the same

  @openai-text-19
  Scenario: Streamed and not streamed, a text completion that hits max_tokens says the same
    Given a model server that replies with 9 tokens
    When the client streams a text completion of at most 4 tokens, asking for usage
    And the client asks for the same text completion without streaming
    Then both forms of the reply say the same

  @openai-text-20
  Scenario: The pieces of text are the whole reply
    Given a model server that replies with 200 tokens
    When the client streams a text completion
    Then the client receives the text that the model server generated

  @openai-text-21
  Scenario: An error of a text completion has message, type, param and code
    When the client sends the body "{\"prompt\": [" as a text completion
    Then the answer is an error with message, type, param and code as JSON

  @openai-text-22
  Scenario Outline: A text completion is refused with <what>
    When the client sends the body "<body>" as a text completion
    Then its status is 400
    And its type is "invalid_request_error"

    Examples:
      | what                     | body                                      |
      | a body that is no JSON   | {\"prompt\": [                            |
      | an array                 | []                                        |
      | an empty body            |                                           |
      | a prompt that is a truth | {\"prompt\": true, \"stream\": true}      |
      | a stream that is a text  | {\"prompt\": \"hi\", \"stream\": \"yes\"} |

  @openai-text-23
  Scenario Outline: A text completion whose <field> is <value> is refused
    When the client sends a text completion whose <field> is <value>
    Then its status is 400
    And its type is "invalid_request_error"
    And its param is "<field>"

    Examples:
      | field       | value |
      | n           | 0     |
      | n           | 129   |
      | max_tokens  | -1    |
      | logprobs    | 6     |
      | best_of     | 21    |
      | temperature | 2.5   |

  @openai-text-24
  Scenario: A text completion of a model that does not exist is refused
    When the client sends a text completion whose model is "plumbline-no-such-model"
    Then its status is 404 or 400
    And its code is "model_not_found"
