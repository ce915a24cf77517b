package probe

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/wire"
	"plumbline.dev/plumbline/fakegpu/control"
)

// Key says with which key a request is sent.
type Key int

// Keys of a request.
const (
	OwnKey   Key = iota
	SameOrg      // another key of the same organization
	OtherOrg     // a key of another organization
	NoKey
	WrongKey
	PoorKey    // out of credits
	LimitedKey // over its limit
)

// limits bound what is read of an answer: a few times the longest line and
// reply that any script sends.
var limits = wire.Limits{Body: 16 << 20, Line: 6 << 20}

// wrongKey has the form of a key and is nobody's.
const wrongKey = "sk-plumbline-0000000000000000-wrong"

// Absent as the value of a field leaves the field out.
const Absent = absent("absent")

type absent string

// Request is a reply that a client asks for, in any format.
type Request struct {
	Format       check.Format // "" is a chat completion
	Stream       bool
	WithoutModel bool
	OfferGzip    bool
	Long         bool           // a prompt whose answer takes many tokens
	Prompt       string         // stands before the question
	NoSession    bool           // it names no session although the scenario has one
	Fields       map[string]any // JSON fields beside model, messages and stream, by the names that chat completions have for them
	Key          Key
	KeyHeader    string         // the header that carries the key; "" is Authorization
	Version      string         // of Anthropic's API; "" is the one that every client sends
	ByAlias      bool           // it calls the model by its alias
	Unlimited    bool           // it sets no limit to the tokens
	Own          map[string]any // more fields, by the names that the format has for them
	Idempotency  string         // an idempotency key, "" for none
}

// Whole is the same request, not streamed.
func (r Request) Whole() Request {
	r.Stream = false
	r.Fields = maps.Clone(r.Fields)
	delete(r.Fields, "stream_options") // it belongs to streams alone
	return r
}

// Ask is what the request lets expect.
func (r Request) Ask() check.Ask {
	ask := check.Ask{Choices: 1, Now: time.Now()}
	if n, ok := r.Fields["n"].(int); ok {
		ask.Choices = n
	}
	if options, ok := r.Fields["stream_options"].(map[string]any); ok {
		ask.IncludeUsage, _ = options["include_usage"].(bool)
	}
	for _, field := range []string{"max_tokens", "max_completion_tokens"} {
		if n, ok := r.Fields[field].(int); ok {
			ask.MaxTokens = n
		}
	}
	ask.Logprobs, _ = r.Fields["logprobs"].(bool)
	ask.TopLogprobs, _ = r.Fields["top_logprobs"].(int)
	if stop, ok := r.Fields["stop"].(string); ok && r.Format != check.FormatResponses {
		ask.Stop = []string{stop}
	}
	_, ask.Tools = r.Fields["tools"]
	return ask
}

// liveTokens bounds every reply of a live model, which costs its owner money.
const liveTokens = 24

func (e *Env) body(r Request, nonce string) []byte {
	prompt := "Say hello in one short sentence."
	if r.Long {
		prompt = "Count from one to one hundred in words."
	}
	if r.Prompt != "" {
		prompt = r.Prompt + " " + prompt
	}
	if nonce != "" {
		prompt += " " + control.Marker(nonce)
	}
	fields := map[string]any{"messages": []any{map[string]any{"role": "user", "content": prompt}}}
	if r.Stream {
		fields["stream"] = true
	}
	if e.Target.Model != "" && !r.WithoutModel {
		fields["model"] = e.Target.Model
	}
	if !e.Scripted() {
		fields["max_tokens"] = liveTokens
		if _, ok := r.Fields["max_completion_tokens"]; ok {
			delete(fields, "max_tokens")
		}
	}
	maps.Copy(fields, r.Fields)
	maps.DeleteFunc(fields, func(_ string, v any) bool { return v == Absent })
	body, err := json.Marshal(fields)
	if err != nil {
		panic(fmt.Sprintf("a request that is no JSON: %v", err)) // the steps build it from plain values
	}
	return body
}

// Secret returns the key itself, "" for none.
func (e *Env) secret(k Key) string {
	switch k {
	case OwnKey:
		return e.Target.Key
	case SameOrg:
		return e.Target.Key2
	case OtherOrg:
		return e.Target.Org2Key
	case PoorKey:
		return e.Target.Poor
	case LimitedKey:
		return e.Target.Limited
	case WrongKey:
		return wrongKey
	}
	return ""
}

// start sends a request on its way. The header is sent beside what every
// request has, or instead of it.
func (e *Env) start(ctx context.Context, method, path string, body []byte, key string, header http.Header) (*wire.Exchange, error) {
	return e.startWith(ctx, e.client, method, path, body, key, header)
}

func (e *Env) startWith(ctx context.Context, client *http.Client, method, path string, body []byte, key string, header http.Header) (*wire.Exchange, error) {
	req, err := http.NewRequest(method, e.Target.BaseURL+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("build the request %s %s: %w", method, path, err)
	}
	if body == nil {
		req.Body, req.GetBody = http.NoBody, nil
		req.ContentLength = 0
	} else {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json") // as the official SDKs do, also for streams
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	maps.Copy(req.Header, header)
	return wire.Start(ctx, client, req, limits), nil
}

// plain sends a request and waits for the whole answer.
func (e *Env) plain(ctx context.Context, method, path string, body []byte, key string) *wire.Transcript {
	return e.plainWith(ctx, method, path, body, key, nil)
}

func (e *Env) plainWith(ctx context.Context, method, path string, body []byte, key string, header http.Header) *wire.Transcript {
	limit := e.patience()
	if !e.Scripted() {
		limit = e.replyPatience() // it may be the reply of a model that takes its time
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	exchange, err := e.start(ctx, method, path, body, key, header)
	if err != nil {
		return &wire.Transcript{End: wire.EndRefused, EndError: err.Error()}
	}
	if exchange.WaitEnd(ctx) != nil {
		exchange.Leave()
	}
	return exchange.Transcript()
}

// newNonce returns 20 letters and digits.
func newNonce() string { return strings.ToLower(rand.Text())[:20] }
