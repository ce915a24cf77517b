package lint

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"plumbline.dev/plumbline/conformance/wire"
)

// Capture is a stream as it was found in a file.
type Capture struct {
	Transcript wire.Transcript
	// Form is how it was written down: body, http, trace or transcript.
	Form string
	// Notes say what was set right, and what cannot be judged for it.
	Notes []string

	ending   Ending    // of a transcript that knows it
	sentAt   time.Time // of the request, if known
	asked    bool      // the request is known
	headless bool      // the first lines are missing
	lossy    bool      // line ends and characters are guessed
	file     []byte
	places   places
}

// Forms of a capture.
const (
	formBody       = "body"
	formHTTP       = "http"
	formTrace      = "trace"
	formTranscript = "transcript"
)

// errNoStream says that there is nothing to judge.
var errNoStream = errors.New("no event stream in it: expected the body of a stream, the output of curl -i, -v or --trace, or a transcript of plumbline")

// Read finds the stream in the contents of a file.
func Read(file []byte) (*Capture, error) {
	c := &Capture{file: file, Transcript: wire.Transcript{ContentLength: -1}}
	switch {
	case isTranscript(file):
		return c, c.readTranscript(file)
	case isTrace(file):
		return c, c.readTrace(file)
	}
	from, to := c.unpaste()
	if at := headAt(file[from:to]); at >= 0 {
		c.Form = formHTTP
		c.readHTTP(from+at, to)
		return c, nil
	}
	c.Form = formBody
	c.places = places{{body: 0, file: from}}
	c.Transcript.Body = file[from:to]
	c.beheaded()
	c.dropCR()
	if !hasLine(c.Transcript.Body, "data:") {
		return nil, errNoStream
	}
	return c, nil
}

func (c *Capture) note(format string, args ...any) {
	c.Notes = append(c.Notes, fmt.Sprintf(format, args...))
}

// headAt is where the head of an answer begins, -1 if there is none before the
// first data line.
func headAt(text []byte) int {
	if data := lineAt(text, "data:"); data >= 0 {
		text = text[:data]
	}
	at := lineAt(text, "HTTP/")
	verbose := lineAt(text, "< HTTP/")
	if at < 0 || verbose >= 0 && verbose < at {
		at = verbose
	}
	return at
}

// readHTTP reads an answer with its head from file[from:to].
func (c *Capture) readHTTP(from, to int) {
	began := from
	for {
		lines, body := headLines(c.file, from, to)
		c.Transcript.Header = http.Header{}
		for i, line := range lines {
			if i == 0 {
				c.statusLine(line)
			} else if name, value, ok := strings.Cut(line, ":"); ok {
				c.Transcript.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
			}
		}
		from = body
		next := headAt(c.file[from:to])
		if c.Transcript.Status >= 200 && c.Transcript.Status != http.StatusFound || next != 0 {
			break // else it was an interim answer, or one of a proxy
		}
	}
	c.Transcript.Encoding = c.Transcript.Header.Get("Content-Encoding")
	verbose := bytes.HasPrefix(c.file[began:to], []byte("< "))
	c.takeBody(c.file[from:to], from)
	if verbose {
		c.quieten()
	}
}

// statusLine reads HTTP/1.1 200 OK.
func (c *Capture) statusLine(line string) {
	words := strings.Fields(line)
	if len(words) > 1 {
		c.Transcript.Proto = words[0]
		fmt.Sscanf(words[1], "%3d", &c.Transcript.Status)
	}
}

// headLines returns the lines of a head and where its body begins. The lines of
// curl -v have a mark, and others between them.
func headLines(file []byte, from, to int) (lines []string, body int) {
	for from < to && len(lines) < 1000 {
		line, next := cutLine(file, from, to)
		from = next
		text := strings.TrimSuffix(string(line), "\r")
		switch {
		case strings.HasPrefix(text, "* "), strings.HasPrefix(text, "> "), strings.HasPrefix(text, "{ ["), strings.HasPrefix(text, "} ["):
			continue
		case strings.HasPrefix(text, "<"):
			text = strings.TrimPrefix(strings.TrimPrefix(text, "<"), " ")
		}
		if text == "" {
			break
		}
		lines = append(lines, text)
	}
	return lines, from
}

// takeBody takes the body, which stands in the file at offset, out of the chunks
// of HTTP/1.1 if they were captured too.
func (c *Capture) takeBody(raw []byte, offset int) {
	c.places = places{{body: 0, file: offset}}
	c.Transcript.Body = raw
	if !strings.EqualFold(c.Transcript.Header.Get("Transfer-Encoding"), "chunked") || !beginsChunk(raw) {
		return
	}
	body, marks, problem := dechunk(raw)
	for i := range marks {
		marks[i].file += offset
	}
	c.Transcript.Body, c.places, c.Transcript.End = body, marks, wire.EndClean
	if problem != "" {
		c.Transcript.End, c.Transcript.EndError = wire.EndCut, problem
	}
}

// lineAt is the offset of the first line that begins with prefix, or -1.
func lineAt(text []byte, prefix string) int {
	if bytes.HasPrefix(text, []byte(prefix)) {
		return 0
	}
	if i := bytes.Index(text, []byte("\n"+prefix)); i >= 0 {
		return i + 1
	}
	return -1
}

func hasLine(text []byte, prefix string) bool { return lineAt(text, prefix) >= 0 }

// cutLine returns the line at from without its LF, and where the next begins.
func cutLine(text []byte, from, to int) (line []byte, next int) {
	if i := bytes.IndexByte(text[from:to], '\n'); i >= 0 {
		return text[from : from+i], from + i + 1
	}
	return text[from:to], to
}
