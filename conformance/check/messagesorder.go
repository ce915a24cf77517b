package check

import (
	"fmt"
	"slices"
	"strings"
)

func (m *Messages) misplace(e NamedEvent, expected, seenFormat string, args ...any) {
	m.disorder = append(m.disorder, misplaced{e.Event, expected, fmt.Sprintf(seenFormat, args...)})
}

// over tells what must not be before a block: the end of the message.
func (m *Messages) over(e NamedEvent) {
	if len(m.Ends) > 0 {
		m.misplace(e, "nothing of a block after message_delta", "%s", e.Type)
	}
	if len(m.Starts) == 0 {
		m.misplace(e, "message_start before any block", "%s", e.Type)
	}
}

// begin opens a block.
func (m *Messages) begin(e NamedEvent) {
	m.over(e)
	if m.open != nil {
		m.misplace(e, "one block at a time", "content_block_start before the stop of the one before")
	}
	if index, ok := integer(e.object.get("index")); !ok || index != int64(len(m.Blocks)) {
		m.misplace(e, fmt.Sprintf("index %d of the next block", len(m.Blocks)), "index %s", seen(e.object.get("index")))
	}
	b := &Block{start: e}
	b.block, _ = asObject(e.object.get("content_block"))
	b.Type = text(b.block.get("type"))
	m.Blocks, m.open = append(m.Blocks, b), b
}

// current returns the open block if the event is about it.
func (m *Messages) current(e NamedEvent) *Block {
	m.over(e)
	if m.open == nil {
		m.misplace(e, "a block that is open", "%s without one", e.Type)
		return nil
	}
	if index, ok := integer(e.object.get("index")); !ok || index != int64(len(m.Blocks)-1) {
		m.misplace(e, fmt.Sprintf("index %d of the open block", len(m.Blocks)-1), "index %s", seen(e.object.get("index")))
	}
	return m.open
}

// delta takes a piece of a block.
func (m *Messages) delta(e NamedEvent) {
	b := m.current(e)
	if b == nil {
		return
	}
	d, _ := asObject(e.object.get("delta"))
	kind := text(d.get("type"))
	if allowed, known := deltasOf[b.Type]; known && !slices.Contains(allowed, kind) {
		m.misplace(e, fmt.Sprintf("a delta %s of a block of type %s", allowed[0], b.Type), "a delta %s", kind)
		return
	}
	if key := pieces[kind]; key != "" {
		b.Deltas = append(b.Deltas, Delta{Text: text(d.get(key)), Event: e.Event, At: e.At})
	}
}

// stop closes a block.
func (m *Messages) stop(e NamedEvent) {
	if b := m.current(e); b != nil {
		b.stopped, m.open = true, nil
	}
}

// StartFirst: the stream begins with message_start, which comes once. A ping may
// stand before it.
func (m *Messages) StartFirst() []Finding {
	n := m.notes("StartFirst")
	for _, e := range m.Events {
		if e.Type == "ping" {
			continue
		}
		if e.Type != "message_start" {
			n.event(e.Event, "message_start as the first event", e.Type)
		}
		break
	}
	for _, e := range m.Starts[min(1, len(m.Starts)):] {
		n.event(e.Event, "message_start once", "another one")
	}
	return n.found
}

// BlockOrder: blocks have the indexes 0, 1, 2 and so on, and come one after the
// other: its start, its deltas, its stop; none after message_delta.
func (m *Messages) BlockOrder() []Finding {
	n := m.notes("BlockOrder")
	for _, d := range m.disorder {
		n.event(d.event, d.expected, d.seen)
	}
	return n.found
}

// StopLast: message_delta comes before message_stop, which comes once, and nothing
// but the end of the body follows.
func (m *Messages) StopLast() []Finding {
	n := m.notes("StopLast")
	if len(m.Stops) == 0 {
		n.end("message_stop", "the body ended without it")
		return n.found
	}
	if first := m.Stops[0]; len(m.Ends) == 0 || m.Ends[0].Event > first.Event {
		n.event(first.Event, "message_delta before message_stop", "none")
	}
	m.nothingAfter(n, m.Stops[0].Event, "message_stop")
	return n.found
}

// StopReasons: message_delta says with a documented word why the message ended,
// and which stop sequence it was if it was one.
func (m *Messages) StopReasons() []Finding {
	n := m.notes("StopReasons")
	if len(m.Ends) == 0 {
		return nil
	}
	last := m.Ends[len(m.Ends)-1].Event
	stopReasons(m.stopField("stop_reason").Raw, m.StopReason(), m.StopSequence(), m.hasCall(), func(expected, seen string) { n.event(last, expected, seen) })
	return n.found
}

func (m *Messages) hasCall() bool {
	return slices.ContainsFunc(m.Blocks, func(b *Block) bool { return b.Type == "tool_use" })
}

var stopWords = []string{"end_turn", "max_tokens", "stop_sequence", "tool_use", "pause_turn", "refusal", "model_context_window_exceeded"}

// stopReasons judges why a message ended.
func stopReasons(raw, reason, sequence string, call bool, bad func(expected, seen string)) {
	switch {
	case !slices.Contains(stopWords, reason):
		bad("stop_reason "+strings.Join(stopWords, ", "), "stop_reason "+raw)
	case (reason == "stop_sequence") != (sequence != ""):
		bad("stop_sequence named if and only if stop_reason is stop_sequence", fmt.Sprintf("stop_reason %s, stop_sequence %q", reason, sequence))
	case reason == "tool_use" && !call:
		bad("a tool_use block behind stop_reason tool_use", "none")
	case reason == "end_turn" && call:
		bad("stop_reason tool_use behind a tool_use block", "stop_reason end_turn")
	}
}

// ToolInput: a tool_use block begins with its id, its name and an empty input,
// and its deltas make up one JSON object, unless the message was cut.
func (m *Messages) ToolInput() []Finding {
	n := m.notes("ToolInput")
	for _, b := range m.Blocks {
		if b.Type != "tool_use" {
			continue
		}
		for _, key := range []string{"id", "name"} {
			if v := b.block.get(key); text(v) == "" {
				n.event(b.start.Event, "a tool_use block with "+key, key+" "+seen(v))
			}
		}
		if v := b.block.get("input"); !v.IsObject() || len(v.Map()) > 0 {
			n.event(b.start.Event, "a tool_use block that begins with input {}", "input "+seen(v))
		}
		whole := joined(b.Deltas)
		if _, ok := parseObject([]byte(whole)); !ok && whole != "" && m.StopReason() == "tool_use" {
			n.event(b.start.Event, "deltas that make up one JSON object", whole)
		}
	}
	return n.found
}
