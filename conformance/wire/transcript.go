package wire

import (
	"net/http"
	"time"
)

// Transcript is one exchange as it went over the wire: the request, the head of
// the response, every byte of its body with the time at which it was read, and
// how the body ended. It is the evidence for each verdict. All offsets are in
// bytes of the body, all times are measured on the monotonic clock from the
// moment at which the request was sent.
type Transcript struct {
	Request Request `json:"request"`

	Status   int           `json:"status"` // 0 if no response head arrived
	Proto    string        `json:"proto,omitempty"`
	Header   http.Header   `json:"header,omitempty"`
	HeaderAt time.Duration `json:"headerAt"` // when the head had been read
	// ContentLength is -1 on a body of unknown length, as a stream has.
	ContentLength int64 `json:"contentLength"`
	// Encoding is the Content-Encoding that stood on the response.
	Encoding string `json:"encoding,omitempty"`

	Body  []byte `json:"body"`
	Reads []Read `json:"reads"`

	End   End           `json:"end"`
	EndAt time.Duration `json:"endAt"`
	// EndError is the transport's own words, "" on a clean end.
	EndError string `json:"endError,omitempty"`
}

// Request is what was sent. Keys are redacted before a Transcript leaves the process.
type Request struct {
	Method string      `json:"method"`
	URL    string      `json:"url"`
	Header http.Header `json:"header,omitempty"`
	Body   []byte      `json:"body,omitempty"`
}

// Read is one piece of the body as one read returned it.
type Read struct {
	End int           `json:"end"` // offset behind its last byte
	At  time.Duration `json:"at"`  // when the read returned, before any parsing
}

// End says how the body ended.
type End string

// Ends of a body.
const (
	EndClean   End = "clean"   // the final chunk, or all of Content-Length
	EndCut     End = "cut"     // the connection closed inside the body
	EndReset   End = "reset"   // the connection was reset
	EndLeft    End = "left"    // we closed it ourselves, on purpose
	EndTimeout End = "timeout" // our own deadline passed while it was open
	EndLimit   End = "limit"   // more bytes than we read of any body
	EndRefused End = "refused" // no response at all: the connection or the head failed
)

// At returns the time at which the byte at offset was read.
func (t *Transcript) At(offset int) time.Duration {
	lo, hi := 0, len(t.Reads)
	for lo < hi {
		mid := (lo + hi) / 2
		if t.Reads[mid].End > offset {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	if lo == len(t.Reads) {
		return t.EndAt
	}
	return t.Reads[lo].At
}

// EventAt returns the time at which a reader could hand out e: when the last
// byte of it was read.
func (t *Transcript) EventAt(e Event) time.Duration { return t.at(e.End) }
