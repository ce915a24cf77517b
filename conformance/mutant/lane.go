package mutant

import (
	"strings"
	"sync"
	"time"
)

// lane gathers bytes for a stream and sends them by a timer.
type lane struct {
	mu     sync.Mutex
	stream *stream
	kept   strings.Builder
	timer  *time.Timer // nil while nothing is kept
	closed bool
}

func newLane(s *stream) *lane { return &lane{stream: s} }

// add keeps bytes, which go at most window later.
func (l *lane) add(raw string, window time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept.WriteString(raw)
	if l.timer == nil {
		l.timer = time.AfterFunc(window, l.flush)
	}
}

// flush sends what is kept.
func (l *lane) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
	if !l.closed && l.kept.Len() > 0 {
		l.stream.write(l.kept.String())
	}
	l.kept.Reset()
}

// close lets nothing more go: the stream is over.
func (l *lane) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.timer != nil {
		l.timer.Stop()
	}
}
