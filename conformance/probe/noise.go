package probe

import (
	"sync"
	"time"
)

const (
	noiseTick   = 10 * time.Millisecond
	noiseMemory = 2 * time.Minute
	// noiseFloor is the lateness that is too small to remember.
	noiseFloor = 5 * time.Millisecond
)

// Noise watches how late this machine runs our own timers. A measured time that
// is off by no more than the lateness seen meanwhile says nothing of the target.
type Noise struct {
	mu     sync.Mutex
	late   []lateness
	cancel chan struct{}
	done   chan struct{}
}

type lateness struct {
	at time.Time
	by time.Duration
}

// Listen begins to watch. Close ends it.
func Listen() *Noise {
	n := &Noise{cancel: make(chan struct{}), done: make(chan struct{})}
	go n.watch()
	return n
}

// Close stops watching.
func (n *Noise) Close() {
	close(n.cancel)
	<-n.done
}

func (n *Noise) watch() {
	defer close(n.done)
	timer := time.NewTimer(noiseTick)
	defer timer.Stop()
	due := time.Now().Add(noiseTick)
	for {
		select {
		case <-n.cancel:
			return
		case <-timer.C:
			now := time.Now()
			if by := now.Sub(due); by > noiseFloor {
				n.remember(lateness{at: now, by: by})
			}
			due = now.Add(noiseTick)
			timer.Reset(noiseTick)
		}
	}
}

func (n *Noise) remember(l lateness) {
	n.mu.Lock()
	defer n.mu.Unlock()
	old := 0
	for old < len(n.late) && l.at.Sub(n.late[old].at) > noiseMemory {
		old++
	}
	n.late = append(n.late[old:], l)
}

// Worst returns the greatest lateness seen between two times.
func (n *Noise) Worst(from, to time.Time) time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	var worst time.Duration
	for _, l := range n.late {
		// A late timer covers the time from its due moment on.
		if !l.at.Before(from) && !l.at.Add(-l.by).After(to) {
			worst = max(worst, l.by)
		}
	}
	return worst
}
