package modelserver

import (
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"plumbline.dev/plumbline/reference/completion"
)

// Reply is one running reply of a model server. Next and Close must be called
// from one goroutine; the context given to [Pool.Open] aborts from any.
type Reply struct {
	server  *poolServer
	ctx     context.Context
	cancel  context.CancelCauseFunc
	idle    *time.Timer
	body    io.ReadCloser
	scan    scanner
	decode  reader
	err     error // what the next call of Next returns
	done    bool  // the stream ended properly
	linger  *sync.WaitGroup
	lingers time.Duration
	route   completion.Route
	tier    completion.Tier // in which the server found the prompt's beginning, if it tells
}

// maxBatch bounds the chunks of one batch, so that the first of many that
// arrived together does not wait for the last.
const maxBatch = 64

// Server is the name of the server that was chosen.
func (r *Reply) Server() string { return r.server.Name }

// Route is the decision by which the server was chosen. Of its prefix cache it
// tells only the tier: the counts come with the usage.
func (r *Reply) Route() completion.Route {
	route := r.route
	if r.tier != completion.TierNone {
		route.Cache = &completion.CacheLookup{Tier: r.tier}
	}
	return route
}

// Next empties the batch, waits for the next chunk and puts its events and
// those of every other chunk that has arrived into the batch. After the event
// [completion.KindEnd] it returns io.EOF. A failure is an [*Error], or the
// cause of the context's end; the events before it have been delivered.
func (r *Reply) Next(b *completion.Batch) error {
	b.Reset()
	if r.err == nil && context.Cause(r.ctx) != nil {
		// Whoever ended the context wants nothing more, also not what has arrived.
		r.err = transportError(r.ctx, r.server.Name, context.Cause(r.ctx))
	}
	if r.err != nil {
		return r.err
	}
	for wait, chunks := true, 0; r.err == nil && chunks < maxBatch; wait = len(b.Events) == 0 {
		data, isError, err := r.scan.next(wait)
		if errors.Is(err, errNeedMore) {
			break
		}
		chunks++
		switch {
		case err != nil:
			r.err = r.ended(b, err)
		case string(data) == "[DONE]":
			r.err = r.end(b, KindDoneEarly)
		case len(data) > 0:
			if failure := r.decode.chunk(b, data, isError); failure != nil {
				failure.Server = r.server.Name
				r.err = failure
			} else if r.decode.over() {
				r.err = r.end(b, KindEndedEarly)
			}
		}
	}
	if r.idle != nil && r.err == nil {
		r.idle.Reset(r.server.IdleTimeout)
	}
	if len(b.Events) == 0 {
		return r.err
	}
	return nil
}

// ended judges the end of the body, or what broke it.
func (r *Reply) ended(b *completion.Batch, err error) error {
	switch {
	case errors.Is(err, errTooLong):
		return &Error{Kind: KindTooLong, Server: r.server.Name}
	case errors.Is(err, io.EOF) && context.Cause(r.ctx) == nil:
		return r.end(b, KindEndedEarly)
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, new(flate.CorruptInputError)):
		return &Error{Kind: KindEncoding, Server: r.server.Name, cause: err}
	default:
		return transportError(r.ctx, r.server.Name, err)
	}
}

// end is the model server's own end of its stream: right if every choice has
// its finish, else a failure of the kind given.
func (r *Reply) end(b *completion.Batch, otherwise Kind) error {
	if !r.decode.finished() {
		return &Error{Kind: otherwise, Server: r.server.Name}
	}
	r.done = true
	b.Add(completion.Event{Kind: completion.KindEnd})
	return io.EOF
}

// Close gives the reply up: unless it had ended, the model server sees its
// connection closed. It never blocks.
func (r *Reply) Close() {
	if r.idle != nil {
		r.idle.Stop()
	}
	r.server.running.Add(-1)
	if !r.done {
		r.cancel(context.Canceled)
		_ = r.body.Close()
		return
	}
	// The end of the body follows [DONE] at once; when it has been read, the
	// connection serves another request.
	r.linger.Go(func() {
		timer := time.AfterFunc(r.lingers, func() { r.cancel(context.Canceled) })
		defer timer.Stop()
		_, _ = io.CopyN(io.Discard, r.body, 4<<10)
		_ = r.body.Close()
		r.cancel(context.Canceled)
	})
}
