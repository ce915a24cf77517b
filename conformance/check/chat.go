package check

import (
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/conformance/wire"
)

// Ask is what a request asked for, as far as the answer depends on it.
type Ask struct {
	IncludeUsage bool
	Choices      int // n; 0 is 1
	MaxTokens    int // max_tokens or max_completion_tokens; 0 is none
	Logprobs     bool
	TopLogprobs  int
	Stop         []string
	Tools        bool
	// Now is the wall clock at the request; zero leaves created unjudged.
	Now time.Time
	// Keys are kept out of every finding.
	Keys []string
}

// choices is how many choices were asked for.
func (a Ask) choices() int { return max(a.Choices, 1) }

// Chat is a streamed chat completion, taken apart but not judged.
type Chat struct {
	Framed

	Chunks []Chunk // the events that hold one JSON object without an error
	Dones  []int   // the events, by index into Stream.Events, that are [DONE]
	Errors []StreamError
	Broken []int // the events whose data is neither JSON object nor [DONE]

	id string // of the first chunk that has one
}

// Chunk is one event of the reply.
type Chunk struct {
	Event   int // index into Stream.Events
	At      time.Duration
	Raw     []byte // the data
	Choices []Choice

	object object
}

// Choice is what one chunk says about one choice.
type Choice struct {
	Index   int // 0 where it is missing or no integer
	Role    string
	Content string
	Refusal string
	Finish  string // "" where it is null, missing or no text

	object, delta object
}

// StreamError is an event with an error envelope.
type StreamError struct {
	Event   int
	At      time.Duration
	Type    string
	Message string

	envelope, err object
}

// ParseChat takes a streamed chat completion apart. It never fails: what it
// cannot read is for the rules to judge. A body packed with gzip is judged
// unpacked.
func ParseChat(t *wire.Transcript, ask Ask) *Chat {
	return parseChunks(t, ask, readDelta)
}

// parseChunks takes a stream of chunks apart of which read reads a choice.
func parseChunks(t *wire.Transcript, ask Ask, read func(*Choice)) *Chat {
	c := &Chat{Framed: parseFramed(t, ask)}
	for i, e := range c.Stream.Events {
		if !e.Dispatched {
			continue
		}
		if string(e.Data) == "[DONE]" {
			c.Dones = append(c.Dones, i)
			continue
		}
		o, ok := parseObject(e.Data)
		switch {
		case !ok:
			c.Broken = append(c.Broken, i)
		case truthy(o.get("error")):
			c.Errors = append(c.Errors, streamError(i, c.Transcript.EventAt(e), o))
		default:
			k := Chunk{Event: i, At: c.Transcript.EventAt(e), Raw: e.Data, object: o}
			k.readChoices(read)
			c.Chunks = append(c.Chunks, k)
			if c.id == "" {
				c.id = text(o.get("id"))
			}
		}
	}
	return c
}

// truthy tells whether JavaScript takes v for true.
func truthy(v gjson.Result) bool {
	switch v.Type {
	case gjson.Null, gjson.False:
		return false
	case gjson.String:
		return text(v) != ""
	case gjson.Number:
		return v.Num != 0
	default:
		return true
	}
}

func streamError(event int, at time.Duration, o object) StreamError {
	e := StreamError{Event: event, At: at, envelope: o}
	e.err, _ = asObject(o.get("error"))
	e.Type, e.Message = text(e.err.get("type")), text(e.err.get("message"))
	return e
}

// readChoices reads the choices of a chunk, and with read what each says.
func (k *Chunk) readChoices(read func(*Choice)) {
	for _, v := range list(k.object.get("choices")) {
		co, ok := asObject(v)
		if !ok {
			continue
		}
		choice := Choice{object: co}
		if i, ok := integer(co.get("index")); ok {
			choice.Index = int(i)
		}
		choice.Finish = text(co.get("finish_reason"))
		read(&choice)
		k.Choices = append(k.Choices, choice)
	}
}

// readDelta reads what a choice of a chat completion says.
func readDelta(choice *Choice) {
	choice.delta, _ = asObject(choice.object.get("delta"))
	choice.Role = text(choice.delta.get("role"))
	choice.Content = text(choice.delta.get("content"))
	choice.Refusal = text(choice.delta.get("refusal"))
}

// usage returns the usage object of a chunk.
func (k Chunk) usage() (object, bool) { return asObject(k.object.get("usage")) }

// bare tells that the list of choices is there and empty.
func (k Chunk) bare() bool {
	v := k.object.get("choices")
	return v.IsArray() && len(list(v)) == 0
}

// Delta is one piece of the text of a choice.
type Delta struct {
	Text  string
	Event int // index into Stream.Events
	At    time.Duration
}

// Deltas returns the pieces of text of a choice that are not empty, in order.
func (c *Chat) Deltas(choice int) []Delta {
	var out []Delta
	for _, k := range c.Chunks {
		for _, ch := range k.Choices {
			if ch.Index == choice && ch.Content != "" {
				out = append(out, Delta{Text: ch.Content, Event: k.Event, At: k.At})
			}
		}
	}
	return out
}

// Text returns the text of a choice.
func (c *Chat) Text(choice int) string {
	var b strings.Builder
	for _, d := range c.Deltas(choice) {
		b.WriteString(d.Text)
	}
	return b.String()
}

// Finish returns the finish reason of a choice, "" if it has none.
func (c *Chat) Finish(choice int) string {
	for _, k := range c.Chunks {
		for _, ch := range k.Choices {
			if ch.Index == choice && ch.Finish != "" {
				return ch.Finish
			}
		}
	}
	return ""
}

// ID returns the id of the first chunk that has one.
func (c *Chat) ID() string { return c.id }

// Complete tells whether [DONE] arrived: the documents' own test.
func (c *Chat) Complete() bool { return len(c.Dones) > 0 }

// beforeDone returns the chunks before the first [DONE].
func (c *Chat) beforeDone() []Chunk {
	if !c.Complete() {
		return c.Chunks
	}
	n, _ := slices.BinarySearchFunc(c.Chunks, c.Dones[0], func(k Chunk, done int) int { return k.Event - done })
	return c.Chunks[:n]
}

// notes begins the findings of the rule of this name.
func (c *Chat) notes(rule string) *chatNotes {
	return &chatNotes{c.Framed.notes(rule), c}
}

// chatNotes are notes that know the chunks.
type chatNotes struct {
	*eventNotes
	c *Chat
}

// finish notes a finding at the first [DONE], or without one at the end.
func (n *chatNotes) finish(expected, seen string) {
	if n.c.Complete() {
		n.event(n.c.Dones[0], expected, seen)
		return
	}
	n.end(expected, seen)
}
