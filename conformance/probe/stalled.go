package probe

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/wire"
)

// Room in our kernel for bytes that a subscriber has not read: as little as it
// allows while the subscriber is stalled, so that the target notices, and enough
// to go fast when it reads on.
const (
	stalledBuffer = 4 << 10
	readingBuffer = 1 << 20
)

// Stalled is a subscriber that reads nothing once its stream is open.
type Stalled struct {
	*Feed
	tap   *tap
	since time.Time // it has read nothing
}

// SubscribeStalled opens the telemetry of the session's Name, waits for
// stream.open, and reads no further.
func (s *Session) SubscribeStalled(ctx context.Context) (*Stalled, error) {
	t := &tap{open: make(chan struct{})}
	close(t.open)
	client := &http.Client{Transport: &http.Transport{DialContext: t.dial, DisableCompression: true, DisableKeepAlives: true}}
	feed, err := s.open(ctx, client, "/v1/telemetry/stream?session="+url.QueryEscape(s.Name), OwnKey)
	if err != nil {
		return nil, err
	}
	if err := feed.WaitOpen(ctx); err != nil {
		return nil, err
	}
	t.shut()
	return &Stalled{Feed: feed, tap: t, since: time.Now()}, nil
}

// ReadOn lets it read again, and waits until it has received the costs of n
// completions, or no more can come. Which of them is for a check to judge.
func (s *Stalled) ReadOn(ctx context.Context, n int) error {
	s.tap.reopen()
	// The longer a peer had no room to send, the less often TCP lets it ask for
	// some: by twice the time each, so it may take as long again as it was stalled.
	limit, cancel := context.WithTimeout(ctx, s.env.patience()+time.Since(s.since))
	defer cancel()
	costs, read := 0, 0
	_ = s.exchange.WaitUntil(limit, func(stream *wire.Stream) bool {
		for ; read < len(stream.Events) && stream.Events[read].Terminated; read++ {
			if e, ok := check.ReadTelemetryEvent(stream.Events[read]); ok && e.IsCost() {
				costs++
			}
		}
		return costs >= n
	})
	return ctx.Err()
}

// tap lets the bytes of a connection through while it is open.
type tap struct {
	mu    sync.Mutex
	open  chan struct{} // closed while bytes may pass
	conns []net.Conn
}

func (t *tap) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{Timeout: 10 * time.Second}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.conns = append(t.conns, conn)
	return &tapped{Conn: conn, tap: t, closed: make(chan struct{})}, nil
}

func (t *tap) shut() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open = make(chan struct{})
	t.buffer(stalledBuffer)
}

func (t *tap) reopen() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buffer(readingBuffer)
	close(t.open)
}

// buffer sets the room for bytes that are not read. Where that cannot be done the
// check is weaker, or slower.
func (t *tap) buffer(bytes int) {
	for _, conn := range t.conns {
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetReadBuffer(bytes)
		}
	}
}

func (t *tap) passing() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.open
}

// tapped is a connection behind a tap.
type tapped struct {
	net.Conn
	tap    *tap
	once   sync.Once
	closed chan struct{}
}

// Read waits for the tap.
func (c *tapped) Read(p []byte) (int, error) {
	select {
	case <-c.tap.passing():
		return c.Conn.Read(p)
	case <-c.closed:
		return 0, net.ErrClosed
	}
}

// Close also ends a Read that waits for the tap.
func (c *tapped) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}
