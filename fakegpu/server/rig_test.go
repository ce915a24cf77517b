package server_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"plumbline.dev/plumbline/fakegpu/control"
	"plumbline.dev/plumbline/fakegpu/server"
)

func TestMain(m *testing.M) {
	// net/http lingers half a second on a connection whose request it cut off.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}

// patience bounds every wait of a test that would otherwise hang.
const patience = 20 * time.Second

// rig is a running fake GPU with its control client.
type rig struct {
	t       testing.TB
	ctx     context.Context
	running *server.Running
	control *control.Client
	http    *http.Client
}

func newRig(t testing.TB, o server.Options) *rig {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	running, err := server.Listen(ctx, "127.0.0.1:0", o)
	require.NoError(t, err)
	t.Cleanup(running.Close)
	// Bytes are judged as they are sent, so nothing is to be unpacked.
	transport := &http.Transport{DisableCompression: true, DisableKeepAlives: true}
	t.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{Transport: transport}
	return &rig{t: t, ctx: ctx, running: running, control: control.NewClient(running.URL(), client), http: client}
}

var nonces atomic.Int64

func newNonce() string { return fmt.Sprintf("nonce%016d", nonces.Add(1)) }

// register registers a script under a fresh nonce.
func (r *rig) register(s control.Script) string {
	r.t.Helper()
	s.Nonce = newNonce()
	require.NoError(r.t, r.control.Register(r.ctx, s))
	return s.Nonce
}

// result is a response as it went over the wire.
type result struct {
	status int
	header http.Header
	body   string
	pieces []string // the HTTP chunks of a chunked body: one for each flush
	end    error    // nil is a clean end
}

// events are the data lines without "data: ".
func (r *result) events() []string {
	var found []string
	for _, line := range strings.Split(r.body, "\n") {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			found = append(found, data)
		}
	}
	return found
}

// chat is a chat request's JSON with a marker in it; extra are further members.
func chat(nonce, extra string) string {
	return `{"model":"m","messages":[{"role":"user","content":"Hello ` + control.Marker(nonce) + `"}]` + extra + `}`
}

const streamed = `,"stream":true`

// open sends a request on a connection of its own.
func (r *rig) open(path, body string) net.Conn {
	r.t.Helper()
	u, err := url.Parse(r.running.URL())
	require.NoError(r.t, err)
	conn, err := net.Dial("tcp", u.Host)
	require.NoError(r.t, err)
	r.t.Cleanup(func() { _ = conn.Close() })
	deadline, _ := r.ctx.Deadline()
	require.NoError(r.t, conn.SetDeadline(deadline))
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
	require.NoError(r.t, err)
	return conn
}

// post sends a request and reads the raw response to its end.
func (r *rig) post(path, body string) *result {
	r.t.Helper()
	return r.read(r.open(path, body))
}

// play registers a script and asks for its stream.
func (r *rig) play(s control.Script, extra string) *result {
	r.t.Helper()
	return r.post("/v1/chat/completions", chat(r.register(s), streamed+extra))
}

// read reads a response without any help of an HTTP client.
func (r *rig) read(conn net.Conn) *result {
	r.t.Helper()
	in := bufio.NewReader(conn)
	res := &result{header: http.Header{}}
	line, err := in.ReadString('\n')
	if err != nil {
		res.end = err
		return res
	}
	_, err = fmt.Sscanf(line, "HTTP/1.1 %d", &res.status)
	require.NoError(r.t, err, line)
	for {
		line, err = in.ReadString('\n')
		require.NoError(r.t, err)
		name, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			break
		}
		res.header.Add(name, value)
	}
	if res.header.Get("Transfer-Encoding") == "chunked" {
		res.end = res.readChunks(in)
		return res
	}
	length, err := strconv.Atoi(res.header.Get("Content-Length"))
	require.NoError(r.t, err)
	body := make([]byte, length)
	n, err := io.ReadFull(in, body)
	res.body, res.end = string(body[:n]), err
	return res
}

func (r *result) readChunks(in *bufio.Reader) error {
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return err
		}
		size, err := strconv.ParseInt(strings.TrimSpace(line), 16, 64)
		if err != nil {
			return fmt.Errorf("chunk size %q: %w", line, err)
		}
		piece := make([]byte, size+2)
		if _, err := io.ReadFull(in, piece); err != nil {
			return err
		}
		if size == 0 {
			return nil
		}
		piece = bytes.TrimSuffix(piece, []byte("\r\n"))
		r.pieces = append(r.pieces, string(piece))
		r.body += string(piece)
	}
}

func isReset(err error) bool { return errors.Is(err, syscall.ECONNRESET) }

func isCut(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// ended awaits the end of the nonce's only request and returns its record.
func (r *rig) ended(nonce string) control.Record {
	r.t.Helper()
	j, err := r.control.Await(r.ctx, nonce, control.Condition{Ended: true})
	require.NoError(r.t, err)
	require.Len(r.t, j.Requests, 1)
	return j.Requests[0]
}
