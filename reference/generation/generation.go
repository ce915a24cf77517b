package generation

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/bus"
	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/format"
)

// Generation is one reply to be made. All fields but Keeps, Tab and Drain
// are required.
type Generation struct {
	Info
	Request *completion.Request
	Backend Backend
	// Encoder and WriteError speak the client's API format.
	Encoder    format.Encoder
	WriteError format.ErrorWriter
	// Keeps tells that the encoder holds the whole reply in memory even when it
	// streams, so that the reply's size is bounded.
	Keeps    bool
	Bus      bus.Bus
	Observer Observer
	// Tab pays for it; without one it is free.
	Tab Tab
	// PromptTokens counts the prompt, for when no model server does.
	PromptTokens func() int64
	// Ping is the longest silence on a stream; "Stream responses, Proxies and
	// timeouts" says 10 s.
	Ping time.Duration
	// Grace is how long the head of a stream waits for the backend to accept
	// the request, so that a refusal gets its true HTTP status. A head never
	// waits for a token, and never longer than Ping.
	Grace time.Duration
	// Drain ends the generation when it is done; nil never does.
	Drain context.Context
}

// RequestIDHeader names the completion on every answer ("Stream responses,
// Cancel a generation").
const RequestIDHeader = "X-Mortar-Request-Id"

// Serve makes the reply and writes it to w; ctx ends when the client leaves. It
// returns when the generation is over, settled, and no goroutine of it is left.
// When it reports abort, the client could not be told how the reply ended: the
// handler must then panic with [http.ErrAbortHandler], lest a clean end of the
// body looks like success.
func (g *Generation) Serve(ctx context.Context, w http.ResponseWriter) (abort bool) {
	// The backend's context is not the client's: a reply that has ended properly
	// lets its connection end properly as well.
	backend, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(errOver)
	r := newRun(g, w, cancel)
	release, err := g.Bus.Register(ctx, g.ID, g.Org, func() bool { return r.fate.cut(Stopped, errStopped) })
	g.Observer.Started(g.Info)
	if err != nil {
		close(r.queue)
		r.fate.settle(Failed)
		return r.fail(fmt.Errorf("%w: %w", apierror.Internal(), err))
	}
	defer release()
	defer context.AfterFunc(ctx, func() { r.fate.cut(Disconnected, errLeft) })()
	if g.Drain != nil {
		defer context.AfterFunc(g.Drain, func() { r.fate.cut(ShutDown, errShutDown) })()
	}
	go r.open(backend)
	return r.write()
}
