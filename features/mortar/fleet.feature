Feature: Stream fleet metrics
  "Sends fleet-wide counters every 2 seconds, for dashboards such as the one on Mortar's home page. The figures
  are sample data that move within realistic bounds. No key is needed." (Mortar, Serving telemetry)

  @mortar-fleet-01
  Scenario: The metrics of the fleet are an event stream that needs no key
    When a page subscribes to the metrics of the fleet
    And a tick has come
    Then the metrics are answered 200 with Content-Type text/event-stream

  @mortar-fleet-01
  Scenario: Each frame is a metrics.tick
    When a page subscribes to the metrics of the fleet
    And a tick has come
    Then each frame of the metrics is a metrics.tick with a JSON object

  @mortar-fleet-02
  Scenario: A tick comes every 2 s
    When a page subscribes to the metrics of the fleet
    And 7 s of ticks pass
    Then a metrics.tick has come every 2 s

  @mortar-fleet-03
  Scenario: A tick has every documented figure
    When a page subscribes to the metrics of the fleet
    And a tick has come
    Then each tick has every documented figure

  @mortar-fleet-04
  Scenario: The figures move within realistic bounds
    When a page subscribes to the metrics of the fleet
    And 7 s of ticks pass
    Then the figures of the ticks move within realistic bounds

  @mortar-fleet-05
  Scenario: A page of another origin can open the stream of ticks
    When a page subscribes to the metrics of the fleet
    And a tick has come
    Then a page of another origin may read the metrics
