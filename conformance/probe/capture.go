package probe

import (
	"time"

	"plumbline.dev/plumbline/conformance/wire"
)

// Captured is a stream of a run, whole.
type Captured struct {
	Scenario   string
	SentAt     time.Time
	Transcript *wire.Transcript // without keys
	// Stopped tells that the generation was stopped by its id, so that the stream
	// has no finish chunk.
	Stopped bool
}

// capture hands every stream of the session to the sink of the run.
func (s *Session) capture() {
	if s.env.Sink == nil {
		return
	}
	for _, stream := range s.streams {
		chat := stream.Chat()
		s.env.Sink(Captured{
			Scenario: s.Scenario, SentAt: stream.began, Transcript: stream.exchange.Transcript(),
			Stopped: s.stopped[chat.ID()] || s.stopped[chat.Transcript.Header.Get("X-Mortar-Request-Id")],
		})
	}
}
