Feature: Cancel a generation
  "Close the connection and Mortar stops generating. When the process that wants to cancel isn't the one reading
  the stream, stop the generation by its ID, with a key from the same organization. The stream then ends without
  a finish chunk; the usage chunk, if you asked for one, and [DONE] still follow." (Mortar, Stream responses)

  @mortar-stream-21 @openai-chat-04
  Scenario: Every chunk carries the same id
    Given any prompt
    When the client streams a chat completion, asking for usage
    Then every chunk carries the same id

  @mortar-stream-22
  Scenario: The response header holds the id
    Given any prompt
    When the client streams a chat completion
    Then the header X-Mortar-Request-Id holds the id of the chunks

  @mortar-stream-22 @scripted
  Scenario: The id is readable before the first token
    Given a model server that replies with 3 tokens
    And it waits after token 0
    When the client streams a chat completion
    Then the header X-Mortar-Request-Id is readable while the model server waits
    And the header X-Mortar-Request-Id holds the id of the chunks

  @mortar-stream-23
  Scenario: An id is chatcmpl- and 24 lower-case hexadecimal digits
    Given any prompt
    When the client streams a chat completion
    Then the id is "chatcmpl-" and 24 lower-case hexadecimal digits

  @mortar-stream-23 @openai-chat-04
  Scenario: No two replies share an id
    Given any prompt
    When the client streams a chat completion
    And the client streams the same chat completion again
    Then no two replies share an id

  @mortar-cancel-01
  Scenario: The client leaves while no token flows
    Given a model server that replies with 9 tokens
    And it waits after token 4
    When the client streams a chat completion
    And the client has received 4 tokens
    And the client closes its connection
    Then the model server sees the generation aborted within 1 s

  @mortar-cancel-01
  Scenario: The client leaves while tokens flow
    Given a model server that replies with 400 tokens
    And it generates a token every 20 ms
    When the client streams a chat completion
    And the client has received 5 tokens
    And the client closes its connection
    Then the model server sees the generation aborted within 1 s

  @mortar-cancel-01
  Scenario: The client leaves before the first token
    Given a model server that replies with 9 tokens
    And it waits after token 0
    When the client streams a chat completion
    And the model server waits
    And the client closes its connection
    Then the model server sees the generation aborted within 1 s

  @mortar-cancel-01
  Scenario: The client leaves a request that is not streamed
    Given a model server that replies with 9 tokens
    And it waits after token 4
    When the client asks for a chat completion that is not streamed, without waiting for it
    And the model server waits
    And the client closes its connection
    Then the model server sees the generation aborted within 1 s

  @mortar-cancel-03
  Scenario: A stop by the same key ends the stream
    Given a model server that replies with 9 tokens
    And it waits after token 4
    When the client streams a chat completion
    And the client has received 4 tokens
    And the generation is stopped by its id
    Then the stop is accepted
    And the stream ends within 1 s
    And the model server sees the generation aborted within 1 s

  @mortar-cancel-03
  Scenario: A stop by the same key ends a stream while tokens flow
    Given a model server that replies with 400 tokens
    And it generates a token every 20 ms
    When the client streams a chat completion
    And the client has received 5 tokens
    And the generation is stopped by its id
    Then the stop is accepted
    And the stream ends within 1 s
    And the model server sees the generation aborted within 1 s

  @mortar-cancel-04
  Scenario: Another key of the same organization can stop it
    Given a model server that replies with 9 tokens
    And it waits after token 4
    When the client streams a chat completion
    And the client has received 4 tokens
    And another key of the same organization stops the generation
    Then the stop is accepted
    And the model server sees the generation aborted within 1 s

  @mortar-cancel-05
  Scenario: A key of another organization cannot stop it
    Given a model server that replies with 9 tokens
    And it waits after token 4
    When the client streams a chat completion
    And the client has received 4 tokens
    And a key of another organization stops the generation
    Then the stop is refused with a 4xx
    And the refusal is the same as for an id that does not exist
    When the model server goes on
    Then the reply is complete

  @mortar-cancel-06
  Scenario Outline: <key> key cannot stop it
    Given a model server that replies with 9 tokens
    And it waits after token 4
    When the client streams a chat completion
    And the client has received 4 tokens
    And <key> key stops the generation
    Then the stop is refused with status 401
    When the model server goes on
    Then the reply is complete

    Examples:
      | key     |
      | no      |
      | a wrong |

  @mortar-cancel-07
  Scenario: A stopped stream ends without a finish chunk
    Given a model server that replies with 9 tokens
    And it waits after token 4
    When the client streams a chat completion
    And the client has received 4 tokens
    And the generation is stopped by its id
    Then the stream ends without a finish chunk

  @mortar-cancel-08
  Scenario: The usage chunk of a stopped stream comes if it was asked for
    Given a model server that replies with 9 tokens
    And it waits after token 4
    When the client streams a chat completion, asking for usage
    And the client has received 4 tokens
    And the generation is stopped by its id
    Then the last chunk carries usage and an empty list of choices
    And it counts 4 completion tokens

  @mortar-cancel-08
  Scenario: No usage chunk comes on a stopped stream if it was not asked for
    Given a model server that replies with 9 tokens
    And it waits after token 4
    When the client streams a chat completion
    And the client has received 4 tokens
    And the generation is stopped by its id
    Then no chunk carries usage

  @mortar-cancel-09
  Scenario Outline: [DONE] still ends a stopped stream<usage>
    Given a model server that replies with 9 tokens
    And it waits after token 4
    When the client streams a chat completion<usage>
    And the client has received 4 tokens
    And the generation is stopped by its id
    Then [DONE] arrives exactly once, as the last event
    And nothing but the end of the body follows

    Examples:
      | usage              |
      |                    |
      | , asking for usage |

  @mortar-cancel-10
  Scenario: A stop before the first token works with the id in the header
    Given a model server that replies with 9 tokens
    And it waits after token 0
    When the client streams a chat completion
    And the client has the response headers
    And the generation is stopped by the id in the header
    Then the stop is accepted
    And [DONE] arrives exactly once, as the last event
    And the model server sees the generation aborted within 1 s

  @mortar-cancel-11
  Scenario: Stopping one generation leaves every other stream untouched
    Given a model server that replies with 9 tokens
    And it waits after token 4
    And 5 other streams that wait after token 4
    When the client streams a chat completion
    And the client has received 4 tokens
    And the generation is stopped by its id
    Then the stop is accepted
    When the model server goes on with the other streams
    Then every other stream is complete

  @mortar-cancel-12
  Scenario: The first stop answers with the stopped generation
    Given a model server that replies with 9 tokens
    And it waits after token 4
    When the client streams a chat completion
    And the client has received 4 tokens
    And the generation is stopped by its id
    Then the stop answers 200 with the id, object "generation" and status "stopped"

  @mortar-cancel-12
  Scenario: An id that is already over answers 404
    Given a model server that replies with 3 tokens
    When the client streams a chat completion
    And the stream has ended
    And the generation is stopped by its id
    Then the stop is refused with status 404
    And the refusal is a JSON error

  @mortar-cancel-12
  Scenario: An id that is unknown answers 404
    Given a model server that replies with 9 tokens
    When "chatcmpl-000000000000000000000000" is stopped
    Then the stop is refused with status 404
    And the refusal is a JSON error

  @mortar-cancel-14
  Scenario Outline: <variant> stops nothing
    Given a model server that replies with 9 tokens
    And it waits after token 4
    When the client streams a chat completion
    And the client has received 4 tokens
    And <variant> is stopped
    Then the stop is refused with a 4xx
    When the model server goes on
    Then the reply is complete

    Examples:
      | variant                        |
      | a prefix of the id             |
      | the id without its prefix      |
      | the id in upper case           |
      | the id with a percent-coded letter |
      | the id with a blank behind it  |
      | the id with one digit more     |
      | a wildcard                     |
      | an empty id                    |
      | a blank id                     |
