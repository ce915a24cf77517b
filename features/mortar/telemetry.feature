Feature: Stream serving telemetry
  "Follows the requests in one of your organization's sessions. After stream.open, Mortar sends one event for
  each step of every request your organization makes in the session." (Mortar, Serving telemetry)

  @mortar-telemetry-01
  Scenario: The telemetry of a session is an event stream
    Given any prompt
    And a subscriber to the session
    When the client streams a chat completion
    And the request has been accounted for
    Then the telemetry is answered 200 with Content-Type text/event-stream

  @mortar-telemetry-01
  Scenario: Each frame of telemetry has one event line and one data line
    Given any prompt
    And a subscriber to the session
    When the client streams a chat completion
    And the request has been accounted for
    Then each frame of the telemetry has one event line and one data line that holds a JSON object

  @mortar-telemetry-02
  Scenario: stream.open comes first
    Given any prompt
    And a subscriber to the session
    When the client streams a chat completion
    And the request has been accounted for
    Then stream.open is the first event of the telemetry, and comes once

  @mortar-telemetry-02
  Scenario: stream.open comes at once
    Given a subscriber to the session
    Then stream.open has come within 1 s

  @mortar-telemetry-02
  Scenario: stream.open tells the session, the heartbeat and the server's time
    Given a subscriber to the session
    Then stream.open holds the session, a heartbeat of 15 s and the server's time

  @mortar-telemetry-03
  Scenario: Every event after stream.open carries the time at which it was published
    Given any prompt
    And a subscriber to the session
    When the client streams a chat completion
    And the request has been accounted for
    And a later request of the session has been accounted for
    Then every event after stream.open carries at in Unix milliseconds, never decreasing

  @mortar-telemetry-03
  Scenario: Events about a completion carry its id
    Given any prompt
    And a subscriber to the session
    When the client streams a chat completion
    And the request has been accounted for
    Then every event about the completion carries its id as requestId

  @mortar-telemetry-04
  Scenario: Pings keep an idle connection open
    Given a subscriber to the session
    When 32 s pass without a request
    Then pings of the telemetry come every 15 s

  @mortar-telemetry-09
  Scenario Outline: Each request tells its <step>
    Given any prompt
    And a subscriber to the session
    When the client streams a chat completion
    And the request has been accounted for
    And a later request of the session has been accounted for
    Then the telemetry tells the <step> of the request

    Examples:
      | step                 |
      | routing decision     |
      | prefix-cache outcome |
      | latency              |
      | cost                 |

  @mortar-telemetry-09
  Scenario: A request that is not streamed tells its cost as well
    Given any prompt
    And a subscriber to the session
    When the client asks for a chat completion that is not streamed
    Then the telemetry tells the cost of the completion

  @mortar-telemetry-09
  Scenario: The session's sums follow the cost
    Given any prompt
    And a subscriber to the session
    When the client streams a chat completion
    And the request has been accounted for
    Then session.metrics follows cost.update

  @mortar-telemetry-09 @scripted
  Scenario: The routing decision comes before the first token
    Given a model server that replies with 3 tokens
    And it waits after token 0
    And a subscriber to the session
    When the client streams a chat completion
    And the model server waits
    Then the telemetry tells the routing decision while the model server waits

  @mortar-telemetry-09 @scripted
  Scenario: The cost comes when the reply has ended
    Given a model server that replies with 5 tokens
    And it waits after token 3
    And a subscriber to the session
    When the client streams a chat completion
    And the client has received 3 tokens
    And a later request of the session has been accounted for
    Then no cost.update tells of the request while the model server waits

  @mortar-telemetry-10
  Scenario: The prefix-cache outcome has a reuse ratio and a tier
    Given any prompt
    And a subscriber to the session
    When the client streams a chat completion
    And the request has been accounted for
    And a later request of the session has been accounted for
    Then the prefix-cache outcome has a reuseRatio from 0 to 1 and a tier, null on a miss

  @mortar-telemetry-10 @scripted
  Scenario Outline: The prefix-cache outcome of <what>
    Given a model server that replies with 3 tokens
    And it reports 300 prompt tokens, <cached> of them cached
    And a subscriber to the session
    When the client streams a chat completion
    And the request has been accounted for
    And a later request of the session has been accounted for
    Then the prefix-cache outcome has a reuseRatio from 0 to 1 and a tier, null on a miss
    And its reuseRatio is <cached> of 300

    Examples:
      | what                       | cached |
      | a miss                     | 0      |
      | a prefix                   | 120    |
      | a third                    | 100    |
      | a prompt that is all there | 300    |

  @mortar-telemetry-11
  Scenario: Every subscriber of the session sees the same events
    Given any prompt
    And a subscriber to the session
    And another subscriber to the session
    When the client streams a chat completion
    And the request has been accounted for
    And a later request of the session has been accounted for
    Then the other subscriber has received the same events of the request

  @mortar-telemetry-11 @key2
  Scenario: A subscriber with another key of the same organization sees the same events
    Given any prompt
    And a subscriber to the session
    And another subscriber to the session, with another key of the same organization
    When the client streams a chat completion
    And the request has been accounted for
    And a later request of the session has been accounted for
    Then the other subscriber has received the same events of the request

  @mortar-telemetry-12
  Scenario: A page of another origin can open the stream
    Given a subscriber to the session without a key
    Then a page of another origin may read the telemetry
