Feature: Telemetry belongs to one organization and one session
  "The stream carries events only from requests made by the same organization in the same session. Without
  a key, the stream still opens, but it belongs to that connection alone and no request can publish to it, so
  it stays empty." (Mortar, Serving telemetry)

  @mortar-telemetry-05
  Scenario: Requests of another organization do not appear
    Given any prompt
    And a subscriber to the session
    And a subscriber of another organization to a session of the same name
    When a request of the other organization has been accounted for
    And the client streams a chat completion
    And the request has been accounted for
    Then the telemetry tells of the client's requests alone

  @mortar-telemetry-05
  Scenario: Another organization does not see the client's requests
    Given any prompt
    And a subscriber to the session
    And a subscriber of another organization to a session of the same name
    When the client streams a chat completion
    And the request has been accounted for
    And a request of the other organization has been accounted for
    Then the other telemetry tells of the other requests alone

  @mortar-telemetry-06
  Scenario: Requests in another session do not appear
    Given any prompt
    And a subscriber to the session
    And a subscriber to another session
    When a request in the other session has been accounted for
    And the client streams a chat completion
    And the request has been accounted for
    Then the telemetry tells of the client's requests alone

  @mortar-telemetry-06
  Scenario: Requests that name no session do not appear
    Given any prompt
    And a subscriber to the session
    When the client streams a chat completion in no session
    And the stream has ended
    And a later request of the session has been accounted for
    Then the telemetry tells of the later request alone

  @mortar-telemetry-06 @scripted
  Scenario: A request that is cancelled in another session does not appear
    Given a model server that replies with 9 tokens
    And it waits after token 4
    And a subscriber to the session
    And a subscriber to another session
    When a request in the other session has been cancelled and accounted for
    And a later request of the session has been accounted for
    Then the telemetry tells of the later request alone

  @mortar-telemetry-07
  Scenario: Without a key the stream opens, pings, and stays empty
    Given any prompt
    And a subscriber to the session
    And a subscriber to the session without a key
    When the client streams a chat completion
    And the request has been accounted for
    And the subscriber without a key has received a later ping
    Then the telemetry without a key holds stream.open and nothing else

  @mortar-telemetry-07
  Scenario: Two streams without a key share nothing
    Given any prompt
    And a subscriber to the session without a key
    And another subscriber to the session without a key
    When the client streams a chat completion without a key
    And the stream has ended
    And the subscriber without a key has received a later ping
    Then the telemetry without a key holds stream.open and nothing else

  @mortar-telemetry-08
  Scenario: A key that is not valid is refused
    When a subscriber with a wrong key asks for the session
    Then the telemetry is refused with status 401
