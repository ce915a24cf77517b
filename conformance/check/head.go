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
func (c *Chat) EventStream() []Finding {
	n := c.notes("EventStream")
	if c.Transcript.Status != http.StatusOK {
		n.head("status 200", fmt.Sprintf("status %d", c.Transcript.Status))
	}
	value := c.Transcript.Header.Get("Content-Type")
	if media, _, err := mime.ParseMediaType(value); err != nil || media != "text/event-stream" {
		n.head("Content-Type: text/event-stream", "Content-Type: "+value)
	}
	return n.found
}

// CacheControl: Cache-Control is "no-cache, no-transform", in any order.
func (c *Chat) CacheControl() []Finding {
	n := c.notes("CacheControl")
	value := strings.Join(c.Transcript.Header.Values("Cache-Control"), ", ")
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
func (c *Chat) AccelBuffering() []Finding {
	n := c.notes("AccelBuffering")
	if value := c.Transcript.Header.Get("X-Accel-Buffering"); !strings.EqualFold(value, "no") {
		n.head("X-Accel-Buffering: no", "X-Accel-Buffering: "+value)
	}
	return n.found
}

// NoLength: a stream has no Content-Length.
func (c *Chat) NoLength() []Finding {
	n := c.notes("NoLength")
	if c.Transcript.Header.Get("Content-Length") != "" || c.Transcript.ContentLength > 0 {
		n.head("no Content-Length on a stream", "Content-Length: "+c.Transcript.Header.Get("Content-Length"))
	}
	return n.found
}

// NoEncoding: a stream has no Content-Encoding, even for a client that offers one.
func (c *Chat) NoEncoding() []Finding {
	n := c.notes("NoEncoding")
	if value := c.Transcript.Header.Get("Content-Encoding"); value != "" {
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
