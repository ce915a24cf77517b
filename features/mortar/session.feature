Feature: The sums of a session
  "session.metrics adds up the session's requests the same way. The session adds up its requests' exact amounts and
  rounds only what it sends, so the rounding never accumulates." (Mortar, Serving telemetry)

  @mortar-session-01
  Scenario: savedUsd is the sum of what the requests saved
    Given any prompt
    And a subscriber to the session
    When 3 requests of the session have been accounted for
    Then savedUsd of session.metrics is the sum of theirs

  @mortar-session-01
  Scenario: The other amounts are sums as well
    Given any prompt
    And a subscriber to the session
    When 3 requests of the session have been accounted for
    Then every other amount of session.metrics is the sum of theirs

  @mortar-session-01 @scripted
  Scenario: savedUsd adds what was saved and what was lost
    Given a model server that replies with 5 tokens
    And it reports 300 prompt tokens, 120 of them cached
    And a subscriber to the session
    When the client streams a chat completion
    And the request has been accounted for
    And a later request of the session has been accounted for
    Then savedUsd of session.metrics is the sum of theirs

  @mortar-session-01 @scripted
  Scenario: A request that was cancelled is in the sums
    Given a model server that replies with 9 tokens
    And it waits after token 4
    And a subscriber to the session
    When the client streams a chat completion
    And the client has received 4 tokens
    And the client closes its connection
    And the request has been accounted for
    And a later request of the session has been accounted for
    Then every other amount of session.metrics is the sum of theirs

  @mortar-session-02
  Scenario: The tokens read and not read are sums
    Given any prompt
    And a subscriber to the session
    When 3 requests of the session have been accounted for
    Then reusedTokens and prefilledTokens are the sums of the tokens read and not read

  @mortar-session-02
  Scenario: The tokens read and not read are sums when a prompt is sent again
    Given a long prompt that nobody has sent before
    And a subscriber to the session
    When 3 requests of the session have been accounted for
    Then reusedTokens and prefilledTokens are the sums of the tokens read and not read

  @mortar-session-02 @scripted
  Scenario: prefilledTokens is what was written, unless fewer writes are reported
    Given a model server that replies with 5 tokens
    And it reports 300 prompt tokens, 120 of them cached
    And a subscriber to the session
    When 3 requests of the session have been accounted for
    Then prefilledTokens is the sum of cacheWriteTokens

  @mortar-session-02 @scripted
  Scenario: prefilledTokens is what was not read when fewer writes are reported
    Given a model server that replies with 5 tokens
    And it reports 300 prompt tokens, 120 of them cached and 100 written
    And a subscriber to the session
    When 3 requests of the session have been accounted for
    Then reusedTokens and prefilledTokens are the sums of the tokens read and not read

  @mortar-session-03
  Scenario: The usageSource of a session is upstream when every request's was
    Given a model server that replies with 5 tokens
    And a subscriber to the session
    When 2 requests of the session have been accounted for
    Then the usageSource of session.metrics is "upstream"

  @mortar-session-03
  Scenario: The usageSource of a session is estimate when every request's was
    Given a model server that replies with 5 tokens
    And it reports no usage
    And a subscriber to the session
    When 2 requests of the session have been accounted for
    Then the usageSource of session.metrics is "estimate"

  @mortar-session-03
  Scenario: The usageSource of a session is mixed otherwise
    Given a model server that replies with 5 tokens
    And it reports no usage
    And a subscriber to the session
    When the client streams a chat completion
    And the request has been accounted for
    And a later request of the session has been accounted for
    Then the usageSource of session.metrics is "mixed"

  @mortar-session-03
  Scenario: The usageSource of a session stays mixed
    Given a model server that replies with 5 tokens
    And it reports no usage
    And a subscriber to the session
    When a later request of the session has been accounted for
    And the client streams a chat completion
    And the request has been accounted for
    Then the usageSource of session.metrics is "mixed"

  @mortar-session-04
  Scenario: The sum of 20 requests is exact, and rounded once
    Given any prompt
    And the model whose prices have the most digits
    And a subscriber to the session
    When 20 requests of the session have been accounted for, 10 at a time
    Then savedUsd of session.metrics was the exact sum each time, rounded once

  @mortar-session-04 @scripted
  Scenario: The sum of 1,000 requests is exact, and rounded once
    Given requests of which every second saves what the one before has lost
    And the model whose prices have the most digits
    And a subscriber to the session
    When 1000 requests of the session have been accounted for, 100 at a time
    Then savedUsd of session.metrics was the exact sum each time, rounded once
    And every other amount of session.metrics was the exact sum each time, rounded once
    And every amount of session.metrics has at most 12 significant digits
