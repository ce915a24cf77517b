package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"sync"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/conformance/check"
)

// paths are where each format is spoken.
var paths = map[check.Format]string{
	check.FormatChat: "/v1/chat/completions", check.FormatText: "/v1/completions",
	check.FormatResponses: "/v1/responses", check.FormatMessages: "/v1/messages",
}

// Formats are all formats, in the order in which the documents name them.
func Formats() []check.Format {
	return []check.Format{check.FormatChat, check.FormatText, check.FormatResponses, check.FormatMessages}
}

func (r Request) path() string {
	if r.Format == "" {
		return paths[check.FormatChat]
	}
	return paths[r.Format]
}

// byNeed are the formats by the words of the catalogue's needs.
var byNeed = map[string]check.Format{
	"chat": check.FormatChat, "text": check.FormatText, "responses": check.FormatResponses, "messages": check.FormatMessages,
}

// Unspoken asks at the address of each format and returns those, by the words of
// the catalogue's needs, at which the target has nothing to say: 404, 405 or 501.
// What it asks names the model, as one that is missing may be a 404 too, and is to
// be refused, so that nobody pays for it.
func (e *Env) Unspoken(ctx context.Context, needs []string) []string {
	silent := make([]bool, len(needs))
	var asked sync.WaitGroup
	for i, need := range needs {
		asked.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, preflightPatience)
			defer cancel()
			s := &Session{env: e}
			r := Request{Format: byNeed[need], Own: map[string]any{"stream": "plumbline asks whether this is an address"}}
			switch e.plainWith(ctx, http.MethodPost, r.path(), e.bodyOf(r, ""), s.bearer(r), s.header(r)).Status {
			case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
				silent[i] = true
			}
		})
	}
	asked.Wait()
	var missing []string
	for i, need := range needs {
		if silent[i] {
			missing = append(missing, need)
		}
	}
	return missing
}

// roomy is the limit of a reply that is to end by itself, in the formats that need
// one: Messages always, text completions because theirs is 16 otherwise.
const roomy = 512

// anthropicVersion is the version that clients have sent for longest.
const anthropicVersion = "2023-06-01"

// formatHeader sets what the format of a request needs beside the usual headers.
func (s *Session) formatHeader(h http.Header, r Request) {
	if r.Format == check.FormatMessages {
		h.Set("Anthropic-Version", anthropicVersion)
		if r.Version != "" {
			h.Set("Anthropic-Version", r.Version)
		}
	}
	if secret := s.env.secret(r.Key); secret != "" && r.KeyHeader != "" {
		h.Set(r.KeyHeader, secret)
	}
	if r.Idempotency != "" {
		h.Set("Idempotency-Key", r.Idempotency)
	}
}

// bearer is the key that goes into the Authorization header, "" for none.
func (s *Session) bearer(r Request) string {
	if r.KeyHeader != "" {
		return ""
	}
	return s.env.secret(r.Key)
}

// bodyOf is the body of a request in its format: the chat completion that asks
// for the same, translated.
func (e *Env) bodyOf(r Request, nonce string) []byte {
	var fields map[string]any
	if err := json.Unmarshal(e.body(r, nonce), &fields); err != nil {
		panic(fmt.Sprintf("a request that is no JSON: %v", err)) // body has just written it
	}
	if r.ByAlias {
		fields["model"] = e.Target.Alias
	}
	switch r.Format {
	case check.FormatText:
		r.asText(fields)
	case check.FormatResponses:
		asResponse(fields)
	case check.FormatMessages:
		r.asMessage(fields)
	}
	maps.Copy(fields, r.Own)
	maps.DeleteFunc(fields, func(_ string, v any) bool { return v == Absent })
	body, err := json.Marshal(fields)
	if err != nil {
		panic(fmt.Sprintf("a request that is no JSON: %v", err)) // the steps build it from plain values
	}
	return body
}

// rename moves a field to another name, if it is there.
func rename(fields map[string]any, from, to string) {
	if v, ok := fields[from]; ok {
		delete(fields, from)
		fields[to] = v
	}
}

// prompt takes the user's words out of the messages.
func prompt(fields map[string]any) any {
	messages, _ := fields["messages"].([]any)
	delete(fields, "messages")
	if len(messages) == 0 {
		return ""
	}
	message, _ := messages[len(messages)-1].(map[string]any)
	return message["content"]
}

func (r Request) asText(fields map[string]any) {
	fields["prompt"] = prompt(fields)
	if _, ok := fields["max_tokens"]; !ok && !r.Unlimited {
		fields["max_tokens"] = roomy
	}
	if top, ok := fields["top_logprobs"]; ok {
		fields["logprobs"] = top
		delete(fields, "top_logprobs")
	}
}

func asResponse(fields map[string]any) {
	fields["input"] = prompt(fields)
	rename(fields, "max_tokens", "max_output_tokens")
	delete(fields, "stream_options")
	delete(fields, "stop")
	tools, _ := fields["tools"].([]any)
	for i, tool := range tools {
		function := functionOf(tool)
		tools[i] = map[string]any{"type": "function", "name": function["name"], "parameters": function["parameters"], "strict": false}
	}
}

func (r Request) asMessage(fields map[string]any) {
	if _, ok := fields["max_tokens"]; !ok {
		fields["max_tokens"] = roomy
	}
	delete(fields, "stream_options")
	if stop, ok := fields["stop"]; ok {
		delete(fields, "stop")
		fields["stop_sequences"] = []any{stop}
	}
	tools, _ := fields["tools"].([]any)
	for i, tool := range tools {
		function := functionOf(tool)
		tools[i] = map[string]any{"name": function["name"], "input_schema": function["parameters"]}
	}
}

func functionOf(tool any) map[string]any {
	t, _ := tool.(map[string]any)
	function, _ := t["function"].(map[string]any)
	return function
}

// piece is the text that one event of a stream brings.
func piece(f check.Format, data []byte) string {
	switch f {
	case check.FormatText:
		return gjson.GetBytes(data, "choices.0.text").String()
	case check.FormatResponses:
		if gjson.GetBytes(data, "type").String() != "response.output_text.delta" {
			return ""
		}
		return gjson.GetBytes(data, "delta").String()
	case check.FormatMessages:
		return gjson.GetBytes(data, "delta.text").String()
	}
	return gjson.GetBytes(data, "choices.0.delta.content").String()
}
