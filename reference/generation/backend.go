package generation

import (
	"context"
	"io"
	"iter"

	"plumbline.dev/plumbline/reference/completion"
)

// Backend answers completion requests: model servers, or the sample model.
type Backend interface {
	// Open begins a reply. The context ends the whole reply.
	Open(ctx context.Context, req *completion.Request) (Source, error)
}

// Source is a running reply. One goroutine uses it.
type Source interface {
	// Server names who generates, for logs and routing decisions; never "". A
	// source that can tell more of the decision has the method
	// Route() completion.Route as well.
	Server() string
	// Next empties the batch and waits for events. After [completion.KindEnd]
	// it returns io.EOF; without that event, io.EOF is no proper end. Any error
	// is final.
	Next(b *completion.Batch) error
	// Close gives the reply up. It does not block.
	Close()
}

// routed is a Source that knows why it was chosen.
type routed interface {
	Route() completion.Route
}

// routeOf is the routing decision that led to a source. One that does not tell
// it had no choice to make.
func routeOf(s Source) completion.Route {
	if r, ok := s.(routed); ok {
		return r.Route()
	}
	return completion.Route{Server: s.Server()}
}

// Sequence is a Source over a pull sequence of events, such as the sample
// model's. The end of the sequence is the end of the reply.
type Sequence struct {
	name string
	next func() (completion.Event, error, bool)
	stop func()
	// first is the event that OpenSequence has looked at.
	first *completion.Event
	done  bool
}

// OpenSequence begins a sequence. Its first event is waited for, so that a
// request that cannot be served is refused before the reply begins.
func OpenSequence(name string, events iter.Seq2[completion.Event, error]) (*Sequence, error) {
	s := &Sequence{name: name}
	s.next, s.stop = iter.Pull2(events)
	e, err, ok := s.next()
	switch {
	case ok && err != nil:
		s.stop()
		return nil, err
	case ok:
		s.first = &e
	}
	return s, nil
}

// Server implements [Source].
func (s *Sequence) Server() string { return s.name }

// Next implements [Source]: each batch is one event.
func (s *Sequence) Next(b *completion.Batch) error {
	b.Reset()
	if s.done {
		return io.EOF
	}
	if s.first != nil {
		b.Add(*s.first)
		s.first = nil
		return nil
	}
	e, err, ok := s.next()
	switch {
	case !ok:
		s.done = true
		b.Add(completion.Event{Kind: completion.KindEnd})
		return nil
	case err != nil:
		s.done = true
		return err
	}
	s.done = e.Kind == completion.KindEnd
	b.Add(e)
	return nil
}

// Close implements [Source].
func (s *Sequence) Close() { s.stop() }
