// Package responses is the OpenAI Responses format (OpenAI Responses;
// "Streaming, What to expect"). DecodeRequest reads a request and makes the chat
// completion request of it that model servers understand; Stream and Reply
// encode what they answer. Errors before the reply have the form of the chat
// format.
//
// What is decided here:
//
//   - Nothing is stored, so what refers to something stored is refused:
//     previous_response_id, conversation, prompt, background, item references.
//     "store" is accepted and answered with false.
//   - Tools are functions of the client's own; hosted tools are refused, images
//     and files as well. Reasoning items that come back are left out.
//   - Reasoning is told as reasoning_text, as it is the model's own words.
//   - A reply that was stopped by its id ends with response.incomplete, without
//     a reason: neither of the two that the API knows is true.
package responses
