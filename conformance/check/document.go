package check

import (
	"fmt"
	"mime"

	"plumbline.dev/plumbline/conformance/wire"
)

// document is an answer whose body is one JSON object.
type document struct {
	Transcript *wire.Transcript

	keys []string
	body object
	ok   bool // the body is one JSON object
}

func parseDocument(t *wire.Transcript, keys []string) document {
	t = t.Decoded()
	d := document{Transcript: t, keys: keys}
	d.body, d.ok = parseObject(t.Body)
	return d
}

func (d *document) notes(rule string) *notes {
	return &notes{rule: rule, t: d.Transcript, keys: d.keys}
}

// body notes a finding about the document.
func (n *notes) body(expected, seen string) { n.at(0, 1, expected, seen) }

// json judges that the body is one JSON object and says so in its head.
func (d *document) json(n *notes) {
	value := d.Transcript.Header.Get("Content-Type")
	if media, _, err := mime.ParseMediaType(value); err != nil || media != "application/json" {
		n.head("Content-Type: application/json", "Content-Type: "+value)
	}
	if !d.ok {
		n.body("one JSON object", show(d.Transcript.Body))
	}
}

// status judges the status of the answer.
func (d *document) status(n *notes, want int) {
	if d.Transcript.Status != want {
		n.head(fmt.Sprintf("status %d", want), fmt.Sprintf("status %d", d.Transcript.Status))
	}
}
