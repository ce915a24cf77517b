package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/wire"
	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/modelserver"
)

// reading is what a reader understood of a stream.
type reading struct {
	Outcome  string
	Texts    []string // by choice, as all that follow
	Refusals []string
	Finishes []string
	Calls    [][]call
	Usage    *check.Usage // nil for none
}

// Outcomes of a reading.
const (
	complete = "complete"
	failed   = "failed"  // the stream itself said that it failed
	refused  = "refused" // anything else
)

type call struct{ ID, Name, Arguments string }

// finished tells whether every choice has a finish reason.
func finished(r reading) bool { return !slices.Contains(r.Finishes, "") }

// streamed is a whole answer with this body.
func streamed(body []byte) *wire.Transcript {
	return &wire.Transcript{Status: http.StatusOK, ContentLength: -1, Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body: body, Reads: []wire.Read{{End: len(body)}}, End: wire.EndClean}
}

// harnessReads reads an answer as the harness does. Whatever decided how the
// reply ended, [DONE], an error or what cannot be read, nothing behind it counts.
func harnessReads(t *wire.Transcript, choices int) (reading, *check.Chat) {
	ask := check.Ask{Choices: choices, IncludeUsage: bytes.Contains(t.Body, []byte(`"usage"`))}
	whole := check.ParseChat(t, ask)
	r := reading{Outcome: refused}
	last := len(whole.Stream.Events)
	if len(whole.Broken) > 0 {
		last = whole.Broken[0]
	}
	if len(whole.Errors) > 0 && whole.Errors[0].Event < last {
		last, r.Outcome = whole.Errors[0].Event, failed
	}
	if len(whole.Dones) > 0 && whole.Dones[0] < last {
		last, r.Outcome = whole.Dones[0], complete
	}
	chat := whole
	if last < len(whole.Stream.Events) {
		chat = check.ParseChat(streamed(whole.Transcript.Body[:whole.Stream.Events[last].Offset]), ask)
	}
	for i := range choices {
		r.Texts = append(r.Texts, chat.Text(i))
		r.Refusals = append(r.Refusals, refusal(chat, i))
		r.Finishes = append(r.Finishes, chat.Finish(i))
		var calls []call
		for _, c := range chat.ToolCalls(i) {
			calls = append(calls, call{c.ID, c.Name, c.Arguments})
		}
		r.Calls = append(r.Calls, calls)
	}
	if r.Usage = chat.Usage(); r.Usage != nil {
		r.Usage.CachedTokens = max(r.Usage.CachedTokens, 0)
	}
	if r.Outcome == complete && !finished(r) {
		r.Outcome = refused
	}
	return r, whole
}

func refusal(chat *check.Chat, choice int) string {
	var text strings.Builder
	for _, k := range chat.Chunks {
		for _, c := range k.Choices {
			if c.Index == choice {
				text.WriteString(c.Refusal)
			}
		}
	}
	return text.String()
}

// fractions are indexes that are whole numbers and not written as such, which the
// gateway does not take.
var fractions = regexp.MustCompile(`"index"\s*:\s*-?[0-9]+[.eE]`)

// strangeKeys tells whether an object of the stream has a key twice, of which JSON
// does not say what it means, or one that is spelled with an escape. No model
// server writes either, and the gateway reads the first of two and no escapes.
func strangeKeys(chat *check.Chat) bool {
	return slices.ContainsFunc(chat.Stream.Events, func(e wire.Event) bool {
		return json.Valid(e.Data) && strangeValue(gjson.ParseBytes(e.Data))
	})
}

func strangeValue(value gjson.Result) (strange bool) {
	seen := map[string]bool{}
	value.ForEach(func(key, member gjson.Result) bool {
		if value.IsObject() {
			strange = seen[key.Raw] || strings.Contains(key.Raw, `\`)
			seen[key.Raw] = true
		}
		strange = strange || (member.IsObject() || member.IsArray()) && strangeValue(member)
		return !strange
	})
	return strange
}

// replay is a model server that answers with the bytes that it was given.
type replay struct {
	url string

	mu   sync.Mutex
	body []byte
}

func newReplay(t testing.TB) *replay {
	t.Helper()
	r := &replay{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		r.mu.Lock()
		defer r.mu.Unlock()
		_, _ = w.Write(r.body)
	}))
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

func (r *replay) reads(t *testing.T, body []byte, choices int) reading {
	t.Helper()
	r.mu.Lock()
	r.body = body
	r.mu.Unlock()
	return referenceReads(t, r.url, "Hello", choices)
}

// messages is the list of messages of a request, as JSON.
func messages(t *testing.T, prompt string) json.RawMessage {
	t.Helper()
	list, err := json.Marshal([]map[string]string{{"role": "user", "content": prompt}})
	require.NoError(t, err)
	return list
}

// referenceReads reads the answer of a model server as the reference does.
func referenceReads(t *testing.T, url, prompt string, choices int) reading {
	t.Helper()
	pool, err := modelserver.NewPool([]modelserver.Server{{URL: url}}, modelserver.Options{})
	require.NoError(t, err)
	defer pool.Close()
	reply, err := pool.Open(t.Context(), &completion.Request{Model: "m", Stream: true, Choices: choices,
		Body: map[string]json.RawMessage{"messages": messages(t, prompt)}})
	require.NoError(t, err)
	defer reply.Close()
	r := reading{Outcome: refused, Texts: make([]string, choices), Refusals: make([]string, choices), Finishes: make([]string, choices), Calls: make([][]call, choices)}
	indexes := make([][]int, choices) // of the calls
	var batch completion.Batch
	for {
		err := reply.Next(&batch)
		for _, e := range batch.Events {
			r.take(t, e, indexes)
		}
		var failure *modelserver.Error
		switch {
		case err == nil:
			continue
		case errors.As(err, &failure):
			if failure.Kind == modelserver.KindErrorEvent {
				r.Outcome = failed
			}
		default:
			require.ErrorIs(t, err, io.EOF)
		}
		return r
	}
}

// take adds an event of the reference.
func (r *reading) take(t *testing.T, e completion.Event, indexes [][]int) {
	t.Helper()
	switch e.Kind {
	case completion.KindText:
		r.Texts[e.Choice] += unquoted(t, string(e.Text))
	case completion.KindRefusal:
		r.Refusals[e.Choice] += unquoted(t, string(e.Text))
	case completion.KindFinish:
		r.Finishes[e.Choice] = string(e.Finish)
	case completion.KindToolCall:
		for piece := range completion.ToolPieces(e.ToolCalls) {
			i := slices.Index(indexes[e.Choice], piece.Index)
			if i < 0 {
				i = len(indexes[e.Choice])
				indexes[e.Choice] = append(indexes[e.Choice], piece.Index)
				r.Calls[e.Choice] = append(r.Calls[e.Choice], call{})
			}
			c := &r.Calls[e.Choice][i]
			c.ID += unquoted(t, piece.ID)
			c.Name += unquoted(t, piece.Name)
			c.Arguments += unquoted(t, piece.Arguments)
		}
	case completion.KindUsage:
		r.Usage = nil
		if u := e.Usage; !u.Estimated {
			r.Usage = &check.Usage{PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens, TotalTokens: u.TotalTokens(),
				CachedTokens: u.CachedTokens, WrittenTokens: u.CacheWriteTokens}
		}
	case completion.KindEnd:
		r.Outcome = complete
	}
}

// unquoted is the text of a string literal; "" is none.
func unquoted(t *testing.T, literal string) string {
	t.Helper()
	if literal == "" {
		return ""
	}
	var text string
	require.NoError(t, json.Unmarshal([]byte(literal), &text))
	return text
}

// answered asks a model server for a reply as the harness does.
func answered(t *testing.T, url, prompt string) *wire.Transcript {
	t.Helper()
	body := `{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":` + string(messages(t, prompt)) + `}`
	request, err := http.NewRequest(http.MethodPost, url+"/v1/chat/completions", strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	client := wire.NewClient(wire.ClientOptions{})
	defer client.CloseIdleConnections()
	x := wire.Start(t.Context(), client, request, wire.Limits{})
	require.NoError(t, x.WaitEnd(t.Context()))
	return x.Transcript()
}
