package idempotency

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// ReplayedHeader tells on an answer that it is that of an earlier request.
const ReplayedHeader = "Idempotent-Replayed"

// Recording is one reply, while it is made and afterwards.
type Recording struct {
	store *Store
	key   string
	ended chan struct{} // closed when the store knows that it is over

	mu      sync.Mutex
	clients int // that wait for it; at 0 it is not made any further
	left    context.CancelFunc
	changed chan struct{} // closed when more is known; nil when nobody waits
	header  http.Header
	status  int // 0 until the head is written
	body    []byte
	lost    bool // it grew too long to be kept
	over    bool
	aborted bool // it ended inside the body
}

func newRecording(s *Store, key string) *Recording {
	return &Recording{store: s, key: key, ended: make(chan struct{}), clients: 1, left: func() {}}
}

// join adds a client, unless all have left.
func (r *Recording) join() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.clients == 0 && !r.over {
		return false
	}
	r.clients++
	return true
}

func (r *Recording) isLost() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost
}

func (r *Recording) size() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.body)
}

func (r *Recording) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.clients--; r.clients == 0 {
		r.left()
	}
}

// Writer returns what the reply is to be written to: it goes to the leader's
// client and into the recording. The context that is returned ends when the
// last client has left, client when the leader's own has. The function frees
// what was needed to know.
func (r *Recording) Writer(client context.Context, w http.ResponseWriter) (context.Context, http.ResponseWriter, func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(client))
	r.mu.Lock()
	r.left = cancel
	r.mu.Unlock()
	t := &tee{recording: r, w: w, rc: http.NewResponseController(w)}
	unwatch := context.AfterFunc(client, t.leave)
	return ctx, t, func() {
		unwatch()
		cancel()
	}
}

// End says that the reply is over, and whether it ended as it should and is to
// be kept, or inside the body. It is called once.
func (r *Recording) End(keep, aborted bool) {
	r.mu.Lock()
	r.over, r.aborted = true, aborted
	r.wake()
	r.mu.Unlock()
	r.store.finish(r, keep)
	close(r.ended)
}

// wake tells everybody who waits. The lock is held.
func (r *Recording) wake() {
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

func (r *Recording) head(status int, h http.Header) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status, r.header = status, h.Clone()
	r.wake()
}

func (r *Recording) write(p []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lost = r.lost || len(r.body)+len(p) > maxReply; r.lost {
		r.body = nil
	} else {
		r.body = append(r.body, p...)
	}
	r.wake()
}

// progress is what a client has not seen of a recording.
type progress struct {
	status int
	header http.Header
	body   []byte
	lost   bool
	over   bool
	abort  bool
	more   <-chan struct{} // closed when there is more
}

func (r *Recording) after(offset int) progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := progress{status: r.status, header: r.header, lost: r.lost, over: r.over, abort: r.aborted}
	if !r.lost {
		p.body = r.body[offset:len(r.body):len(r.body)]
	}
	if r.changed == nil && !r.over {
		r.changed = make(chan struct{})
	}
	p.more = r.changed
	return p
}

// Play writes the reply to a client that has claimed it, as it comes. When it
// reports abort, the reply could not be told to its end, and the handler must
// panic with [http.ErrAbortHandler].
func (r *Recording) Play(ctx context.Context, w http.ResponseWriter) (abort bool) {
	defer r.leave()
	rc := http.NewResponseController(w)
	begun, offset := false, 0
	for {
		p := r.after(offset)
		if p.lost {
			return true
		}
		if p.status != 0 && !begun {
			begun = true
			copyHeader(w.Header(), p.header)
			w.WriteHeader(p.status)
		}
		if begun {
			if _, err := w.Write(p.body); err != nil {
				return true
			}
			if err := rc.Flush(); err != nil {
				return true
			}
			offset += len(p.body)
		}
		if p.over {
			return p.abort || !begun
		}
		select {
		case <-p.more:
		case <-ctx.Done():
			return true
		}
	}
}

// copyHeader copies the head of the first answer over that of this one.
func copyHeader(to, from http.Header) {
	for name, values := range from {
		if !strings.HasPrefix(name, "X-Ratelimit-") {
			to[name] = slices.Clone(values) // they are shared by all who play it
		}
	}
	to.Set(ReplayedHeader, "true")
	to.Add("Access-Control-Expose-Headers", ReplayedHeader)
}
