package telemetry

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/generation"
)

func stuck(c *client) { c.stuck = true }

func TestSubscriberThatDoesNotReadIsDisconnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Limits{Behind: 20})
		good := r.subscribe("s", "acme")
		bad := r.open(r.handler.Telemetry, "/?session=s", "acme", stuck)
		synctest.Wait()
		for range 4 {
			r.request("acme", "s") // 5 events each
		}
		assert.Len(t, good.events(t), 20)
		select {
		case <-bad.over:
			t.Fatal("a subscriber with a queue that is just full was disconnected")
		default:
		}
		r.request("acme", "s")
		<-bad.over
		assert.True(t, bad.aborted, "what is lost does not look like an end")
		assert.Len(t, good.events(t), 5, "the others miss nothing")
		good.leave()
		<-good.over
		assert.Zero(t, r.hub.keyed)
	})
}

// A subscriber that reads is never behind, however many events there are.
func TestSubscriberThatReadsStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Limits{Behind: 5})
		c := r.subscribe("s", "acme")
		for range 200 {
			r.request("acme", "s")
			require.Len(t, c.events(t), 5)
		}
		c.leave()
		<-c.over
		assert.False(t, c.aborted)
	})
}

// 10,000 subscribers that never read: they all share one list of events, so
// they cost little more than their places, and publishing does not wait.
func TestTenThousandSubscribersThatNeverRead(t *testing.T) {
	const many = 10_000
	hub := NewHub(Limits{PerSession: many, PerOrganization: many})
	observer := NewObserver(hub, mortar)
	leaves := make([]func(), many)
	for i := range leaves {
		sub, e := hub.subscribe(t.Context(), Address{"acme", "s"})
		require.Nil(t, e)
		leaves[i] = sub.close
	}
	before := heap()
	for i := range 200 {
		info := generation.Info{ID: fmt.Sprint(i), Org: "acme", Session: "s"}
		observer.Started(info)
		observer.Routed(info, completion.Route{Server: "gpu-0"})
		observer.Settled(settled(info, generation.Finished, completion.Usage{PromptTokens: 5, CompletionTokens: 1}))
	}
	// 1,000 events of half a kilobyte, once and not 10,000 times.
	assert.Less(t, int64(heap())-int64(before), int64(4<<20))
	for _, leave := range leaves {
		leave()
	}
	assert.Zero(t, hub.keyed)
	assert.Empty(t, hub.sessions[Address{"acme", "s"}].feed.readers)
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestLimitsOfStreams(t *testing.T) {
	r := newRig(t, Limits{PerSession: 2, PerOrganization: 3, Keyed: 4, Keyless: 2})
	join := func(org, session string) (func(), int) {
		sub, e := r.hub.subscribe(t.Context(), Address{org, session})
		if e != nil {
			require.NotEmpty(t, e.Message)
			require.Positive(t, e.RetryAfter)
			return nil, e.Status
		}
		return sub.close, http.StatusOK
	}
	steps := []struct {
		org, session string
		status       int
	}{
		{"acme", "s", 200}, {"acme", "s", 200}, {"acme", "s", 429}, // of the session
		{"acme", "t", 200}, {"acme", "u", 429}, // of the organization
		{"rival", "s", 200}, {"rival", "t", 503}, // in all
	}
	var leave []func()
	for _, s := range steps {
		l, status := join(s.org, s.session)
		require.Equal(t, s.status, status, "%v", s)
		if l != nil {
			leave = append(leave, l)
		}
	}
	for range 2 {
		sub, e := r.hub.admit(t.Context())
		require.Nil(t, e)
		leave = append(leave, sub.close)
	}
	for _, serve := range []http.HandlerFunc{r.handler.Telemetry, r.handler.Fleet} {
		w := httptest.NewRecorder()
		serve(w, httptest.NewRequest(http.MethodGet, "/?session=s", nil))
		assert.Equal(t, http.StatusServiceUnavailable, w.Code, "without a key")
	}
	for _, l := range leave {
		l()
	}
	l, status := join("acme", "s")
	require.Equal(t, http.StatusOK, status, "places are free again")
	l()
	assert.Empty(t, r.hub.sessions)
	assert.Zero(t, r.hub.keyless)
}

// A client that reconnects in a loop, under new names too, leaves nothing.
func TestReconnectLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Limits{PerSession: 1})
		r.request("acme", "s0")
		for i := range 1000 {
			c := r.subscribe(fmt.Sprint("s", i%7), "acme")
			c.leave()
			<-c.over
		}
		assert.Len(t, r.hub.sessions, 1, "only the session that had a request")
		assert.Zero(t, r.hub.keyed)
		assert.Zero(t, r.hub.org("acme").subscribers)
	})
}

func TestSumsOfASessionThatIsUsed(t *testing.T) {
	sumOf := func(r *rig, session string) int64 {
		c := r.subscribe(session, "acme")
		r.request("acme", session)
		events := c.events(r)
		c.leave()
		<-c.over
		return events[len(events)-1].integer("requests")
	}
	for name, c := range map[string]struct {
		between func(r *rig)
		want    int64
	}{
		"soon after":           {func(*rig) {}, 2},
		"within the day":       {func(*rig) { time.Sleep(23 * time.Hour) }, 2},
		"after a day and more": {func(r *rig) { time.Sleep(25 * time.Hour); r.request("acme", "other") }, 1},
		"many other sessions": {func(r *rig) {
			for i := range 10 {
				r.request("acme", fmt.Sprint(i))
			}
		}, 1},
		"many of another organization": {func(r *rig) {
			for i := range 10 {
				r.request("rival", fmt.Sprint(i))
			}
		}, 2},
		"somebody watching": {func(r *rig) {
			c := r.subscribe("s", "acme")
			r.Cleanup(c.leave)
			for i := range 10 {
				r.request("acme", fmt.Sprint(i))
			}
			time.Sleep(48 * time.Hour)
		}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, Limits{Sessions: 4})
				r.request("acme", "s")
				c.between(r)
				assert.Equal(t, c.want, sumOf(r, "s"))
				assert.LessOrEqual(t, len(r.hub.sessions), 10)
			})
		})
	}
}

// At shutdown the streams stay until the requests that run have told their cost.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Limits{})
		c, keyless := r.subscribe("s", "acme"), r.subscribe("s", "")
		never := r.open(r.handler.Telemetry, "/?session=other", "acme", stuck)
		synctest.Wait()
		info := r.started("acme", "s")
		r.hub.Drain()
		assert.Empty(t, c.text())
		w := httptest.NewRecorder()
		r.handler.Telemetry(w, httptest.NewRequest(http.MethodGet, "/?session=s", nil))
		assert.Equal(t, http.StatusServiceUnavailable, w.Code)
		r.observer.Settled(settled(info, generation.ShutDown, completion.Usage{PromptTokens: 5, CompletionTokens: 1}))
		for _, stream := range []*client{c, keyless, never} {
			<-stream.over
			assert.False(t, stream.aborted)
		}
		assert.Equal(t, "session.metrics", names(c.events(t))[3])
	})
}

func TestDrainWithNothingRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Limits{})
		c := r.subscribe("s", "acme")
		fleet := r.open(r.handler.Fleet, "/", "")
		synctest.Wait()
		r.hub.Drain()
		<-c.over
		<-fleet.over
	})
}

func BenchmarkSettled(b *testing.B) {
	for _, subscribers := range []int{0, 1, 100} {
		b.Run(fmt.Sprintf("subscribers=%d", subscribers), func(b *testing.B) {
			hub := NewHub(Limits{Behind: 1 << 40})
			observer := NewObserver(hub, mortar)
			ctx, cancel := context.WithCancel(b.Context())
			defer cancel()
			for range subscribers {
				sub, e := hub.subscribe(ctx, Address{"acme", "s"})
				require.Nil(b, e)
				go func() {
					defer sub.close()
					var buf []byte
					for {
						select {
						case <-ctx.Done():
							return
						case <-sub.more():
							buf = sub.reader.read(buf[:0], writeSize)
						}
					}
				}()
			}
			info := generation.Info{ID: "chatcmpl-7c1e9a3f5b2d4c6e8a0f1b3d", Org: "acme", Session: "s"}
			for b.Loop() {
				observer.Started(info)
				observer.Routed(info, completion.Route{Server: "gpu-0"})
				observer.Settled(settled(info, generation.Finished, completion.Usage{PromptTokens: 502, CompletionTokens: 120, CacheWriteTokens: -1}))
			}
		})
	}
}
