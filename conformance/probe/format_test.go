package probe

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/wire"
)

func scripted() *Env {
	return &Env{Target: Target{Model: "m", Alias: "other", Key: "sk-own"}, gpu: nil}
}

// One request in the words of chat completions is the same one in every format.
func TestBodiesOfEveryFormat(t *testing.T) {
	tool := []any{map[string]any{"type": "function", "function": map[string]any{"name": "f", "parameters": map[string]any{"type": "object"}}}}
	fields := func() map[string]any {
		return map[string]any{"max_tokens": 3, "stop": "x", "tools": tool, "stream_options": map[string]any{"include_usage": true}}
	}
	const asked = "Say hello in one short sentence."
	bodies := map[check.Format]string{
		check.FormatText: `{"model":"m","stream":true,"prompt":"` + asked + `","max_tokens":3,"stop":"x","stream_options":{"include_usage":true},
			"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]}`,
		check.FormatResponses: `{"model":"m","stream":true,"input":"` + asked + `","max_output_tokens":3,
			"tools":[{"type":"function","name":"f","parameters":{"type":"object"},"strict":false}]}`,
		check.FormatMessages: `{"model":"m","stream":true,"messages":[{"role":"user","content":"` + asked + `"}],"max_tokens":3,"stop_sequences":["x"],
			"tools":[{"name":"f","input_schema":{"type":"object"}}]}`,
	}
	for format, want := range bodies {
		assert.JSONEq(t, want, string(scripted().bodyOf(Request{Format: format, Stream: true, Fields: fields()}, "")), format)
	}
}

func TestBodiesSetTheLimitThatTheirFormatNeeds(t *testing.T) {
	e := scripted()
	live := map[check.Format]string{
		check.FormatText:      `{"model":"m","prompt":"p","max_tokens":24}`,
		check.FormatResponses: `{"model":"m","input":"p","max_output_tokens":24}`,
		check.FormatMessages:  `{"model":"m","messages":"p","max_tokens":24}`,
	}
	for format, want := range live {
		own := map[string]any{"prompt": "p"}
		switch format {
		case check.FormatResponses:
			own = map[string]any{"input": "p"}
		case check.FormatMessages:
			own = map[string]any{"messages": "p"}
		}
		assert.JSONEq(t, want, string(e.bodyOf(Request{Format: format, Own: own}, "")), "a live model is bounded: %s", format)
	}
	assert.JSONEq(t, `{"model":"other","input":"p"}`, string(e.bodyOf(Request{Format: check.FormatResponses, ByAlias: true,
		Own: map[string]any{"input": "p", "max_output_tokens": Absent}}, "")), "an own field leaves another out")
}

func TestHeadersOfEveryFormat(t *testing.T) {
	s := &Session{env: scripted()}
	assert.Empty(t, s.header(Request{}))
	assert.Equal(t, "sk-own", s.bearer(Request{}))
	h := s.header(Request{Format: check.FormatMessages, KeyHeader: "X-Api-Key", Idempotency: "once"})
	assert.Equal(t, http.Header{"Anthropic-Version": {"2023-06-01"}, "X-Api-Key": {"sk-own"}, "Idempotency-Key": {"once"}}, h)
	assert.Empty(t, s.bearer(Request{KeyHeader: "X-Api-Key"}), "the key is sent once")
	assert.Equal(t, "2026-10-21", s.header(Request{Format: check.FormatMessages, Version: "2026-10-21"}).Get("Anthropic-Version"))
	for _, format := range Formats() {
		assert.NotEmpty(t, Request{Format: format}.path())
	}
}

func TestPieces(t *testing.T) {
	for format, event := range map[check.Format]string{
		check.FormatChat:      `{"choices":[{"delta":{"content":"x"}}]}`,
		check.FormatText:      `{"choices":[{"text":"x"}]}`,
		check.FormatResponses: `{"type":"response.output_text.delta","delta":"x"}`,
		check.FormatMessages:  `{"type":"content_block_delta","delta":{"type":"text_delta","text":"x"}}`,
	} {
		assert.Equal(t, "x", piece(format, []byte(event)), format)
	}
	assert.Empty(t, piece(check.FormatResponses, []byte(`{"type":"response.function_call_arguments.delta","delta":"{"}`)))
	assert.Empty(t, piece(check.FormatMessages, []byte(`{"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":"{"}}`)))
}

func TestUnspoken(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/messages":
			w.WriteHeader(http.StatusBadRequest)
		case "/v1/responses":
			w.WriteHeader(http.StatusMethodNotAllowed)
		case "/v1/chat/completions":
			w.WriteHeader(http.StatusUnauthorized)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(server.Close)
	client := wire.NewClient(wire.ClientOptions{})
	t.Cleanup(client.CloseIdleConnections)
	e := &Env{Target: Target{BaseURL: server.URL, Model: "m"}, client: client}
	assert.Equal(t, []string{"text", "responses"}, e.Unspoken(t.Context(), []string{"chat", "text", "responses", "messages"}))
	require.Empty(t, e.Unspoken(t.Context(), []string{"messages"}))
}
