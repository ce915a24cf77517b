package check

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance/wire"
)

// tool is a chunk with these tool call deltas.
func tool(deltas string) string {
	return envelope(choice(0, `{"tool_calls":[`+deltas+`]}`, "null"), `,"usage":null`)
}

func TestToolDeltas(t *testing.T) {
	const first = `{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":""}}`
	const second = `{"index":1,"id":"call_2","type":"function","function":{"name":"g","arguments":"{}"}}`
	const piece = `{"index":0,"function":{"arguments":"{}"}}`
	calls := strings.Replace(finish, `"stop"`, `"tool_calls"`, 1)
	tests := map[string]struct {
		events []string
		want   []string
	}{
		"good":                    {events: []string{tool(first), tool(piece), tool(second), calls}},
		"no index":                {events: []string{tool(first), tool(piece), tool(strings.Replace(second, `"index":1,`, "", 1)), calls}, want: []string{"SDKReads", "ToolDeltas"}},
		"all of index 0":          {events: []string{tool(first), tool(piece), tool(strings.Replace(second, `1,`, "0,", 1)), calls}, want: []string{"ToolDeltas"}},
		"an index twice":          {events: []string{tool(first + "," + piece), calls}, want: []string{"ToolDeltas"}},
		"a rising index":          {events: []string{tool(first), tool(piece), tool(`{"index":1,"function":{"arguments":"{}"}}`), calls}, want: []string{"ToolDeltas"}},
		"an index left out":       {events: []string{tool(first), tool(piece), tool(strings.Replace(second, `1,`, "2,", 1)), calls}, want: []string{"ToolDeltas"}},
		"no id":                   {events: []string{tool(strings.Replace(first, `"id":"call_1",`, "", 1)), tool(piece), calls}, want: []string{"ToolDeltas"}},
		"no type":                 {events: []string{tool(strings.Replace(first, `"type":"function",`, "", 1)), tool(piece), calls}, want: []string{"ToolDeltas"}},
		"the name again":          {events: []string{tool(first), tool(`{"index":0,"function":{"name":"f","arguments":"{}"}}`), calls}, want: []string{"ToolDeltas"}},
		"an empty name again":     {events: []string{tool(first), tool(`{"index":0,"type":"function","function":{"name":"","arguments":"{}"}}`), calls}, want: []string{"ToolDeltas"}},
		"arguments as an object":  {events: []string{tool(first), tool(`{"index":0,"function":{"arguments":{}}}`), tool(piece), calls}, want: []string{"ToolDeltas"}},
		"arguments cut":           {events: []string{tool(first), tool(`{"index":0,"function":{"arguments":"{\"a"}}`), calls}, want: []string{"ToolDeltas"}},
		"ends in stop":            {events: []string{tool(first), tool(piece), finish}, want: []string{"ToolDeltas"}},
		"a call after the finish": {events: []string{tool(first), tool(piece), calls, tool(second)}, want: []string{"NothingAfterFinish"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			events := append(append([]string{role}, tt.events...), usage, done)
			found := Judge(ParseChat(answer(events...), Ask{IncludeUsage: true, Tools: true}), ChatRules())
			assert.Equal(t, tt.want, names(found))
			wellFormed(t, found)
		})
	}
	c := ParseChat(answer(role, tool(first), tool(piece), tool(second), calls), asked)
	assert.Equal(t, []ToolCall{
		{Index: 0, ID: "call_1", Type: "function", Name: "f", Arguments: "{}"},
		{Index: 1, ID: "call_2", Type: "function", Name: "g", Arguments: "{}"},
	}, c.ToolCalls(0))
}

func TestLogprobs(t *testing.T) {
	with := func(content, tokens string) string {
		return strings.Replace(envelope(choice(0, `{"content":`+content+`}`, "null"), `,"usage":null`), `"finish_reason"`, `"logprobs":{"content":`+tokens+`},"finish_reason"`, 1)
	}
	const hi = `{"token":"Hi","logprob":-0.1,"bytes":[72,105],"top_logprobs":[{"token":"Hi","logprob":-0.1,"bytes":null}]}`
	tests := map[string]struct {
		event string
		want  []string
	}{
		"good":              {event: with(`"Hi"`, "["+hi+"]")},
		"two tokens":        {event: with(`"HiHi"`, "["+hi+","+hi+"]")},
		"bytes null":        {event: with(`"Hi"`, `[`+strings.Replace(hi, "[72,105]", "null", 1)+`]`)},
		"none":              {event: hello, want: []string{"Logprobs"}},
		"null":              {event: with(`"Hi"`, "null"), want: []string{"Logprobs"}},
		"a token too few":   {event: with(`"HiHi"`, "["+hi+"]"), want: []string{"Logprobs"}},
		"a token too many":  {event: with(`"Hi"`, "["+hi+","+hi+"]"), want: []string{"Logprobs"}},
		"no bytes":          {event: with(`"Hi"`, `[`+strings.Replace(hi, `"bytes":[72,105],`, "", 1)+`]`), want: []string{"Logprobs"}},
		"no top_logprobs":   {event: with(`"Hi"`, `[{"token":"Hi","logprob":-0.1,"bytes":[72,105]}]`), want: []string{"Logprobs"}},
		"logprob as a text": {event: with(`"Hi"`, `[`+strings.Replace(hi, "-0.1,", `"-0.1",`, 1)+`]`), want: []string{"Logprobs"}},
		"more top than n":   {event: with(`"Hi"`, `[{"token":"Hi","logprob":-0.1,"bytes":null,"top_logprobs":[{"token":"Hi","logprob":0,"bytes":null},{"token":"a","logprob":0,"bytes":null}]}]`), want: []string{"Logprobs"}},
		"a bad top entry":   {event: with(`"Hi"`, `[`+strings.Replace(hi, `"bytes":null`, `"rank":1`, 1)+`]`), want: []string{"Logprobs", "NoVendorFields"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			ask := Ask{IncludeUsage: true, Logprobs: true, TopLogprobs: 1}
			found := Judge(ParseChat(answer(role, tt.event, finish, usage, done), ask), ChatRules())
			assert.Equal(t, tt.want, names(found))
			wellFormed(t, found)
		})
	}
}

func TestChoices(t *testing.T) {
	chunk := func(index int, delta, finish string) string {
		return envelope(choice(index, delta, finish), `,"usage":null`)
	}
	a, b := chunk(0, `{"role":"assistant","content":"A"}`, "null"), chunk(1, `{"role":"assistant","content":"B"}`, "null")
	endA, endB := chunk(0, "{}", `"stop"`), chunk(1, "{}", `"length"`)
	tests := map[string]struct {
		events []string
		want   []string
	}{
		"good":                {events: []string{a, b, endA, endB}},
		"one is missing":      {events: []string{a, endA}, want: []string{"EachChoice", "FinishOnce", "SDKReads"}},
		"one without finish":  {events: []string{a, b, endA}, want: []string{"EachChoice", "FinishOnce", "SDKReads"}},
		"all of index 0":      {events: []string{a, strings.Replace(b, `"index":1`, `"index":0`, 1), endA, strings.Replace(endB, `"index":1`, `"index":0`, 1)}, want: []string{"EachChoice", "FinishOnce", "SDKReads"}},
		"one brings no text":  {events: []string{a, chunk(1, `{"role":"assistant"}`, "null"), endA, endB}, want: []string{"EachChoice"}},
		"a role is missing":   {events: []string{a, chunk(1, `{"content":"B"}`, "null"), endA, endB}, want: []string{"RoleFirst", "SDKReads"}},
		"text of the other":   {events: []string{a, b, endA, endB, a}, want: []string{"NothingAfterFinish"}},
		"an index of 2":       {events: []string{a, b, endA, endB, chunk(2, `{"role":"assistant"}`, "null")}, want: []string{"ChoiceIndex"}},
		"a negative index":    {events: []string{a, b, endA, endB, chunk(-1, `{"role":"assistant"}`, "null")}, want: []string{"ChoiceIndex"}},
		"an index as a text":  {events: []string{a, b, strings.Replace(endA, `"index":0`, `"index":"0"`, 1), endB}, want: []string{"ChoiceIndex", "SDKReads"}},
		"an index beyond all": {events: []string{a, b, endA, endB, strings.Replace(a, `"index":0`, `"index":99999999999`, 1)}, want: []string{"ChoiceIndex"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := ParseChat(answer(append(tt.events, usage, done)...), Ask{IncludeUsage: true, Choices: 2})
			assert.Equal(t, tt.want, names(Judge(c, ChatRules())))
		})
	}
}

func TestText(t *testing.T) {
	c := ParseChat(answer(role, hello, world, finish, usage, done), asked)
	assert.Equal(t, "Hello wörld", c.Text(0))
	assert.Equal(t, "stop", c.Finish(0))
	assert.Equal(t, testID, c.ID())
	assert.Equal(t, &Usage{PromptTokens: 9, CompletionTokens: 2, TotalTokens: 11, CachedTokens: -1, WrittenTokens: -1}, c.Usage())
	assert.True(t, c.Complete())

	assert.Empty(t, c.TextIs(0, "Hello wörld"))
	assert.Empty(t, c.TextStartsWith(0, "Hello w"))
	assert.Empty(t, c.TextIsStartOf(0, "Hello wörld, and more"))
	assert.Empty(t, c.NoReplacement(0, "Hello wörld"))
	assert.Empty(t, c.FinishIs(0, "stop"))
	assert.Empty(t, c.UsageIs(9, 2))
	assert.Empty(t, c.UsageIs(-1, 2))

	lost := c.TextIs(0, "Hello, wörld")
	require.Len(t, lost, 1)
	assert.Equal(t, `choice 0 goes on after 5 bytes with ", wörld"`, lost[0].Expected)
	assert.Equal(t, " wörld", lost[0].Seen)
	assert.Equal(t, c.Stream.Events[2].Offset, lost[0].Offset, "at the delta that differs")
	require.Len(t, c.TextIs(0, "Hello wörld!"), 1)
	assert.Equal(t, "the text is over", c.TextIs(0, "Hello wörld!")[0].Seen)
	assert.Len(t, c.TextIs(0, "Hello"), 1)
	assert.Len(t, c.TextIs(1, "Hello"), 1)
	assert.Len(t, c.TextStartsWith(0, "Help"), 1)
	assert.Len(t, c.TextStartsWith(0, "Hello wörld!"), 1)
	assert.Len(t, c.TextIsStartOf(0, "Hello"), 1)
	assert.Len(t, c.FinishIs(0, "length"), 1)
	assert.Len(t, c.FinishIs(1, "length"), 1)
	assert.Len(t, c.UsageIs(9, 3), 1)
	assert.Len(t, c.UsageIs(8, 3), 2)
	assert.Len(t, ParseChat(answer(done), asked).UsageIs(8, 3), 1)

	torn := ParseChat(answer(role, strings.Replace(world, "ö", "\uFFFD\uFFFD", 1)), asked)
	assert.Len(t, torn.NoReplacement(0, " wörld"), 1)
	assert.Empty(t, torn.NoReplacement(0, " w\uFFFD\uFFFDrld"))
}

func TestDistinctIDs(t *testing.T) {
	a := ParseChat(answer(role, done), asked)
	b := ParseChat(transcript(strings.ReplaceAll(role, "0d1f", "0d20")), asked)
	empty := ParseChat(answer(done), asked)
	assert.Empty(t, DistinctIDs(a, b, empty, empty))
	assert.Equal(t, []string{"DistinctIDs"}, names(DistinctIDs(a, b, a)))
}

func TestDeltasHaveTheTimeOfTheirLastByte(t *testing.T) {
	body := role + hello + world
	tr := transcript(body)
	tr.Reads = []wire.Read{{End: len(role), At: 1 * time.Second}, {End: len(role+hello) - 1, At: 2 * time.Second}, {End: len(body), At: 3 * time.Second}}
	deltas := ParseChat(tr, asked).Deltas(0)
	require.Len(t, deltas, 2)
	assert.Equal(t, Delta{Text: "Hello", Event: 1, At: 3 * time.Second}, deltas[0])
}

func TestPauseSeen(t *testing.T) {
	deltas := []Delta{{At: 1 * time.Second}, {At: 1100 * time.Millisecond}, {At: 3 * time.Second}}
	assert.Empty(t, PauseSeen(deltas, 1, 2*time.Second, 250*time.Millisecond))
	assert.Len(t, PauseSeen(deltas, 0, 2*time.Second, 250*time.Millisecond), 1, "no pause")
	assert.Len(t, PauseSeen(deltas, 1, time.Second, 250*time.Millisecond), 1, "too long")
	assert.Len(t, PauseSeen(deltas, 2, time.Second, 250*time.Millisecond), 1, "nothing after it")
	assert.Len(t, PauseSeen(nil, -1, time.Second, 250*time.Millisecond), 1)
}

func TestKeepalive(t *testing.T) {
	tests := map[string]struct {
		pings    []float64 // seconds
		text     string
		from, to float64
		want     int
	}{
		"10 s apart":                {pings: []float64{10, 20.9, 30}, to: 32},
		"first one sooner":          {pings: []float64{3, 13, 23}, to: 32},
		"none in a short window":    {to: 11},
		"none":                      {to: 25, want: 1},
		"first one late":            {pings: []float64{11.5, 21.5}, to: 25, want: 1},
		"one left out":              {pings: []float64{10, 30}, to: 32, want: 1},
		"they stop":                 {pings: []float64{10}, to: 25, want: 1},
		"too often":                 {pings: []float64{10, 15, 25}, to: 26, want: 1},
		"another comment":           {pings: []float64{10, 20}, text: ": pong\n\n", to: 25, want: 1},
		"a window in the middle":    {pings: []float64{1, 2, 15, 25, 40}, from: 10, to: 30},
		"no space":                  {pings: []float64{10, 20}, text: ":ping\n\n", to: 25},
		"pings outside of a window": {pings: []float64{5, 40}, from: 10, to: 30, want: 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.text == "" {
				tt.text = ": ping\n\n"
			}
			tr := transcript("")
			for _, at := range tt.pings {
				tr.Body = append(tr.Body, tt.text...)
				tr.Reads = append(tr.Reads, wire.Read{End: len(tr.Body), At: time.Duration(at * float64(time.Second))})
			}
			found := Keepalive(tr, 10*time.Second, time.Second, time.Duration(tt.from*float64(time.Second)), time.Duration(tt.to*float64(time.Second)))
			assert.Len(t, found, tt.want, "%v", found)
			wellFormed(t, found)
		})
	}
}
