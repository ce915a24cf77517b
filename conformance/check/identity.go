package check

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// IDConstant: every chunk carries the same id, a text that is not empty.
func (c *Chat) IDConstant() []Finding { return c.constantText("IDConstant", "id") }

// ModelConstant: every chunk carries the same model, a text that is not empty.
func (c *Chat) ModelConstant() []Finding { return c.constantText("ModelConstant", "model") }

func (c *Chat) constantText(rule, key string) []Finding {
	n := c.notes(rule)
	first := ""
	for _, k := range c.Chunks {
		v := k.object.get(key)
		switch s := text(v); {
		case s == "":
			n.event(k.Event, "a text as "+key+" of every chunk", key+" "+seen(v))
		case first == "":
			first = s
		case s != first:
			n.event(k.Event, fmt.Sprintf("%s %q as in the chunks before", key, first), seen(v))
		}
	}
	return n.found
}

// IDForm: an id is chatcmpl- and 24 lower-case hexadecimal digits.
func (c *Chat) IDForm() []Finding {
	n := c.notes("IDForm")
	judged := map[string]bool{}
	for _, k := range c.Chunks {
		id := text(k.object.get("id"))
		if !judged[id] && !idForm(id) {
			n.event(k.Event, "an id of chatcmpl- and 24 lower-case hexadecimal digits", id)
		}
		judged[id] = true
	}
	return n.found
}

func idForm(id string) bool {
	digits, ok := strings.CutPrefix(id, "chatcmpl-")
	return ok && len(digits) == 24 && strings.Trim(digits, "0123456789abcdef") == ""
}

// CreatedConstant: every chunk carries the same created, in seconds and within
// an hour of the request.
func (c *Chat) CreatedConstant() []Finding {
	n := c.notes("CreatedConstant")
	var first int64
	known := false
	for _, k := range c.Chunks {
		v := k.object.get("created")
		created, ok := integer(v)
		switch {
		case !ok:
			n.event(k.Event, "created as whole seconds on every chunk", "created "+seen(v))
		case !known:
			first, known = created, true
			if !c.Ask.Now.IsZero() && time.Unix(created, 0).Sub(c.Ask.Now).Abs() > time.Hour {
				n.event(k.Event, "created within an hour of "+strconv.FormatInt(c.Ask.Now.Unix(), 10), seen(v))
			}
		case created != first:
			n.event(k.Event, fmt.Sprintf("created %d as in the chunks before", first), seen(v))
		}
	}
	return n.found
}

// DistinctIDs judges several replies together: no two share an id. The finding
// stands at the first chunk of the later one.
func DistinctIDs(chats ...*Chat) []Finding {
	owner := map[string]bool{}
	var found []Finding
	for i, c := range chats {
		id := c.ID()
		if id == "" {
			continue
		}
		if owner[id] {
			n := c.notes("DistinctIDs")
			n.event(c.Chunks[0].Event, "an id that no other reply has", fmt.Sprintf("reply %d has %s again", i+1, id))
			found = append(found, n.found...)
		}
		owner[id] = true
	}
	return found
}
