package lint

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"plumbline.dev/plumbline/conformance/wire"
)

// section is the line in a trace of curl that begins a piece of the conversation;
// --trace-time puts the time before it.
var section = regexp.MustCompile(`^(?:(\d\d):(\d\d):(\d\d\.\d+) )?(?:\[[^\]]*\] )?(?:(== Info): |(=> Send|<= Recv) ((?:SSL )?\w+), (\d+) bytes \(0x[0-9a-f]+\)\s*$)`)

// isTrace tells whether a file is a trace of curl.
func isTrace(file []byte) bool {
	line, _ := cutLine(file, 0, min(len(file), 4<<10))
	return section.Match(bytes.TrimRight(line, "\r"))
}

// piece is one piece of a conversation.
type piece struct {
	at   time.Duration // of the day
	what string        // "<= Recv data"
	body []byte
	file int // where its first line stands
}

// readTrace reads the output of curl --trace or --trace-ascii.
func (c *Capture) readTrace(file []byte) error {
	c.Form = formTrace
	var pieces []piece
	var current *traced
	finish := func() {
		if current != nil {
			pieces = append(pieces, current.piece(c))
		}
		current = nil
	}
	for at := 0; at < len(file); {
		line, next := cutLine(file, at, len(file))
		line = bytes.TrimSuffix(line, []byte("\r"))
		if m := section.FindSubmatch(line); m != nil {
			finish()
			if len(m[4]) == 0 {
				size, _ := strconv.Atoi(string(m[7]))
				current = &traced{size: size, what: string(m[5]) + " " + string(m[6]), at: timeOfDay(m[1:4]), file: next}
			}
		} else if current != nil {
			current.line(line)
		}
		at = next
	}
	finish()
	return c.converse(pieces)
}

// converse puts the pieces together.
func (c *Capture) converse(pieces []piece) error {
	var head, body []byte
	var marks places
	began := time.Duration(-1)
	t := &c.Transcript
	for _, p := range pieces {
		since := p.at - began
		switch p.what {
		case "=> Send header":
			if began < 0 {
				began = p.at
			}
		case "=> Send data":
			t.Request.Body = append(t.Request.Body, p.body...)
		case "<= Recv header":
			if bytes.HasPrefix(p.body, []byte("HTTP/")) {
				head, body, marks, t.Reads = nil, nil, nil, nil // the last answer counts
			}
			head = append(head, p.body...)
			t.HeaderAt = since
		case "<= Recv data":
			marks = append(marks, mark{body: len(body), file: p.file})
			body = append(body, p.body...)
			t.Reads = append(t.Reads, wire.Read{End: len(body), At: since})
			t.EndAt = since
		}
	}
	if len(head) == 0 {
		return fmt.Errorf("the trace has no answer in it")
	}
	whole := &Capture{file: head}
	whole.readHTTP(0, len(head))
	t.Status, t.Proto, t.Header, t.Encoding = whole.Transcript.Status, whole.Transcript.Proto, whole.Transcript.Header, whole.Transcript.Encoding
	c.asked = len(t.Request.Body) > 0 && !c.lossy
	c.takeBody(body, 0)
	if c.Transcript.End != "" { // the times are those of the chunks, too
		t.Reads = nil
	}
	if c.lossy {
		c.note("--trace-ascii writes a dot for each line end and each letter beyond ASCII, so these are guessed and not judged (--trace has them all)")
		c.Transcript.Body = repair(c.Transcript.Body)
	}
	for i, m := range c.places {
		c.places[i].file = marks.of(m.file)
	}
	return nil
}

// traced is a piece as its lines come.
type traced struct {
	what  string
	at    time.Duration
	size  int
	file  int
	body  []byte
	ascii bool
}

// maxTraced bounds a piece, in bytes; curl's own buffers are far smaller.
const maxTraced = 16 << 20

// line adds a line: an offset, and bytes in hexadecimal or text.
func (t *traced) line(line []byte) {
	offset, rest, ok := bytes.Cut(line, []byte(": "))
	if !ok {
		offset, rest = bytes.TrimSuffix(line, []byte(":")), nil
	}
	at, err := strconv.ParseUint(string(offset), 16, 31)
	if err != nil || int(at) > t.size || t.size > maxTraced || int(at) < len(t.body) {
		return
	}
	data, isHex := unhex(rest, t.size-int(at))
	if !isHex {
		data, t.ascii = rest, true
		// curl ends its line at each CR LF, which the offsets count and no line shows.
		for len(t.body) < int(at) {
			t.body = append(t.body, "\r\n"[(int(at)-len(t.body))%2])
		}
	}
	t.body = append(t.body, data[:min(len(data), t.size-len(t.body))]...)
}

func (t *traced) piece(c *Capture) piece {
	if t.ascii {
		c.lossy = true
		for len(t.body) < t.size && t.size <= maxTraced {
			t.body = append(t.body, "\r\n"[(t.size-len(t.body))%2])
		}
	}
	return piece{at: t.at, what: t.what, body: t.body, file: t.file}
}

// unhex reads a line of --trace: up to 16 bytes in columns of three, and the
// same as text.
func unhex(line []byte, left int) ([]byte, bool) {
	const columns, width = 16, 3
	n := min(columns, left)
	if n == 0 || len(line) < columns*width {
		return nil, false
	}
	digits := bytes.ReplaceAll(line[:n*width], []byte(" "), nil)
	if len(digits) != 2*n {
		return nil, false
	}
	out := make([]byte, n)
	_, err := hex.Decode(out, digits)
	return out, err == nil
}

var (
	dotsBefore = regexp.MustCompile(`([}\]a-zA-Z0-9])\.\.(data: |event: |: ?|$)`)
	dotBefore  = regexp.MustCompile(`(\w|^)\.(data: )`)
)

// repair puts line ends where --trace-ascii wrote dots: before a field, and at
// the end of what one read brought.
func repair(body []byte) []byte {
	out := dotsBefore.ReplaceAll(body, []byte("$1\n\n$2"))
	return dotBefore.ReplaceAll(out, []byte("$1\n$2"))
}

func timeOfDay(parts [][]byte) time.Duration {
	if len(parts[0]) == 0 {
		return 0
	}
	d, _ := time.ParseDuration(strings.Join([]string{string(parts[0]), "h", string(parts[1]), "m", string(parts[2]), "s"}, ""))
	return d
}
