package generation

import (
	"context"

	"plumbline.dev/plumbline/reference/completion"
)

// delivery is what the reader hands to the writer. The last one has an error,
// io.EOF after a proper end; then the queue is closed.
type delivery struct {
	batch  completion.Batch
	server string // set on the first delivery: the backend took the request
	err    error
}

// read is the reader's goroutine. It ends when the backend does, or soon after
// its context ends.
func (r *run) read(ctx context.Context) {
	defer close(r.queue)
	d := <-r.free
	source, err := r.g.Backend.Open(ctx, r.g.Request)
	if err != nil {
		d.err = err
		r.queue <- d
		return
	}
	defer source.Close()
	d.server = source.Server()
	r.queue <- d
	for err == nil {
		// The writer always drains the queue and returns what it has used, so
		// neither of these waits for ever.
		d = <-r.free
		d.server = ""
		err = source.Next(&d.batch)
		d.err = err
		r.queue <- d
	}
}
