Feature: Every ending is accounted for
  "Tokens generated before the stop are counted." (Mortar, Stream responses, Cancel a generation)
  "Mortar sends one event for each step of every request." (Mortar, Serving telemetry)

  @mortar-cancel-02
  Scenario: The tokens generated before the client left are counted
    Given a model server that replies with 9 tokens
    And it waits after token 4
    And a subscriber to the session
    When the client streams a chat completion
    And the client has received 4 tokens
    And the client closes its connection
    Then cost.update counts no fewer completion tokens than were received, and no more than were generated

  @mortar-cancel-02
  Scenario: The tokens generated before the client left are counted while tokens flow
    Given a model server that replies with 400 tokens
    And it generates a token every 20 ms
    And a subscriber to the session
    When the client streams a chat completion
    And the client has received 5 tokens
    And the client closes its connection
    Then cost.update counts no fewer completion tokens than were received, and no more than were generated

  @mortar-cancel-02 @stop
  Scenario: The tokens generated before a stop by id are counted
    Given a model server that replies with 9 tokens
    And it waits after token 6
    And a subscriber to the session
    When the client streams a chat completion
    And the client has received 6 tokens
    And the generation is stopped by its id
    Then cost.update counts no fewer completion tokens than were received, and no more than were generated

  @mortar-telemetry-13
  Scenario: A request that was cancelled publishes its cost
    Given a model server that replies with 9 tokens
    And it waits after token 4
    And a subscriber to the session
    When the client streams a chat completion
    And the client has received 4 tokens
    And the client closes its connection
    Then cost.update counts 4 completion tokens

  @mortar-telemetry-13
  Scenario: A request that was cancelled before its first token publishes its cost
    Given a model server that replies with 9 tokens
    And it waits after token 0
    And a subscriber to the session
    When the client streams a chat completion
    And the client has the response headers
    And the model server waits
    And the client closes its connection
    Then cost.update counts 0 completion tokens

  @mortar-telemetry-13 @stop
  Scenario: A request that was stopped publishes its cost
    Given a model server that replies with 9 tokens
    And it waits after token 4
    And a subscriber to the session
    When the client streams a chat completion
    And the client has received 4 tokens
    And the generation is stopped by its id
    Then cost.update counts 4 completion tokens

  @mortar-telemetry-13
  Scenario Outline: A request whose model server <fails> publishes its cost
    Given a model server that replies with 5 tokens
    And it <fails> after token 5
    And a subscriber to the session
    When the client streams a chat completion
    Then cost.update counts 5 completion tokens

    Examples:
      | fails                   |
      | resets the connection   |
      | closes the body cleanly |
      | reports an error        |

  @mortar-telemetry-15
  Scenario: A request that finishes has one cost.update
    Given any prompt
    And a subscriber to the session
    When the client streams a chat completion, asking for usage
    And the request has been accounted for
    And a later request of the session has been accounted for
    Then exactly one cost.update tells of the request

  @mortar-telemetry-15 @scripted
  Scenario: A request that is cancelled has one cost.update
    Given a model server that replies with 9 tokens
    And it waits after token 4
    And a subscriber to the session
    When the client streams a chat completion
    And the client has received 4 tokens
    And the client closes its connection
    And the request has been accounted for
    And a later request of the session has been accounted for
    Then exactly one cost.update tells of the request

  @mortar-telemetry-15 @scripted @stop
  Scenario: A request that is stopped has one cost.update
    Given a model server that replies with 9 tokens
    And it waits after token 4
    And a subscriber to the session
    When the client streams a chat completion, asking for usage
    And the client has received 4 tokens
    And the generation is stopped by its id
    And the request has been accounted for
    And a later request of the session has been accounted for
    Then exactly one cost.update tells of the request

  @mortar-telemetry-15 @scripted
  Scenario Outline: A request whose model server <does> has one cost.update
    Given a model server that replies with 5 tokens
    And it <does>
    And a subscriber to the session
    When the client streams a chat completion of at most 4 tokens, asking for usage
    And the request has been accounted for
    And a later request of the session has been accounted for
    Then exactly one cost.update tells of the request

    Examples:
      | does                                      |
      | runs on past max_tokens                   |
      | resets the connection after token 3       |
      | reports usage twice                       |
      | reports usage on every chunk, counting up |
      | reports no usage                          |

  @mortar-telemetry-14
  Scenario: A subscriber that stops reading delays nobody
    Given any prompt
    And a subscriber to the session
    And a subscriber to the session that stops reading
    When 5 requests of the session have been answered
    Then the subscriber that reads has been told of all of them

  @mortar-telemetry-14 @scripted
  Scenario: A subscriber that stops reading for long delays nobody
    Given any prompt
    And a subscriber to the session
    And a subscriber to the session that stops reading
    When 400 requests of the session have been answered
    Then the subscriber that reads has been told of all of them

  @mortar-telemetry-14 @scripted
  Scenario: A subscriber that falls behind misses nothing, or is disconnected
    Given any prompt
    And a subscriber to the session
    And a subscriber to the session that stops reading
    When 400 requests of the session have been answered
    Then the subscriber that reads has been told of all of them
    And the subscriber that stopped reading has missed nothing before the end of its stream
