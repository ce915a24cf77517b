package telemetry

import (
	"container/list"
	"sync"
	"time"
)

// session is what the process knows of one address.
type session struct {
	address Address
	behind  uint64

	// These are the hub's, under its lock.
	users       int // running requests and subscribers
	subscribers int
	idle        *list.Element // in its organization's list while nobody uses it
	idleSince   time.Time

	mu   sync.Mutex
	feed feed
	sums sums
	at   int64 // of the last event, in Unix milliseconds
}

// publish sends events to the subscribers, in order.
func (s *session) publish(events ...event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.send(events)
}

// settle adds a request to the sums, sends its last events and then the sums.
// Nothing of the session can come in between.
func (s *session) settle(cost costUpdate, events ...event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sums.add(cost.Cost, cost.estimated)
	s.send(append(events, cost, &s.sums))
}

func (s *session) send(events []event) {
	if !s.feed.heard() {
		return
	}
	// A clock that is set back must not show.
	s.at = max(s.at, time.Now().UnixMilli())
	for _, e := range events {
		s.feed.add(encode(e, s.at), s.behind)
	}
}
