package chat

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The work grows with the size of the body: four times the messages may take
// four times the allocations, not sixteen.
func TestDecodeRequestIsLinear(t *testing.T) {
	body := func(n int) []byte {
		one := `{"role":"user","content":[{"type":"text","text":"` + strings.Repeat("x", 40) + `"}]},`
		return []byte(`{"messages":[` + strings.TrimSuffix(strings.Repeat(one, n), ",") + `]}`)
	}
	allocations := func(n int) float64 {
		b := body(n)
		return testing.AllocsPerRun(1, func() {
			_, e := DecodeRequest(b, testDefaults)
			require.Nil(t, e)
		})
	}
	assert.Less(t, allocations(100_000), 5*allocations(25_000))
}

func TestDecodeRequestReadsTenMegabytes(t *testing.T) {
	content := strings.Repeat(`\u00e9é\"x`, 1_000_000)
	got, e := DecodeRequest([]byte(`{"messages":[{"role":"user","content":"`+content+`"}]}`), testDefaults)
	require.Nil(t, e, "%v", e)
	assert.Equal(t, strings.Repeat(`éé"x`, 1_000_000), got.Messages[0].Text)
}

// FuzzDecodeRequest holds that every body gives a request that is safe to serve
// or a complete error, and that what is forwarded is what was read.
func FuzzDecodeRequest(f *testing.F) {
	for _, seed := range []string{
		request(""),
		request(`"model":"m","stream":true,"stream_options":{"include_usage":true},"n":3,"max_tokens":5,"stop":["a"]`),
		request(`"tools":[{"type":"function","function":{"name":"f","parameters":{}}}],"tool_choice":"auto"`),
		request(`"response_format":{"type":"json_schema","json_schema":{"name":"n"}},"metadata":{"a":"b"},"logit_bias":{"1":2}`),
		`{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}]}`,
		`{"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}`,
		`{"messages":{"role":"user"}}`, `[]`, `{"n":1e999}`, `{"a.b":1,"a":{"b|@this":2}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		req, e := DecodeRequest(body, testDefaults)
		if e != nil {
			require.Nil(t, req)
			require.Equal(t, 400, e.Status)
			require.NotEmpty(t, e.Message)
			require.True(t, json.Valid(AppendErrorObject(nil, e)))
			return
		}
		require.NotEmpty(t, req.Model)
		require.NotEmpty(t, req.Messages)
		require.True(t, 1 <= req.Choices && req.Choices <= 128)
		require.True(t, req.MaxTokens == nil || *req.MaxTokens >= 1)
		require.LessOrEqual(t, len(req.Stop), 4)
		require.False(t, req.IncludeUsage && !req.Stream)
		for name, value := range req.Body {
			require.True(t, json.Valid(value), name)
		}
	})
}
