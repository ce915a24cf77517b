package check

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The example of the documents, completed with the events that they leave open.
const (
	exampleID = "chatcmpl-7c1e9a3f5b2d4c6e8a0f1b3d"
	otherID   = "chatcmpl-0d0d0d0d0d0d0d0d0d0d0d0d"
	session   = "3e7c9f1a-5b2d-4c8e-9a6f-0d1b2c3e4f5a"

	open  = "event: stream.open\ndata: {\"sessionId\":\"" + session + "\",\"heartbeatMs\":15000,\"serverTime\":1767225600000}\n\n"
	route = "event: route.decision\ndata: {\"at\":1767225600100,\"requestId\":\"" + exampleID + "\",\"server\":\"gpu-1\"}\n\n"
	miss  = "event: cache.lookup\ndata: {\"at\":1767225600100,\"requestId\":\"" + exampleID + "\",\"reuseRatio\":0,\"tier\":null}\n\n"
	late  = "event: latency.update\ndata: {\"at\":1767225600200,\"requestId\":\"" + exampleID + "\",\"ttftMs\":12.5}\n\n"
	cost  = `event: cost.update
data: {"at":1767225600200,"baseline":"Same model, no prefix cache","baselineUsd":0.0000441886,"billedPromptTokens":502,"cacheReadTokens":0,"cacheReadUsd":0,"cacheWriteTokens":502,"cacheWriteUsd":0.00001964075,"completionTokens":120,"inputUsd":0.00001964075,"outputUsd":0.000028476,"promptTokens":502,"requestId":"chatcmpl-7c1e9a3f5b2d4c6e8a0f1b3d","savedUsd":-0.00000392815,"totalTokens":622,"totalUsd":0.00004811675,"usageSource":"estimate"}

`
	sums = "event: session.metrics\ndata: {\"at\":1767225600200,\"savedUsd\":-0.00000392815,\"reusedTokens\":0,\"prefilledTokens\":502,\"usageSource\":\"estimate\",\"totalUsd\":0.00004811675}\n\n"
	ping = ": ping\n\n"
)

var subscription = Subscription{Session: session, Now: time.UnixMilli(1767225599900)}

func telemetryOf(events ...string) *Telemetry { return ParseTelemetry(answer(events...), subscription) }

// changed is an event in which one text stands for another.
func changed(t testing.TB, event, old, new string) string {
	t.Helper()
	require.Contains(t, event, old)
	return strings.Replace(event, old, new, 1)
}

func TestTelemetryRules(t *testing.T) {
	edit := func(event, old, new string) string { return changed(t, event, old, new) }
	whole := func(events ...string) []string { return append([]string{open}, events...) }
	all := func(tel *Telemetry) (found []Finding) {
		found = slices.Concat(tel.EventStream(), tel.Frames(), tel.OpenFirst(), tel.OpenFields(), tel.OpenAtOnce(time.Second),
			tel.AtOrder(), tel.RequestIDs(exampleID), tel.NoOthers(exampleID), tel.SumsOfOwn(), tel.SumsFollow(exampleID), tel.OneCost(exampleID),
			tel.CacheOutcome(exampleID), tel.ReuseIs(exampleID, 0, 502))
		for _, step := range []Step{StepRoute, StepCache, StepLatency, StepCost} {
			found = append(found, tel.Tells(exampleID, step)...)
		}
		return found
	}
	tests := map[string]struct {
		events []string
		want   []string
	}{
		"good": {whole(route, miss, late, cost, sums), nil},
		"legal: pings, ids, retry, other names, another order of keys": {[]string{
			"retry: 1000\nid: 0\n" + open, ping, "id: 7\n" + edit(route, "route.decision", "routing"), ping, edit(miss, "cache.lookup", "prefix"),
			edit(edit(late, "latency.update", "timing"), `{"at":1767225600200,`, `{"extra":{"a":[1]},"at":1767225600200,`), cost, sums}, nil},
		"legal: the data line first":  {whole("data: "+strings.TrimSuffix(strings.SplitN(route, "data: ", 2)[1], "\n")+"event: route.decision\n\n", miss, late, cost, sums), nil},
		"legal: sums of nothing":      {whole(edit(edit(sums, "00200", "00100"), "502", "0"), route, miss, late, cost, sums), nil},
		"legal: sums told again":      {whole(route, miss, late, cost, sums, sums), nil},
		"legal: sums of a part":       {whole(route, miss, late, cost, edit(sums, `"reusedTokens":0,"prefilledTokens":502,`, "")), nil},
		"legal: events of the future": {whole(route, miss, late, cost, sums, "event: session.note\ndata: {\"at\":1767225600201}\n\n"), nil},
		"legal: half an event more":   {whole(route, miss, late, cost, sums, "event: cost.upd"), nil},

		"nothing":                {nil, []string{"AtOrder", "CacheOutcome", "Frames", "NoOthers", "OneCost", "OpenAtOnce", "OpenFields", "OpenFirst", "RequestIDs", "ReuseIs", "SumsFollow", "Tells"}},
		"stream.open alone":      {whole(), []string{"AtOrder", "CacheOutcome", "NoOthers", "OneCost", "RequestIDs", "ReuseIs", "SumsFollow", "Tells"}},
		"no stream.open":         {[]string{route, miss, late, cost, sums}, []string{"OpenAtOnce", "OpenFields", "OpenFirst"}},
		"stream.open twice":      {whole(open, route, miss, late, cost, sums), []string{"OpenFirst"}},
		"stream.open not first":  {[]string{route, open, miss, late, cost, sums}, []string{"OpenAtOnce", "OpenFields", "OpenFirst"}},
		"another session":        {append([]string{edit(open, "3e7c", "3e7d")}, route, miss, late, cost, sums), []string{"OpenFields"}},
		"a heartbeat of 10 s":    {append([]string{edit(open, "15000", "10000")}, route, miss, late, cost, sums), []string{"OpenFields"}},
		"a heartbeat in seconds": {append([]string{edit(open, "15000", "15")}, route, miss, late, cost, sums), []string{"OpenFields"}},
		"server time in seconds": {append([]string{edit(open, "1767225600000", "1767225600")}, route, miss, late, cost, sums), []string{"OpenFields"}},
		"server time as text":    {append([]string{edit(open, "1767225600000", `"1767225600000"`)}, route, miss, late, cost, sums), []string{"OpenFields"}},
		"an unnamed event":       {whole(route, miss, late, cost, sums, "data: {\"at\":1767225600200}\n\n"), []string{"Frames"}},
		"two names":              {whole(route, miss, late, cost, sums, "event: a\nevent: b\ndata: {\"at\":1767225600200}\n\n"), []string{"Frames"}},
		"no data":                {whole(route, miss, late, cost, sums, "event: a\n\n"), []string{"Frames"}},
		"two data lines":         {whole(route, miss, late, cost, sums, "event: a\ndata: {\"at\":\ndata: 1767225600200}\n\n"), []string{"Frames"}},
		"a list as data":         {whole(route, miss, late, cost, sums, "event: a\ndata: []\n\n"), []string{"Frames"}},
		"[DONE]":                 {whole(route, miss, late, cost, sums, "event: a\ndata: [DONE]\n\n"), []string{"Frames"}},
		"no at":                  {whole(edit(route, `"at":1767225600100,`, ""), miss, late, cost, sums), []string{"AtOrder"}},
		"at in seconds":          {whole(edit(route, "1767225600100", "1767225600"), miss, late, cost, sums), []string{"AtOrder"}},
		"at of another day":      {whole(edit(route, "1767225600100", "1767139200100"), miss, late, cost, sums), []string{"AtOrder"}},
		"at is a fraction":       {whole(edit(route, "1767225600100", "1767225600100.5"), miss, late, cost, sums), []string{"AtOrder"}},
		"at goes back":           {whole(route, edit(miss, "00100", "00099"), late, cost, sums), []string{"AtOrder"}},
		"no at in the sums":      {whole(route, miss, late, cost, edit(sums, `"at":1767225600200,`, "")), []string{"AtOrder"}},
		"no requestId":           {whole(route, miss, edit(late, `,"requestId":"`+exampleID+`"`, ""), cost, sums), []string{"RequestIDs", "Tells"}},
		"requestId of another":   {whole(route, miss, late, edit(cost, exampleID, otherID), sums), []string{"NoOthers", "OneCost", "RequestIDs", "SumsFollow", "Tells"}},
		"requestId null":         {whole(edit(route, `"`+exampleID+`"`, "null"), miss, late, cost, sums), []string{"RequestIDs", "Tells"}},
		"no routing decision":    {whole(miss, late, cost, sums), []string{"Tells"}},
		"no cache outcome":       {whole(route, late, cost, sums), []string{"CacheOutcome", "ReuseIs", "Tells"}},
		"no latency":             {whole(route, miss, cost, sums), []string{"Tells"}},
		"no cost":                {whole(route, miss, late, sums), []string{"OneCost", "SumsFollow", "SumsOfOwn", "Tells"}},
		"two costs":              {whole(route, miss, late, cost, cost, sums), []string{"OneCost"}},
		"no sums":                {whole(route, miss, late, cost), []string{"SumsFollow"}},
		"sums before the cost":   {whole(route, miss, late, sums, cost), []string{"SumsFollow", "SumsOfOwn"}},
		"sums of another":        {whole(edit(sums, "00200", "00100"), route, miss, late, cost, sums), []string{"SumsOfOwn"}},
		"sums of two":            {whole(route, miss, late, cost, edit(sums, `"prefilledTokens":502`, `"prefilledTokens":1004`)), []string{"SumsOfOwn"}},
		"another's event":        {whole(route, miss, late, cost, sums, edit(late, exampleID, otherID)), []string{"NoOthers", "RequestIDs"}},
		"a tier on a miss":       {whole(route, edit(miss, "null", `"gpu-hbm"`), late, cost, sums), []string{"CacheOutcome"}},
		"no tier on a miss":      {whole(route, edit(miss, "null", `""`), late, cost, sums), []string{"CacheOutcome"}},
		"no tier on a hit":       {whole(route, edit(miss, `"reuseRatio":0`, `"reuseRatio":0.5`), late, cost, sums), []string{"CacheOutcome", "ReuseIs"}},
		"an unknown tier":        {whole(route, edit(edit(miss, `"reuseRatio":0`, `"reuseRatio":0.5`), "null", `"ssd"`), late, cost, sums), []string{"CacheOutcome", "ReuseIs"}},
		"a ratio in percent":     {whole(route, edit(edit(miss, `"reuseRatio":0`, `"reuseRatio":62`), "null", `"gpu-hbm"`), late, cost, sums), []string{"CacheOutcome", "ReuseIs"}},
		"a ratio as text":        {whole(route, edit(miss, `"reuseRatio":0`, `"reuseRatio":"0"`), late, cost, sums), []string{"CacheOutcome", "ReuseIs"}},
		"a ratio below 0":        {whole(route, edit(miss, `"reuseRatio":0`, `"reuseRatio":-0.1`), late, cost, sums), []string{"CacheOutcome", "ReuseIs"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			found := all(telemetryOf(tt.events...))
			assert.Equal(t, tt.want, names(found))
			wellFormed(t, found)
		})
	}
}

func TestTelemetryHead(t *testing.T) {
	tr := answer(open)
	tr.Header.Set("Content-Type", "application/json")
	assert.Len(t, ParseTelemetry(tr, subscription).EventStream(), 1)

	slow := answer(open)
	slow.Reads[0].At = 1100 * time.Millisecond
	assert.Len(t, ParseTelemetry(slow, subscription).OpenAtOnce(time.Second), 1)
	assert.Empty(t, ParseTelemetry(slow, subscription).OpenAtOnce(1200*time.Millisecond))
}

func TestHeartbeatInForce(t *testing.T) {
	asked := subscription
	asked.Heartbeat = 400 * time.Millisecond
	beat := func(ms string) []Finding {
		return ParseTelemetry(answer(changed(t, open, "15000", ms)), asked).OpenFields()
	}
	assert.Empty(t, beat("400"))
	assert.Empty(t, beat("15000"), "the documented one, by a target that tells nothing of its shortened one")
	assert.Len(t, beat("500"), 1)
}

func TestEmptyTelemetry(t *testing.T) {
	assert.Empty(t, telemetryOf(open, ping, ping).Empty())
	assert.Len(t, telemetryOf().Empty(), 1, "what never opened is not empty")
	assert.Len(t, telemetryOf(open, route).Empty(), 1)
	assert.Len(t, telemetryOf(open, "event: x\ndata: no JSON\n\n").Empty(), 1)
	assert.Empty(t, telemetryOf(open, miss).NoCost(exampleID))
	assert.Len(t, telemetryOf(open, cost).NoCost(exampleID), 1)
}

func TestUnknownEvents(t *testing.T) {
	odd := changed(t, route, "route.decision", "placement")
	unnamed := changed(t, late, "event: latency.update\n", "")
	assert.Equal(t, []string{"placement"}, telemetryOf(open, odd, cost, unnamed).Unknown(exampleID))
	asked := subscription
	asked.Names = Names{Route: "placement"}
	assert.Empty(t, ParseTelemetry(answer(open, odd), asked).Tells(exampleID, StepRoute))
}

func TestReuseIs(t *testing.T) {
	tests := map[string]struct {
		raw          string
		read, prompt int64
		want         bool
	}{
		"exact":                 {"0.4", 120, 300, true},
		"an integer":            {"1", 300, 300, true},
		"12 digits":             {"0.333333333333", 100, 300, true},
		"16 digits":             {"0.3333333333333333", 100, 300, true},
		"hundredths":            {"0.33", 100, 300, true},
		"a trailing 0 left out": {"0.5", 502, 1000, true},
		"tenths":                {"0.3", 100, 300, false},
		"cut":                   {"0.66", 200, 300, false},
		"of another whole":      {"0.24", 120, 300, false},
		"all for nearly all":    {"1", 295, 300, false},
		"nothing for a little":  {"0", 1, 1000, true},
		"nothing for more":      {"0", 6, 1000, false},
		"no number":             {`"0.4"`, 120, 300, false},
		"an endless number":     {"1e-999999999", 120, 300, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tel := telemetryOf(open, changed(t, miss, `"reuseRatio":0`, `"reuseRatio":`+tt.raw))
			assert.Equal(t, tt.want, len(tel.ReuseIs(exampleID, tt.read, tt.prompt)) == 0)
		})
	}
}

func TestTwoSubscribers(t *testing.T) {
	first := telemetryOf(open, route, miss, late, cost, sums)
	assert.Empty(t, SameEvents(first, telemetryOf(open, ping, route, late, miss, cost, sums), exampleID), "another order of what happens at once")
	assert.Len(t, SameEvents(first, telemetryOf(open, route, miss, cost, sums), exampleID), 1, "one is missing")
	assert.Len(t, SameEvents(first, telemetryOf(open, route, miss, late, cost, cost, sums), exampleID), 1, "one more")
	assert.NotEmpty(t, SameEvents(telemetryOf(open), telemetryOf(open), exampleID), "nothing to compare")

	whole := telemetryOf(open, cost, changed(t, cost, exampleID, otherID), cost)
	short := answer(open, cost)
	assert.Empty(t, ParseTelemetry(short, subscription).NoGap(whole), "its stream has ended")
	short.End = ""
	assert.Len(t, ParseTelemetry(short, subscription).NoGap(whole), 1, "its stream is open")
	assert.Empty(t, whole.NoGap(whole))
	assert.Len(t, telemetryOf(open, cost, cost).NoGap(whole), 1, "one is left out")
}

func TestAllowsOrigin(t *testing.T) {
	const origin = "https://a.example"
	for value, want := range map[string]int{"*": 0, origin: 0, "": 1, "https://b.example": 1, "null": 1, origin + "/": 1} {
		tr := answer(open)
		if value != "" {
			tr.Header.Set("Access-Control-Allow-Origin", value)
		}
		assert.Len(t, AllowsOrigin(tr, origin), want, value)
	}
	two := answer(open)
	two.Header["Access-Control-Allow-Origin"] = []string{"*", "*"}
	assert.Len(t, AllowsOrigin(two, origin), 1, "no browser takes two")
	refused := answer(open)
	refused.Status = 401
	refused.Header.Set("Access-Control-Allow-Origin", "*")
	assert.Len(t, AllowsOrigin(refused, origin), 1)
}

func FuzzTelemetry(f *testing.F) {
	f.Add(open + route + miss + late + cost + sums + ping)
	f.Add("event: cost.update\ndata: {\"requestId\":\"a\",\"promptTokens\":1e308,\"savedUsd\":1e-64}\n\n")
	f.Add("event: metrics.tick\ndata: {\"requests\":-1,\"at\":9e99}\n\n")
	f.Fuzz(func(t *testing.T, body string) {
		tel := ParseTelemetry(transcript(body), subscription)
		found := slices.Concat(tel.Frames(), tel.OpenFirst(), tel.OpenFields(), tel.AtOrder(), tel.RequestIDs(exampleID), tel.Empty(),
			tel.CacheOutcome(exampleID), tel.ReuseIs(exampleID, 1, 3), tel.SumsFollow(exampleID), tel.OneCost(exampleID))
		for _, c := range tel.Costs("") {
			found = append(found, slices.Concat(c.CostFields(), c.EveryAmount(ExamplePrices()), c.TotalTokens(), c.Billed(), c.Digits(), c.Example())...)
		}
		for _, s := range tel.Sums() {
			found = append(found, slices.Concat(s.SumSaved(tel.Costs(""), ExamplePrices()), s.SumTokens(tel.Costs("")), s.SumDigits())...)
		}
		fleet := ParseFleet(transcript(body), subscription.Now)
		found = append(found, slices.Concat(fleet.Frames(), fleet.TickFields(), fleet.TickBounds(), fleet.TickPace(time.Second, time.Second, time.Minute))...)
		wellFormed(t, found)
	})
}
