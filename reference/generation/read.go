package generation

import (
	"context"

	"plumbline.dev/plumbline/reference/completion"
)

// delivery is what the reader hands to the writer. The last one has an error,
// io.EOF after a proper end; then the queue is closed.
type delivery struct {
	batch completion.Batch
	route completion.Route // set on the first delivery: the backend took the request
	err   error
}

// open is the goroutine that begins the reply. It leaves the reading to another
// one: opening a connection needs a deep stack, which a goroutine would keep
// for as long as the reply runs.
func (r *run) open(ctx context.Context) {
	d := <-r.free
	source, err := r.g.Backend.Open(ctx, r.g.Request)
	if err != nil {
		d.err = err
		r.queue <- d
		close(r.queue)
		return
	}
	r.g.Request.Body = nil // sent; a long prompt must not be held as long as its reply runs
	d.route = routeOf(source)
	r.queue <- d
	go r.read(source)
}

// read is the reader's goroutine. It ends when the backend does, or soon after
// the context of the backend ends.
func (r *run) read(source Source) {
	defer close(r.queue)
	defer source.Close()
	for {
		// The writer always drains the queue and returns what it has used, so
		// neither of these waits for ever.
		d := <-r.free
		d.route = completion.Route{}
		d.err = source.Next(&d.batch)
		last := d.err != nil
		r.queue <- d
		if last {
			return
		}
	}
}
