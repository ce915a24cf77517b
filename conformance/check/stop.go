package check

import (
	"net/http"

	"plumbline.dev/plumbline/conformance/wire"
)

// StopAnswer judges the answer to a stop that stopped the generation id: 200
// with {id, object: generation, status: stopped}. It judges mortar-cancel-12.
func StopAnswer(t *wire.Transcript, id string) []Finding {
	d := parseDocument(t, nil)
	n := d.notes("StopAnswer")
	d.status(n, http.StatusOK)
	d.json(n)
	for _, want := range []struct{ key, value string }{
		{"id", id}, {"object", "generation"}, {"status", "stopped"},
	} {
		if v := d.body.get(want.key); d.ok && text(v) != want.value {
			n.body(want.key+" "+want.value, want.key+" "+seen(v))
		}
	}
	return n.found
}
