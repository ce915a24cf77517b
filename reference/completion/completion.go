// Package completion holds the one event model of the gateway: what a client
// asks for, and the events of which every reply consists, whatever API format
// either side speaks. Decoders turn a format's request into a [Request];
// readers turn a model server's stream into [Event]s; encoders turn events into
// a format's bytes.
package completion

import "encoding/json"

// Request is a completion request, already validated by its format.
type Request struct {
	// Org is the organization that asks, which shares a prefix cache with no
	// other. It is never sent on.
	Org       string
	Model     string // resolved: never empty
	Stream    bool
	Choices   int  // n, at least 1
	MaxTokens *int // per choice; nil means no limit was asked
	// IncludeUsage tells whether the client asked for usage in the stream.
	IncludeUsage bool
	Logprobs     bool
	// Messages are kept for counting prompt tokens and for the sample model.
	Messages []Message
	// Stop sequences, at most four.
	Stop []string
	// Body is the client's JSON object, from which the request to the model
	// server is derived; fields that the gateway does not know travel in it.
	Body map[string]json.RawMessage
	// Native is the request in the client's own format, nil when that is chat or
	// text: for model servers that speak the format themselves.
	Native *Native
}

// Native is a request in a format that is not chat.
type Native struct {
	Format Format
	Body   map[string]json.RawMessage // the client's JSON object
}

// Format names an API format that a model server may speak beside chat.
type Format string

// Formats that model servers may speak beside chat.
const (
	FormatResponses Format = "responses"
	FormatMessages  Format = "messages"
)

// Message is one turn of the conversation.
type Message struct {
	Role string // system, developer, user, assistant, tool
	Text string // the text parts, joined
}

// Kind tells what an Event says.
type Kind uint8

// Kinds of events, in the order in which a reply has them.
const (
	KindRole         Kind = iota + 1 // the reply of one choice begins
	KindText                         // visible text
	KindRefusal                      // refusal text
	KindReasoning                    // reasoning text
	KindToolCall                     // a piece of a tool call
	KindStopSequence                 // Text is the stop sequence at which the choice ended, if that is known
	KindFinish                       // one choice has ended
	KindUsage                        // token counts of the whole reply
	KindEnd                          // the model server ended its stream properly
)

// Event is one event of a reply.
type Event struct {
	Kind   Kind
	Choice int
	// Text is the JSON string literal (with its quotes) of the text, valid
	// UTF-8, exactly as the model server escaped it: it is relayed untouched.
	Text []byte
	// Logprobs is the JSON value of the choice's logprobs, nil if absent.
	Logprobs []byte
	// ToolCalls is the JSON array of delta.tool_calls.
	ToolCalls []byte
	Finish    FinishReason
	Usage     Usage
	// Tokens is how many generated tokens this event stands for.
	Tokens int
}

// FinishReason is why one choice ended, in OpenAI's words (wire.md §2.3).
type FinishReason string

// Finish reasons.
const (
	FinishStop          FinishReason = "stop"
	FinishLength        FinishReason = "length"
	FinishToolCalls     FinishReason = "tool_calls"
	FinishContentFilter FinishReason = "content_filter"
	FinishFunctionCall  FinishReason = "function_call"
)

// Usage is the token counts of one reply. PromptTokens includes CachedTokens.
type Usage struct {
	PromptTokens     int64
	CompletionTokens int64
	CachedTokens     int64
	CacheWriteTokens int64 // -1 when the model server reported none
	ReasoningTokens  int64
	// Estimated is true when the gateway counted, not a model server.
	Estimated bool
}

// Written is how many prompt tokens were written to the prefix cache. Where the
// model server did not say, it is all that were not read from it, as in the cost
// of the reply.
func (u Usage) Written() int64 {
	if u.CacheWriteTokens >= 0 {
		return u.CacheWriteTokens
	}
	return max(u.PromptTokens-u.CachedTokens, 0)
}

// TotalTokens is the sum of prompt and completion tokens.
func (u Usage) TotalTokens() int64 { return u.PromptTokens + u.CompletionTokens }
