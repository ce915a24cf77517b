package server

import (
	"encoding/json"
	"time"

	"plumbline.dev/plumbline/fakegpu/control"
	"plumbline.dev/plumbline/fakegpu/internal/wire"
)

// keptBuffer is the largest event buffer that is kept for the next event.
const keptBuffer = 16 << 10

// stream is a reply written as server-sent events, one chunk for each token.
type stream struct {
	*session
	*transport
	encoder *wire.Encoder
	place   place
	buf     []byte // of the event being written
	latest  []byte // the latest chunk, kept when the script repeats chunks
	repeats bool
	lp      []byte
	offsets []int // of each choice's text, for the log probabilities of text completions
	headed  bool
	chunked bool // a chunk has been written
	pending int  // generated tokens that are not flushed yet
}

func newStream(x *session) *stream {
	s := &stream{
		session: x,
		encoder: wire.NewEncoder(x.dialect, x.req, x.id, x.req.Model, x.created, x.script),
		place:   x.usagePlace(),
		offsets: make([]int, x.req.Choices),
	}
	for i := range x.script.Steps {
		s.repeats = s.repeats || x.script.Steps[i].Repeat
	}
	s.transport = newTransport(x.ctx, x.w, x.script, s.flushed)
	return s
}

func (s *stream) flushed() {
	if s.pending > 0 {
		s.handed(s.pending)
		s.pending = 0
	}
}

// start sends the head and the role chunks, unless the script holds them back.
func (s *stream) start() error {
	if s.script.HoldHeaders {
		return nil
	}
	return s.open(true)
}

func (s *stream) open(flush bool) error {
	if s.headed {
		return nil
	}
	s.headed = true
	if err := s.head("text/event-stream; charset=utf-8", flush); err != nil {
		return err
	}
	if !s.req.Chat || s.script.NoRole {
		return nil
	}
	for i := range s.req.Choices {
		if err := s.chunk(&wire.Chunk{Choice: i, Role: true}, nil, 0); err != nil {
			return err
		}
	}
	return nil
}

// chunk writes one chunk, with usage where it is due.
func (s *stream) chunk(c *wire.Chunk, cuts []int, pause time.Duration) error {
	if c.Usage == nil && (s.place.every || s.place.early && !s.chunked) {
		c.Usage = s.usageJSON()
	}
	s.chunked = true
	s.buf = s.encoder.Chunk(s.buf[:0], c)
	if s.repeats {
		s.latest = append(s.latest[:0], s.buf...)
	}
	return s.event(cuts, pause)
}

// event sends what is in the buffer.
func (s *stream) event(cuts []int, pause time.Duration) error {
	err := s.send(s.buf, cuts, pause)
	if cap(s.buf) > keptBuffer {
		s.buf = nil
	}
	return err
}

func (s *stream) token(choice int, show string, form *control.Token) error {
	if err := s.open(false); err != nil {
		return err
	}
	s.count()
	s.pending++
	if show == "" && form.Text != "" {
		s.flushed()
		return nil
	}
	c := wire.Chunk{Choice: choice, HasText: true, Text: show, Escape: form.Escape, Pad: form.Pad}
	if s.req.Logprobs {
		s.lp = wire.AppendLogprobs(s.lp[:0], s.req, form.Text, s.offsets[choice])
		c.Logprobs = s.lp
	}
	s.offsets[choice] += len(show)
	return s.chunk(&c, form.Cuts, time.Duration(form.CutPauseMS)*time.Millisecond)
}

func (s *stream) rest(choice int, text string) error {
	if text == "" {
		return nil
	}
	s.offsets[choice] += len(text)
	return s.chunk(&wire.Chunk{Choice: choice, HasText: true, Text: text}, nil, 0)
}

func (s *stream) delta(choice int, raw json.RawMessage) error {
	if err := s.open(false); err != nil {
		return err
	}
	s.count()
	s.pending++
	c := wire.Chunk{Choice: choice, Delta: raw}
	if !s.req.Chat {
		c.Text = deltaContent(raw)
	}
	return s.chunk(&c, nil, 0)
}

// deltaContent is the visible text of a delta: all that a text completion shows of it.
func deltaContent(raw json.RawMessage) string {
	var d struct {
		Content string `json:"content"`
	}
	if json.Unmarshal(raw, &d) != nil {
		return ""
	}
	return d.Content
}

func (s *stream) repeat() error {
	if len(s.latest) == 0 {
		return nil
	}
	return s.send(s.latest, nil, 0)
}

func (s *stream) raw(b []byte) error {
	if err := s.open(false); err != nil {
		return err
	}
	return s.send(b, nil, 0)
}

func (s *stream) comment(text string) error {
	if err := s.open(false); err != nil {
		return err
	}
	s.buf = s.encoder.Comment(s.buf[:0], text)
	return s.event(nil, 0)
}

func (s *stream) fail(e *control.ErrorObject) error {
	if err := s.open(false); err != nil {
		return err
	}
	s.buf = s.encoder.Data(s.buf[:0], wire.ErrorJSON(e))
	return s.event(nil, 0)
}

func (s *stream) finish(choice int, reason string) error {
	if err := s.open(false); err != nil {
		return err
	}
	s.ended++
	s.reason = reason
	c := wire.Chunk{Choice: choice, Finish: reason, Matched: s.matched}
	if s.place.onFinish && s.ended == s.req.Choices {
		c.Usage = s.usageJSON()
	}
	if s.dialect == wire.LlamaCpp {
		u := s.accounted()
		c.Timings = &u
	}
	return s.chunk(&c, nil, 0)
}

func (s *stream) account() error {
	for range s.place.chunks {
		if err := s.chunk(&wire.Chunk{NoChoice: true, Usage: s.usageJSON()}, nil, 0); err != nil {
			return err
		}
	}
	return nil
}

func (s *stream) done() error {
	if err := s.open(false); err != nil {
		return err
	}
	s.buf = s.encoder.Done(s.buf[:0])
	return s.event(nil, 0)
}

func (s *stream) end() error {
	if err := s.open(false); err != nil {
		return err
	}
	return s.transport.end()
}
