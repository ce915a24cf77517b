package check

import "strings"

// OneErrorLast: a failure is told by exactly one event error, whose data has the
// type error and an error with type and message; nothing follows it.
func (m *Messages) OneErrorLast() []Finding {
	n := m.notes("OneErrorLast")
	if len(m.Errors) == 0 {
		n.end("one error event", "the body ended without one")
		return n.found
	}
	first := m.Errors[0]
	if first.Name != "error" {
		n.event(first.Event, "a line event: error, without which the SDKs drop the event", "event: "+first.Name)
	}
	m.nothingAfter(n, first.Event, "the error event")
	return n.found
}

// NoEndAfterError: a reply that failed has no message_stop, and no message_delta
// that says why the model stopped.
func (m *Messages) NoEndAfterError() []Finding {
	n := m.notes("NoEndAfterError")
	for _, e := range m.Stops {
		n.event(e.Event, "no message_stop in a reply that failed", "message_stop")
	}
	for _, e := range m.Ends {
		n.event(e.Event, "no message_delta in a reply that failed", show(e.Raw))
	}
	return n.found
}

// ErrorEventShape: the error has a type and a message that are not empty, and the
// message tells nothing of the deployment.
func (m *Messages) ErrorEventShape() []Finding {
	n := m.notes("ErrorEventShape")
	for _, e := range m.Errors[:min(len(m.Errors), maxFindings)] {
		o, ok := asObject(e.object.get("error"))
		if !ok {
			n.event(e.Event, "error as an object", "error "+seen(e.object.get("error")))
			continue
		}
		for _, key := range []string{"type", "message"} {
			if v := o.get(key); strings.TrimSpace(text(v)) == "" {
				n.event(e.Event, "error."+key+" as a text that is not empty", key+" "+seen(v))
			}
		}
		if what := leak(text(o.get("message")), m.Ask.Keys); what != "" {
			n.event(e.Event, "a message without any address, path, key or stack", what+" in: "+text(o.get("message")))
		}
	}
	return n.found
}
