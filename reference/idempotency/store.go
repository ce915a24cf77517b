package idempotency

import (
	"container/list"
	"sync"
	"time"

	"plumbline.dev/plumbline/reference/apierror"
)

// Window is how long a request is known again.
const Window = 24 * time.Hour

// Bounds of what is kept in memory.
const (
	maxRequests = 100_000  // known; the oldest are forgotten
	maxReply    = 1 << 20  // bytes of one reply
	maxReplies  = 64 << 20 // bytes of all complete replies; the oldest are dropped
)

// Store knows the requests of all organizations. It is safe for concurrent use.
type Store struct {
	now func() time.Time

	mu       sync.Mutex
	requests map[string]*list.Element // of *known, by Request.Key
	age      list.List                // the oldest first
	replies  list.List                // of *known, those that hold a reply, the oldest first
	bytes    int                      // held by them
	room     int                      // bytes that they may hold
}

// known is a request that was seen. Its recording is nil when the reply is not
// kept any more.
type known struct {
	Request
	at        time.Time
	recording *Recording
	kept      *list.Element // its place among the replies, nil if it has none
	size      int           // bytes of its reply
}

// New makes a store that knows nothing, on the given clock.
func New(now func() time.Time) *Store {
	return &Store{now: now, room: maxReplies, requests: make(map[string]*list.Element)}
}

// Remember notes that a request was answered in full by an earlier process,
// whose reply is not kept.
func (s *Store) Remember(r Request, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now().Sub(at) < Window {
		s.add(&known{Request: r, at: at})
	}
}

// Claim returns the recording of a request. The first to claim it leads: it has
// to make the reply, and to call [Recording.End]. All others get the recording
// for [Recording.Play]. A key that was used for another request, and a reply
// that is not kept any more, are refused.
//
// A reply that everybody has left is about to end, and only its end tells
// whether it was complete by then. So Claim waits for it, lest the request is
// answered twice.
func (s *Store) Claim(r Request) (rec *Recording, leads bool, e *apierror.Error) {
	for {
		rec, leads, e = s.try(r)
		if e != nil || leads || rec.join() {
			return rec, leads, e
		}
		<-rec.ended
	}
}

// try returns what is known of a request, which may be about to end.
func (s *Store) try(r Request) (rec *Recording, leads bool, e *apierror.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	element, ok := s.requests[r.Key]
	if !ok {
		rec = newRecording(s, r.Key)
		s.add(&known{Request: r, at: s.now(), recording: rec})
		return rec, true, nil
	}
	k := element.Value.(*known)
	switch {
	case k.Content != r.Content:
		return nil, false, apierror.RetryMismatch()
	case k.recording == nil || k.recording.isLost():
		return nil, false, apierror.RetryGone()
	}
	return k.recording, false, nil
}

// finish keeps the reply of a recording, or forgets it.
func (s *Store) finish(rec *Recording, keep bool) {
	size := rec.size()
	s.mu.Lock()
	defer s.mu.Unlock()
	element, ok := s.requests[rec.key]
	if !ok {
		return
	}
	k := element.Value.(*known)
	switch {
	case k.recording != rec: // it was forgotten, and another has begun
	case !keep:
		s.remove(element)
	default:
		k.kept = s.replies.PushBack(k)
		k.size = size
		s.bytes += size
		for s.bytes > s.room {
			s.drop(s.replies.Front().Value.(*known))
		}
	}
}

// drop forgets a reply, but knows its request.
func (s *Store) drop(k *known) {
	if k.kept != nil {
		s.replies.Remove(k.kept)
		s.bytes -= k.size
	}
	k.recording, k.kept, k.size = nil, nil, 0
}

func (s *Store) add(k *known) {
	if old, ok := s.requests[k.Key]; ok {
		s.remove(old)
	}
	s.requests[k.Key] = s.age.PushBack(k)
	if s.age.Len() > maxRequests {
		s.remove(s.age.Front())
	}
}

func (s *Store) expire() {
	for element := s.age.Front(); element != nil; element = s.age.Front() {
		if s.now().Sub(element.Value.(*known).at) < Window {
			return
		}
		s.remove(element)
	}
}

func (s *Store) remove(element *list.Element) {
	k := s.age.Remove(element).(*known)
	delete(s.requests, k.Key)
	s.drop(k)
}
