Feature: The list of models
  "Both prices are in GET /v1/models. A cache write costs more than an input token." (Mortar, Serving telemetry)

  @mortar-models-01
  Scenario: The models are listed in OpenAI's list shape
    When the client lists the models
    Then the answer is a list of models

  @mortar-models-01
  Scenario: Each model has its cache prices
    When the client lists the models
    Then each model has costPerMillionCacheRead and costPerMillionCacheWrite

  @mortar-models-02
  Scenario: Each model has its input and output prices
    When the client lists the models
    Then each model has costPerMillionInput and costPerMillionOutput

  @mortar-models-02
  Scenario: The first model listed is the default
    Given any prompt
    When the client lists the models
    And the client streams a chat completion without naming a model
    Then the chunks name the first model listed

  @mortar-models-03
  Scenario: A cache write costs more than an input token, and a cache read costs less
    When the client lists the models
    Then a cache write costs more than an input token, and a cache read costs less
