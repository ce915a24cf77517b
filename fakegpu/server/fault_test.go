package server_test

import (
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/fakegpu/control"
	"plumbline.dev/plumbline/fakegpu/server"
)

// Every fault that a script can express, seen from the other end of the wire.
func TestFaults(t *testing.T) {
	token := func(text string) control.Step { return control.Step{Token: &control.Token{Text: text}} }
	steps := func(s ...control.Step) control.Script { return control.Script{Steps: s} }
	for name, tc := range map[string]struct {
		script control.Script
		ending control.Ending
		check  func(t *testing.T, r *result)
	}{
		"reset": {steps(token("a"), control.Step{Reset: true}), control.EndingFailed, func(t *testing.T, r *result) {
			assert.Contains(t, r.body, `"content":"a"`)
			assert.True(t, isReset(r.end), "%v", r.end)
		}},
		"cut without the final chunk": {steps(token("a"), control.Step{Cut: true}), control.EndingFailed, func(t *testing.T, r *result) {
			assert.Contains(t, r.body, `"content":"a"`)
			assert.True(t, isCut(r.end), "%v", r.end)
		}},
		"clean close before the finish": {steps(token("a"), control.Step{Close: true}), control.EndingFailed, func(t *testing.T, r *result) {
			assert.NoError(t, r.end)
			assert.NotContains(t, r.body, `"finish_reason":"`)
			assert.NotContains(t, r.body, "[DONE]")
		}},
		"half an event": {steps(token("a"), control.Step{Raw: []byte(`data: {"id":"chatc`)}, control.Step{Cut: true}), control.EndingFailed,
			func(t *testing.T, r *result) {
				assert.True(t, strings.HasSuffix(r.body, "\n\ndata: {\"id\":\"chatc"), r.body)
				assert.True(t, isCut(r.end))
			}},
		"torn UTF-8": {steps(control.Step{Raw: []byte("data: \xf0\x9f\xa6\n\n")}), control.EndingFinished, func(t *testing.T, r *result) {
			assert.Contains(t, r.body, "data: \xf0\x9f\xa6\n\n")
		}},
		"cuts inside a character": {steps(control.Step{Token: &control.Token{Text: "🦙", Cuts: []int{2, 200_000}}}), control.EndingFinished,
			func(t *testing.T, r *result) {
				assert.Equal(t, "da", r.pieces[1])
				assert.True(t, strings.HasPrefix(r.pieces[2], "ta: {"))
			}},
		"HTTP error": {control.Script{HTTP: &control.HTTPAnswer{Status: 503, Headers: map[string]string{"Retry-After": "7"}, Body: `{"error":{"message":"busy"}}`}},
			control.EndingFailed, func(t *testing.T, r *result) {
				assert.Equal(t, 503, r.status)
				assert.Equal(t, "7", r.header.Get("Retry-After"))
				assert.Equal(t, "application/json", r.header.Get("Content-Type"))
				assert.Equal(t, `{"error":{"message":"busy"}}`, r.body)
			}},
		"200 with HTML": {control.Script{HTTP: &control.HTTPAnswer{Status: 200, Headers: map[string]string{"Content-Type": "text/html"}, Body: "<html>"}},
			control.EndingFinished, func(t *testing.T, r *result) {
				assert.Equal(t, 200, r.status)
				assert.Equal(t, "text/html", r.header.Get("Content-Type"))
			}},
		"error event, then [DONE]": {steps(token("a"), control.Step{Error: &control.ErrorObject{Message: "OOM", Type: "server_error", Code: 500}}, control.Step{Done: true}),
			control.EndingFinished, func(t *testing.T, r *result) {
				events := r.events()
				require.GreaterOrEqual(t, len(events), 2)
				assert.Equal(t, []string{`{"error":{"message":"OOM","type":"server_error","code":500}}`, "[DONE]"}, events[len(events)-2:])
			}},
		"error event at the end": {steps(token("a"), control.Step{Error: &control.ErrorObject{Message: "OOM"}}), control.EndingFailed, func(t *testing.T, r *result) {
			events := r.events()
			assert.Equal(t, `{"error":{"message":"OOM"}}`, events[len(events)-1])
			assert.NoError(t, r.end)
		}},
		"[DONE] without a finish": {steps(token("a"), control.Step{Done: true}), control.EndingFinished, func(t *testing.T, r *result) {
			assert.NotContains(t, r.body, `"finish_reason":"`)
			assert.True(t, strings.HasSuffix(r.body, "data: [DONE]\n\n"))
		}},
		"finish without [DONE]": {steps(token("a"), control.Step{Finish: "stop"}, control.Step{Close: true}), control.EndingFinished, func(t *testing.T, r *result) {
			assert.Contains(t, r.body, `"finish_reason":"stop"`)
			assert.NotContains(t, r.body, "[DONE]")
			assert.NoError(t, r.end)
		}},
		"tokens after the finish": {steps(token("a"), control.Step{Finish: "stop"}, token("late")), control.EndingFinished, func(t *testing.T, r *result) {
			assert.Less(t, strings.Index(r.body, `"finish_reason":"stop"`), strings.Index(r.body, `"late"`))
			assert.True(t, strings.HasSuffix(r.body, "data: [DONE]\n\n"))
		}},
		"garbage after [DONE]": {steps(control.Step{Done: true}, control.Step{Raw: []byte("data: x\n\n")}), control.EndingFinished, func(t *testing.T, r *result) {
			assert.True(t, strings.HasSuffix(r.body, "data: [DONE]\n\ndata: x\n\n"))
		}},
		"duplicate chunk": {steps(token("a"), control.Step{Repeat: true}), control.EndingFinished, func(t *testing.T, r *result) {
			events := r.events()
			assert.Equal(t, events[1], events[2])
			assert.Contains(t, events[1], `"content":"a"`)
		}},
		"a comment": {steps(control.Step{Comment: "still busy"}, token("a")), control.EndingFinished, func(t *testing.T, r *result) {
			assert.Contains(t, r.body, "\n\n: still busy\n\ndata: ")
		}},
		"a line over 1 MiB": {steps(control.Step{Token: &control.Token{Text: "a", Pad: 1<<20 + 1}}), control.EndingFinished, func(t *testing.T, r *result) {
			assert.Greater(t, len(r.events()[1]), 1<<20)
			assert.True(t, strings.HasSuffix(r.body, "data: [DONE]\n\n"))
		}},
		"CRLF": {control.Script{LineEnd: "crlf"}.Tokens("a"), control.EndingFinished, func(t *testing.T, r *result) {
			assert.True(t, strings.HasSuffix(r.body, "\r\n\r\ndata: [DONE]\r\n\r\n"))
			assert.NotContains(t, strings.ReplaceAll(r.body, "\r\n", ""), "\n")
		}},
		"CR": {control.Script{LineEnd: "cr"}.Tokens("a"), control.EndingFinished, func(t *testing.T, r *result) {
			assert.True(t, strings.HasSuffix(r.body, "\r\rdata: [DONE]\r\r"))
			assert.NotContains(t, r.body, "\n")
		}},
		"byte order mark": {control.Script{BOM: true}.Tokens("a"), control.EndingFinished, func(t *testing.T, r *result) {
			assert.True(t, strings.HasPrefix(r.body, "\xef\xbb\xbfdata: {"))
			assert.Equal(t, 1, strings.Count(r.body, "\xef\xbb\xbf"))
		}},
		"no space": {control.Script{NoSpace: true}.Tokens("a"), control.EndingFinished, func(t *testing.T, r *result) {
			assert.True(t, strings.HasPrefix(r.body, "data:{"))
			assert.True(t, strings.HasSuffix(r.body, "\n\ndata:[DONE]\n\n"))
		}},
		"escapes": {steps(control.Step{Token: &control.Token{Text: "é🦙", Escape: true}}), control.EndingFinished, func(t *testing.T, r *result) {
			assert.Contains(t, r.body, `"content":"\u00e9\ud83e\udd99"`)
		}},
		"byte by byte": {control.Script{ChopBytes: 1}.Tokens("é"), control.EndingFinished, func(t *testing.T, r *result) {
			assert.Len(t, r.pieces, len(r.body))
			assert.True(t, strings.HasSuffix(r.body, "data: [DONE]\n\n"))
		}},
		"coalesced": {control.Script{CoalesceMS: 60_000}.Tokens("a", "b"), control.EndingFinished, func(t *testing.T, r *result) {
			require.Len(t, r.pieces, 1)
			assert.True(t, strings.HasSuffix(r.body, "data: [DONE]\n\n"))
		}},
		"coalesced up to a pause": {control.Script{CoalesceMS: 1}.Tokens("a").Then(control.Step{PauseMS: 2}).Tokens("b"), control.EndingFinished, func(t *testing.T, r *result) {
			assert.GreaterOrEqual(t, len(r.pieces), 2)
			assert.Contains(t, r.pieces[0], `"content":"a"`)
		}},
		"gzip": {control.Script{Gzip: true}.Tokens("a"), control.EndingFinished, func(t *testing.T, r *result) {
			assert.Equal(t, "gzip", r.header.Get("Content-Encoding"))
			unpacked, err := gzip.NewReader(strings.NewReader(r.body))
			require.NoError(t, err)
			plain, err := io.ReadAll(unpacked)
			require.NoError(t, err)
			assert.True(t, strings.HasSuffix(string(plain), "data: [DONE]\n\n"))
			assert.GreaterOrEqual(t, len(r.pieces), 4, "every event is flushed")
		}},
		"no role chunk": {control.Script{NoRole: true}.Tokens("a"), control.EndingFinished, func(t *testing.T, r *result) {
			assert.NotContains(t, r.body, `"role"`)
		}},
		"another finish reason": {control.Script{}.Tokens("a").Finish("content_filter"), control.EndingFinished, func(t *testing.T, r *result) {
			assert.Contains(t, r.body, `"finish_reason":"content_filter"`)
			assert.True(t, strings.HasSuffix(r.body, "data: [DONE]\n\n"))
		}},
		"overrun": {control.Script{IgnoreMaxTokens: true}.Tokens("a", "b", "c", "d"), control.EndingFinished, func(t *testing.T, r *result) {
			assert.Contains(t, r.body, `"content":"d"`)
			assert.Contains(t, r.body, `"finish_reason":"stop"`)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, server.Options{})
			nonce := r.register(tc.script)
			tc.check(t, r.post("/v1/chat/completions", chat(nonce, streamed+`,"max_tokens":3`)))
			record := r.ended(nonce)
			assert.Equal(t, tc.ending, record.Ending)
			assert.Len(t, record.TokenTimes, record.Generated)
		})
	}
}

// Silence, of every kind, lasts until the peer leaves, and the journal says so.
func TestSilence(t *testing.T) {
	for name, tc := range map[string]struct {
		script control.Script
		extra  string
		head   bool // a response head arrives
	}{
		"no head at all":            {control.Script{HoldHeaders: true, Steps: []control.Step{{Hang: true}}}, streamed, false},
		"a body that never starts":  {control.Script{NoRole: true, Steps: []control.Step{{Hang: true}}}, streamed, true},
		"a stall after some tokens": {control.Script{}.Tokens("a", "b").Then(control.Step{Hang: true}), streamed, true},
		"a stall inside an event":   {control.Script{Steps: []control.Step{{Token: &control.Token{Text: "a", Cuts: []int{9}, CutPauseMS: 3_600_000}}}}, streamed, true},
		"a pause of an hour":        {control.Script{Steps: []control.Step{{PauseMS: 3_600_000}}}, streamed, true},
		"[DONE], then no end":       {control.Script{Steps: []control.Step{{Done: true}, {Hang: true}}}, streamed, true},
		"a reply that is no stream": {control.Script{}.Tokens("a").Then(control.Step{Hang: true}), "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, server.Options{})
			nonce := r.register(tc.script)
			conn := r.open("/v1/chat/completions", chat(nonce, tc.extra))
			_, err := r.control.Await(r.ctx, nonce, control.Condition{Requests: 1})
			require.NoError(t, err)
			if tc.head {
				_, err := io.ReadFull(conn, make([]byte, len("HTTP/1.1 200 OK")))
				require.NoError(t, err)
			}
			require.NoError(t, conn.Close())
			assert.Equal(t, control.EndingAborted, r.ended(nonce).Ending)
		})
	}
}

// A half-closed connection counts as one whose peer has left, as on real servers.
func TestHalfCloseAborts(t *testing.T) {
	r := newRig(t, server.Options{})
	nonce := r.register(control.Script{}.Gate("g"))
	conn := r.open("/v1/chat/completions", chat(nonce, streamed))
	_, err := r.control.Await(r.ctx, nonce, control.Condition{Gate: "g"})
	require.NoError(t, err)
	require.NoError(t, conn.(interface{ CloseWrite() error }).CloseWrite())
	assert.Equal(t, control.EndingAborted, r.ended(nonce).Ending)
}

func TestServerCloseEndsSilentReplies(t *testing.T) {
	r := newRig(t, server.Options{})
	nonce := r.register(control.Script{Steps: []control.Step{{Hang: true}}})
	conn := r.open("/v1/chat/completions", chat(nonce, streamed))
	_, err := r.control.Await(r.ctx, nonce, control.Condition{Requests: 1})
	require.NoError(t, err)
	r.running.Close()
	require.NoError(t, r.running.Wait())
	_, err = io.ReadAll(conn)
	if err != nil {
		assert.True(t, isReset(err), "%v", err)
	}
}
