package generation

import (
	"errors"
	"io"
	"net/http"
	"time"

	"plumbline.dev/plumbline/reference/completion"
)

// run is a generation at work. Only the goroutine of Serve touches what is not
// shared by channels or the fate.
type run struct {
	g     *Generation
	fate  fate
	queue chan *delivery
	free  chan *delivery
	out   response
	order *order

	started    time.Time
	firstToken time.Duration
	route      completion.Route
	delivered  int64
	collected  int   // bytes of text so far
	granted    int64 // tokens that are paid for
}

// deliveries are in flight at once: one is written while the next is read.
const deliveries = 2

// maxCollected bounds a reply that is held in memory, in bytes.
const maxCollected = 64 << 20

var errCollected = errors.New("the reply is too long to be held in memory")

func newRun(g *Generation, w http.ResponseWriter, abort func(error)) *run {
	r := &run{
		g: g, granted: grantedAtFirst(g.Tab), started: time.Now(), fate: fate{abort: abort}, order: newOrder(g.Encoder, g.Request),
		queue: make(chan *delivery, deliveries), free: make(chan *delivery, deliveries),
		out: response{w: w, rc: http.NewResponseController(w), id: g.ID, stream: g.Request.Stream},
	}
	for range deliveries {
		r.free <- new(delivery)
	}
	return r
}

// write is the loop of the one writer. It returns as Serve does.
func (r *run) write() (abort bool) {
	clock := newClock(min(r.g.Grace, r.g.Ping), r.g.Ping)
	defer clock.stop()
	for {
		select {
		case d := <-r.queue:
			if d.route.Server != "" {
				r.route = d.route
				r.g.Observer.Routed(r.g.Info, d.route)
				r.begin(clock)
			}
			err := r.relay(d, clock)
			last := d.err
			r.free <- d
			switch {
			case err != nil:
				return r.fail(err)
			case r.order.overrun():
				r.fate.cut(Overrun, errOverrun)
				return r.finish(Overrun)
			case !r.paid():
				r.fate.cut(Exhausted, errUnpaid)
				return r.fail(nil)
			case errors.Is(last, io.EOF) && r.order.complete():
				return r.finish(Finished)
			case last != nil:
				return r.fail(last)
			}
		case <-clock.timer.C:
			if !clock.due() {
				continue
			}
			if r.g.Request.Stream && r.out.status != 0 {
				r.put(r.g.Encoder.Ping(r.out.buf[:0]), clock)
			}
			r.begin(clock)
			clock.rearm()
		}
	}
}

// begin sends the head of a stream, once.
func (r *run) begin(clock *clock) {
	if r.g.Request.Stream && r.out.status == 0 {
		r.out.head(http.StatusOK)
		r.put(nil, clock)
	}
}

// relay writes the events of one delivery in one write.
func (r *run) relay(d *delivery, clock *clock) error {
	buf := r.out.buf[:0]
	before := r.order.generated
	var err error
	for i := range d.batch.Events {
		e := &d.batch.Events[i]
		if buf, err = r.order.take(buf, e); err != nil {
			break
		}
		r.collected += len(e.Text) + len(e.ToolCalls) + len(e.Logprobs)
	}
	if err == nil && (!r.g.Request.Stream || r.g.Keeps) && r.collected > maxCollected {
		err = errCollected
	}
	if len(buf) > 0 {
		r.begin(clock)
		r.put(buf, clock)
	}
	if !r.out.broken && r.order.generated > before && r.g.Request.Stream {
		r.delivered += r.order.generated - before
		r.markFirstToken()
	}
	return err
}

func (r *run) markFirstToken() {
	if r.firstToken == 0 {
		r.firstToken = time.Since(r.started)
		r.g.Observer.FirstToken(r.g.Info, r.firstToken)
	}
}

// put writes and flushes. A client that cannot be written to has left.
func (r *run) put(p []byte, clock *clock) {
	if !r.out.put(p) {
		r.fate.cut(Disconnected, errLeft)
		return
	}
	if clock != nil {
		clock.wrote()
	}
}

// settle lets the backend go, waits for the reader, and tells the account.
func (r *run) settle(ending Ending, err error) completion.Usage {
	r.fate.abort(errOver)
	for d := range r.queue {
		if ending == Disconnected {
			// What had been generated when the client left counts, though it
			// was never written.
			for i := range d.batch.Events {
				_, _ = r.order.take(nil, &d.batch.Events[i])
			}
		}
		select {
		case r.free <- d:
		default:
		}
	}
	usage := r.usage(ending)
	status := r.out.status
	if ending == Finished || ending == Overrun || ending == Stopped {
		status = http.StatusOK
		if !r.g.Request.Stream {
			r.delivered = r.order.generated
		}
	}
	account := Settlement{
		Info: r.g.Info, Ending: ending, Err: err, Status: status, Server: r.route.Server,
		Generated: r.order.generated, Delivered: r.delivered, Usage: usage,
		FirstToken: r.firstToken, Duration: time.Since(r.started),
	}
	if r.g.Tab != nil {
		r.g.Tab.Settle(account)
	}
	r.g.Observer.Settled(account)
	return usage
}

// usage is what is to be paid for. A request that failed before any server took
// it costs nothing. Where the gateway has to count, its own bookkeeping of the
// prefix cache counts too.
func (r *run) usage(ending Ending) completion.Usage {
	if ending == Failed && r.route.Server == "" {
		return completion.Usage{CacheWriteTokens: -1, Estimated: true}
	}
	usage := r.order.usage(ending, r.g.PromptTokens)
	if cache := r.route.Cache; cache != nil && usage.Estimated {
		usage.CachedTokens = min(cache.Reused, usage.PromptTokens)
	}
	return usage
}
