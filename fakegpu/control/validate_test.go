package control

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const nonce = "abcdefgh01234567"

func TestDecodeScriptRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		json string
		want []string
	}{
		"nothing":              {``, []string{"the JSON ends too early"}},
		"an array":             {`[]`, []string{"cannot unmarshal array"}},
		"two values":           {`{"nonce":"` + nonce + `"} {}`, []string{"something follows the JSON value"}},
		"no nonce":             {`{}`, []string{`nonce "" has 0 characters, want 16 to 64`}},
		"an upper-case nonce":  {`{"nonce":"ABCDEFGH01234567"}`, []string{`holds 'A'`, "lower-case letters and digits only"}},
		"unknown field":        {`{"nonce":"` + nonce + `","holdheader":true}`, []string{`unknown field "holdheader"`, `did you mean "holdHeaders"?`}},
		"unknown step":         {steps(`{"done":true},{"rest":true}`), []string{`steps[1]: unknown field "rest"`, `did you mean "reset"?`}},
		"unknown token field":  {steps(`{"token":{"txt":"a"}}`), []string{`steps[0]: unknown field "txt"`, `did you mean "text"?`}},
		"two fields":           {steps(`{"token":{"text":"a"},"pauseMs":5}`), []string{"steps[0]: sets token and pauseMs, want exactly one field"}},
		"no field":             {steps(`{"done":true},{}`), []string{"steps[1]: sets no field"}},
		"a negative pause":     {steps(`{"pauseMs":-1}`), []string{"steps[0]: pauseMs is -1, want 1 to 86400000"}},
		"a pause of a type":    {steps(`{"pauseMs":"1s"}`), []string{"steps[0]", "pauseMs"}},
		"a bad gate":           {steps(`{"gate":"a/b"}`), []string{"steps[0]: gate", "letters, digits, - or _"}},
		"a step after the end": {steps(`{"reset":true},{"done":true}`), []string{"steps[1] comes after an ending (reset)"}},
		"falling cuts":         {steps(`{"token":{"text":"a","cuts":[5,5]}}`), []string{"token.cuts[1] is 5, want offsets above 0 in rising order"}},
		"too much padding":     {steps(`{"token":{"text":"a","pad":99999999}}`), []string{"token.pad is 99999999"}},
		"negative cut pause":   {steps(`{"token":{"text":"a","cutPauseMs":-1}}`), []string{"token.cutPauseMs is -1"}},
		"a delta of a type":    {steps(`{"delta":{"json":[1]}}`), []string{"delta.json is no JSON object"}},
		"a delta without JSON": {steps(`{"delta":{"choice":1}}`), []string{"delta.json is no JSON object"}},
		"a delta's choice":     {steps(`{"delta":{"json":{},"choice":128}}`), []string{"delta.choice is 128, want 0 to 127"}},
		"a comment of lines":   {steps(`{"comment":"a\nb"}`), []string{"comment holds a line break"}},
		"an empty error":       {steps(`{"error":{}}`), []string{"error has no message"}},
		"HTTP and steps":       {`{"nonce":"` + nonce + `","http":{"status":500},"steps":[{"done":true}]}`, []string{"exclude each other"}},
		"an HTTP status":       {`{"nonce":"` + nonce + `","http":{"status":99}}`, []string{"status is 99, want 200 to 599"}},
		"an HTTP header":       {`{"nonce":"` + nonce + `","http":{"status":500,"headers":{"a b":"x"}}}`, []string{`header name "a b"`}},
		"a header's value":     {`{"nonce":"` + nonce + `","http":{"status":500,"headers":{"a":"x\r\ny"}}}`, []string{"control character"}},
		"a line end":           {`{"nonce":"` + nonce + `","lineEnd":"lfcr"}`, []string{`lineEnd is "lfcr", want lf, crlf, cr`}},
		"a usage fault":        {`{"nonce":"` + nonce + `","usage":"none"}`, []string{`usage is "none", want never, on-finish`}},
		"chop and coalesce":    {`{"nonce":"` + nonce + `","chopBytes":1,"coalesceMs":1}`, []string{"exclude each other"}},
		"negative chop":        {`{"nonce":"` + nonce + `","chopBytes":-1}`, []string{"chopBytes is -1"}},
		"negative coalesce":    {`{"nonce":"` + nonce + `","coalesceMs":-1}`, []string{"coalesceMs is -1"}},
		"negative tokens":      {`{"nonce":"` + nonce + `","promptTokens":-1}`, []string{"promptTokens is -1"}},
		"negative cached":      {`{"nonce":"` + nonce + `","cachedTokens":-1}`, []string{"cachedTokens is -1"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := DecodeScript([]byte(tc.json))
			require.Error(t, err)
			for _, want := range tc.want {
				assert.ErrorContains(t, err, want)
			}
		})
	}
}

func steps(s string) string { return `{"nonce":"` + nonce + `","steps":[` + s + `]}` }

func TestScriptSurvivesTheWire(t *testing.T) {
	cached := 0
	s := Script{
		Nonce: nonce, HoldHeaders: true, Usage: UsageTwice, CachedTokens: &cached, LineEnd: "crlf", ChopBytes: 3,
	}.Tokens("a", "é").Pause(time.Second).Gate("g").Then(
		Step{Raw: []byte("\xff\x00")}, Step{Error: &ErrorObject{Message: "m", Code: "c"}},
		Step{Delta: &Delta{JSON: json.RawMessage(`{"refusal":"no"}`), Choice: 1}},
		Step{Token: &Token{Text: "x", Cuts: []int{1, 2}, Pad: 5}}).Finish("length")
	data, err := json.Marshal(s)
	require.NoError(t, err)
	got, err := DecodeScript(data)
	require.NoError(t, err)
	assert.Equal(t, s, got)
}

func TestBuildersLeaveTheScriptAlone(t *testing.T) {
	base := Script{Nonce: nonce}.Tokens("a")
	one, two := base.Tokens("b"), base.Tokens("c")
	assert.Len(t, base.Steps, 1)
	assert.Equal(t, "b", one.Steps[1].Token.Text)
	assert.Equal(t, "c", two.Steps[1].Token.Text)
}

func TestTooManySteps(t *testing.T) {
	s := Script{Nonce: nonce, Steps: make([]Step, MaxSteps+1)}
	assert.ErrorContains(t, s.Validate(), "100001 steps, at most 100000 are allowed")
}

func TestFindNonce(t *testing.T) {
	other := "zzzzzzzz01234567"
	for name, tc := range map[string]struct {
		body, want string
	}{
		"none":               {`hello`, ""},
		"one":                {`{"x":"` + Marker(nonce) + `"}`, nonce},
		"the last one":       {Marker(other) + Marker(nonce), nonce},
		"too short":          {`[plumbline:abc]`, ""},
		"a wrong character":  {`[plumbline:ABCDEFGH01234567]`, ""},
		"unclosed":           {`[plumbline:` + nonce, ""},
		"a wrong one behind": {Marker(nonce) + `[plumbline:]`, nonce},
		"the longest":        {Marker(nonce + nonce + nonce + nonce), nonce + nonce + nonce + nonce},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := FindNonce([]byte(tc.body))
			assert.Equal(t, tc.want, got)
			assert.Equal(t, tc.want != "", ok)
		})
	}
}

func TestCondition(t *testing.T) {
	j := Journal{Requests: []Record{{Generated: 5, Ending: EndingFinished}, {Generated: 2, AtGate: "g"}}}
	for name, tc := range map[string]struct {
		condition Condition
		holds     bool
	}{
		"nothing":                   {Condition{}, true},
		"two requests":              {Condition{Requests: 2}, true},
		"three requests":            {Condition{Requests: 3}, false},
		"some at the gate":          {Condition{Gate: "g"}, true},
		"the first at the gate":     {Condition{Gate: "g", Request: 1}, false},
		"one request has all parts": {Condition{Gate: "g", Generated: 5}, false},
		"ended":                     {Condition{Ended: true}, true},
		"the second has ended":      {Condition{Ended: true, Request: 2}, false},
		"a request to come":         {Condition{Request: 3}, false},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.holds, tc.condition.Holds(j))
		})
	}
	assert.Equal(t, `2 requests, request 1, 3 generated tokens, gate "g", the end`,
		Condition{Requests: 2, Request: 1, Generated: 3, Gate: "g", Ended: true}.String())
}

// Whatever is decoded is valid, and survives another trip over the wire.
func FuzzDecodeScript(f *testing.F) {
	f.Add([]byte(steps(`{"token":{"text":"a","cuts":[1]}},{"gate":"g"},{"raw":"AAE="},{"reset":true}`)))
	f.Add([]byte(`{"nonce":"` + nonce + `","http":{"status":500,"headers":{"a":"b"}},"usage":"twice"}`))
	f.Add([]byte(`{"steps":[null,{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := DecodeScript(data)
		if err != nil {
			return
		}
		require.NoError(t, s.Validate())
		again, err := json.Marshal(s)
		require.NoError(t, err)
		_, err = DecodeScript(again)
		require.NoError(t, err, "%s", again)
	})
}

func FuzzFindNonce(f *testing.F) {
	f.Add([]byte("x" + Marker(nonce)))
	f.Add([]byte("[plumbline:[plumbline:]"))
	f.Fuzz(func(t *testing.T, body []byte) {
		if found, ok := FindNonce(body); ok {
			require.NoError(t, ValidateNonce(found))
			require.Contains(t, string(body), Marker(found))
		}
	})
}
