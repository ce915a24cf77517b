Feature: Reading cache and cost events
  "cacheReadUsd and cacheWriteUsd are what each cost, and inputUsd includes both. baseline names what baselineUsd
  prices. savedUsd is baselineUsd minus totalUsd. Amounts are US dollars at sample pricing, sent to 12 significant
  digits." (Mortar, Serving telemetry)

  @mortar-cost-01
  Scenario: cost.update has every documented field
    Given any prompt
    And a subscriber to the session
    When the client streams a chat completion
    Then cost.update has every documented field

  @mortar-cost-02
  Scenario: Reads and writes of the prefix cache cost what the list of models says
    Given any prompt
    And a subscriber to the session
    When the client streams a chat completion
    Then cacheReadUsd and cacheWriteUsd are the tokens at the prices of the model

  @mortar-cost-02 @scripted
  Scenario Outline: <cached> tokens read and <written> written cost what the list of models says
    Given a model server that replies with 7 tokens
    And it reports 1000 prompt tokens, <cached> of them cached and <written> written
    And a subscriber to the session
    When the client streams a chat completion
    Then cacheReadUsd and cacheWriteUsd are the tokens at the prices of the model
    And cost.update counts 1000 prompt tokens, <cached> of them read and <written> written

    Examples:
      | cached | written |
      | 0      | 1000    |
      | 640    | 360     |
      | 1000   | 0       |

  @mortar-cost-03
  Scenario: inputUsd includes both
    Given any prompt
    And a subscriber to the session
    When the client streams a chat completion
    Then inputUsd is what was read, what was written, and the rest at the input price

  @mortar-cost-03 @scripted
  Scenario: inputUsd includes both, and the input price of what was neither read nor written
    Given a model server that replies with 7 tokens
    And it reports 1000 prompt tokens, 400 of them cached and 250 written
    And a subscriber to the session
    When the client streams a chat completion
    Then inputUsd is what was read, what was written, and the rest at the input price

  @mortar-cost-04
  Scenario: totalUsd is the input and the output
    Given any prompt
    And a subscriber to the session
    When the client streams a chat completion
    Then outputUsd is the completion tokens at the output price, and totalUsd adds inputUsd

  @mortar-cost-04 @scripted
  Scenario: outputUsd prices every token that was generated
    Given a model server that replies with 333 tokens
    And it reports 1000 prompt tokens, 640 of them cached
    And a subscriber to the session
    When the client streams a chat completion
    Then outputUsd is the completion tokens at the output price, and totalUsd adds inputUsd
    And cost.update counts 333 completion tokens

  @mortar-cost-04
  Scenario: totalTokens is the prompt and the completion
    Given any prompt
    And a subscriber to the session
    When the client streams a chat completion
    Then totalTokens is promptTokens and completionTokens

  @mortar-cost-05
  Scenario: billedPromptTokens equals cacheWriteTokens
    Given any prompt
    And a subscriber to the session
    When the client streams a chat completion
    Then billedPromptTokens equals cacheWriteTokens

  @mortar-cost-05 @scripted
  Scenario: billedPromptTokens equals cacheWriteTokens where tokens were read
    Given a model server that replies with 3 tokens
    And it reports 1000 prompt tokens, 400 of them cached and 250 written
    And a subscriber to the session
    When the client streams a chat completion
    Then billedPromptTokens equals cacheWriteTokens

  @mortar-cost-06
  Scenario: The baseline prices every prompt token at the input price
    Given any prompt
    And a subscriber to the session
    When the client streams a chat completion
    Then baselineUsd is the same model without a prefix cache

  @mortar-cost-06 @scripted
  Scenario: The baseline prices every prompt token at the input price where tokens were read
    Given a model server that replies with 7 tokens
    And it reports 1000 prompt tokens, 640 of them cached
    And a subscriber to the session
    When the client streams a chat completion
    Then baselineUsd is the same model without a prefix cache

  @mortar-cost-07
  Scenario: savedUsd is baselineUsd minus totalUsd
    Given any prompt
    And a subscriber to the session
    When the client streams a chat completion
    Then savedUsd is baselineUsd minus totalUsd

  @mortar-cost-07 @scripted
  Scenario Outline: savedUsd is baselineUsd minus totalUsd when <what>
    Given a model server that replies with 7 tokens
    And it reports 1000 prompt tokens, <cached> of them cached
    And a subscriber to the session
    When the client streams a chat completion
    Then savedUsd is baselineUsd minus totalUsd

    Examples:
      | what                    | cached |
      | nothing is read         | 0      |
      | writes outweigh reads   | 200    |
      | reads outweigh writes   | 900    |

  @mortar-cost-07
  Scenario: A cold first request saves less than nothing
    Given a long prompt that nobody has sent before
    And a subscriber to the session
    When the client streams a chat completion
    Then nothing was read, and savedUsd is negative

  @mortar-cost-08
  Scenario: The counts are the model server's
    Given a model server that replies with 5 tokens
    And it reports 300 prompt tokens, 120 of them cached
    And a subscriber to the session
    When the client streams a chat completion
    Then cost.update counts 300 prompt tokens, 120 of them read and 180 written

  @mortar-cost-08
  Scenario Outline: usageSource is upstream when the model server <does>
    Given a model server that replies with 5 tokens
    And it <does>
    And a subscriber to the session
    When the client streams a chat completion
    Then the usageSource of cost.update is "upstream"
    And cost.update counts 5 completion tokens

    Examples:
      | does                                       |
      | reports 300 prompt tokens, 120 of them cached |
      | reports usage on the finish chunk          |
      | reports usage on every chunk, counting up  |
      | reports usage twice                        |

  @mortar-cost-09 @scripted
  Scenario: usageSource is estimate when the model server reports no usage
    Given a model server that replies with 5 tokens
    And it reports no usage
    And a subscriber to the session
    When the client streams a chat completion
    Then the usageSource of cost.update is "estimate"
    And cost.update counts 5 completion tokens

  @mortar-cost-09 @scripted
  Scenario: usageSource is estimate when the model server ran on past max_tokens
    Given a model server that replies with 40 tokens
    And it runs on past max_tokens
    And a subscriber to the session
    When the client streams a chat completion of at most 8 tokens
    Then the usageSource of cost.update is "estimate"
    And cost.update counts 8 completion tokens

  @mortar-cost-09
  Scenario: usageSource says who counted
    Given any prompt
    And a subscriber to the session
    When the client streams a chat completion
    Then the usageSource of cost.update is "upstream" or "estimate"

  @mortar-cost-10
  Scenario: A reply that runs on past max_tokens finishes with reason length
    Given a model server that replies with 40 tokens
    And it runs on past max_tokens
    When the client streams a chat completion of at most 8 tokens
    Then finish_reason is "length"

  @mortar-cost-10
  Scenario: A reply that runs on past max_tokens ends at max_tokens
    Given a model server that replies with 40 tokens
    And it runs on past max_tokens
    When the client streams a chat completion of at most 8 tokens
    Then the reply is "t1 t2 t3 t4 t5 t6 t7 t8"

  @mortar-cost-10
  Scenario: A reply that runs on past max_tokens has its usage and its end
    Given a model server that replies with 40 tokens
    And it runs on past max_tokens
    When the client streams a chat completion of at most 8 tokens, asking for usage
    Then it counts 8 completion tokens
    And the reply is complete

  @mortar-cost-10
  Scenario: A model server that runs on past max_tokens sees an abort
    Given a model server that replies with 400 tokens
    And it runs on past max_tokens
    And it generates a token every 20 ms
    When the client streams a chat completion of at most 8 tokens
    And the client has received 8 tokens
    Then the model server sees the generation aborted within 1 s

  @mortar-cost-11
  Scenario: Amounts have at most 12 significant digits
    Given any prompt
    And the model whose prices have the most digits
    And a subscriber to the session
    When the client streams a chat completion
    Then every amount is a number of at most 12 significant digits

  @mortar-cost-11
  Scenario: Amounts have 12 significant digits where it takes as many
    Given any prompt
    And the model whose prices have the most digits
    And a subscriber to the session
    When the client streams a chat completion
    Then every amount is the exact one, rounded to 12 significant digits

  @mortar-cost-11 @scripted
  Scenario Outline: Amounts of <cached> tokens read have 12 significant digits where it takes as many
    Given a model server that replies with 7 tokens
    And it reports 1009 prompt tokens, <cached> of them cached
    And the model whose prices have the most digits
    And a subscriber to the session
    When the client streams a chat completion
    Then every amount is the exact one, rounded to 12 significant digits

    Examples:
      | cached |
      | 0      |
      | 613    |
      | 1009   |

  @mortar-cost-12
  Scenario: The worked example comes out digit for digit
    Given a model server that replies with 120 tokens
    And it reports 502 prompt tokens, 0 of them cached and 502 written
    And a subscriber to the session
    When the client streams a chat completion
    Then cost.update is the worked example

  @mortar-cost-13
  Scenario: The same prompt sent again reads from the cache
    Given a long prompt that nobody has sent before
    And a subscriber to the session
    When the client streams a chat completion
    And the request has been accounted for
    And the client streams the same chat completion again
    Then cost.update counts tokens read from the cache

  @mortar-cost-13
  Scenario: The reuse ratio is the share of the prompt that was read
    Given a long prompt that nobody has sent before
    And a subscriber to the session
    When the client streams a chat completion
    And the request has been accounted for
    And the client streams the same chat completion again
    And the request has been accounted for
    And a later request of the session has been accounted for
    Then its reuseRatio is cacheReadTokens of promptTokens

  @mortar-cost-13 @scripted
  Scenario: The reads are those that the model server reports
    Given a long prompt that nobody has sent before
    And a subscriber to the session
    When the client streams a chat completion
    And the request has been accounted for
    And the client streams the same chat completion again
    Then cost.update counts the tokens that the model server found in its cache

  @mortar-cost-14
  Scenario: The usage chunk and cost.update agree
    Given any prompt
    And a subscriber to the session
    When the client streams a chat completion, asking for usage
    Then the usage of the reply and cost.update agree on every count

  @mortar-cost-14 @scripted
  Scenario Outline: The usage chunk and cost.update agree when the model server <does>
    Given a model server that replies with 6 tokens
    And it <does>
    And a subscriber to the session
    When the client streams a chat completion of at most 5 tokens, asking for usage
    Then the usage of the reply and cost.update agree on every count

    Examples:
      | does                                                      |
      | reports 300 prompt tokens, 120 of them cached             |
      | reports 300 prompt tokens, 120 of them cached and 100 written |
      | reports no usage                                          |
      | reports usage on every chunk, counting up                 |
      | runs on past max_tokens                                   |

  @mortar-cost-14 @scripted @stop
  Scenario: The usage chunk of a stopped stream and cost.update agree
    Given a model server that replies with 9 tokens
    And it waits after token 4
    And a subscriber to the session
    When the client streams a chat completion, asking for usage
    And the client has received 4 tokens
    And the generation is stopped by its id
    Then the usage of the reply and cost.update agree on every count

  @mortar-cost-14
  Scenario: The usage of a completion that is not streamed and cost.update agree
    Given any prompt
    And a subscriber to the session
    When the client asks for a chat completion that is not streamed
    Then the usage of the completion and cost.update agree on every count

  @mortar-cost-15
  Scenario: A model server that reports fewer writes is believed
    Given a model server that replies with 5 tokens
    And it reports 300 prompt tokens, 120 of them cached and 100 written
    And a subscriber to the session
    When the client streams a chat completion
    Then cost.update counts 300 prompt tokens, 120 of them read and 100 written

  @mortar-cost-15
  Scenario: What was neither read nor written costs the input price
    Given a model server that replies with 5 tokens
    And it reports 300 prompt tokens, 120 of them cached and 100 written
    And a subscriber to the session
    When the client streams a chat completion
    Then inputUsd is what was read, what was written, and the rest at the input price

  @mortar-cost-15
  Scenario: No writes at all are believed
    Given a model server that replies with 5 tokens
    And it reports 300 prompt tokens, 0 of them cached and 0 written
    And a subscriber to the session
    When the client streams a chat completion
    Then cost.update counts 300 prompt tokens, 0 of them read and 0 written

  @mortar-cost-16
  Scenario: What has a price of 0 costs 0
    Given any prompt
    And a model that has a price of 0
    And a subscriber to the session
    When the client streams a chat completion
    Then what has a price of 0 costs 0

  @mortar-cost-16
  Scenario: The sums are right where a price is 0
    Given any prompt
    And a model that has a price of 0
    And a subscriber to the session
    When the client streams a chat completion
    Then every amount is the exact one, rounded to 12 significant digits

  @mortar-cost-16 @scripted
  Scenario: The sums are right where a price is 0 and tokens are read and written
    Given a model server that replies with 5 tokens
    And it reports 300 prompt tokens, 120 of them cached and 100 written
    And a model that has a price of 0
    And a subscriber to the session
    When the client streams a chat completion
    Then every amount is the exact one, rounded to 12 significant digits

  @mortar-cost-16
  Scenario: A model that charges nothing costs nothing
    Given any prompt
    And a model all of whose prices are 0
    And a subscriber to the session
    When the client streams a chat completion
    Then every amount is the exact one, rounded to 12 significant digits
