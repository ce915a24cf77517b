package tap

import (
	"io"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plumbline.dev/plumbline/conformance/wire"
)

// Nobody takes from the queue: the traffic goes on, and the stream is given up.
func TestTheTrafficNeverWaitsForTheJudge(t *testing.T) {
	j := &judgement{queue: make(chan piece, 2), began: time.Now()}
	for range 4 {
		j.offer([]byte("data: x\n\n"))
	}
	assert.True(t, j.behind)
	assert.Len(t, j.queue, 2)

	long := &judgement{queue: make(chan piece, 10), began: time.Now()}
	long.offer(make([]byte, queueLimit))
	assert.False(t, long.behind)
	long.offer([]byte("x"))
	assert.True(t, long.behind, "what waits has a bound in bytes too")
}

func TestEndOf(t *testing.T) {
	broken := func(where string, err error) error { return &brokenOff{where: where, err: err} }
	assert.Equal(t, wire.EndClean, endOf(nil, false))
	assert.Equal(t, wire.EndCut, endOf(broken(fromUpstream, io.ErrUnexpectedEOF), false))
	assert.Equal(t, wire.EndReset, endOf(broken(fromUpstream, syscall.ECONNRESET), false))
	assert.Equal(t, wire.EndLeft, endOf(broken(fromUpstream, io.ErrUnexpectedEOF), true))
	assert.Equal(t, wire.EndLeft, endOf(broken(toClient, syscall.EPIPE), false))
}
