package control

import (
	"encoding/json"
	"time"
)

// Script is one scripted reply of the fake GPU. The zero value of every field
// but Nonce is the ordinary behaviour.
type Script struct {
	// Nonce names the script: 16 or more lower-case letters and digits.
	Nonce string `json:"nonce"`

	// Steps are played in order. When they contain no ending (see Step), the
	// server appends its ordinary one: a finish chunk with reason stop, a usage
	// chunk if the request asked for one, and [DONE]. When the finish chunk is
	// there already, only [DONE] is appended.
	Steps []Step `json:"steps"`

	// HTTP, when set, answers with this plain HTTP response and plays no steps.
	HTTP *HTTPAnswer `json:"http,omitempty"`

	// HoldHeaders keeps the response headers back until the first step that
	// writes something, instead of sending them at once.
	HoldHeaders bool `json:"holdHeaders,omitempty"`

	// NoRole leaves out the chunk with the role that begins a chat stream, so
	// that after the headers nothing comes before the first step.
	NoRole bool `json:"noRole,omitempty"`

	// IgnoreMaxTokens plays every token step although the request's max_tokens
	// is reached: the overrun that a gateway has to end. Without it the server
	// finishes with reason length after max_tokens tokens, as real ones do.
	IgnoreMaxTokens bool `json:"ignoreMaxTokens,omitempty"`

	// NoUsage, EchoUsage and the like are faults of the accounting; empty is
	// the dialect's ordinary behaviour.
	Usage UsageFault `json:"usage,omitempty"`

	// PromptTokens and CachedTokens are reported in usage; 0 and nil leave them
	// to the engine's own count.
	PromptTokens int  `json:"promptTokens,omitempty"`
	CachedTokens *int `json:"cachedTokens,omitempty"`
	// CacheWriteTokens is reported as cache_write_tokens; nil reports none.
	CacheWriteTokens *int `json:"cacheWriteTokens,omitempty"`

	// Framing of the whole stream.
	LineEnd    string `json:"lineEnd,omitempty"`    // "" or "lf", "crlf", "cr"
	BOM        bool   `json:"bom,omitempty"`        // a byte order mark before the first byte
	Gzip       bool   `json:"gzip,omitempty"`       // Content-Encoding: gzip, whether asked for or not
	ChopBytes  int    `json:"chopBytes,omitempty"`  // flush after every n bytes; 1 is byte by byte
	NoSpace    bool   `json:"noSpace,omitempty"`    // "data:{…}" without the space
	CoalesceMS int    `json:"coalesceMs,omitempty"` // collect writes for that long before a flush
}

// UsageFault says where and how wrongly the server reports usage.
type UsageFault string

// Usage faults. Each concerns streams and non-streamed replies alike.
const (
	UsageOrdinary   UsageFault = ""           // as the dialect does
	UsageNever      UsageFault = "never"      // although asked
	UsageOnFinish   UsageFault = "on-finish"  // on the finish chunk, beside its choice
	UsageEarly      UsageFault = "early"      // on the first chunk only
	UsageCumulative UsageFault = "cumulative" // on every chunk, counting up
	UsageTwice      UsageFault = "twice"      // two usage chunks, equal
	UsageUnasked    UsageFault = "unasked"    // although not asked
	UsageWrong      UsageFault = "wrong"      // 1000 completion tokens too many
	UsageNegative   UsageFault = "negative"   // completion_tokens -1
	UsageFraction   UsageFault = "fraction"   // completion_tokens 2.5
	UsageZero       UsageFault = "zero"       // all counts 0
)

// Step is one action. Exactly one of its fields is set; the endings are Finish
// and Error (when followed by nothing), Done, Close, Reset, Cut and Hang.
// Steps may follow Done, but none can follow Close, Reset, Cut or Hang.
type Step struct {
	// Token writes one content chunk that counts as one generated token.
	Token *Token `json:"token,omitempty"`
	// Delta writes one chunk with this JSON object as its delta, counted as one
	// generated token: tool calls, reasoning, refusals.
	Delta *Delta `json:"delta,omitempty"`
	// PauseMS waits that many milliseconds.
	PauseMS int `json:"pauseMs,omitempty"`
	// Gate waits until the control API releases the gate of this name.
	Gate string `json:"gate,omitempty"`
	// Raw writes these bytes exactly as they are and flushes.
	Raw []byte `json:"raw,omitempty"`
	// Comment writes an SSE comment line ": text" and a blank line.
	Comment string `json:"comment,omitempty"`
	// Error writes the data event {"error": …}; as the last step the body then
	// ends cleanly, without [DONE].
	Error *ErrorObject `json:"error,omitempty"`
	// Finish writes the finish chunk of every choice, with this finish_reason;
	// usage follows it where the dialect puts it.
	Finish string `json:"finish,omitempty"`
	// Done writes "data: [DONE]".
	Done bool `json:"done,omitempty"`
	// Close ends the body cleanly, at once.
	Close bool `json:"close,omitempty"`
	// Cut closes the connection without the final HTTP chunk.
	Cut bool `json:"cut,omitempty"`
	// Reset resets the TCP connection (RST).
	Reset bool `json:"reset,omitempty"`
	// Hang writes nothing more and keeps the connection until the peer leaves.
	Hang bool `json:"hang,omitempty"`
	// Repeat writes the latest chunk a second time (a duplicate, no new token).
	Repeat bool `json:"repeat,omitempty"`
}

// Token is one generated token of visible text.
type Token struct {
	Text string `json:"text"`
	// Cuts are byte offsets into the serialised event after which the server
	// flushes, so that the peer reads it in pieces: inside a UTF-8 sequence, a
	// JSON escape or the field name.
	Cuts []int `json:"cuts,omitempty"`
	// CutPauseMS waits that many milliseconds at each cut: silence inside an event.
	CutPauseMS int `json:"cutPauseMs,omitempty"`
	// Escape writes every non-ASCII character as a JSON \u escape.
	Escape bool `json:"escape,omitempty"`
	// Pad adds a field of that many bytes that clients ignore, for long lines.
	Pad int `json:"pad,omitempty"`
}

// Delta is a chunk other than visible text.
type Delta struct {
	JSON json.RawMessage `json:"json"`
	// Choice is the index of the choice it belongs to.
	Choice int `json:"choice,omitempty"`
}

// ErrorObject is the value of an "error" key as model servers write it.
type ErrorObject struct {
	Message string `json:"message"`
	Type    string `json:"type,omitempty"`
	Code    any    `json:"code,omitempty"`
}

// HTTPAnswer is a plain HTTP response.
type HTTPAnswer struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body,omitempty"`
}

// Tokens appends one token step for each text.
func (s Script) Tokens(texts ...string) Script {
	for _, t := range texts {
		s = s.Then(Step{Token: &Token{Text: t}})
	}
	return s
}

// Pause appends a pause.
func (s Script) Pause(d time.Duration) Script {
	return s.Then(Step{PauseMS: int(d / time.Millisecond)})
}

// Gate appends a gate that [Client.Release] opens.
func (s Script) Gate(name string) Script { return s.Then(Step{Gate: name}) }

// Finish appends a finish chunk with this finish_reason.
func (s Script) Finish(reason string) Script { return s.Then(Step{Finish: reason}) }

// Then appends steps and returns the longer script; s itself is unchanged.
func (s Script) Then(steps ...Step) Script {
	s.Steps = append(append([]Step(nil), s.Steps...), steps...)
	return s
}

// Marker is the text that names a script inside a prompt.
func Marker(nonce string) string { return "[plumbline:" + nonce + "]" }
