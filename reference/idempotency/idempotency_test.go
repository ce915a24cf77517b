package idempotency

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRequestOf(t *testing.T) {
	header := func(values ...string) http.Header { return http.Header{Header: values} }
	of := func(key, org, path, body string) Request {
		r, ok, e := RequestOf(header(key), org, path, []byte(body))
		require.Nil(t, e)
		require.True(t, ok)
		return r
	}
	first := of("k", "org", "/a", "{}")
	assert.Equal(t, first, of("k", "org", "/a", "{}"))
	for name, other := range map[string]Request{
		"another key": of("l", "org", "/a", "{}"), "another organization": of("k", "other", "/a", "{}"),
		"a key put together differently": of("gk", "or", "/a", "{}"),
	} {
		assert.NotEqual(t, first.Key, other.Key, name)
	}
	for name, other := range map[string]Request{
		"another body": of("k", "org", "/a", "{} "), "another address": of("k", "org", "/b", "{}"),
	} {
		assert.Equal(t, first.Key, other.Key, name)
		assert.NotEqual(t, first.Content, other.Content, name)
	}
	assert.NotContains(t, first.Key, "k", "a client's key is not kept as it is")

	_, ok, e := RequestOf(http.Header{}, "org", "/a", nil)
	assert.Nil(t, e)
	assert.False(t, ok)
	for want, h := range map[string]http.Header{
		"once": header("a", "b"), "empty": header(""), "255": header(strings.Repeat("x", 256)), "printable": header("a\tb"), "ASCII": header("é"),
	} {
		_, _, e := RequestOf(h, "org", "/a", nil)
		require.NotNil(t, e, want)
		assert.Equal(t, 400, e.Status)
		assert.Contains(t, e.Message, want)
		assert.Contains(t, e.Message, Header)
	}
}

type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func request(n int) Request { return Request{Key: fmt.Sprint("key", n), Content: "content"} }

// lead claims a request that nobody has claimed.
func lead(t *testing.T, s *Store, r Request) *Recording {
	t.Helper()
	rec, leads, e := s.Claim(r)
	require.Nil(t, e)
	require.True(t, leads)
	return rec
}

// make writes a whole reply to a recording and its leader.
func (r *Recording) make(body string, keep bool) *httptest.ResponseRecorder {
	leader := httptest.NewRecorder()
	_, w, free := r.Writer(context.Background(), leader)
	defer free()
	w.Header().Set("X-Id", "1")
	w.WriteHeader(http.StatusOK)
	_, _ = io.WriteString(w, body)
	r.End(keep, false)
	return leader
}

func TestAReplyIsPlayedAgain(t *testing.T) {
	s := New(time.Now)
	leader := lead(t, s, request(1)).make("data: a\n\ndata: [DONE]\n\n", true)
	for range 3 {
		rec, leads, e := s.Claim(request(1))
		require.Nil(t, e)
		require.False(t, leads)
		again := httptest.NewRecorder()
		again.Header().Set("X-Id", "2")
		again.Header().Set("X-Ratelimit-Remaining-Requests", "7")
		assert.False(t, rec.Play(context.Background(), again))
		assert.Equal(t, leader.Code, again.Code)
		assert.Equal(t, leader.Body.String(), again.Body.String())
		assert.Equal(t, "1", again.Header().Get("X-Id"), "the first one's")
		assert.Equal(t, "7", again.Header().Get("X-Ratelimit-Remaining-Requests"), "its own")
		assert.Equal(t, "true", again.Header().Get(ReplayedHeader))
	}
	assert.Empty(t, leader.Header().Get(ReplayedHeader))
	_, _, e := s.Claim(Request{Key: request(1).Key, Content: "other"})
	require.NotNil(t, e)
	assert.Equal(t, 422, e.Status)
}

func TestWhatIsNotKeptIsMadeAnew(t *testing.T) {
	s := New(time.Now)
	lead(t, s, request(1)).make("refused", false)
	lead(t, s, request(1)).make("whole", true)
	rec, leads, e := s.Claim(request(1))
	require.Nil(t, e)
	require.False(t, leads)
	again := httptest.NewRecorder()
	assert.False(t, rec.Play(context.Background(), again))
	assert.Equal(t, "whole", again.Body.String())
}

// signal is a ResponseWriter that tells of every write.
type signal struct {
	*httptest.ResponseRecorder
	wrote chan string
}

func (s signal) Write(p []byte) (int, error) {
	if len(p) > 0 {
		s.wrote <- string(p)
	}
	return len(p), nil
}
func (s signal) FlushError() error { return nil }

func newSignal() signal { return signal{httptest.NewRecorder(), make(chan string, 10)} }

func TestJoiningARunningReply(t *testing.T) {
	s := New(time.Now)
	rec := lead(t, s, request(1))
	leader, leave := context.WithCancel(context.Background())
	ctx, w, free := rec.Writer(leader, httptest.NewRecorder())
	defer free()
	_, _ = io.WriteString(w, "a")

	joined, leads, e := s.Claim(request(1))
	require.Nil(t, e)
	require.False(t, leads)
	second := newSignal()
	over := make(chan bool, 1)
	go func() { over <- joined.Play(context.Background(), second) }()
	assert.Equal(t, "a", <-second.wrote, "what was told before")
	_, _ = io.WriteString(w, "b")
	assert.Equal(t, "b", <-second.wrote, "as it comes")

	leave() // the reply goes on, for the other
	_, err := io.WriteString(w, "c")
	require.NoError(t, err)
	assert.Equal(t, "c", <-second.wrote)
	require.NoError(t, ctx.Err())
	rec.End(true, false)
	assert.False(t, <-over)
}

func TestWhenAllHaveLeftTheReplyEnds(t *testing.T) {
	for name, complete := range map[string]bool{"before it was complete": false, "when it just was": true} {
		t.Run(name, func(t *testing.T) {
			s := New(time.Now)
			rec := lead(t, s, request(1))
			first, leaveFirst := context.WithCancel(context.Background())
			ctx, w, free := rec.Writer(first, newSignal())
			defer free()
			w.WriteHeader(http.StatusOK)
			joined, _, e := s.Claim(request(1))
			require.Nil(t, e)
			second, leaveSecond := context.WithCancel(context.Background())
			over := make(chan bool, 1)
			go func() { over <- joined.Play(second, newSignal()) }()
			leaveSecond()
			assert.True(t, <-over)
			require.NoError(t, ctx.Err(), "one is left")
			leaveFirst()
			<-ctx.Done()

			// Who comes now waits for the end, which tells whether the reply was complete.
			claimed := make(chan bool, 1)
			go func() {
				_, leads, _ := s.Claim(request(1))
				claimed <- leads
			}()
			select {
			case <-claimed:
				t.Fatal("it was claimed before the first had ended")
			default:
			}
			rec.End(complete, !complete)
			assert.Equal(t, !complete, <-claimed)
		})
	}
}

func TestALeaderThatCannotBeWrittenToHasLeft(t *testing.T) {
	rec := lead(t, New(time.Now), request(1))
	ctx, w, free := rec.Writer(context.Background(), failing{httptest.NewRecorder()})
	defer free()
	w.WriteHeader(http.StatusOK)
	n, err := w.Write([]byte("abc"))
	require.NoError(t, err)
	assert.Equal(t, 3, n)
	<-ctx.Done()
	require.NoError(t, http.NewResponseController(w).Flush())
}

type failing struct{ *httptest.ResponseRecorder }

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestAnAbortIsToldToThoseWhoJoined(t *testing.T) {
	for name, begun := range map[string]bool{"inside the body": true, "before the head": false} {
		t.Run(name, func(t *testing.T) {
			s := New(time.Now)
			rec := lead(t, s, request(1))
			_, w, free := rec.Writer(context.Background(), httptest.NewRecorder())
			defer free()
			if begun {
				w.WriteHeader(http.StatusOK)
			}
			joined, _, e := s.Claim(request(1))
			require.Nil(t, e)
			over := make(chan bool, 1)
			go func() { over <- joined.Play(context.Background(), newSignal()) }()
			rec.End(false, true)
			assert.True(t, <-over)
		})
	}
}

func TestBounds(t *testing.T) {
	t.Run("a reply that is too long is not kept, but known", func(t *testing.T) {
		s := New(time.Now)
		long := strings.Repeat("x", maxReply+1)
		rec := lead(t, s, request(1))
		leader := httptest.NewRecorder()
		_, w, free := rec.Writer(context.Background(), leader)
		defer free()
		w.WriteHeader(http.StatusOK)
		joined, _, e := s.Claim(request(1))
		require.Nil(t, e)
		_, _ = io.WriteString(w, long)
		assert.True(t, joined.Play(context.Background(), newSignal()), "who joined before is cut off")
		_, _, e = s.Claim(request(1))
		require.NotNil(t, e, "while it runs")
		rec.End(true, false)
		_, _, e = s.Claim(request(1))
		require.NotNil(t, e)
		assert.Equal(t, "idempotent_reply_gone", *e.Code)
		assert.Equal(t, long, leader.Body.String(), "the leader gets all of it")
	})
	t.Run("the oldest replies make room", func(t *testing.T) {
		s := New(time.Now)
		s.room = 10
		for i := range 4 {
			lead(t, s, request(i)).make("1234", true)
		}
		for i, gone := range []bool{true, true, false, false} {
			_, leads, e := s.Claim(request(i))
			assert.Equal(t, gone, e != nil, i)
			assert.False(t, leads)
		}
		assert.Equal(t, 8, s.bytes)
	})
	t.Run("requests are forgotten after the window", func(t *testing.T) {
		c := &clock{time.Now()}
		s := New(c.Now)
		lead(t, s, request(1)).make("a", true)
		s.Remember(request(2), c.now.Add(-Window))
		s.Remember(request(3), c.now.Add(-Window/2))
		_, _, e := s.Claim(request(3))
		require.NotNil(t, e, "it was answered by an earlier process")
		lead(t, s, request(2)).make("a", true)
		c.now = c.now.Add(Window)
		lead(t, s, request(1))
		assert.Zero(t, s.bytes)
		assert.Len(t, s.requests, 1)
		assert.Equal(t, 1, s.age.Len())
		assert.Zero(t, s.replies.Len())
	})
	t.Run("and when there are too many", func(t *testing.T) {
		s := New(time.Now)
		for i := range maxRequests + 5 {
			s.Remember(request(i), time.Now())
		}
		assert.Len(t, s.requests, maxRequests)
		lead(t, s, request(4))
	})
}

func TestOneLeadsOfMany(t *testing.T) {
	s := New(time.Now)
	var wait sync.WaitGroup
	bodies := make(chan string, 100)
	for range 100 {
		wait.Go(func() {
			rec, leads, e := s.Claim(request(1))
			if !assert.Nil(t, e) {
				return
			}
			if leads {
				bodies <- rec.make("the reply", true).Body.String()
				return
			}
			w := httptest.NewRecorder()
			assert.False(t, rec.Play(context.Background(), w))
			bodies <- w.Body.String()
		})
	}
	wait.Wait()
	close(bodies)
	n := 0
	for body := range bodies {
		n++
		assert.Equal(t, "the reply", body)
	}
	assert.Equal(t, 100, n)
}
