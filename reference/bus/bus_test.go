package bus

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLocal(t *testing.T) {
	var l Local
	ctx := context.Background()
	stop := func(id, org string) bool {
		stopped, err := l.Stop(ctx, id, org)
		require.NoError(t, err)
		return stopped
	}
	calls := 0
	release, err := l.Register(ctx, "chatcmpl-1", "org", func() bool { calls++; return true })
	require.NoError(t, err)
	_, err = l.Register(ctx, "chatcmpl-1", "org", func() bool { return true })
	require.Error(t, err, "an id is one generation's")

	for name, who := range map[string][2]string{
		"unknown": {"chatcmpl-2", "org"}, "prefix": {"chatcmpl-", "org"}, "upper case": {"CHATCMPL-1", "org"},
		"empty": {"", "org"}, "another organization": {"chatcmpl-1", "other"}, "no organization": {"chatcmpl-1", ""},
	} {
		assert.False(t, stop(who[0], who[1]), name)
	}
	assert.Zero(t, calls)
	assert.True(t, stop("chatcmpl-1", "org"))
	assert.False(t, stop("chatcmpl-1", "org"), "stopped already")
	assert.Equal(t, 1, calls)
	release()

	release, err = l.Register(ctx, "chatcmpl-3", "org", func() bool { return false })
	require.NoError(t, err)
	assert.False(t, stop("chatcmpl-3", "org"), "it was over")
	release()
	assert.Empty(t, l.running)
}

func TestLocalGrantsAStopOnce(t *testing.T) {
	var l Local
	release, err := l.Register(context.Background(), "chatcmpl-1", "org", func() bool { return true })
	require.NoError(t, err)
	defer release()
	var granted atomic.Int32
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if stopped, _ := l.Stop(context.Background(), "chatcmpl-1", "org"); stopped {
				granted.Add(1)
			}
		})
	}
	all.Wait()
	assert.EqualValues(t, 1, granted.Load())
}
