package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"plumbline.dev/plumbline/fakegpu/control"
)

const (
	maxStops       = 16
	maxTopLogprobs = 20
	// defaultTextTokens is max_tokens of a text completion that names none.
	defaultTextTokens = 16
)

// Request is a completion request as the model server understood it.
type Request struct {
	Chat   bool // chat completion, not text completion
	Model  string
	Stream bool
	// IncludeUsage asks for the usage chunk, ContinuousUsage for usage on
	// every chunk (vLLM's continuous_usage_stats).
	IncludeUsage    bool
	ContinuousUsage bool
	Choices         int // n, at least 1
	MaxTokens       int // per choice; 0 means no limit
	Stop            []string
	Logprobs        bool
	TopLogprobs     int
	Seed            uint64
	IgnoreEOS       bool
	Prompt          string // the whole conversation as one text
	CacheSalt       string // prompts of different salts share no prefix cache (vLLM's cache_salt)
}

// body is the JSON of both endpoints. Pointers tell null and absent from zero.
type body struct {
	Model               string          `json:"model"`
	Messages            []message       `json:"messages"`
	Prompt              json.RawMessage `json:"prompt"`
	Stream              bool            `json:"stream"`
	StreamOptions       *streamOptions  `json:"stream_options"`
	N                   *int            `json:"n"`
	MaxTokens           *int            `json:"max_tokens"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	Stop                json.RawMessage `json:"stop"`
	Logprobs            json.RawMessage `json:"logprobs"` // bool in chat, int in text
	TopLogprobs         *int            `json:"top_logprobs"`
	Temperature         *float64        `json:"temperature"`
	TopP                *float64        `json:"top_p"`
	Seed                *int64          `json:"seed"`
	IgnoreEOS           bool            `json:"ignore_eos"`
	Echo                bool            `json:"echo"`
	CacheSalt           string          `json:"cache_salt"`
}

type streamOptions struct {
	IncludeUsage         bool `json:"include_usage"`
	ContinuousUsageStats bool `json:"continuous_usage_stats"`
}

type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

type part struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// DecodeRequest decodes the body of a chat completion, or of a text completion.
func DecodeRequest(data []byte, chat bool, d Dialect) (*Request, *Error) {
	var b body
	decoder := json.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(&b); err != nil {
		return nil, jsonError(err, d)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, badRequest("", "something follows the JSON object at byte %d", decoder.InputOffset())
	}
	r := &Request{Chat: chat, Model: b.Model, Stream: b.Stream, Choices: 1, IgnoreEOS: b.IgnoreEOS, CacheSalt: b.CacheSalt}
	for _, step := range []func(*body, Dialect) *Error{r.options, r.limits, r.stops, r.logprobs, r.prompt} {
		if err := step(&b, d); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func jsonError(err error, d Dialect) *Error {
	var wrongType *json.UnmarshalTypeError
	if errors.As(err, &wrongType) {
		field := wrongType.Field
		if field == "" {
			return badRequest("", "the body is a JSON %s, want an object", wrongType.Value)
		}
		return badRequest(field, "%s is a %s, want %s", field, wrongType.Value, wrongType.Type)
	}
	e := badRequest("", "the body is no valid JSON: %v", err)
	if d == LlamaCpp {
		e.Status, e.Type = http.StatusInternalServerError, "server_error"
	}
	return e
}

func (r *Request) options(b *body, _ Dialect) *Error {
	if o := b.StreamOptions; o != nil {
		if !b.Stream {
			return badRequest("stream_options", "Stream options can only be defined when `stream=True`.")
		}
		r.IncludeUsage, r.ContinuousUsage = o.IncludeUsage, o.IncludeUsage && o.ContinuousUsageStats
	}
	if b.Seed != nil {
		r.Seed = uint64(*b.Seed)
	}
	if t := b.Temperature; t != nil && (*t < 0 || *t > 2) {
		return badRequest("temperature", "temperature is %v, want 0 to 2", *t)
	}
	if p := b.TopP; p != nil && (*p < 0 || *p > 1) {
		return badRequest("top_p", "top_p is %v, want 0 to 1", *p)
	}
	if b.Echo {
		return badRequest("echo", "echo is not supported by this server")
	}
	return nil
}

func (r *Request) limits(b *body, d Dialect) *Error {
	if b.N != nil {
		if *b.N < 1 || *b.N > control.MaxChoices {
			return badRequest("n", "n is %d, want 1 to %d", *b.N, control.MaxChoices)
		}
		if *b.N > 1 && d == LlamaCpp {
			return badRequest("n", "Only one completion choice is allowed")
		}
		r.Choices = *b.N
	}
	limit, field := b.MaxTokens, "max_tokens"
	if b.MaxCompletionTokens != nil {
		limit, field = b.MaxCompletionTokens, "max_completion_tokens"
	}
	switch {
	case limit == nil && !r.Chat && d != LlamaCpp:
		r.MaxTokens = defaultTextTokens
	case limit == nil || d == LlamaCpp && *limit < 0:
	case *limit < 1 && d == LlamaCpp:
		r.MaxTokens = 1
	case *limit < 1:
		return badRequest(field, "%s is %d, want 1 or more", field, *limit)
	default:
		r.MaxTokens = *limit
	}
	return nil
}

func (r *Request) stops(b *body, _ Dialect) *Error {
	if isNull(b.Stop) {
		return nil
	}
	var one string
	if json.Unmarshal(b.Stop, &one) == nil {
		r.Stop = []string{one}
	} else if json.Unmarshal(b.Stop, &r.Stop) != nil {
		return badRequest("stop", "stop is neither a string nor an array of strings")
	}
	if len(r.Stop) > maxStops {
		return badRequest("stop", "stop has %d sequences, at most %d are allowed", len(r.Stop), maxStops)
	}
	for i, s := range r.Stop {
		if s == "" {
			return badRequest("stop", "stop[%d] is empty", i)
		}
	}
	return nil
}

func (r *Request) logprobs(b *body, _ Dialect) *Error {
	if !isNull(b.Logprobs) {
		var err error
		if r.Chat {
			err = json.Unmarshal(b.Logprobs, &r.Logprobs)
		} else if err = json.Unmarshal(b.Logprobs, &r.TopLogprobs); err == nil {
			r.Logprobs = true
		}
		if err != nil {
			return badRequest("logprobs", "logprobs is %.20s, want %s", b.Logprobs, map[bool]string{true: "a boolean", false: "an integer"}[r.Chat])
		}
	}
	if b.TopLogprobs != nil && r.Chat {
		if !r.Logprobs {
			return badRequest("top_logprobs", "top_logprobs needs logprobs to be true")
		}
		r.TopLogprobs = *b.TopLogprobs
	}
	if r.TopLogprobs < 0 || r.TopLogprobs > maxTopLogprobs {
		return badRequest("top_logprobs", "%d top log probabilities asked, want 0 to %d", r.TopLogprobs, maxTopLogprobs)
	}
	return nil
}

func (r *Request) prompt(b *body, _ Dialect) *Error {
	if !r.Chat {
		return r.textPrompt(b)
	}
	if len(b.Messages) == 0 {
		return badRequest("messages", "messages is missing or empty, want at least one message")
	}
	var text strings.Builder
	for i, m := range b.Messages {
		if m.Role == "" {
			return badRequest(fmt.Sprintf("messages[%d].role", i), "messages[%d] has no role", i)
		}
		text.WriteString(m.Role)
		text.WriteByte('\n')
		if err := m.text(i, &text); err != nil {
			return err
		}
		text.WriteByte('\n')
	}
	r.Prompt = text.String()
	return nil
}

func (m message) text(i int, to *strings.Builder) *Error {
	if isNull(m.Content) {
		return nil
	}
	var plain string
	if json.Unmarshal(m.Content, &plain) == nil {
		to.WriteString(plain)
		return nil
	}
	at := fmt.Sprintf("messages[%d].content", i)
	var parts []part
	if json.Unmarshal(m.Content, &parts) != nil {
		return badRequest(at, "%s is neither a string nor an array of parts", at)
	}
	for j, p := range parts {
		if p.Type != "text" {
			return badRequest(fmt.Sprintf("%s[%d].type", at, j), "%s[%d] is of type %.40q, this model reads text only", at, j, p.Type)
		}
		to.WriteString(p.Text)
	}
	return nil
}

func (r *Request) textPrompt(b *body) *Error {
	if isNull(b.Prompt) {
		return badRequest("prompt", "prompt is missing")
	}
	if json.Unmarshal(b.Prompt, &r.Prompt) == nil {
		return nil
	}
	var several []string
	if json.Unmarshal(b.Prompt, &several) == nil && len(several) == 1 {
		r.Prompt = several[0]
		return nil
	}
	var ids []int
	if json.Unmarshal(b.Prompt, &ids) == nil && len(ids) > 0 {
		// Each id stands for one token of four bytes, as the counter counts.
		r.Prompt = strings.Repeat("tok ", len(ids))
		return nil
	}
	return badRequest("prompt", "prompt is no string, array of one string, or array of token ids")
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }
