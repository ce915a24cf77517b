package mutant

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	chunkOne = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a<é>"},"finish_reason":null}]}` + "\n\n"
	chunkTwo = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	doneLine = "data: [DONE]\n\n"
)

// serve puts a mutant in front of a gateway and returns its address.
func serve(t *testing.T, wrapped wrap, gateway http.HandlerFunc) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	upstream := httptest.NewServer(gateway)
	u, err := url.Parse(upstream.URL)
	require.NoError(t, err)
	front := httptest.NewServer(wrapped(ctx, Upstream{URL: u, Ping: time.Second, Silence: 3 * time.Second}))
	t.Cleanup(func() {
		cancel()
		front.CloseClientConnections()
		front.Close()
		upstream.CloseClientConnections()
		upstream.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return front.URL
}

// streaming is a gateway that streams these events and waits for its client
// behind them, if it is told to.
func streaming(left chan<- struct{}, events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		w.Header().Set("X-Mortar-Request-Id", "chatcmpl-1")
		for _, e := range events {
			_, _ = io.WriteString(w, e)
			_ = http.NewResponseController(w).Flush()
		}
		if left != nil {
			<-r.Context().Done()
			close(left)
		}
	}
}

func ask(t *testing.T, ctx context.Context, address string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address+"/v1/chat/completions", strings.NewReader(`{"stream":true}`))
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

func TestRewrites(t *testing.T) {
	for _, tt := range []struct {
		name string
		wrap wrap
		want string
	}{
		{"nothing", fixed(relay{}), ": ping\n\n" + chunkOne + chunkTwo + doneLine},
		{"drop", onStream(drop(isDone)), ": ping\n\n" + chunkOne + chunkTwo},
		{"drop comments", onStream(drop(isComment)), chunkOne + chunkTwo + doneLine},
		{"before", onStream(before(isFinish, ": x\n\n")), ": ping\n\n" + chunkOne + ": x\n\n" + chunkTwo + doneLine},
		{"after", onStream(after(isText, ": x\n\n")), ": ping\n\n" + chunkOne + ": x\n\n" + chunkTwo + doneLine},
		{"reframe", onStream(reframe(strings.ToUpper)), strings.ToUpper(": ping\n\n" + chunkOne + chunkTwo + doneLine)},
		{"held", onStream(held(func(int, int) bool { return false })), ": ping\n\n" + chunkOne + chunkTwo + doneLine},
		{"late by one", onStream(lateByOne), ": ping\n\n" + chunkOne + chunkTwo + doneLine},
		{"stop", onStream(nth(isFinish, func(s *stream, e event, _ int) { s.send(e); s.stop() })), ": ping\n\n" + chunkOne + chunkTwo},
	} {
		t.Run(tt.name, func(t *testing.T) {
			response := ask(t, t.Context(), serve(t, tt.wrap, streaming(nil, ": ping\n\n", chunkOne, chunkTwo, doneLine)))
			body, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			assert.Equal(t, tt.want, string(body))
			assert.Equal(t, "chatcmpl-1", response.Header.Get("X-Mortar-Request-Id"))
		})
	}
}

func TestEditKeepsTheRest(t *testing.T) {
	response := ask(t, t.Context(), serve(t, onStream(editIf(isText, func(c object) { c["id"] = "other" })), streaming(nil, chunkOne, doneLine)))
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	first, rest, _ := strings.Cut(string(body), "\n\n")
	assert.JSONEq(t, strings.Replace(strings.TrimPrefix(chunkOne, "data: "), "chatcmpl-1", "other", 1), strings.TrimPrefix(first, "data: "))
	assert.Contains(t, first, "a<é>", "characters stay as they are")
	assert.Equal(t, doneLine, rest)
}

func TestEventsPassAtOnce(t *testing.T) {
	left := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	response := ask(t, ctx, serve(t, fixed(relay{}), streaming(left, chunkOne)))
	line, err := bufio.NewReader(response.Body).ReadString('\n')
	require.NoError(t, err, "the gateway has not ended")
	assert.Equal(t, strings.TrimSuffix(chunkOne, "\n"), line)
	cancel()
	<-left // the gateway sees that the client left
}

func TestLingering(t *testing.T) {
	gone, left := make(chan struct{}), make(chan struct{})
	address := serve(t, lingering(func(*exchange) int { return forEver }), func(w http.ResponseWriter, r *http.Request) {
		streaming(nil, chunkOne)(w, r)
		<-gone
		for range 3 {
			_, err := io.WriteString(w, chunkOne)
			assert.NoError(t, err)
			assert.NoError(t, http.NewResponseController(w).Flush())
		}
		assert.NoError(t, r.Context().Err(), "the request is still there")
		close(left)
	})
	ctx, cancel := context.WithCancel(t.Context())
	response := ask(t, ctx, address)
	_, err := bufio.NewReader(response.Body).ReadString('\n')
	require.NoError(t, err)
	cancel()
	close(gone)
	<-left
}

func TestSplitter(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       []event
		err        error
	}{
		{"events", ": ping\n\n" + doneLine, []event{{raw: ": ping\n\n"}, {raw: doneLine, data: "[DONE]"}}, io.EOF},
		{"nothing", "", nil, io.EOF},
		{"half an event", doneLine + "data: {", []event{{raw: doneLine, data: "[DONE]"}}, io.ErrUnexpectedEOF},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSplitter(strings.NewReader(tt.body))
			var got []event
			for {
				e, err := s.next()
				if err != nil {
					assert.ErrorIs(t, err, tt.err)
					break
				}
				e.parsed = nil
				got = append(got, e)
			}
			assert.Equal(t, tt.want, got)
		})
	}
	t.Run("too long", func(t *testing.T) {
		_, err := newSplitter(strings.NewReader(strings.Repeat("x\n", eventLimit))).next()
		assert.ErrorContains(t, err, "more than")
	})
}

func TestReading(t *testing.T) {
	for _, tt := range []struct {
		name string
		wrap wrap
		want string
	}{
		{"as it comes", fixed(relay{raw: func(r io.Reader) io.Reader { return r }}), "data: a\n\nrest"},
		{"by line", eachLine(strings.ToUpper), "DATA: A\n\nREST"},
		{"piece by piece", always(strings.ToUpper), "DATA: A\n\nREST"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			response := ask(t, t.Context(), serve(t, tt.wrap, streaming(nil, "data: a\n\nrest")))
			body, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			assert.Equal(t, tt.want, string(body))
		})
	}
}
