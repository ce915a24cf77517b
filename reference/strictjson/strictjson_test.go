package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestObjectReturnsItsMembers(t *testing.T) {
	got, err := Object([]byte(" {\"a\" : [1, {\"b\":\"\\u00e9\"}],\n\"\\u0063\":-1.5e+3, \"d\":\"🦙\\ud83e\\udd99\"} "))
	require.NoError(t, err)
	assert.Equal(t, map[string]json.RawMessage{
		"a": json.RawMessage(`[1, {"b":"\u00e9"}]`),
		"c": json.RawMessage(`-1.5e+3`),
		"d": json.RawMessage(`"🦙\ud83e\udd99"`),
	}, got)
}

func TestObjectRefuses(t *testing.T) {
	deep := func(n int) string { return `{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}` }
	manyNames := func() string {
		var b strings.Builder
		for i := range 20 {
			fmt.Fprintf(&b, `"k%d":1,`, i)
		}
		return `{` + b.String() + `"k19":2}`
	}
	for name, c := range map[string]struct{ in, problem string }{
		"nothing":                {"", "empty"},
		"blanks":                 {" \n\t", "empty"},
		"an array":               {"[]", "not a JSON object"},
		"a string":               {`"x"`, "not a JSON object"},
		"HTML":                   {"<html>", "not a JSON object"},
		"a byte order mark":      {"\uFEFF{}", "not a JSON object"},
		"cut after brace":        {"{", "expected a name"},
		"cut in a name":          {`{"a`, "unexpected end inside a string"},
		"cut after a name":       {`{"a"`, "expected a colon"},
		"cut after a colon":      {`{"a":`, "unexpected end"},
		"cut after a value":      {`{"a":1`, "unexpected end"},
		"cut in an array":        {`{"a":[1`, "unexpected end"},
		"cut in an escape":       {`{"a":"\`, "unexpected end inside a string"},
		"cut in a code unit":     {`{"a":"\u00`, "four hexadecimal digits"},
		"text after it":          {`{} {}`, "after the JSON object"},
		"trailing comma":         {`{"a":1,}`, "expected a name"},
		"trailing array comma":   {`{"a":[1,]}`, "expected a value"},
		"wrong bracket":          {`{"a":[1}}`, "expected ',' or ']'"},
		"single quotes":          {`{'a':1}`, "expected a name"},
		"bare word":              {`{"a":truth}`, "expected a value"},
		"NaN":                    {`{"a":NaN}`, "expected a value"},
		"leading zero":           {`{"a":01}`, "expected ','"},
		"plus sign":              {`{"a":+1}`, "expected a value"},
		"no digit after point":   {`{"a":1.}`, "expected a digit"},
		"no digit in exponent":   {`{"a":1e}`, "expected a digit"},
		"only a minus":           {`{"a":-}`, "expected a digit"},
		"control character":      {"{\"a\":\"\n\"}", "control character"},
		"NUL":                    {"{\"a\":\"\x00\"}", "control character"},
		"unknown escape":         {`{"a":"\x"}`, "unknown escape"},
		"signed code unit":       {`{"a":"\u+123"}`, "four hexadecimal digits"},
		"invalid UTF-8":          {"{\"a\":\"\xff\"}", "invalid UTF-8"},
		"torn UTF-8":             {"{\"a\":\"\xc3\"}", "invalid UTF-8"},
		"encoded surrogate":      {"{\"a\":\"\xed\xa0\x80\"}", "invalid UTF-8"},
		"lone high surrogate":    {`{"a":"\ud83e"}`, "surrogate"},
		"lone low surrogate":     {`{"a":"\udd99"}`, "surrogate"},
		"two high surrogates":    {`{"a":"\ud83e\ud83e"}`, "surrogate"},
		"same name twice":        {`{"a":1,"a":2}`, "same name twice"},
		"same name, escaped":     {`{"a":1,"\u0061":2}`, "same name twice"},
		"same name deep inside":  {`{"a":[{"b":1,"b":1}]}`, "same name twice"},
		"same name of many":      {manyNames(), "same name twice"},
		"one level too many":     {deep(MaxDepth), "levels"},
		"a million levels":       {`{"a":` + strings.Repeat("[", 1_000_000), "levels"},
		"a million object opens": {strings.Repeat(`{"a":`, 1_000_000), "levels"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Object([]byte(c.in))
			var syntax *SyntaxError
			require.ErrorAs(t, err, &syntax)
			assert.Contains(t, syntax.Error(), c.problem)
			assert.LessOrEqual(t, syntax.Offset, len(c.in))
		})
	}
	_, err := Object([]byte(deep(MaxDepth - 1)))
	assert.NoError(t, err, "the deepest that is allowed")
}

// FuzzObject compares with encoding/json, which reads more than Object does:
// what Object accepts is JSON of the same members, and what it refuses is no
// JSON or one of the four things that it refuses on purpose.
func FuzzObject(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"a":[1,2.5e-3,{"b":null}],"c":"\ud83e\udd99"}`, `{"a":1,"a":2}`, `{"a":"\ud83e"}`, "{\"\xff\":1}", `[1]`, `{"a":1}x`,
		`{"a":{"b":[true,false,-0]}}`, `{"\u0061":1}`, `{"a":`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		members, err := Object(data)
		var want map[string]json.RawMessage
		trimmed := bytes.TrimLeft(data, " \t\r\n")
		isObject := json.Unmarshal(data, &want) == nil && len(trimmed) > 0 && trimmed[0] == '{'
		if err == nil {
			require.True(t, isObject, "accepted what is no object")
			require.True(t, utf8.Valid(data))
			require.Len(t, members, len(want))
			for name, value := range want {
				require.Equal(t, string(value), string(members[name]))
			}
			return
		}
		var syntax *SyntaxError
		require.True(t, errors.As(err, &syntax))
		if isObject {
			deliberate := []string{"same name twice", "invalid UTF-8", "surrogate", "levels"}
			for _, d := range deliberate {
				if strings.Contains(syntax.Problem, d) {
					return
				}
			}
			t.Fatalf("refused an object: %v", err)
		}
	})
}
