package check

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/conformance/wire"
)

// OneErrorEvent: a reply whose model server failed has exactly one event with
// an error envelope, of type upstream_error.
func (c *Chat) OneErrorEvent() []Finding {
	n := c.notes("OneErrorEvent")
	if len(c.Errors) == 0 {
		n.end("one event with an error envelope", "the body ended without one")
	}
	for i, e := range c.Errors {
		data := show(c.Stream.Events[e.Event].Data)
		if i > 0 {
			n.event(e.Event, "one event with an error envelope", "another one: "+data)
		} else if e.Type != "upstream_error" {
			n.event(e.Event, "an error envelope of type upstream_error", data)
		}
	}
	return n.found
}

// NothingAfterError: after the error event no chunk comes, be it with content,
// a finish reason or usage.
func (c *Chat) NothingAfterError() []Finding {
	n := c.notes("NothingAfterError")
	if len(c.Errors) == 0 {
		return nil
	}
	for _, k := range c.Chunks {
		if k.Event > c.Errors[0].Event {
			n.event(k.Event, "nothing after the error event", show(k.Raw))
		}
	}
	for _, i := range c.Broken {
		if i > c.Errors[0].Event {
			n.event(i, "nothing after the error event", show(c.Stream.Events[i].Data))
		}
	}
	return n.found
}

// NoDone: a reply that failed has no [DONE].
func (c *Chat) NoDone() []Finding {
	n := c.notes("NoDone")
	for _, i := range c.Dones {
		n.event(i, "no [DONE] in a reply that failed", "[DONE]")
	}
	return n.found
}

// ErrorCloses: after the error event the stream closes, in whatever way.
func (f *Framed) ErrorCloses() []Finding {
	n := f.notes("ErrorCloses")
	if t := f.Transcript; t.End == wire.EndTimeout || t.End == wire.EndLimit {
		n.end("the stream closes after the error event", fmt.Sprintf("%s: %s", t.End, t.EndError))
	}
	return n.found
}

// ErrorMessage: the message of the error envelope is a text that is not empty.
func (c *Chat) ErrorMessage() []Finding {
	n := c.notes("ErrorMessage")
	for _, e := range c.Errors {
		if v := e.err.get("message"); v.Type != gjson.String || strings.TrimSpace(e.Message) == "" {
			n.event(e.Event, "error.message as a text that is not empty", "message "+seen(v))
		}
	}
	return n.found
}

// ErrorMessageClean: the message of the error envelope has no address, path,
// key or stack of the deployment.
func (c *Chat) ErrorMessageClean() []Finding {
	n := c.notes("ErrorMessageClean")
	for _, e := range c.Errors[:min(len(c.Errors), maxFindings)] {
		if what := leak(strings.ReplaceAll(e.Message, c.ID(), ""), c.Ask.Keys); what != "" {
			n.event(e.Event, "a message without any address, path, key or stack", what+" in: "+e.Message)
		}
	}
	return n.found
}

// leaks are what a message tells of a deployment, each with its name.
var leaks = []struct {
	name    string
	pattern *regexp.Regexp
}{
	{"a key", keyLike},
	{"a URL", regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://`)},
	{"an IP address", regexp.MustCompile(`\b\d{1,3}(?:\.\d{1,3}){3}\b|\[[0-9a-fA-F:]*::?[0-9a-fA-F:]*\]`)},
	{"a host and port", regexp.MustCompile(`(?i)\b(?:localhost|[a-z0-9_-]+(?:\.[a-z0-9_-]+)+):\d{1,5}\b|\b[a-z][a-z0-9_-]*:\d{4,5}\b`)},
	{"a host name", regexp.MustCompile(`(?i)\blocalhost\b|\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:internal|local|svc|lan|cluster)\b`)},
	{"a stack", regexp.MustCompile(`goroutine \d+|\.(?:go|py|js|ts|rs|cc|cpp|java):\d+|\.py", line \d+|Traceback|\bpanic:|\bat [\w.<>]+ \((?:node:|file:|/|[^)]*:\d+:\d+)`)},
	{"a path", regexp.MustCompile(`(?:^|[\s"'(=\[])(?:/[A-Za-z0-9._-]+){2,}|\b[A-Za-z]:\\`)},
	{"a token like a key", regexp.MustCompile(`\b[A-Za-z0-9_-]{32,}\b`)},
}

// apiPath is a path of the API itself, which everybody knows.
var apiPath = regexp.MustCompile(`/v1(?:/[a-z_]+)+`)

// leak names the first thing in a message that tells of the deployment.
func leak(message string, keys []string) string {
	message = apiPath.ReplaceAllString(message, "")
	for _, k := range keys {
		if k != "" && strings.Contains(message, k) {
			return "a key"
		}
	}
	for _, l := range leaks {
		if l.pattern.MatchString(message) {
			return l.name
		}
	}
	return ""
}

// OneErrorEnvelope: a reply that failed has exactly one event with an error
// envelope, of the form that errors have before a stream starts ("Streaming, What
// to expect").
func (c *Chat) OneErrorEnvelope() []Finding {
	n := c.notes("OneErrorEnvelope")
	if len(c.Errors) == 0 {
		n.end("one event with an error envelope", "the body ended without one")
	}
	for i, e := range c.Errors {
		if i > 0 {
			n.event(e.Event, "one event with an error envelope", "another one: "+show(c.Stream.Events[e.Event].Data))
			continue
		}
		envelopeShape(e.err, func(expected, seen string) { n.event(e.Event, expected, seen) })
	}
	return n.found
}

// NoEndBeforeError: what comes before an error event does not look like the end
// of a good reply: no finish chunk, and no usage chunk.
func (c *Chat) NoEndBeforeError() []Finding {
	n := c.notes("NoEndBeforeError")
	if len(c.Errors) == 0 {
		return nil
	}
	for _, k := range c.Chunks {
		_, usage := k.usage()
		for _, ch := range k.Choices {
			if ch.Finish != "" {
				n.event(k.Event, "no finish chunk in a reply that failed", "finish_reason "+ch.Finish)
			}
		}
		if usage && k.bare() {
			n.event(k.Event, "no usage chunk in a reply that failed", show(k.Raw))
		}
	}
	return n.found
}
