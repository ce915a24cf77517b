package wire

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const patience = 20 * time.Second // of a test that would otherwise hang

// get starts an exchange with a URL that is over when the test is.
func get(t *testing.T, url string, limits Limits) (*Exchange, context.Context) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	hc := NewClient(ClientOptions{})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(`{"stream":true}`))
	require.NoError(t, err)
	x := Start(ctx, hc, req, limits)
	t.Cleanup(func() {
		x.Leave()
		cancel()
		hc.CloseIdleConnections()
	})
	return x, ctx
}

// serve answers every request with handler until the test is over.
func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	srv := httptest.NewServer(handler)
	t.Cleanup(srv.Close)
	return srv.URL
}

// raw accepts one connection, reads a request and hands the connection over.
func raw(t *testing.T, answer func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		req, err := http.ReadRequest(bufio.NewReader(conn))
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, req.Body)
		answer(conn)
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return "http://" + l.Addr().String()
}

func TestExchangeShowsEachEventAsItComes(t *testing.T) {
	step := make(chan string)
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		for piece := range step {
			_, _ = io.WriteString(w, piece)
			_ = http.NewResponseController(w).Flush()
		}
	})
	x, ctx := get(t, url, Limits{})

	require.NoError(t, x.WaitHead(ctx))
	assert.Equal(t, "text/event-stream", x.Transcript().Header.Get("Content-Type"))
	assert.Empty(t, x.Events())

	step <- "data: a\n\nda"
	e, err := x.WaitEvent(ctx, 0)
	require.NoError(t, err)
	assert.Equal(t, "a", string(e.Data))
	running := x.Transcript()

	step <- "ta: b\n\n: ping\n\n"
	require.NoError(t, x.WaitUntil(ctx, func(s *Stream) bool { return len(s.Comments) == 1 }))
	assert.Len(t, x.Events(), 2)
	close(step)
	require.NoError(t, x.WaitEnd(ctx))

	assert.Empty(t, running.End, "a snapshot stays as it is")
	assert.Equal(t, "data: a\n\nda", string(running.Body))
	done := x.Transcript()
	assert.Equal(t, EndClean, done.End)
	assert.Empty(t, done.EndError)
	assert.Equal(t, "data: a\n\ndata: b\n\n: ping\n\n", string(done.Body))
	assert.Equal(t, len(done.Body), done.Reads[len(done.Reads)-1].End)
	assert.LessOrEqual(t, done.HeaderAt, done.EventAt(e))
	assert.LessOrEqual(t, done.EventAt(e), done.EventAt(x.Events()[1]))
	assert.LessOrEqual(t, done.EventAt(x.Events()[1]), done.EndAt)
	assert.EqualValues(t, -1, done.ContentLength)

	_, err = x.WaitEvent(ctx, 2)
	var ended *EndedError
	require.ErrorAs(t, err, &ended)
	assert.Equal(t, EndClean, ended.End)
	assert.Equal(t, 2, ended.Events)
}

func TestEnds(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
	const chunk = "9\r\ndata: a\n\n\r\n"
	tests := map[string]struct {
		answer func(net.Conn)
		then   ending // closes the connection unless given
		limits Limits
		end    End
		words  string
		body   string
	}{
		"clean":                {answer: send(head, chunk, "0\r\n\r\n"), end: EndClean, body: "data: a\n\n"},
		"no final chunk":       {answer: send(head, chunk), end: EndCut, words: "unexpected EOF", body: "data: a\n\n"},
		"inside a chunk":       {answer: send(head, "9\r\ndata"), end: EndCut, words: "unexpected EOF", body: "data"},
		"too little":           {answer: send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ndata"), end: EndCut, words: "unexpected EOF", body: "data"},
		"reset":                {answer: send(head, chunk), then: reset, end: EndReset, words: "reset", body: "data: a\n\n"},
		"reset before a head":  {answer: send(), then: resetAtOnce, end: EndRefused, words: "reset"},
		"closed before a head": {answer: send(), end: EndRefused, words: "EOF"},
		"no HTTP":              {answer: send("what?\r\n\r\n"), end: EndRefused, words: "malformed"},
		"too much": {
			answer: send(head, chunk, chunk), then: hang, limits: Limits{Body: 10},
			end: EndLimit, words: "more than 10 bytes", body: "data: a\n\nd",
		},
		"a long line": {
			answer: send(head, chunk, "9\r\ndata: abc\r\n"), then: hang, limits: Limits{Line: 8},
			end: EndLimit, words: "8 of one line", body: "data: a\n\ndata: abc",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			received := make(chan struct{})
			x, ctx := get(t, raw(t, func(c net.Conn) {
				tt.answer(c)
				if tt.then != nil {
					tt.then(c, received)
				}
			}), tt.limits)
			_, _ = x.WaitEvent(ctx, 0) // where there is one
			close(received)
			require.NoError(t, x.WaitEnd(ctx))
			got := x.Transcript()
			assert.Equal(t, tt.end, got.End)
			assert.Contains(t, got.EndError, tt.words)
			assert.Equal(t, tt.body, string(got.Body))
			if tt.end == EndRefused {
				assert.Error(t, x.WaitHead(ctx))
				assert.Zero(t, got.Status)
			}
		})
	}
}

func send(pieces ...string) func(net.Conn) {
	return func(c net.Conn) {
		for _, p := range pieces {
			_, _ = io.WriteString(c, p)
		}
	}
}

// ending is what a server does after its answer; received is closed when the
// client has read the first event.
type ending func(conn net.Conn, received <-chan struct{})

func hang(c net.Conn, _ <-chan struct{}) { _, _ = io.Copy(io.Discard, c) }

// reset resets the connection, which throws away what the peer has not read.
func reset(c net.Conn, received <-chan struct{}) {
	<-received
	_ = c.(*net.TCPConn).SetLinger(0)
}

func resetAtOnce(c net.Conn, _ <-chan struct{}) { _ = c.(*net.TCPConn).SetLinger(0) }

func TestEndTimeout(t *testing.T) {
	tests := map[string]struct {
		flush bool
		opts  ClientOptions
		limit time.Duration
	}{
		"in the body":         {flush: true, limit: 200 * time.Millisecond},
		"before a head":       {limit: 100 * time.Millisecond},
		"the client's header": {opts: ClientOptions{HeaderTimeout: 50 * time.Millisecond}, limit: patience},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			url := serve(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if tt.flush {
					_ = http.NewResponseController(w).Flush()
				}
				<-r.Context().Done()
			})
			ctx, cancel := context.WithTimeout(t.Context(), tt.limit)
			defer cancel()
			req, err := http.NewRequest(http.MethodPost, url, strings.NewReader("{}"))
			require.NoError(t, err)
			x := Start(ctx, NewClient(tt.opts), req, Limits{})
			require.NoError(t, x.WaitEnd(t.Context()))
			assert.Equal(t, EndTimeout, x.Transcript().End)
		})
	}
}

func TestEndRefused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())

	x, ctx := get(t, "http://"+l.Addr().String()+"/?key=geheim", Limits{})
	require.NoError(t, x.WaitEnd(ctx))
	got := x.Transcript()
	assert.Equal(t, EndRefused, got.End)
	assert.Contains(t, got.EndError, "refused")
	assert.NotContains(t, got.EndError+got.Request.URL, "geheim")
}

func TestLeaveIsSeenByTheServer(t *testing.T) {
	left := make(chan struct{})
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "data: a\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(left)
	})
	x, ctx := get(t, url, Limits{})
	_, err := x.WaitEvent(ctx, 0)
	require.NoError(t, err)
	waiting := make(chan error, 1)
	go func() {
		_, err := x.WaitEvent(ctx, 1)
		waiting <- err
	}()

	x.Leave()
	x.Leave()

	select {
	case <-left:
	case <-ctx.Done():
		t.Fatal("the server did not see that we left")
	}
	assert.Equal(t, EndLeft, x.Transcript().End)
	var ended *EndedError
	require.ErrorAs(t, <-waiting, &ended)
	assert.Equal(t, EndLeft, ended.End)
}

func TestWaitsEndWithTheirContext(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	x, _ := get(t, url, Limits{})
	over, cancel := context.WithCancel(t.Context())
	cancel()

	assert.ErrorIs(t, x.WaitHead(over), context.Canceled)
	assert.ErrorIs(t, x.WaitEnd(over), context.Canceled)
	_, err := x.WaitEvent(over, 0)
	assert.ErrorIs(t, err, context.Canceled)
	assert.ErrorIs(t, x.WaitUntil(over, func(*Stream) bool { return false }), context.Canceled)
}

func TestHTTP2(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "data: a\n\n")
		_ = http.NewResponseController(w).Flush()
		if r.URL.Path == "/reset" {
			panic(http.ErrAbortHandler)
		}
	}))
	srv.EnableHTTP2 = true
	srv.StartTLS()
	t.Cleanup(srv.Close)
	roots := x509.NewCertPool()
	roots.AddCert(srv.Certificate())
	hc := NewClient(ClientOptions{RootCAs: roots})
	t.Cleanup(hc.CloseIdleConnections)

	for path, end := range map[string]End{"/": EndClean, "/reset": EndReset} {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		req, err := http.NewRequest(http.MethodGet, srv.URL+path, nil)
		require.NoError(t, err)
		x := Start(ctx, hc, req, Limits{})
		require.NoError(t, x.WaitEnd(ctx))
		cancel()
		assert.Equal(t, end, x.Transcript().End, path)
		assert.Equal(t, "HTTP/2.0", x.Transcript().Proto)
	}
}

func TestBadCertificateIsRefused(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.NotFoundHandler())
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	t.Cleanup(srv.Close)
	x, ctx := get(t, srv.URL, Limits{})
	require.NoError(t, x.WaitEnd(ctx))
	assert.Equal(t, EndRefused, x.Transcript().End)
	assert.Contains(t, x.Transcript().EndError, "certificate")
}

func TestClientShowsWhatIsThere(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "/", http.StatusFound)
			return
		}
		fmt.Fprintf(w, "asked for %q", r.Header.Get("Accept-Encoding"))
	})
	x, ctx := get(t, url+"/away", Limits{})
	require.NoError(t, x.WaitEnd(ctx))
	assert.Equal(t, http.StatusFound, x.Transcript().Status)

	x, ctx = get(t, url, Limits{})
	require.NoError(t, x.WaitEnd(ctx))
	assert.Equal(t, `asked for ""`, string(x.Transcript().Body))
}

func TestKeysAreRedacted(t *testing.T) {
	url := serve(t, func(http.ResponseWriter, *http.Request) {})
	req, err := http.NewRequest(http.MethodPost, url+"/?api_key=geheim&n=1", bytes.NewReader([]byte(`{"a":1}`)))
	require.NoError(t, err)
	req.URL.User = nil
	req.Header.Set("Authorization", "Bearer geheim")
	req.Header.Set("X-Api-Key", "geheim")
	req.Header.Set("Proxy-Authorization", "geheim")
	req.Header.Set("Content-Type", "application/json")
	hc := NewClient(ClientOptions{})
	x := Start(t.Context(), hc, req, Limits{})
	require.NoError(t, x.WaitEnd(t.Context()))
	hc.CloseIdleConnections()

	got := x.Transcript().Request
	assert.Equal(t, "Bearer [redacted]", got.Header.Get("Authorization"))
	assert.Equal(t, "[redacted]", got.Header.Get("X-Api-Key"))
	assert.Equal(t, "application/json", got.Header.Get("Content-Type"))
	assert.Equal(t, `{"a":1}`, string(got.Body))
	assert.NotContains(t, fmt.Sprint(got), "geheim")
	assert.Equal(t, "Bearer geheim", req.Header.Get("Authorization"), "the request itself is as it was")
}

func TestDecoded(t *testing.T) {
	var packed bytes.Buffer
	gz := gzip.NewWriter(&packed)
	_, _ = gz.Write([]byte("data: a\n\n"))
	require.NoError(t, gz.Flush())
	half := packed.Len()
	_, _ = gz.Write([]byte("data: b\n\n"))
	require.NoError(t, gz.Close())

	plain := &Transcript{
		Encoding: "gzip", Body: packed.Bytes(),
		Reads: []Read{{End: half, At: 1 * time.Second}, {End: packed.Len(), At: 2 * time.Second}},
	}
	got := plain.Decoded()
	assert.Equal(t, "data: a\n\ndata: b\n\n", string(got.Body))
	events := Parse(got.Body).Events
	assert.Equal(t, 1*time.Second, got.EventAt(events[0]))
	assert.Equal(t, 2*time.Second, got.EventAt(events[1]))

	broken := &Transcript{Encoding: "gzip", Body: []byte("no gzip")}
	assert.Same(t, broken, broken.Decoded())
	whole := &Transcript{Body: []byte("data: a\n\n")}
	assert.Same(t, whole, whole.Decoded())
}

func TestAt(t *testing.T) {
	tr := &Transcript{Reads: []Read{{End: 3, At: 1}, {End: 5, At: 2}}, EndAt: 9}
	for offset, want := range []time.Duration{1, 1, 1, 2, 2, 9} {
		assert.Equal(t, want, tr.At(offset), "offset %d", offset)
	}
}
