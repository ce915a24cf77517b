package store

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/fakegpu/control"
)

// clock is a clock that a test moves.
type clock struct{ t int64 }

func (c *clock) now() int64 { return c.t }

func name(i int) string { return fmt.Sprintf("nonce%016d", i) }

func known(s *Store, nonce string) bool {
	_, err := s.Journal(nonce)
	return err == nil
}

func TestLongestUnusedAreDropped(t *testing.T) {
	c := &clock{}
	s := New(Limits{Nonces: 2, Bytes: 1 << 20, Unused: time.Hour, Records: 10, Gates: 10}, c.now)
	s.Register(control.Script{Nonce: name(1)}, 10)
	s.Register(control.Script{Nonce: name(2)}, 10)
	require.NoError(t, s.Release(name(1), "g"), "a use")
	s.Register(control.Script{Nonce: name(3)}, 10)
	assert.True(t, known(s, name(1)))
	assert.False(t, known(s, name(2)))
	assert.True(t, known(s, name(3)))
}

func TestUnusedExpire(t *testing.T) {
	c := &clock{}
	s := New(Limits{Nonces: 100, Bytes: 1 << 20, Unused: time.Minute, Records: 10, Gates: 10}, c.now)
	s.Register(control.Script{Nonce: name(1)}, 10)
	c.t += int64(time.Minute) + 1
	s.Register(control.Script{Nonce: name(2)}, 10)
	assert.False(t, known(s, name(1)))
}

func TestBytesAreBounded(t *testing.T) {
	c := &clock{}
	s := New(Limits{Nonces: 100, Bytes: 100, Unused: time.Minute, Records: 10, Gates: 10}, c.now)
	for i := range 10 {
		s.Register(control.Script{Nonce: name(i)}, 40)
	}
	assert.Equal(t, 2, s.Len())
	assert.EqualValues(t, 80, s.bytes)
}

func TestRunningRequestsAreKept(t *testing.T) {
	c := &clock{}
	s := New(Limits{Nonces: 1, Bytes: 1 << 20, Unused: time.Minute, Records: 10, Gates: 10}, c.now)
	run := s.Begin(name(1), "/", []byte(`{}`))
	c.t += int64(time.Hour)
	s.Register(control.Script{Nonce: name(2)}, 10)
	assert.True(t, known(s, name(1)), "it runs")
	run.End(control.EndingFinished)
	s.Register(control.Script{Nonce: name(3)}, 10)
	assert.False(t, known(s, name(1)), "it has ended")
}

func TestRecordsAndGatesAreBounded(t *testing.T) {
	s := New(Limits{Nonces: 10, Bytes: 1 << 20, Unused: time.Minute, Records: 2, Gates: 1}, (&clock{}).now)
	for range 5 {
		s.Begin(name(1), "/", nil).End(control.EndingFinished)
	}
	j, err := s.Journal(name(1))
	require.NoError(t, err)
	assert.Len(t, j.Requests, 2)
	require.NoError(t, s.Release(name(1), "a"))
	require.NoError(t, s.Release(name(1), "a"), "twice is once")
	assert.ErrorContains(t, s.Release(name(1), "b"), "has 1 gates already")
}

func TestOnlyTheFirstEndingCounts(t *testing.T) {
	c := &clock{t: 5}
	s := New(DefaultLimits(), c.now)
	run := s.Begin(name(1), "/", nil)
	run.End(control.EndingAborted)
	c.t = 9
	run.End(control.EndingFinished)
	j, err := s.Journal(name(1))
	require.NoError(t, err)
	assert.Equal(t, control.EndingAborted, j.Requests[0].Ending)
	assert.EqualValues(t, 5, j.Requests[0].EndedAt)
}

func TestAwaitWakesAtEachChange(t *testing.T) {
	s := New(DefaultLimits(), func() int64 { return time.Now().UnixNano() })
	var waiting sync.WaitGroup
	for n := 1; n <= 20; n++ {
		waiting.Go(func() {
			j, met, err := s.Await(context.Background(), name(1), control.Condition{Generated: n})
			assert.NoError(t, err)
			assert.True(t, met)
			assert.GreaterOrEqual(t, j.Requests[0].Generated, n)
		})
	}
	run := s.Begin(name(1), "/", nil)
	for range 20 {
		run.Tokens(1)
	}
	waiting.Wait()
}

func TestAwaitEndsWhenForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(DefaultLimits(), (&clock{}).now)
		s.Register(control.Script{Nonce: name(1)}, 1)
		failed := make(chan error, 1)
		go func() {
			_, _, err := s.Await(context.Background(), name(1), control.Condition{Ended: true})
			failed <- err
		}()
		synctest.Wait() // it waits
		require.NoError(t, s.Forget(name(1)))
		assert.ErrorIs(t, <-failed, ErrUnknown)
	})
}

func TestNoRunRecordsNothing(t *testing.T) {
	var run *Run
	assert.Nil(t, run.Script())
	run.Tokens(1)
	run.Understood("", true, true, 1, 1, "gpu-hbm")
	run.End(control.EndingFinished)
}
