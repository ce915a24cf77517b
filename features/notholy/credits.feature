Feature: What a stream costs
  "If the stream breaks, you pay only for the tokens that were generated before the break." (Notholy, Streaming, What
  to expect)

  @notholy-billing-01
  Scenario Outline: A <format> costs the tokens generated before the model server <fails>
    Given a model server that replies with 5 tokens
    And it <fails> after token 5
    When the client streams a <format>
    And the stream has ended
    Then the charge is the tokens generated before the break, and at most the prompt beside them

    Examples:
      | format          | fails                   |
      | chat completion | resets the connection   |
      | text completion | resets the connection   |
      | response        | resets the connection   |
      | message         | resets the connection   |
      | chat completion | reports an error        |
      | message         | closes the body cleanly |

  @notholy-billing-01
  Scenario Outline: A <format> that the client leaves costs the tokens generated before
    Given a model server that replies with 9 tokens
    And it waits after token 4
    When the client streams a <format>
    And the client has received 4 tokens
    And the client closes its connection
    Then the charge is the tokens generated before the break, and at most the prompt beside them

    Examples:
      | format          |
      | chat completion |
      | text completion |
      | response        |
      | message         |

  @notholy-billing-02
  Scenario Outline: A whole <format> costs what its usage says
    Given a model server that replies with 7 tokens
    When the client streams a <format>, asking for usage
    Then the charge is what the usage says at the prices of the model

    Examples:
      | format          |
      | chat completion |
      | text completion |
      | response        |
      | message         |

  @notholy-billing-02
  Scenario Outline: A <format> that is not streamed costs what its usage says
    Given a model server that replies with 7 tokens
    When the client asks for a <format> that is not streamed
    Then the charge of the reply that is not streamed is what its usage says

    Examples:
      | format          |
      | chat completion |
      | text completion |
      | response        |
      | message         |

  @notholy-billing-02
  Scenario Outline: A repeated <format>, whose prompt may be cached, costs what its usage says
    Given a model server that replies with 7 tokens
    When the client streams a <format>
    And the client streams the same <format> again
    Then the charge is what the usage says at the prices of the model

    Examples:
      | format          |
      | chat completion |
      | response        |
      | message         |

  @notholy-billing-02
  Scenario Outline: A <format> that is repeated with its idempotency key is charged once
    Given a model server that replies with 7 tokens
    When the client streams a <format> with an idempotency key
    And the client streams the same <format> again
    Then the reply is generated and charged once

    Examples:
      | format          |
      | chat completion |
      | text completion |
      | response        |
      | message         |

  @notholy-billing-03
  Scenario Outline: A refused <format> costs nothing
    When the client reads the balance of another organization
    And the client streams a <format> of a model that does not exist with a key of another organization
    Then its status is a 4xx
    And the balance of another organization has not changed

    Examples:
      | format          |
      | chat completion |
      | text completion |
      | response        |
      | message         |

  @notholy-billing-03 @poor-key
  Scenario: A request that is refused without credits costs nothing
    When the client reads the balance without credits
    And the client streams a chat completion with a key without credits
    Then its status is a 4xx
    And the balance without credits has not changed
