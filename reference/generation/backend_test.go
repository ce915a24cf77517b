package generation

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/bus"
	"plumbline.dev/plumbline/reference/completion"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// step is what the scripted backend does next.
type step struct {
	event  completion.Event
	err    error
	reach  string // closes the mark of this name
	hang   bool   // waits for the context's end
	before func() // is called first
}

// script is a Backend that plays steps.
type script struct {
	steps   []step
	openErr error
	// openHang waits for the context before the reply begins.
	openHang bool
	marks    map[string]chan struct{}
	aborted  chan error // gets the cause of an abort, once
}

func newScript(steps ...step) *script {
	s := &script{steps: steps, marks: make(map[string]chan struct{}), aborted: make(chan error, 1)}
	s.marks["open"] = make(chan struct{})
	for _, each := range steps {
		if each.reach != "" {
			s.marks[each.reach] = make(chan struct{})
		}
	}
	return s
}

func (s *script) Open(ctx context.Context, _ *completion.Request) (Source, error) {
	close(s.marks["open"])
	if s.openHang {
		<-ctx.Done()
		s.aborted <- context.Cause(ctx)
		return nil, context.Cause(ctx)
	}
	if s.openErr != nil {
		return nil, s.openErr
	}
	return &playing{script: s, ctx: ctx, left: s.steps}, nil
}

type playing struct {
	script *script
	ctx    context.Context
	left   []step
}

func (p *playing) Server() string { return "server" }
func (p *playing) Close()         {}

func (p *playing) Next(b *completion.Batch) error {
	b.Reset()
	for {
		if err := context.Cause(p.ctx); err != nil {
			p.script.aborted <- err
			return err
		}
		if len(p.left) == 0 {
			return io.EOF
		}
		now := p.left[0]
		p.left = p.left[1:]
		if now.before != nil {
			now.before()
		}
		if now.reach != "" {
			close(p.script.marks[now.reach])
		}
		switch {
		case now.hang:
			<-p.ctx.Done()
			continue
		case now.err != nil:
			return now.err
		case now.event.Kind != 0:
			b.Add(now.event)
			return nil
		}
	}
}

func text(words ...string) []step {
	var steps []step
	for _, w := range words {
		steps = append(steps, step{event: completion.Event{Kind: completion.KindText, Text: []byte(`"` + w + `"`), Tokens: 1}})
	}
	return steps
}

func finish(reason completion.FinishReason) step {
	return step{event: completion.Event{Kind: completion.KindFinish, Finish: reason}}
}

func usage(prompt, done int64) step {
	return step{event: completion.Event{Kind: completion.KindUsage, Usage: completion.Usage{PromptTokens: prompt, CompletionTokens: done, CacheWriteTokens: -1}}}
}

var theEnd = step{event: completion.Event{Kind: completion.KindEnd}}

// words is an encoder whose format is easy to compare.
type words struct{}

func (words) Event(buf []byte, e *completion.Event) []byte {
	if e.Kind == completion.KindRole {
		return fmt.Appendf(buf, "role%d ", e.Choice)
	}
	return fmt.Appendf(buf, "%s ", bytes.Trim(e.Text, `"`))
}

func (words) Finish(buf []byte, choice int, reason completion.FinishReason) []byte {
	return fmt.Appendf(buf, "finish%d=%s ", choice, reason)
}

func (words) Usage(buf []byte, u completion.Usage) []byte {
	return fmt.Appendf(buf, "usage=%d+%d ", u.PromptTokens, u.CompletionTokens)
}
func (words) End(buf []byte) []byte { return append(buf, "DONE"...) }
func (words) Fail(buf []byte, e *apierror.Error) []byte {
	return fmt.Appendf(buf, "error=%s", e.Type)
}
func (words) Ping(buf []byte) []byte { return append(buf, "ping "...) }

// client is a ResponseWriter of a client that may leave or stop reading.
type client struct {
	mu     sync.Mutex
	header http.Header
	status int
	body   strings.Builder
	// breakAt fails the write that would follow so many bytes; -1 never does.
	breakAt int
	// changed is signalled after every write.
	changed *sync.Cond
	// block, while it is not nil, holds every write back until it is closed.
	block chan struct{}
}

func newClient() *client {
	c := &client{header: make(http.Header), breakAt: -1}
	c.changed = sync.NewCond(&c.mu)
	return c
}

func (c *client) Header() http.Header { return c.header }
func (c *client) WriteHeader(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status = status
	c.changed.Broadcast()
}
func (c *client) FlushError() error { return nil }
func (c *client) Write(p []byte) (int, error) {
	c.mu.Lock()
	block := c.block
	c.mu.Unlock()
	if block != nil {
		<-block
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.changed.Broadcast()
	if c.breakAt >= 0 && c.body.Len()+len(p) > c.breakAt {
		return 0, io.ErrClosedPipe
	}
	if c.status == 0 {
		c.status = http.StatusOK
	}
	return c.body.Write(p)
}

// await waits until the body contains the text.
func (c *client) await(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !strings.Contains(c.body.String(), text) {
		c.changed.Wait()
	}
}

func (c *client) awaitHead() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.status == 0 {
		c.changed.Wait()
	}
}

func (c *client) got() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.TrimSpace(c.body.String())
}

// record is an Observer that keeps what it was told.
type record struct {
	mu          sync.Mutex
	calls       []string
	settlements []Settlement
	onSettled   func()
}

func (r *record) note(call string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, call)
}
func (r *record) Started(Info)                          { r.note("started") }
func (r *record) Routed(_ Info, route completion.Route) { r.note("routed " + route.Server) }
func (r *record) FirstToken(Info, time.Duration)        { r.note("first token") }
func (r *record) Settled(s Settlement) {
	r.note("settled")
	r.settlements = append(r.settlements, s)
	if r.onSettled != nil {
		r.onSettled()
	}
}

// trial is one generation under test.
type trial struct {
	*Generation
	t        *testing.T
	client   *client
	record   *record
	backend  *script
	leave    context.CancelFunc
	shutDown context.CancelFunc
	local    *bus.Local
}

func newTrial(t *testing.T, backend *script) *trial {
	t.Helper()
	drain, shutDown := context.WithCancel(context.Background())
	t.Cleanup(shutDown)
	local := new(bus.Local)
	rec := new(record)
	return &trial{
		t:      t,
		client: newClient(), record: rec, backend: backend, shutDown: shutDown, local: local,
		Generation: &Generation{
			Info:    Info{ID: "chatcmpl-1", Org: "org", Model: "m", Stream: true},
			Request: &completion.Request{Model: "m", Stream: true, Choices: 1, IncludeUsage: true},
			Backend: backend, Encoder: words{}, Bus: local, Observer: rec,
			WriteError: func(w http.ResponseWriter, e *apierror.Error) {
				w.WriteHeader(e.Status)
				_, _ = io.WriteString(w, "refused="+e.Type)
			},
			PromptTokens: func() int64 { return 7 },
			Ping:         time.Hour, Grace: time.Hour, Drain: drain,
		},
	}
}

// start serves the generation and returns how to wait for its end.
func (tr *trial) start(t *testing.T) (wait func() (abort bool)) {
	ctx, leave := context.WithCancel(context.Background())
	t.Cleanup(leave)
	tr.leave = leave
	over := make(chan bool, 1)
	go func() { over <- tr.Serve(ctx, tr.client) }()
	return func() bool { return <-over }
}

func (tr *trial) stop() bool {
	stopped, _ := tr.local.Stop(context.Background(), "chatcmpl-1", "org")
	return stopped
}

// lateRefusal refuses when its gate opens.
type lateRefusal struct{ gate chan struct{} }

func (l *lateRefusal) Open(ctx context.Context, _ *completion.Request) (Source, error) {
	select {
	case <-l.gate:
		return nil, refusing{}
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// whole is words of a reply that is not streamed.
type whole struct {
	words
	t *testing.T
}

func (whole) Event(buf []byte, _ *completion.Event) []byte               { return buf }
func (whole) Finish(buf []byte, _ int, _ completion.FinishReason) []byte { return buf }
func (w whole) Ping(buf []byte) []byte {
	w.t.Error("a ping in a reply that is not streamed")
	return buf
}

// unstreamed makes it a request that asks for no stream.
func (tr *trial) unstreamed() {
	tr.Request.Stream = false
	tr.Encoder = whole{t: tr.t}
}
