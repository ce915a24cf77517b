package check

import (
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/conformance/wire"
)

// sdkLine is the longest line that openai-go reads, in bytes.
const sdkLine = 32 << 20

// SDKReads: what the official OpenAI SDKs need in order to read a complete
// reply to its end is there. Each expectation names an SDK that breaks without.
func (c *Chat) SDKReads() []Finding {
	n := c.notes("SDKReads")
	if s := c.Transcript.Status; s != 0 && (s < http.StatusOK || s > 299) {
		n.head("a status from 200 to 299: every SDK throws on another", fmt.Sprintf("status %d", s))
	}
	n.sdkFraming()
	n.sdkEvents()
	n.sdkHelpers()
	if end := c.Transcript.End; end == wire.EndCut || end == wire.EndReset {
		n.end("a clean end of the body: openai-node throws although [DONE] arrived", string(end))
	}
	return n.found
}

// sdkFraming judges what the decoders of the SDKs cannot read.
func (n *chatNotes) sdkFraming() {
	s := n.c.Stream
	if s.BOM {
		n.at(0, 1, "no byte order mark: openai-python and openai-go lose the first event", "\uFEFF")
	}
	for _, l := range s.Lines {
		if l.Ending == "\r" {
			n.at(l.Offset, l.Number, "no line that ends with CR alone: openai-go reads no event", show(l.Text))
		}
		if len(l.Text) > sdkLine {
			n.at(l.Offset, l.Number, "lines of at most 32 MiB: openai-go reads no longer ones", fmt.Sprintf("%d bytes", len(l.Text)))
		}
		if !utf8.Valid(l.Text) {
			n.at(l.Offset, l.Number, "valid UTF-8: openai-python throws", show(l.Text))
		}
	}
}

// sdkEvents judges the events that come before [DONE], where the SDKs stop.
func (n *chatNotes) sdkEvents() {
	stop := len(n.c.Stream.Events)
	if n.c.Complete() {
		stop = n.c.Dones[0]
	}
	id := false
	for i, e := range n.c.Stream.Events[:stop] {
		data := show(e.Data)
		names := map[string]bool{}
		for _, f := range e.Fields {
			names[f.Name] = true
		}
		id = id || names["id"]
		switch {
		case !e.Terminated && len(data) > 0 && !n.c.leftEarly():
			n.event(i, "a blank line after each event: most SDKs drop one without", data)
		case !e.Terminated:
		case !names["data"] && (names["event"] || names["id"] || names["retry"]):
			n.event(i, "data in every event: openai-python throws on an event without", "an event without data")
		case e.Dispatched && data == "":
			n.event(i, "data that is not empty: the SDKs throw on JSON", "empty data")
		case e.Name == "error" || strings.HasPrefix(e.Name, "thread."):
			n.event(i, "no name that the SDKs treat otherwise", "event: "+e.Name)
		case strings.HasPrefix(data, "[DONE]"):
			n.event(i, "[DONE] and nothing else: openai-node throws", data)
		}
	}
	for _, i := range n.c.Broken {
		if data := show(n.c.Stream.Events[i].Data); i < stop && data != "" && !strings.HasPrefix(data, "[DONE]") {
			n.event(i, "data that is a JSON object: the SDKs throw", data)
		}
	}
	if id && len(n.c.Stream.Comments) > 0 {
		k := n.c.Stream.Comments[0]
		n.at(k.Offset, k.Line, "no comment in a stream with id lines: openai-python throws", k.Text)
	}
	for _, e := range n.c.Errors {
		if e.Event > stop {
			break
		}
		n.event(e.Event, "no error: every SDK throws", show(n.c.Stream.Events[e.Event].Data))
	}
}

// sdkHelpers judges what the SDKs' accumulators need of the chunks.
func (n *chatNotes) sdkHelpers() {
	c := n.c
	usage, roles, finishes := false, map[int]bool{}, map[int]bool{}
	for _, k := range c.beforeDone() {
		n.sdkChunk(k)
		_, ok := k.usage()
		usage = usage || ok
		for _, ch := range k.Choices {
			roles[ch.Index] = roles[ch.Index] || ch.Role != ""
			finishes[ch.Index] = finishes[ch.Index] || ch.Finish != ""
		}
	}
	if len(c.beforeDone()) == 0 {
		n.finish("a chunk: the helpers of openai-node throw without any", "none")
		return
	}
	for i := range min(c.Ask.choices(), maxChoices) {
		if !roles[i] {
			n.finish(fmt.Sprintf("a role of choice %d: the helpers of openai-node throw", i), "none")
		}
		if !finishes[i] {
			n.finish(fmt.Sprintf("a finish reason of choice %d: the helpers of openai-node throw", i), "none")
		}
	}
	if c.Ask.IncludeUsage && !usage {
		n.finish("the usage that was asked for", "none before the end")
	}
}

// sdkChunk judges one chunk.
func (n *chatNotes) sdkChunk(k Chunk) {
	o := k.object
	if v := o.get("error"); v.Exists() {
		n.event(k.Event, "no error key: openai-go throws even on null", "error "+seen(v))
	}
	if v := o.get("object"); text(v) != "chat.completion.chunk" {
		n.event(k.Event, "object chat.completion.chunk: openai-python's helper skips others", "object "+seen(v))
	}
	if v := o.get("choices"); !v.IsArray() {
		n.event(k.Event, "a list of choices: the helpers of openai-node throw", "choices "+seen(v))
	}
	if id := text(o.get("id")); id != n.c.ID() {
		n.event(k.Event, "the same id in every chunk: openai-go's accumulator refuses others", "id "+seen(o.get("id")))
	}
	for _, ch := range k.Choices {
		if v := ch.object.get("index"); v.Type != gjson.Number {
			n.event(k.Event, "an index of each choice: the accumulators file by it", "index "+seen(v))
		}
		if v := ch.object.get("delta"); !v.IsObject() {
			n.event(k.Event, "a delta of each choice: the documented example reads it", "delta "+seen(v))
		}
		for _, call := range list(ch.delta.get("tool_calls")) {
			if _, ok := readToolDelta(call); !ok {
				n.event(k.Event, "an index of each tool call: the helpers of openai-node throw", call.Raw)
			}
		}
	}
}
