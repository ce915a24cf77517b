package check

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plumbline.dev/plumbline/conformance/wire"
)

// at is a transcript whose events came one by one at these times.
func at(times []time.Duration, events ...string) *wire.Transcript {
	tr := answer(events...)
	tr.Reads, tr.HeaderAt = nil, 0
	end := 0
	for i, event := range events {
		end += len(event)
		tr.Reads = append(tr.Reads, wire.Read{End: end, At: times[i]})
	}
	return tr
}

const tick = "event: metrics.tick\ndata: {\"requests\":4820148,\"tokensProcessed\":1900081374,\"medianTtftMs\":210,\"blendedCostPerMillion\":1.53,\"cacheHitRate\":0.62,\"requestsPerSecond\":148,\"activeReplicas\":6,\"at\":1767225600000}\n\n"

func TestFleetRules(t *testing.T) {
	edit := func(old, new string) string { return changed(t, tick, old, new) }
	tests := map[string]struct {
		events []string
		want   []string
	}{
		"good":                   {[]string{tick, tick}, nil},
		"legal: figures go down": {[]string{tick, edit("210", "150.5"), edit(":148", ":90.25"), edit(":6", ":1"), edit("0.62", "1")}, nil},
		"legal: more figures":    {[]string{ping, edit("{", `{"region":"eu",`)}, nil},
		"no tick":                {nil, []string{"Frames", "HasTicks", "TickBounds", "TickFields"}},
		"another event":          {[]string{tick, open}, []string{"Frames"}},
		"an unnamed tick":        {[]string{tick, strings.TrimPrefix(tick, "event: metrics.tick\n")}, []string{"Frames"}},
		"no at":                  {[]string{edit(`,"at":1767225600000`, "")}, []string{"TickFields"}},
		"at in seconds":          {[]string{edit("1767225600000", "1767225600")}, []string{"TickFields"}},
		"a figure is missing":    {[]string{edit(`"cacheHitRate":0.62,`, "")}, []string{"TickBounds", "TickFields"}},
		"a figure as text":       {[]string{edit("1.53", `"1.53"`)}, []string{"TickBounds", "TickFields"}},
		"requests decrease":      {[]string{tick, edit("4820148", "4820147")}, []string{"TickBounds"}},
		"tokens decrease":        {[]string{tick, edit("1900081374", "1")}, []string{"TickBounds"}},
		"half a request":         {[]string{edit("4820148", "4820148.5")}, []string{"TickBounds"}},
		"a hit rate in percent":  {[]string{edit("0.62", "62")}, []string{"TickBounds"}},
		"a hit rate below 0":     {[]string{edit("0.62", "-0.1")}, []string{"TickBounds"}},
		"no replica":             {[]string{edit(":6", ":0")}, []string{"TickBounds"}},
		"half a replica":         {[]string{edit(":6", ":5.5")}, []string{"TickBounds"}},
		"no rate":                {[]string{edit(":148,", ":0,")}, []string{"TickBounds"}},
		"no time to first token": {[]string{edit("210", "0")}, []string{"TickBounds"}},
		"a cost of nothing":      {[]string{edit("1.53", "-1.53")}, []string{"TickBounds"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			fleet := ParseFleet(answer(tt.events...), subscription.Now)
			found := slices.Concat(fleet.EventStream(), fleet.HasTicks(), fleet.Frames(), fleet.TickFields(), fleet.TickBounds())
			assert.Equal(t, tt.want, names(found))
			wellFormed(t, found)
		})
	}
}

func TestTickPace(t *testing.T) {
	const s = time.Second
	tests := map[string]struct {
		times []time.Duration
		until time.Duration
		want  int
	}{
		"good":                 {[]time.Duration{0, 2 * s, 4 * s, 6 * s}, 7 * s, 0},
		"the first after 2 s":  {[]time.Duration{2 * s, 4 * s, 6 * s}, 7 * s, 0},
		"within the tolerance": {[]time.Duration{s / 10, 21 * s / 10, 4 * s, 63 * s / 10}, 7 * s, 0},
		"none":                 {nil, 7 * s, 1},
		"one alone":            {[]time.Duration{0}, 7 * s, 1},
		"every second":         {[]time.Duration{0, s, 2 * s, 3 * s, 4 * s, 5 * s, 6 * s}, 7 * s, 6},
		"every 3 s":            {[]time.Duration{0, 3 * s, 6 * s}, 7 * s, 2},
		"one is left out":      {[]time.Duration{0, 2 * s, 6 * s}, 7 * s, 1},
		"all at once, at last": {[]time.Duration{7 * s, 7 * s, 7 * s}, 7 * s, 3},
		"they stop":            {[]time.Duration{0, 2 * s}, 7 * s, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			events := slices.Repeat([]string{tick}, len(tt.times))
			found := ParseFleet(at(tt.times, events...), subscription.Now).TickPace(2*s, 300*time.Millisecond, tt.until)
			assert.Len(t, found, tt.want, "%v", found)
			wellFormed(t, found)
		})
	}
}
