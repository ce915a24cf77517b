package mutant

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
)

const (
	requestLimit = 4 << 20  // bytes of a request
	answerLimit  = 16 << 20 // bytes of an answer that is no stream
)

// relay forwards to a right gateway. A hook that is nil changes nothing, so the
// zero relay is a right gateway too.
type relay struct {
	request func(*exchange)                           // changes what is forwarded
	serve   func(*exchange, http.ResponseWriter) bool // true when it answered by itself
	head    func(*exchange, *reply)                   // changes the head of a stream
	events  rewrite                                   // changes the events of a stream
	answer  func(*exchange, *reply)                   // changes an answer that is no stream
	body    through                                   // what the bytes of a stream go through
	// raw takes the place of events where the stream is no gateway's: what it
	// returns is passed on byte by byte as it comes.
	raw func(io.Reader) io.Reader
	// lateHead sends the head of a stream with its first bytes.
	lateHead bool
	// linger says how many events are read on after the client left, or its stream
	// was ended, before the gateway's request is given up.
	linger func(*exchange) int
	// feeds is what is done to the event streams that are no reply, telemetry and
	// the metrics of the fleet; nil changes nothing. The hooks above leave them alone.
	feeds *relay
}

// forEver lingers until the gateway's stream ends.
const forEver = 1 << 30

// on puts the relay in front of a gateway until ctx ends.
func (g relay) on(ctx context.Context, up Upstream) http.Handler {
	transport := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64}
	context.AfterFunc(ctx, transport.CloseIdleConnections)
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { g.handle(ctx, up, client, w, r) })
}

// handle relays one request; running ends with the mutant.
func (g relay) handle(running context.Context, up Upstream, client *http.Client, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, requestLimit))
	if err != nil {
		http.Error(w, "the request cannot be read", http.StatusBadRequest)
		return
	}
	x := &exchange{ctx: r.Context(), up: up, client: client, method: r.Method, path: r.URL.EscapedPath(), query: r.URL.RawQuery, header: r.Header.Clone(), body: body}
	defer x.close()
	if x.isFeed() {
		g = g.ofFeeds()
	}
	if g.request != nil {
		g.request(x)
	}
	if g.serve != nil && g.serve(x, w) {
		return
	}
	ctx, cancel := context.WithCancel(running)
	linger := func() int { return 0 }
	if g.linger != nil {
		linger = func() int { return g.linger(x) }
	}
	context.AfterFunc(r.Context(), func() {
		if linger() == 0 {
			cancel()
		}
	})
	response, err := x.forward(ctx)
	if err != nil {
		cancel()
		panic(http.ErrAbortHandler) // the client left, or the run is over
	}
	to := &reply{Status: response.StatusCode, Header: endToEnd(response.Header)}
	switch streamed := strings.HasPrefix(to.Header.Get("Content-Type"), "text/event-stream"); {
	case streamed && g.raw != nil:
		defer cancel()
		from := io.Reader(response.Body)
		if to.Header.Get("Content-Encoding") == "" { // else it is no text
			from = g.raw(from)
		}
		passOn(x, to, from, w)
		return
	case streamed:
		g.stream(x, to, pump(x, response.Body, cancel, linger), w)
		return
	}
	defer cancel()
	defer response.Body.Close()
	if to.Body, err = io.ReadAll(io.LimitReader(response.Body, answerLimit)); err != nil {
		panic(http.ErrAbortHandler)
	}
	if g.answer != nil {
		g.answer(x, to)
	}
	to.write(w)
}

// ofFeeds is the relay of event streams that are no reply.
func (g relay) ofFeeds() relay {
	if g.feeds == nil {
		return relay{}
	}
	return *g.feeds
}

// passOn sends bytes as they come; a read that fails cuts the connection.
func passOn(x *exchange, to *reply, from io.Reader, w http.ResponseWriter) {
	s := newStream(x, to, w, nil)
	s.start()
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			s.write(string(buf[:n]))
		}
		if err == io.EOF {
			return
		}
		if err != nil {
			panic(http.ErrAbortHandler)
		}
	}
}

// item is an event of the gateway, or why there are no more: io.EOF is the end.
type item struct {
	event event
	err   error
}

// pump reads the gateway's events until its stream ends, or until the exchange
// is over and linger more events have come. Then it lets the gateway go.
func pump(x *exchange, body io.ReadCloser, cancel context.CancelFunc, linger func() int) <-chan item {
	items, gone := make(chan item), make(chan int, 1)
	x.onClose(func() {
		more := linger()
		if more == 0 {
			cancel()
		}
		gone <- more
	})
	go func() {
		defer cancel()
		defer body.Close()
		events := newSplitter(body)
		for more := forEver; more > 0; {
			e, err := events.next()
			if err == nil && isText(e) {
				x.texts.Add(1)
			}
			select {
			case items <- item{e, err}:
			case left := <-gone:
				more = left - 1
				gone <- more // for the next round
			}
			if err != nil {
				return
			}
		}
	}()
	return items
}

// stream relays events until the gateway's stream ends or the mutant ends it.
func (g relay) stream(x *exchange, to *reply, items <-chan item, w http.ResponseWriter) {
	x.id = to.Header.Get("X-Mortar-Request-Id")
	if g.head != nil {
		g.head(x, to)
	}
	s := newStream(x, to, w, g.body)
	if !g.lateHead {
		s.start()
	}
	handle := s.send
	if g.events != nil {
		handle = g.events(x, s)
	}
	for !s.isOver() {
		select {
		case <-s.over:
		case <-x.ctx.Done():
			panic(http.ErrAbortHandler)
		case i := <-items:
			switch {
			case i.err == io.EOF:
				handle(event{end: true})
				s.stop()
			case i.err != nil:
				panic(http.ErrAbortHandler)
			default:
				handle(i.event)
			}
		}
	}
	s.finish()
}

// exchange is one request on its way through a mutant.
type exchange struct {
	ctx    context.Context // ends when the client leaves
	up     Upstream
	client *http.Client

	method, path, query string // path and query as they were escaped
	header              http.Header
	body                []byte
	id                  string // of the generation, once its stream began

	texts   atomic.Int64 // chunks with text that the gateway sent
	closers []func()
}

func (x *exchange) onClose(f func()) { x.closers = append(x.closers, f) }

func (x *exchange) close() {
	for _, f := range x.closers {
		f()
	}
}

// forward sends the request to the gateway.
func (x *exchange) forward(ctx context.Context) (*http.Response, error) {
	address := x.up.URL.String() + x.path
	if x.query != "" {
		address += "?" + x.query
	}
	request, err := http.NewRequestWithContext(ctx, x.method, address, bytes.NewReader(x.body))
	if err != nil {
		return nil, fmt.Errorf("forward %s %s: %w", x.method, x.path, err)
	}
	request.Header = endToEnd(x.header)
	return x.client.Do(request)
}

func (x *exchange) isChat() bool   { return x.path == "/v1/chat/completions" }
func (x *exchange) isModels() bool { return x.path == "/v1/models" }

// isTelemetry and isFleet tell the event streams that are no reply.
func (x *exchange) isTelemetry() bool { return x.path == "/v1/telemetry/stream" }
func (x *exchange) isFleet() bool     { return x.path == "/v1/metrics/stream" }
func (x *exchange) isFeed() bool      { return x.isTelemetry() || x.isFleet() }

// asked is the request as JSON, nil if it is none.
func (x *exchange) asked() object { return decode(string(x.body)) }

// ask changes the request, if it is JSON.
func (x *exchange) ask(change func(o object)) {
	if o := x.asked(); o != nil {
		change(o)
		x.body = []byte(encode(o))
	}
}

func (x *exchange) key() string { return x.header.Get("Authorization") }

// endToEnd is a header without what belongs to one connection alone.
func endToEnd(h http.Header) http.Header {
	h = h.Clone()
	for _, name := range []string{"Connection", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Content-Length", "Date"} {
		h.Del(name)
	}
	return h
}
