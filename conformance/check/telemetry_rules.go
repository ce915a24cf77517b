package check

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"plumbline.dev/plumbline/conformance/wire"
)

// documentedHeartbeat is the time between two pings of a telemetry stream.
const documentedHeartbeat = 15 * time.Second

// clockTolerance is how far the target's wall clock may be from ours.
const clockTolerance = time.Minute

// Frames: each frame has one event line that names it and one data line that
// holds a JSON object. Lines that an EventSource ignores or keeps for itself (id,
// retry) are allowed.
func (t *Telemetry) Frames() []Finding {
	n := t.notes("Frames")
	n.frames("")
	return n.found
}

// frames judges every complete frame, and its name if one is given.
func (n *eventNotes) frames(name string) {
	complete := 0
	for i, e := range n.stream.Events {
		if !e.Terminated {
			continue // it is still on its way
		}
		complete++
		names, data := 0, 0
		for _, f := range e.Fields {
			switch f.Name {
			case "event":
				names++
			case "data":
				data++
			}
		}
		_, object := parseObject(e.Data)
		switch {
		case names != 1 || e.Name == "":
			n.event(i, "one event line that names the frame", fmt.Sprintf("%d event lines, the name %q", names, e.Name))
		case name != "" && e.Name != name:
			n.event(i, "event: "+name, "event: "+e.Name)
		case data != 1:
			n.event(i, "one data line in the frame", fmt.Sprintf("%d", data))
		case !object:
			n.event(i, "a JSON object as data", show(e.Data))
		}
	}
	if complete == 0 {
		n.end("a named event", "none")
	}
}

// OpenFirst: stream.open is the first event, and comes once.
func (t *Telemetry) OpenFirst() []Finding {
	n := t.notes("OpenFirst")
	if len(t.Stream.Events) == 0 {
		n.end("stream.open", "no event")
	}
	for i, e := range t.Stream.Events {
		switch {
		case i == 0 && e.Name != eventOpen:
			n.event(i, "stream.open as the first event", e.Name)
		case i > 0 && e.Name == eventOpen:
			n.event(i, "stream.open once", "a second one")
		}
	}
	return n.found
}

// open returns the first event if it is stream.open.
func (t *Telemetry) open(n *eventNotes) (eventOf, bool) {
	if len(t.Events) == 0 || t.Events[0].Name != eventOpen {
		n.end("stream.open", "none")
		return eventOf{}, false
	}
	return eventOf{t, t.Events[0]}, true
}

// OpenAtOnce: stream.open comes within limit.
func (t *Telemetry) OpenAtOnce(limit time.Duration) []Finding {
	n := t.notes("OpenAtOnce")
	if open, ok := t.open(n); ok && open.event.At > limit {
		n.add(Finding{At: open.event.At, Expected: fmt.Sprintf("stream.open within %s", limit), Seen: "after " + seconds(open.event.At)})
	}
	return n.found
}

// OpenFields: stream.open names the session that was asked for, the time between
// two pings, and the server's time in Unix milliseconds.
func (t *Telemetry) OpenFields() []Finding {
	n := t.notes("OpenFields")
	open, ok := t.open(n)
	if !ok {
		return n.found
	}
	on, o := open.notes("OpenFields"), open.event.object
	if v := o.get("sessionId"); text(v) != t.Asked.Session {
		on.bad("sessionId "+t.Asked.Session, "sessionId "+seen(v))
	}
	documented, inForce := documentedHeartbeat.Milliseconds(), t.Asked.Heartbeat.Milliseconds()
	if beat, ok := integer(o.get("heartbeatMs")); !ok || beat != documented && (inForce == 0 || beat != inForce) {
		if inForce == 0 {
			inForce = documented
		}
		on.bad(fmt.Sprintf("heartbeatMs %d", inForce), "heartbeatMs "+seen(o.get("heartbeatMs")))
	}
	t.clock(on, o, "serverTime", open.event.At)
	return on.found
}

// clock judges a time in Unix milliseconds that was sent shortly before it came.
func (t *Telemetry) clock(n *frameNotes, o object, key string, at time.Duration) (int64, bool) {
	v := o.get(key)
	ms, ok := integer(v)
	if !ok {
		n.bad(key+" in Unix milliseconds", key+" "+seen(v))
		return 0, false
	}
	earliest, latest := t.Asked.Now.Add(-clockTolerance), t.Asked.Now.Add(at+clockTolerance)
	if ms < earliest.UnixMilli() || ms > latest.UnixMilli() {
		n.bad(fmt.Sprintf("%s near %d, in Unix milliseconds", key, t.Asked.Now.UnixMilli()), key+" "+v.Raw)
		return 0, false
	}
	return ms, true
}

// AtOrder: every event after stream.open carries at, in Unix milliseconds, which
// never decreases.
func (t *Telemetry) AtOrder() []Finding {
	n := t.notes("AtOrder")
	last, judged := int64(0), 0
	for _, e := range t.Events {
		if e.Name == eventOpen {
			continue
		}
		judged++
		on := eventOf{t, e}.notes("AtOrder")
		if at, ok := t.clock(on, e.object, "at", e.At); ok {
			if at < last {
				on.bad(fmt.Sprintf("at of %d or later, as the event before", last), fmt.Sprintf("at %d", at))
			}
			last = max(last, at)
		}
		n.found = append(n.found, on.found...)
	}
	if judged == 0 {
		n.end("an event after stream.open", "none")
	}
	return n.found[:min(len(n.found), maxFindings)]
}

// RequestIDs: each event about a completion carries its id. Every completion of
// the stream is known, by its id.
func (t *Telemetry) RequestIDs(ids ...string) []Finding {
	n := t.notes("RequestIDs")
	judged := 0
	for _, e := range t.Events {
		if e.Step(t.Asked.Names) == "" {
			continue
		}
		judged++
		if !slices.Contains(ids, e.RequestID) {
			n.event(e.Event, "requestId "+strings.Join(ids, " or "), e.Name+" with requestId "+seen(e.object.get("requestId")))
		}
	}
	if judged == 0 {
		n.end("events about a completion", "none")
	}
	return n.found
}

// NoOthers: the stream tells of these completions, each of them, and of no other one.
func (t *Telemetry) NoOthers(ids ...string) []Finding {
	n := t.notes("NoOthers")
	told := map[string]bool{}
	for _, e := range t.Events {
		told[e.RequestID] = true
		if e.RequestID != "" && !slices.Contains(ids, e.RequestID) {
			n.event(e.Event, "events of "+strings.Join(ids, " and ")+" alone", e.Name+" of "+e.RequestID)
		}
	}
	for _, id := range ids {
		if !told[id] {
			n.end("events of "+id, "none")
		}
	}
	return n.found
}

// SumsOfOwn: each session.metrics adds up the prompts of completions whose costs
// the stream has told before it, oldest first, and of no other ones.
func (t *Telemetry) SumsOfOwn() []Finding {
	n := t.notes("SumsOfOwn")
	prompt := int64(0)
	totals := []int64{0}
	for _, e := range t.Events {
		if e.IsCost() {
			prompt += e.count("promptTokens")
			totals = append(totals, prompt)
		}
		if sum, ok := e.SumOfPrompt(); ok && !slices.Contains(totals, sum) {
			n.event(e.Event, fmt.Sprintf("sums of the requests that were told, which have %d prompt tokens", prompt), fmt.Sprintf("session.metrics of %d", sum))
		}
	}
	return n.found
}

// Empty: stream.open is the only event.
func (t *Telemetry) Empty() []Finding {
	n := t.notes("Empty")
	t.open(n)
	for i, e := range t.Stream.Events {
		if e.Name != eventOpen {
			n.event(i, "no event but stream.open", "event "+e.Name)
		}
	}
	return n.found
}

// AllowsOrigin: a page of this origin may read the answer without credentials.
func AllowsOrigin(t *wire.Transcript, origin string) []Finding {
	n := notes{rule: "AllowsOrigin", t: t}
	if t.Status != http.StatusOK {
		n.head("status 200", fmt.Sprintf("status %d", t.Status))
	}
	values := t.Header.Values("Access-Control-Allow-Origin")
	if len(values) != 1 || values[0] != "*" && values[0] != origin {
		n.head("Access-Control-Allow-Origin: "+origin+" or *", "Access-Control-Allow-Origin: "+strings.Join(values, ", "))
	}
	return n.found
}
