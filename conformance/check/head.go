package check

import (
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
)

// EventStream: the answer is 200 with Content-Type text/event-stream. Any
// parameter of the type is allowed.
func (f *Framed) EventStream() []Finding {
	n := f.notes("EventStream")
	if f.Transcript.Status != http.StatusOK {
		n.head("status 200", fmt.Sprintf("status %d", f.Transcript.Status))
	}
	value := f.Transcript.Header.Get("Content-Type")
	if media, _, err := mime.ParseMediaType(value); err != nil || media != "text/event-stream" {
		n.head("Content-Type: text/event-stream", "Content-Type: "+value)
	}
	return n.found
}

// CacheControl: Cache-Control is "no-cache, no-transform", in any order.
func (f *Framed) CacheControl() []Finding {
	n := f.notes("CacheControl")
	value := strings.Join(f.Transcript.Header.Values("Cache-Control"), ", ")
	var directives []string
	for d := range strings.SplitSeq(value, ",") {
		directives = append(directives, strings.ToLower(strings.TrimSpace(d)))
	}
	slices.Sort(directives)
	if !slices.Equal(slices.Compact(directives), []string{"no-cache", "no-transform"}) {
		n.head("Cache-Control: no-cache, no-transform", "Cache-Control: "+value)
	}
	return n.found
}

// AccelBuffering: X-Accel-Buffering is "no".
func (f *Framed) AccelBuffering() []Finding {
	n := f.notes("AccelBuffering")
	if value := f.Transcript.Header.Get("X-Accel-Buffering"); !strings.EqualFold(value, "no") {
		n.head("X-Accel-Buffering: no", "X-Accel-Buffering: "+value)
	}
	return n.found
}

// NoLength: a stream has no Content-Length.
func (f *Framed) NoLength() []Finding {
	n := f.notes("NoLength")
	if f.Transcript.Header.Get("Content-Length") != "" || f.Transcript.ContentLength > 0 {
		n.head("no Content-Length on a stream", "Content-Length: "+f.Transcript.Header.Get("Content-Length"))
	}
	return n.found
}

// NoEncoding: a stream has no Content-Encoding, even for a client that offers one.
func (f *Framed) NoEncoding() []Finding {
	n := f.notes("NoEncoding")
	if value := f.Transcript.Header.Get("Content-Encoding"); value != "" {
		n.head("no Content-Encoding on a stream", "Content-Encoding: "+value)
	}
	return n.found
}

// IDHeader: the header X-Mortar-Request-Id holds the id of the chunks.
func (c *Chat) IDHeader() []Finding {
	n := c.notes("IDHeader")
	value, id := c.Transcript.Header.Get("X-Mortar-Request-Id"), c.ID()
	switch {
	case value == "":
		n.head("X-Mortar-Request-Id with the id of the completion", "no such header")
	case id != "" && value != id:
		n.head("X-Mortar-Request-Id: "+id, "X-Mortar-Request-Id: "+value)
	}
	return n.found
}
