package lint

import (
	"errors"
	"strings"
	"time"

	"plumbline.dev/plumbline/conformance/catalogue"
	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/wire"
)

// Linter judges streams while they come. It may be used from many goroutines.
type Linter struct {
	options Options
	rows    *catalogue.Catalogue
}

// NewLinter returns a linter with these options. The error of a wrong option is
// a *UsageError.
func NewLinter(o Options) (*Linter, error) {
	rows, err := allRows()
	if err != nil {
		return nil, err
	}
	return &Linter{options: o, rows: rows}, o.validate(rows)
}

// Stream is one stream that comes. It is used by one goroutine.
type Stream struct {
	linter *Linter
	head   wire.Transcript
	format format
	ask    check.Ask
	chat   *check.ChatJudge // of the format that can be judged piece by piece
	body   []byte           // of any other
	reads  []wire.Read
	limit  int
}

// Judges tells whether the answer to a request is judged, by the path of the
// request.
func Judges(path string) bool {
	for _, f := range formats() {
		if strings.HasSuffix(path, f.path) {
			return true
		}
	}
	return false
}

// ErrTooLong says that a stream cannot be judged in the memory it may have.
var ErrTooLong = errors.New("the stream takes more memory than it may have")

// Stream begins to judge an answer. Its head is a transcript without a body,
// whose request says what was asked for. Of the body no more than limit bytes
// are held; keys are kept out of the findings.
func (l *Linter) Stream(head wire.Transcript, sentAt time.Time, limit int, keys ...string) (*Stream, error) {
	c := &Capture{Transcript: head, asked: true, sentAt: sentAt}
	f, err := c.format(l.options.Format)
	if err != nil {
		return nil, err
	}
	s := &Stream{linter: l, head: head, format: f, ask: c.ask(), limit: limit}
	s.ask.Keys = keys
	if f.name == formats()[0].name {
		s.chat = check.NewChatJudge(head, s.ask)
	}
	return s, nil
}

// Feed takes the next piece of the body, read at this time after the request was
// sent. The only error is ErrTooLong.
func (s *Stream) Feed(piece []byte, at time.Duration) error {
	held := 0
	if s.chat != nil {
		s.chat.Feed(piece, at)
		held = s.chat.Kept()
	} else {
		s.body = append(s.body, piece...)
		s.reads = append(s.reads, wire.Read{End: len(s.body), At: at})
		held = len(s.body)
	}
	if held > s.limit {
		return ErrTooLong
	}
	return nil
}

// Finish says how the body ended, and returns what was found. A stream that we
// or the client left is judged as far as it came.
func (s *Stream) Finish(name string, end wire.End, at time.Duration, words string) *Report {
	o := s.linter.options
	o.Partial = o.Partial || end == wire.EndLeft
	c := &Capture{Transcript: s.head, Form: formLive, asked: true}
	t := &c.Transcript
	t.Body, t.Reads, t.End, t.EndAt, t.EndError = s.body, s.reads, end, at, words
	var found subject
	if s.chat != nil {
		judged := s.chat.Finish(end, at, words)
		found = chatSubject(c, judged, s.ask, o)
	} else {
		c.file = s.body
		found = s.format.read(c, o)
	}
	return report(name, s.format.name, c, o, s.linter.rows, found)
}

// formLive is a stream that was judged as it came: lines and offsets are those of
// its body.
const formLive = "live"
