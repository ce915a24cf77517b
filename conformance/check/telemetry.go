package check

import (
	"math/big"
	"strconv"
	"strings"
	"time"

	"plumbline.dev/plumbline/conformance/wire"
)

// Names of events that the documents give.
const (
	eventOpen = "stream.open"
	eventCost = "cost.update"
	eventSums = "session.metrics"
)

// Step is one of the things that telemetry tells of each request.
type Step string

// The steps of a request.
const (
	StepRoute   Step = "routing decision"
	StepCache   Step = "prefix-cache outcome"
	StepLatency Step = "latency"
	StepCost    Step = "cost"
)

// Names are the names of the events that the documents leave open. An event of
// another name is known by its shape.
type Names struct{ Route, Cache, Latency string }

// Subscription is what a subscriber asked for and what is known about it.
type Subscription struct {
	Session   string
	Heartbeat time.Duration // between two pings; 0 leaves heartbeatMs to the documented 15 s
	Now       time.Time     // the wall clock when the request was sent
	Names     Names
}

// Telemetry is a stream of serving telemetry, taken apart but not judged.
type Telemetry struct {
	Framed
	Asked  Subscription
	Events []TelemetryEvent // that hold one JSON object
}

// TelemetryEvent is one event of serving telemetry.
type TelemetryEvent struct {
	Event     int // index into Stream.Events
	At        time.Duration
	Name      string
	RequestID string // "" if it has none
	Raw       []byte

	object object
}

// ParseTelemetry takes a stream of telemetry apart. It never fails: what it
// cannot read is for the rules to judge. The stream may still be open.
func ParseTelemetry(t *wire.Transcript, asked Subscription) *Telemetry {
	tel := &Telemetry{Framed: parseFramed(t, Ask{}), Asked: asked}
	for i, e := range tel.Stream.Events {
		if event, ok := ReadTelemetryEvent(e); ok {
			event.Event, event.At = i, tel.Transcript.EventAt(e)
			tel.Events = append(tel.Events, event)
		}
	}
	return tel
}

// ReadTelemetryEvent reads one event; false is for one that is not complete or
// holds no JSON object.
func ReadTelemetryEvent(e wire.Event) (TelemetryEvent, bool) {
	if !e.Dispatched {
		return TelemetryEvent{}, false
	}
	o, ok := parseObject(e.Data)
	return TelemetryEvent{Name: e.Name, RequestID: text(o.get("requestId")), Raw: e.Data, object: o}, ok
}

// IsCost tells whether it is the cost of a completion.
func (e TelemetryEvent) IsCost() bool { return e.Name == eventCost }

// IsSums tells whether it holds the sums of the session.
func (e TelemetryEvent) IsSums() bool { return e.Name == eventSums }

// Step tells which step of a request it tells, "" if none that is known.
func (e TelemetryEvent) Step(names Names) Step {
	switch e.Name {
	case "", eventOpen, eventSums:
		return ""
	case eventCost:
		return StepCost
	case names.Route:
		return StepRoute
	case names.Cache:
		return StepCache
	case names.Latency:
		return StepLatency
	}
	return e.stepByShape()
}

// stepByShape guesses at an event whose name nobody gave. Only the fields of the
// cache event are documented.
func (e TelemetryEvent) stepByShape() Step {
	name := strings.ToLower(e.Name)
	switch {
	case e.object.get("reuseRatio").Exists() && e.object.get("tier").Exists():
		return StepCache
	case strings.Contains(name, "latency") || e.hasKey("ttft"):
		return StepLatency
	case strings.Contains(name, "rout"):
		return StepRoute
	}
	return ""
}

func (e TelemetryEvent) hasKey(part string) bool {
	for _, m := range e.object.members {
		if strings.Contains(strings.ToLower(m.key), part) {
			return true
		}
	}
	return false
}

// Of returns the events about a completion, oldest first.
func (t *Telemetry) Of(id string) []TelemetryEvent {
	var events []TelemetryEvent
	for _, e := range t.Events {
		if e.RequestID == id && id != "" {
			events = append(events, e)
		}
	}
	return events
}

// StepOf returns the first event that tells this step of a completion.
func (t *Telemetry) StepOf(id string, step Step) (TelemetryEvent, bool) {
	for _, e := range t.Of(id) {
		if e.Step(t.Asked.Names) == step {
			return e, true
		}
	}
	return TelemetryEvent{}, false
}

// Unknown returns the names of the events about a completion that tell no known
// step. An event without a name is none that could be known.
func (t *Telemetry) Unknown(id string) []string {
	var names []string
	for _, e := range t.Of(id) {
		if e.Name != "" && e.Step(t.Asked.Names) == "" {
			names = append(names, e.Name)
		}
	}
	return names
}

// Costs returns the costs told of a completion, or of all of them if id is "".
func (t *Telemetry) Costs(id string) []Cost {
	var costs []Cost
	for _, e := range t.Events {
		if e.IsCost() && (id == "" || e.RequestID == id) {
			costs = append(costs, t.cost(e))
		}
	}
	return costs
}

// Sums returns every session.metrics, oldest first.
func (t *Telemetry) Sums() []Sums {
	var all []Sums
	for _, e := range t.Events {
		if e.IsSums() {
			all = append(all, Sums{eventOf: eventOf{t, e}})
		}
	}
	return all
}

// eventOf is an event with the stream in which it stands.
type eventOf struct {
	telemetry *Telemetry
	event     TelemetryEvent
}

// frameNotes collects the findings of one rule about one event.
type frameNotes struct {
	notes
	offset, line int
}

func (e eventOf) notes(rule string) *frameNotes {
	at := e.telemetry.Stream.Events[e.event.Event]
	return &frameNotes{notes: notes{rule: rule, t: e.telemetry.Transcript}, offset: at.Offset, line: at.Line}
}

func (n *frameNotes) bad(expected, seen string) { n.at(n.offset, n.line, expected, seen) }

// amount judges that the event holds the exact amount, rounded once.
func (n *frameNotes) amount(o object, key string, exact *big.Rat) {
	v := o.get(key)
	if sent := numberOf(v); !sentAs(exact, sent) {
		n.bad(key+" "+decimal(exact), key+" "+seen(v))
	}
}

// count judges that the event holds this count.
func (n *frameNotes) count(o object, key string, want int64) {
	v := o.get(key)
	if got, ok := integer(v); !ok || got != want {
		n.bad(key+" "+strconv.FormatInt(want, 10), key+" "+seen(v))
	}
}
