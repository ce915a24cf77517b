package generation

import (
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
)

// refusing is a backend's failure with the client's own fault in it.
type refusing struct{}

func (refusing) Error() string { return "refused" }
func (refusing) API() *apierror.Error {
	return &apierror.Error{Status: 400, Type: apierror.TypeInvalidRequest, Message: "no"}
}

func steps(parts ...[]step) []step { return slices.Concat(parts...) }

// TestEndings tries every way in which a generation can end, and what can
// happen at the same time. Whatever it is: one settlement, nothing illegal on
// the wire, no goroutine left.
func TestEndings(t *testing.T) {
	two := 2
	whole := steps(text("a", "b"), []step{finish("stop"), usage(5, 2), theEnd})
	hang := step{hang: true, reach: "hang"}
	tests := []struct {
		name    string
		backend *script
		change  func(*trial)
		// during runs while the generation does; the generation is awaited after it.
		during func(*trial)

		body      string
		ending    Ending
		abort     bool
		status    int
		generated int64
		delivered int64
		usage     completion.Usage
		aborted   bool // the backend saw an abort
	}{
		{
			name: "finish", backend: newScript(whole...),
			body: "role0 a b finish0=stop usage=5+2 DONE", ending: Finished, status: 200, generated: 2, delivered: 2,
			usage: completion.Usage{PromptTokens: 5, CompletionTokens: 2, CacheWriteTokens: -1},
		},
		{
			name: "finish, usage not asked for", backend: newScript(whole...),
			change: func(tr *trial) { tr.Request.IncludeUsage = false },
			body:   "role0 a b finish0=stop DONE", ending: Finished, status: 200, generated: 2, delivered: 2,
			usage: completion.Usage{PromptTokens: 5, CompletionTokens: 2, CacheWriteTokens: -1},
		},
		{
			name: "finish, usage never reported", backend: newScript(steps(text("a"), []step{finish("stop"), theEnd})...),
			body: "role0 a finish0=stop usage=7+1 DONE", ending: Finished, status: 200, generated: 1, delivered: 1,
			usage: completion.Usage{PromptTokens: 7, CompletionTokens: 1, CacheWriteTokens: -1, Estimated: true},
		},
		{
			name: "finish, usage that cannot be true", backend: newScript(steps(text("a", "b"), []step{finish("stop"), usage(5, 1), theEnd})...),
			body: "role0 a b finish0=stop usage=7+2 DONE", ending: Finished, status: 200, generated: 2, delivered: 2,
			usage: completion.Usage{PromptTokens: 7, CompletionTokens: 2, CacheWriteTokens: -1, Estimated: true},
		},
		{
			name: "nothing but a finish", backend: newScript(finish("stop"), theEnd),
			body: "role0 finish0=stop usage=7+0 DONE", ending: Finished, status: 200,
			usage: completion.Usage{PromptTokens: 7, CacheWriteTokens: -1, Estimated: true},
		},
		{
			name: "not streamed", backend: newScript(whole...),
			change: (*trial).unstreamed,
			body:   "usage=5+2 DONE", ending: Finished, status: 200, generated: 2, delivered: 2,
			usage: completion.Usage{PromptTokens: 5, CompletionTokens: 2, CacheWriteTokens: -1},
		},
		{
			name: "a server that says stop at max_tokens", backend: newScript(steps(text("a", "b"), []step{finish("stop"), usage(5, 2), theEnd})...),
			change: func(tr *trial) { tr.Request.MaxTokens = &two },
			body:   "role0 a b finish0=length usage=5+2 DONE", ending: Finished, status: 200, generated: 2, delivered: 2,
			usage: completion.Usage{PromptTokens: 5, CompletionTokens: 2, CacheWriteTokens: -1},
		},
		{
			name: "a server that runs on past max_tokens", backend: newScript(steps(text("a", "b", "c"), []step{hang})...),
			change: func(tr *trial) { tr.Request.MaxTokens = &two },
			body:   "role0 a b finish0=length usage=7+2 DONE", ending: Overrun, status: 200, generated: 2, delivered: 2, aborted: true,
			usage: completion.Usage{PromptTokens: 7, CompletionTokens: 2, CacheWriteTokens: -1, Estimated: true},
		},
		{
			name: "stopped between tokens", backend: newScript(steps(text("a", "b"), []step{hang})...),
			during: func(tr *trial) { <-tr.backend.marks["hang"]; tr.client.await("b"); tr.stop() },
			body:   "role0 a b usage=7+2 DONE", ending: Stopped, status: 200, generated: 2, delivered: 2, aborted: true,
			usage: completion.Usage{PromptTokens: 7, CompletionTokens: 2, CacheWriteTokens: -1, Estimated: true},
		},
		{
			name: "stopped, usage not asked for", backend: newScript(steps(text("a"), []step{hang})...),
			change: func(tr *trial) { tr.Request.IncludeUsage = false },
			during: func(tr *trial) { <-tr.backend.marks["hang"]; tr.stop() },
			body:   "role0 a DONE", ending: Stopped, status: 200, generated: 1, delivered: 1, aborted: true,
			usage: completion.Usage{PromptTokens: 7, CompletionTokens: 1, CacheWriteTokens: -1, Estimated: true},
		},
		{
			name: "stopped before the first token", backend: newScript(hang),
			during: func(tr *trial) { <-tr.backend.marks["hang"]; tr.client.awaitHead(); tr.stop() },
			body:   "usage=7+0 DONE", ending: Stopped, status: 200, aborted: true,
			usage: completion.Usage{PromptTokens: 7, CacheWriteTokens: -1, Estimated: true},
		},
		{
			name: "stopped before the model server answered", backend: func() *script { s := newScript(); s.openHang = true; return s }(),
			during: func(tr *trial) { <-tr.backend.marks["open"]; tr.stop() },
			body:   "usage=7+0 DONE", ending: Stopped, status: 200, aborted: true,
			usage: completion.Usage{PromptTokens: 7, CacheWriteTokens: -1, Estimated: true},
		},
		{
			name: "stopped after the finish, before the end", backend: newScript(steps(text("a"), []step{finish("stop"), usage(5, 1), hang})...),
			during: func(tr *trial) { <-tr.backend.marks["hang"]; tr.stop() },
			body:   "role0 a usage=5+1 DONE", ending: Stopped, status: 200, generated: 1, delivered: 1, aborted: true,
			usage: completion.Usage{PromptTokens: 5, CompletionTokens: 1, CacheWriteTokens: -1},
		},
		{
			name: "stopped while the client reads nothing", backend: newScript(steps(text("a"), []step{hang})...),
			change: func(tr *trial) { tr.client.block = make(chan struct{}) },
			during: func(tr *trial) {
				<-tr.backend.marks["hang"]
				tr.stop()
				<-tr.backend.aborted // at once, although the writer is stuck
				tr.backend.aborted <- errStopped
				close(tr.client.block)
			},
			body: "role0 a usage=7+1 DONE", ending: Stopped, status: 200, generated: 1, delivered: 1, aborted: true,
			usage: completion.Usage{PromptTokens: 7, CompletionTokens: 1, CacheWriteTokens: -1, Estimated: true},
		},
		{
			name: "not streamed and stopped", backend: newScript(steps(text("a"), []step{hang})...),
			change: (*trial).unstreamed,
			during: func(tr *trial) { <-tr.backend.marks["hang"]; tr.stop() },
			body:   "usage=7+1 DONE", ending: Stopped, status: 200, generated: 1, delivered: 1, aborted: true,
			usage: completion.Usage{PromptTokens: 7, CompletionTokens: 1, CacheWriteTokens: -1, Estimated: true},
		},
		{
			name: "the client leaves while nothing flows", backend: newScript(steps(text("a"), []step{hang})...),
			during: func(tr *trial) { <-tr.backend.marks["hang"]; tr.client.await("a"); tr.leave() },
			body:   "role0 a", ending: Disconnected, abort: true, status: 200, generated: 1, delivered: 1, aborted: true,
			usage: completion.Usage{PromptTokens: 7, CompletionTokens: 1, CacheWriteTokens: -1, Estimated: true},
		},
		{
			name: "the client leaves before the model server answered", backend: func() *script { s := newScript(); s.openHang = true; return s }(),
			during: func(tr *trial) { <-tr.backend.marks["open"]; tr.leave() },
			ending: Disconnected, abort: true, aborted: true,
			usage: completion.Usage{PromptTokens: 7, CacheWriteTokens: -1, Estimated: true},
		},
		{
			name: "the client cannot be written to", backend: newScript(steps(text("a", "b"), []step{hang})...),
			change: func(tr *trial) { tr.client.breakAt = len("role0 a ") },
			body:   "role0 a", ending: Disconnected, abort: true, status: 200, generated: 2, delivered: 1, aborted: true,
			usage: completion.Usage{PromptTokens: 7, CompletionTokens: 2, CacheWriteTokens: -1, Estimated: true},
		},
		{
			name: "the client leaves a reply that is not streamed", backend: newScript(steps(text("a"), []step{hang})...),
			change: (*trial).unstreamed,
			during: func(tr *trial) { <-tr.backend.marks["hang"]; tr.leave() },
			ending: Disconnected, abort: true, generated: 1, aborted: true,
			usage: completion.Usage{PromptTokens: 7, CompletionTokens: 1, CacheWriteTokens: -1, Estimated: true},
		},
		{
			name: "failure in the middle", backend: newScript(steps(text("a", "b"), []step{{err: errors.New("reset")}})...),
			body: "role0 a b error=upstream_error", ending: Failed, status: 200, generated: 2, delivered: 2,
			usage: completion.Usage{PromptTokens: 7, CompletionTokens: 2, CacheWriteTokens: -1, Estimated: true},
		},
		{
			name: "failure after the finish", backend: newScript(steps(text("a"), []step{finish("stop"), {err: errors.New("reset")}})...),
			body: "role0 a error=upstream_error", ending: Failed, status: 200, generated: 1, delivered: 1,
			usage: completion.Usage{PromptTokens: 7, CompletionTokens: 1, CacheWriteTokens: -1, Estimated: true},
		},
		{
			name: "failure that cannot be told", backend: newScript(steps(text("a"), []step{{err: errors.New("reset")}})...),
			change: func(tr *trial) { tr.client.breakAt = len("role0 a ") },
			body:   "role0 a", ending: Failed, abort: true, status: 200, generated: 1, delivered: 1,
			usage: completion.Usage{PromptTokens: 7, CompletionTokens: 1, CacheWriteTokens: -1, Estimated: true},
		},
		{
			name: "end without a finish", backend: newScript(steps(text("a"), []step{theEnd})...),
			body: "role0 a error=upstream_error", ending: Failed, status: 200, generated: 1, delivered: 1,
			usage: completion.Usage{PromptTokens: 7, CompletionTokens: 1, CacheWriteTokens: -1, Estimated: true},
		},
		{
			name: "an event of a choice that nobody asked for", backend: newScript(step{event: completion.Event{Kind: completion.KindText, Choice: 3}}, hang),
			body: "error=upstream_error", ending: Failed, status: 200, aborted: true,
			usage: completion.Usage{PromptTokens: 7, CacheWriteTokens: -1, Estimated: true},
		},
		{
			name: "refused before the reply began", backend: func() *script { s := newScript(); s.openErr = refusing{}; return s }(),
			body: "refused=invalid_request_error", ending: Failed, status: 400,
			usage: completion.Usage{CacheWriteTokens: -1, Estimated: true},
		},
		{
			name: "refused within the stream", backend: newScript(steps(text("a"), []step{{err: refusing{}}})...),
			body: "role0 a error=upstream_error", ending: Failed, status: 200, generated: 1, delivered: 1,
			usage: completion.Usage{PromptTokens: 7, CompletionTokens: 1, CacheWriteTokens: -1, Estimated: true},
		},
		{
			name: "failure of a reply that is not streamed", backend: newScript(steps(text("a"), []step{{err: errors.New("reset")}})...),
			change: (*trial).unstreamed,
			body:   "refused=upstream_error", ending: Failed, status: 502, generated: 1,
			usage: completion.Usage{PromptTokens: 7, CompletionTokens: 1, CacheWriteTokens: -1, Estimated: true},
		},
		{
			name: "the drain limit passes", backend: newScript(steps(text("a"), []step{hang})...),
			during: func(tr *trial) { <-tr.backend.marks["hang"]; tr.client.await("a"); tr.shutDown() },
			body:   "role0 a error=service_unavailable_error", ending: ShutDown, status: 200, generated: 1, delivered: 1, aborted: true,
			usage: completion.Usage{PromptTokens: 7, CompletionTokens: 1, CacheWriteTokens: -1, Estimated: true},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTrial(t, tt.backend)
			if tt.change != nil {
				tt.change(tr)
			}
			tr.record.onSettled = func() {
				assert.NotContains(t, tr.client.got(), "DONE", "settled before [DONE]")
				assert.False(t, tr.stop(), "over: cannot be stopped any more")
			}
			wait := tr.start(t)
			if tt.during != nil {
				tt.during(tr)
			}
			assert.Equal(t, tt.abort, wait())
			assert.Equal(t, tt.body, tr.client.got())
			require.Len(t, tr.record.settlements, 1)
			s := tr.record.settlements[0]
			assert.Equal(t, tt.ending, s.Ending, s.Ending.String())
			assert.Equal(t, tt.status, s.Status)
			assert.Equal(t, tt.generated, s.Generated, "generated")
			assert.Equal(t, tt.delivered, s.Delivered, "delivered")
			assert.Equal(t, tt.usage, s.Usage)
			assert.Equal(t, "started", tr.record.calls[0])
			assert.Equal(t, "settled", tr.record.calls[len(tr.record.calls)-1])
			assert.Equal(t, tt.aborted, len(tt.backend.aborted) == 1, "the backend saw an abort")
			if !tt.abort {
				assert.Equal(t, "chatcmpl-1", tr.client.header.Get(RequestIDHeader))
			}
		})
	}
}

// TestRaces lets a stop, a disconnect and the end of the drain limit come at
// any moment of a reply: whichever wins, the wire must fit the settlement, and a
// stop that was granted is never followed by a finish.
func TestRaces(t *testing.T) {
	for _, what := range []string{"stop", "leave", "shut down"} {
		for at := range 7 {
			for range 20 {
				all := steps(text("a", "b", "c"), []step{finish("stop"), usage(5, 3), theEnd})
				granted := make(chan bool, 1)
				var tr *trial
				backend := newScript()
				act := func() {
					go func() {
						switch what {
						case "stop":
							granted <- tr.stop()
						case "leave":
							tr.leave()
						default:
							tr.shutDown()
						}
					}()
				}
				if at < len(all) {
					all[at].before = act
				}
				backend.steps = all
				tr = newTrial(t, backend)
				wait := tr.start(t)
				if at == len(all) {
					act()
				}
				abort := wait()
				require.Len(t, tr.record.settlements, 1)
				s := tr.record.settlements[0]
				body := tr.client.got()
				switch s.Ending {
				case Finished:
					assert.Equal(t, "role0 a b c finish0=stop usage=5+3 DONE", body)
				case Stopped:
					assert.NotContains(t, body, "finish")
					assert.Contains(t, body, "DONE")
				case Disconnected:
					assert.True(t, abort)
					assert.NotContains(t, body, "DONE")
				case ShutDown:
					assert.NotContains(t, body, "DONE")
				default:
					t.Fatalf("ended as %s", s.Ending)
				}
				if what == "stop" {
					assert.Equal(t, s.Ending == Stopped, <-granted, "what the stop was told is what happened")
				}
			}
		}
	}
}

func TestPingsAndHead(t *testing.T) {
	t.Run("the head waits for the grace alone, then pings come", func(t *testing.T) {
		backend := newScript()
		backend.openHang = true
		tr := newTrial(t, backend)
		tr.Grace, tr.Ping = time.Millisecond, 2*time.Millisecond
		wait := tr.start(t)
		tr.client.awaitHead()
		assert.Equal(t, "text/event-stream; charset=utf-8", tr.client.header.Get("Content-Type"))
		assert.Equal(t, "no-cache, no-transform", tr.client.header.Get("Cache-Control"))
		assert.Equal(t, "no", tr.client.header.Get("X-Accel-Buffering"))
		tr.client.await("ping ping")
		assert.True(t, tr.stop())
		assert.False(t, wait())
	})
	t.Run("pings come in a pause", func(t *testing.T) {
		tr := newTrial(t, newScript(steps(text("a"), []step{{hang: true}})...))
		tr.Ping = time.Millisecond
		wait := tr.start(t)
		tr.client.await("a ping ping")
		tr.leave()
		assert.True(t, wait())
	})
	t.Run("a refusal after the grace is an event", func(t *testing.T) {
		gate := make(chan struct{})
		backend := &lateRefusal{gate}
		tr := newTrial(t, newScript())
		tr.Backend, tr.Grace = backend, time.Millisecond
		wait := tr.start(t)
		tr.client.awaitHead()
		close(gate)
		assert.False(t, wait())
		assert.Equal(t, "error=upstream_error", tr.client.got())
	})
	t.Run("a reply that is not streamed has no pings", func(t *testing.T) {
		tr := newTrial(t, newScript(steps(text("a"), []step{{hang: true, reach: "hang"}})...))
		tr.Ping, tr.Grace = time.Millisecond, time.Millisecond
		tr.unstreamed()
		wait := tr.start(t)
		<-tr.backend.marks["hang"]
		assert.True(t, tr.stop())
		assert.False(t, wait())
		assert.Equal(t, "usage=7+1 DONE", tr.client.got())
	})
}

func TestChoices(t *testing.T) {
	on := func(choice int, s step) step { s.event.Choice = choice; return s }
	two := 2
	tr := newTrial(t, newScript(
		on(1, text("x")[0]), on(0, text("a")[0]), on(0, finish("stop")), on(1, text("y")[0]), on(1, text("z")[0]), step{hang: true}))
	tr.Request.Choices, tr.Request.MaxTokens = 2, &two
	wait := tr.start(t)
	assert.False(t, wait())
	assert.Equal(t, "role1 x role0 a y finish0=stop finish1=length usage=7+3 DONE", tr.client.got())
	assert.Equal(t, Overrun, tr.record.settlements[0].Ending)
}

func TestSequence(t *testing.T) {
	events := func(yield func(completion.Event, error) bool) {
		for _, s := range steps(text("a"), []step{finish("stop")}) {
			if !yield(s.event, nil) {
				return
			}
		}
	}
	s, err := OpenSequence("sample", events)
	require.NoError(t, err)
	defer s.Close()
	var kinds []completion.Kind
	var b completion.Batch
	for err == nil {
		err = s.Next(&b)
		for _, e := range b.Events {
			kinds = append(kinds, e.Kind)
		}
	}
	assert.Equal(t, io.EOF, err)
	assert.Equal(t, []completion.Kind{completion.KindText, completion.KindFinish, completion.KindEnd}, kinds)

	_, err = OpenSequence("sample", func(yield func(completion.Event, error) bool) { yield(completion.Event{}, refusing{}) })
	assert.Equal(t, refusing{}, err)
}
