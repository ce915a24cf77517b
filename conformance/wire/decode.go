package wire

import (
	"compress/gzip"
	"io"
	"strings"
	"time"
)

// Decoded returns the transcript of the body as it was before Content-Encoding:
// gzip, each byte stamped with the time at which it could be unpacked. Any other
// transcript, or what cannot be unpacked, is returned as it is.
func (t *Transcript) Decoded() *Transcript {
	if !strings.EqualFold(strings.TrimSpace(t.Encoding), "gzip") {
		return t
	}
	packed := &counter{body: t.Body}
	unpacker, err := gzip.NewReader(packed)
	if err != nil {
		return t
	}
	out := *t
	out.Body, out.Reads = nil, nil
	buf := make([]byte, 32<<10)
	for len(out.Body) < DefaultBodyLimit {
		n, err := unpacker.Read(buf)
		if n > 0 {
			out.Body = append(out.Body, buf[:n]...)
			out.Reads = append(out.Reads, Read{End: len(out.Body), At: t.at(packed.read)})
		}
		if err != nil {
			break
		}
	}
	return &out
}

// at returns the time at which the first n bytes of the body were there.
func (t *Transcript) at(n int) time.Duration { return t.At(max(n-1, 0)) }

// counter hands out a body byte by byte, so that the unpacker takes no more
// than it needs and its place tells which bytes it needed.
type counter struct {
	body []byte
	read int
}

func (c *counter) ReadByte() (byte, error) {
	if c.read == len(c.body) {
		return 0, io.EOF
	}
	c.read++
	return c.body[c.read-1], nil
}

func (c *counter) Read(p []byte) (int, error) {
	n := copy(p, c.body[c.read:])
	c.read += n
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}
