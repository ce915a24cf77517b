// Package messages is the Anthropic Messages format (Anthropic Messages;
// "Streaming, What to expect"). DecodeRequest reads a request and makes the chat
// completion request of it that model servers understand; Stream and Reply
// encode what they answer; WriteError shapes errors.
//
// What is decided here:
//
//   - Either version header is accepted; sampling parameters are accepted in
//     both, as the models behind the gateway have them.
//   - Text blocks that stand side by side become one text, a line each.
//   - Images, documents and server tools are refused rather than ignored;
//     thinking that comes back in a conversation is left out, as chat models
//     have no place for it. So are cache_control and the thinking parameter.
//   - The prompt's tokens are known at the end only: message_start says 0, and
//     message_delta says what is true.
//   - A reply that was stopped by its id ends with stop_reason end_turn.
package messages
