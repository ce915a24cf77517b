package lint

import (
	"bytes"
	"regexp"
	"strings"
)

// What stands around a capture that was copied from a terminal.
var (
	// prompt is a line with a shell's prompt, a command behind it or not.
	prompt = regexp.MustCompile(`^(?:\([\w.-]+\) )?(?:[\w.-]+@[\w.-]+[^$#%>]*[$#%>]|PS [^>]*>|[$%>➜❯]|~?[\w./~-]*[$#%❯])(?:\s|$)`)
	// meter is curl's progress meter.
	meter = regexp.MustCompile(`^\s*(?:% Total\s+% Received|Dload\s+Upload|(?:\d+\s+){2}|[\d:.\-kMG\s]+$)`)
	// around is what curl -v and a shell's continued command print.
	around = regexp.MustCompile(`^(?:[*>]\s|[*>]$|[{}] \[|\s+(?:-|')|Note: |curl[: ]|\s*['"}\])-]|time curl|\x60{3})`)
	// field is a line of a stream.
	field = regexp.MustCompile(`^(?:data|event|id|retry)?:|^HTTP/\d|^< HTTP/\d`)
)

// maxAround is how many lines around a capture are looked at.
const maxAround = 200

// unpaste returns the part of the file that is the capture.
func (c *Capture) unpaste() (from, to int) {
	to = len(c.file)
	from = c.before()
	last := bytes.LastIndexByte(bytes.TrimRight(c.file[from:], " \t\r\n"), '\n')
	if last < 0 {
		return from, to
	}
	line := bytes.TrimRight(c.file[from+last+1:], "\r\n")
	if !field.Match(line) && (prompt.Match(line) || bytes.HasPrefix(line, []byte("```"))) {
		c.note("the last line is a prompt and was left out")
		to = from + last + 1
	}
	return from, to
}

// before is where the capture begins, behind prompts and commands.
func (c *Capture) before() int {
	from, command := 0, false
	for range maxAround {
		line, next := cutLine(c.file, from, len(c.file))
		text := strings.TrimRight(string(line), "\r")
		switch {
		case from == len(c.file), len(line) > 4<<10, field.MatchString(text):
			return c.begins(from)
		case prompt.MatchString(text), strings.Contains(text, "curl "):
			command = true
		case command && (text == "" || around.MatchString(text) || meter.MatchString(text)):
		case around.MatchString(text) && !strings.HasPrefix(text, "}") && !strings.HasPrefix(text, `"`), meter.MatchString(text) && text != "":
		default:
			return c.begins(from)
		}
		from = next
	}
	return 0
}

func (c *Capture) begins(at int) int {
	if n := lineOf(c.file, at) - 1; n > 0 {
		c.note("the first %s no part of the stream and left out", plural(n, "line is", "lines are"))
	}
	return at
}

// beheaded drops the half line with which a body begins that was cut at its
// beginning, up to the next blank line.
func (c *Capture) beheaded() {
	body := c.Transcript.Body
	line, _ := cutLine(body, 0, min(len(body), 4<<10))
	text := bytes.TrimRight(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")), "\r")
	// A half line may begin with a colon, as a comment does, but it closes more
	// than it opens.
	half := bytes.Count(text, []byte("}")) > bytes.Count(text, []byte("{"))
	if !half && (field.Match(text) || !bytes.Contains(text, []byte(`"`)) || bytes.HasPrefix(text, []byte("{"))) || bytes.HasPrefix(text, []byte("data:")) {
		return
	}
	at := lineAt(body, "data:")
	if at < 0 {
		return
	}
	c.headless = true
	c.note("the beginning is missing: what stands before line %d was left out, and no rule about the first chunk is judged", lineOf(c.file, c.places.of(at)))
	c.places = places{{body: 0, file: c.places.of(at)}}
	c.Transcript.Body = body[at:]
}

// dropCR takes the carriage returns out of a body in which every line has one: a
// paste puts them there. In a capture with its head they would be the server's.
func (c *Capture) dropCR() {
	body := c.Transcript.Body
	lines := bytes.Count(body, []byte("\n"))
	if lines < 2 || bytes.Count(body, []byte("\r\n")) != lines || bytes.Count(body, []byte("\r")) != lines {
		return
	}
	c.note("every line ends with CR LF: taken for the work of an editor or a paste, so line ends are not judged (capture with curl -i to have them judged)")
	c.rewrite(func(line []byte) ([]byte, bool) { return bytes.TrimSuffix(line, []byte("\r")), true })
}

// chatter are the lines that curl -v prints among those of the body.
var chatter = regexp.MustCompile(`^(?:\{ \[\d+ bytes data\]|\* .*)$`)

// quieten takes what curl -v prints out of the body.
func (c *Capture) quieten() {
	c.rewrite(func(line []byte) ([]byte, bool) { return line, !chatter.Match(line) })
}

// rewrite puts what change makes of each line of the body in its place, and
// leaves those out for which it is false.
func (c *Capture) rewrite(change func(line []byte) ([]byte, bool)) {
	body := c.Transcript.Body
	out := make([]byte, 0, len(body))
	marks := places{}
	for at := 0; at < len(body); {
		line, next := cutLine(body, at, len(body))
		if line, keep := change(line); keep {
			marks = append(marks, mark{body: len(out), file: c.places.of(at)})
			out = append(out, line...)
			if body[next-1] == '\n' {
				out = append(out, '\n')
			}
		}
		at = next
	}
	c.Transcript.Body, c.places = out, marks
}
