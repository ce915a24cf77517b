package modelserver

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/completion"
)

// upstream is a model server written by hand, on a bare connection, so that
// every byte and every end of a connection is the test's own.
type upstream struct {
	*testing.T
	listener net.Listener
	// serve answers one request; the connection is closed after it.
	serve func(c *net.TCPConn, body string)

	mu       sync.Mutex
	requests []*http.Request
	bodies   []string
}

func newUpstream(t *testing.T, serve func(c *net.TCPConn, body string)) *upstream {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	u := &upstream{T: t, listener: l, serve: serve}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() { u.handle(c.(*net.TCPConn)) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		running.Wait()
	})
	return u
}

func (u *upstream) handle(c *net.TCPConn) {
	defer c.Close()
	req, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return
	}
	body, _ := io.ReadAll(req.Body)
	u.mu.Lock()
	u.requests = append(u.requests, req)
	u.bodies = append(u.bodies, string(body))
	u.mu.Unlock()
	u.serve(c, string(body))
}

func (u *upstream) url() string { return "http://" + u.listener.Addr().String() }

func (u *upstream) seen() (int, *http.Request, string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	n := len(u.requests)
	if n == 0 {
		return 0, nil, ""
	}
	return n, u.requests[n-1], u.bodies[n-1]
}

const streamHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

// chunked is one HTTP chunk.
func chunked(s string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(s), s) }

// plays answers every request with a stream of these bytes, and then ends it:
// "" cleanly, "cut" by closing, "reset" by a RST, "hang" when the peer leaves.
func plays(body, end string) func(*net.TCPConn, string) {
	return func(c *net.TCPConn, _ string) {
		_, _ = io.WriteString(c, streamHead)
		if body != "" {
			_, _ = io.WriteString(c, chunked(body))
		}
		switch end {
		case "":
			_, _ = io.WriteString(c, "0\r\n\r\n")
		case "reset":
			_ = c.SetLinger(0)
		case "hang":
			_, _ = io.Copy(io.Discard, c)
		}
	}
}

// answers gives a whole HTTP response.
func answers(response string) func(*net.TCPConn, string) {
	return func(c *net.TCPConn, _ string) { _, _ = io.WriteString(c, response) }
}

func event(data string) string { return "data: " + data + "\n\n" }

func textChunk(text string) string {
	return event(`{"id":"x","choices":[{"index":0,"delta":{"content":` + text + `},"finish_reason":null}]}`)
}

func finishChunk(reason string) string {
	return event(`{"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`)
}

const doneEvent = "data: [DONE]\n\n"

func newTestPool(t *testing.T, opts Options, servers ...Server) *Pool {
	t.Helper()
	p, err := NewPool(servers, opts)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p
}

func oneChoice() *completion.Request {
	return &completion.Request{Model: "m", Stream: true, Choices: 1}
}

// play opens a reply and reads it to its end. Events become short words.
func play(t *testing.T, p *Pool, req *completion.Request) (string, []completion.Event, error) {
	t.Helper()
	reply, err := p.Open(t.Context(), req)
	if err != nil {
		return "", nil, err
	}
	defer reply.Close()
	return drain(reply)
}

// drain reads a reply to its end; the error is nil after a proper one.
func drain(reply *Reply) (string, []completion.Event, error) {
	var words []string
	var events []completion.Event
	var b completion.Batch
	for {
		err := reply.Next(&b)
		for _, e := range b.Events {
			words = append(words, word(e))
			e.Text = append([]byte(nil), e.Text...)
			events = append(events, e)
		}
		if err == io.EOF {
			return strings.Join(words, " "), events, nil
		}
		if err != nil {
			return strings.Join(words, " "), events, err
		}
	}
}

func word(e completion.Event) string {
	switch e.Kind {
	case completion.KindRole:
		return fmt.Sprintf("role%d", e.Choice)
	case completion.KindText:
		return fmt.Sprintf("%d:%s", e.Choice, e.Text)
	case completion.KindRefusal:
		return fmt.Sprintf("%d:refusal:%s", e.Choice, e.Text)
	case completion.KindReasoning:
		return fmt.Sprintf("%d:reasoning:%s", e.Choice, e.Text)
	case completion.KindToolCall:
		return fmt.Sprintf("%d:calls:%s", e.Choice, e.ToolCalls)
	case completion.KindFinish:
		return fmt.Sprintf("finish%d=%s", e.Choice, e.Finish)
	case completion.KindUsage:
		if e.Usage.Estimated {
			return "usage=refused"
		}
		return fmt.Sprintf("usage=%d+%d(%d)", e.Usage.PromptTokens, e.Usage.CompletionTokens, e.Usage.CachedTokens)
	case completion.KindEnd:
		return "end"
	}
	return "?"
}
