package check

import (
	"math/big"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const whole = `{"id":"chatcmpl-1","object":"chat.completion","created":1767225600,"model":"m",` +
	`"choices":[{"index":0,"message":{"role":"assistant","content":"Hello wörld","refusal":null},"logprobs":null,"finish_reason":"stop"}],` +
	`"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}`

func TestCompletionRules(t *testing.T) {
	edit := func(old, new string) string {
		require.Contains(t, whole, old)
		return strings.Replace(whole, old, new, 1)
	}
	tests := map[string]struct {
		status int
		body   string
		want   []string
	}{
		"good":                {body: whole},
		"with a new line":     {body: whole + "\n"},
		"a tool call":         {body: edit(`"Hello wörld"`, `null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]`)},
		"a refusal":           {body: edit(`"Hello wörld","refusal":null`, `null,"refusal":"No."`)},
		"a status":            {status: 500, body: whole, want: []string{"CompletionJSON"}},
		"HTML":                {body: "<html>", want: []string{"CompletionJSON"}},
		"a stream":            {body: role + done, want: []string{"CompletionJSON"}},
		"two documents":       {body: whole + whole, want: []string{"CompletionJSON"}},
		"a chunk":             {body: edit("chat.completion", "chat.completion.chunk"), want: []string{"CompletionShape"}},
		"no id":               {body: edit(`"id":"chatcmpl-1",`, ""), want: []string{"CompletionShape"}},
		"an empty model":      {body: edit(`"m"`, `""`), want: []string{"CompletionShape"}},
		"created as a text":   {body: edit(`1767225600`, `"now"`), want: []string{"CompletionShape"}},
		"no usage":            {body: edit(`"usage"`, `"usage_"`), want: []string{"CompletionShape", "CompletionVendor"}},
		"a delta":             {body: edit(`"message"`, `"delta"`), want: []string{"CompletionShape", "CompletionVendor"}},
		"no choices":          {body: edit(`"choices":[`, `"choices":[],"x":[`), want: []string{"CompletionShape", "CompletionVendor"}},
		"another role":        {body: edit(`"assistant"`, `"user"`), want: []string{"CompletionShape"}},
		"content null":        {body: edit(`"Hello wörld"`, `null`), want: []string{"CompletionShape"}},
		"content as parts":    {body: edit(`"Hello wörld"`, `[]`), want: []string{"CompletionShape"}},
		"no finish reason":    {body: edit(`"stop"`, `null`), want: []string{"CompletionShape"}},
		"an unknown reason":   {body: edit(`"stop"`, `"done"`), want: []string{"CompletionShape"}},
		"an index":            {body: edit(`"index":0`, `"index":1`), want: []string{"CompletionShape"}},
		"a bad tool call":     {body: edit(`"Hello wörld"`, `null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":{}}}]`), want: []string{"CompletionShape"}},
		"a wrong sum":         {body: edit(`11}`, `12}`), want: []string{"CompletionUsage"}},
		"a vendor's field":    {body: edit(`"model"`, `"provider":"x","model"`), want: []string{"CompletionVendor"}},
		"a field of messages": {body: edit(`"role"`, `"reasoning":"hm","role"`), want: []string{"CompletionVendor"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.status == 0 {
				tt.status = http.StatusOK
			}
			c := ParseCompletion(jsonAnswer(tt.status, tt.body), Ask{})
			var found []Finding
			for _, r := range CompletionRules() {
				found = append(found, r.Judge(c)...)
			}
			assert.Equal(t, tt.want, names(found))
			wellFormed(t, found)
		})
	}
	c := ParseCompletion(jsonAnswer(200, whole), Ask{})
	assert.Equal(t, "chatcmpl-1", c.ID())
	assert.Equal(t, "Hello wörld", c.Text(0))
	assert.Empty(t, c.Text(1))
	assert.Equal(t, int64(11), c.Usage().TotalTokens)
}

func TestCompletionMustBeJSONByItsType(t *testing.T) {
	tr := jsonAnswer(200, whole)
	tr.Header.Set("Content-Type", "text/plain")
	assert.Equal(t, []string{"CompletionJSON"}, names(ParseCompletion(tr, Ask{}).CompletionJSON()))
}

func TestAgreement(t *testing.T) {
	streamed := func(events ...string) *Chat { return ParseChat(answer(events...), asked) }
	good := streamed(role, hello, world, finish, usage, done)
	tests := map[string]struct {
		chat *Chat
		body string
		want int
	}{
		"same":              {good, whole, 0},
		"other text":        {good, strings.Replace(whole, "Hello", "Hullo", 1), 1},
		"text is missing":   {streamed(role, hello, finish, usage, done), whole, 1},
		"doubled text":      {streamed(role, hello, hello, world, finish, usage, done), whole, 1},
		"other finish":      {good, strings.Replace(whole, `"stop"`, `"length"`, 1), 1},
		"other usage":       {good, strings.Replace(strings.Replace(whole, ":2,", ":3,", 1), ":11", ":12", 1), 1},
		"cached prompt":     {good, strings.Replace(whole, `:11}`, `:11,"prompt_tokens_details":{"cached_tokens":8}}`, 1), 0},
		"no usage to judge": {ParseChat(answer(append(without(role, hello, world, finish), done)...), unasked), whole, 0},
		"a tool call":       {good, strings.Replace(whole, `"refusal":null`, `"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]`, 1), 1},
		"no completion":     {good, "<html>", 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			found := Agreement(tt.chat, ParseCompletion(jsonAnswer(200, tt.body), asked))
			assert.Len(t, found, tt.want, "%v", found)
			for _, f := range found {
				assert.Equal(t, "Agreement", f.Rule)
			}
		})
	}
}

const badRole = `{"error":{"message":"Unknown role.","type":"invalid_request_error","param":"messages[0].role","code":null}}`

func TestErrorRules(t *testing.T) {
	edit := func(old, new string) string {
		require.Contains(t, badRole, old)
		return strings.Replace(badRole, old, new, 1)
	}
	tests := map[string]struct {
		status int
		typ    string
		body   string
		want   []string
	}{
		"good":               {body: badRole},
		"good with charset":  {typ: "application/json; charset=utf-8", body: badRole},
		"more fields":        {body: edit(`"code"`, `"more":1,"code"`)},
		"200":                {status: 200, body: badRole, want: []string{"DocumentedError", "ErrorStatus"}},
		"a redirect":         {status: 302, body: badRole, want: []string{"ErrorStatus"}},
		"refused":            {status: -1, body: "", want: []string{"DocumentedError", "ErrorJSON", "ErrorStatus"}},
		"empty":              {body: "", want: []string{"DocumentedError", "ErrorJSON"}},
		"HTML":               {typ: "text/html", body: "<html>", want: []string{"DocumentedError", "ErrorJSON"}},
		"JSON as a text":     {typ: "text/plain", body: badRole, want: []string{"ErrorJSON"}},
		"a detail":           {body: `{"detail":"Unknown role."}`, want: []string{"DocumentedError", "ErrorEnvelope"}},
		"error is a text":    {body: `{"error":"Unknown role."}`, want: []string{"DocumentedError", "ErrorEnvelope"}},
		"error is null":      {body: `{"error":null}`, want: []string{"DocumentedError", "ErrorEnvelope"}},
		"no message":         {body: edit(`"message":"Unknown role.",`, ""), want: []string{"DocumentedError", "ErrorEnvelope"}},
		"an empty message":   {body: edit(`Unknown role.`, ""), want: []string{"DocumentedError", "ErrorEnvelope"}},
		"message is a list":  {body: edit(`"Unknown role."`, "[]"), want: []string{"DocumentedError", "ErrorEnvelope"}},
		"no type":            {body: edit(`"type":"invalid_request_error",`, ""), want: []string{"ErrorEnvelope"}},
		"type null":          {body: edit(`"invalid_request_error"`, "null"), want: []string{"ErrorEnvelope"}},
		"no param":           {body: edit(`"param":"messages[0].role",`, ""), want: []string{"ErrorEnvelope"}},
		"no code":            {body: edit(`,"code":null`, ""), want: []string{"ErrorEnvelope"}},
		"code is a number":   {body: edit(`"code":null`, `"code":400`), want: []string{"ErrorEnvelope"}},
		"an event of stream": {typ: "text/event-stream", body: failed, want: []string{"DocumentedError", "ErrorJSON"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.status == 0 {
				tt.status = http.StatusBadRequest
			}
			tr := jsonAnswer(max(tt.status, 0), tt.body)
			if tt.typ != "" {
				tr.Header.Set("Content-Type", tt.typ)
			}
			if tt.status < 0 {
				tr.Header = nil
			}
			var found []Finding
			for _, r := range ErrorRules() {
				found = append(found, r.Judge(ParseError(tr))...)
			}
			assert.Equal(t, tt.want, names(found))
			wellFormed(t, found)
		})
	}
}

func TestErrorIs(t *testing.T) {
	e := ParseError(jsonAnswer(400, badRole))
	assert.Equal(t, "Unknown role.", e.Message)
	assert.Empty(t, e.Is(ErrorWant{}))
	assert.Empty(t, e.Is(ErrorWant{Statuses: []int{404, 400}, Type: "invalid_request_error", Param: "messages"}))
	assert.Empty(t, e.Is(ErrorWant{Param: "messages[0].role"}))
	assert.Len(t, e.Is(ErrorWant{Statuses: []int{404}}), 1)
	assert.Len(t, e.Is(ErrorWant{Type: "server_error"}), 1)
	assert.Len(t, e.Is(ErrorWant{Code: "model_not_found"}), 1)
	assert.Len(t, e.Is(ErrorWant{Param: "message"}), 1)
	assert.Len(t, e.Is(ErrorWant{Statuses: []int{401}, Type: "t", Code: "c", Param: "p"}), 4)
}

func TestNoSecret(t *testing.T) {
	const key = "sk-0123456789abcdefghijklmnop"
	answer := func(m string) *ErrorBody {
		return ParseError(jsonAnswer(401, strings.Replace(badRole, "Unknown role.", m, 1)))
	}
	assert.Empty(t, answer("Bad key.").NoSecret(key))
	assert.Empty(t, answer("Bad key sk-0123***mnop.").NoSecret(key), "masked")
	assert.Empty(t, answer("Bad key.").NoSecret(""))
	for _, m := range []string{"Bad key " + key, "Bad key 456789abcdefghijk and so on"} {
		found := answer(m).NoSecret(key)
		require.Len(t, found, 1)
		assert.NotContains(t, found[0].Seen, "456789abcdef")
	}
	short := answer("Bad key geheim.").NoSecret("geheim")
	require.Len(t, short, 1)
	assert.NotContains(t, short[0].Seen, "geheim")

	inHead := answer("Bad key.")
	inHead.Transcript.Header.Set("WWW-Authenticate", "Bearer "+key)
	assert.Len(t, inHead.NoSecret(key), 1)

	assert.Empty(t, answer("Bad key.").MessageClean())
	assert.Len(t, answer("dial tcp 10.0.0.1").MessageClean(), 1)
}

const models = `{"object":"list","data":[{"id":"m","object":"model","created":1,"owned_by":"us",` +
	`"costPerMillionInput":0.0313,"costPerMillionOutput":0.2373,"costPerMillionCacheRead":0.00313,"costPerMillionCacheWrite":0.039125}]}`

func TestModelsRules(t *testing.T) {
	edit := func(old, new string) string {
		require.Contains(t, models, old)
		return strings.Replace(models, old, new, 1)
	}
	tests := map[string]struct {
		status int
		body   string
		want   []string
	}{
		"good":               {body: models},
		"more fields":        {body: edit(`"us"`, `"us","more":{}`)},
		"as exponents":       {body: edit(`0.00313,`, `3.13e-3,`)},
		"unauthorized":       {status: 401, body: models, want: []string{"ModelsList"}},
		"no model":           {body: `{"object":"list","data":[]}`, want: []string{"ModelPrices", "ModelTokenPrices", "ModelsList", "PriceOrder"}},
		"a bare list":        {body: `[]`, want: []string{"ModelPrices", "ModelTokenPrices", "ModelsList", "PriceOrder"}},
		"no object":          {body: edit(`"object":"list",`, ``), want: []string{"ModelsList"}},
		"another object":     {body: edit(`"object":"model"`, `"object":"thing"`), want: []string{"ModelsList"}},
		"no id":              {body: edit(`"id":"m",`, ``), want: []string{"ModelsList"}},
		"the same id twice":  {body: edit(`"data":[`, `"data":[`+strings.TrimSuffix(strings.TrimPrefix(models, `{"object":"list","data":[`), `]}`)+`,`), want: []string{"ModelsList"}},
		"no read price":      {body: edit(`"costPerMillionCacheRead":0.00313,`, ``), want: []string{"ModelPrices", "PriceOrder"}},
		"a price as text":    {body: edit(`:0.039125`, `:"0.039125"`), want: []string{"ModelPrices", "PriceOrder"}},
		"a price of nothing": {body: edit(`:0.00313,`, `:0,`)},
		"all for nothing":    {body: strings.NewReplacer("0.0313", "0", "0.2373", "0.0", "0.00313", "0", "0.039125", "0e5").Replace(models)},
		"a negative price":   {body: edit(`:0.00313,`, `:-1,`), want: []string{"ModelPrices"}},
		"no input price":     {body: edit(`"costPerMillionInput":0.0313,`, ``), want: []string{"ModelTokenPrices"}},
		"writes are cheap":   {body: edit(`:0.039125`, `:0.0313`), want: []string{"PriceOrder"}},
		"reads are dear":     {body: edit(`:0.00313,`, `:0.0314,`), want: []string{"PriceOrder"}},
		"reads over writes":  {body: edit(`:0.00313,`, `:1,`), want: []string{"PriceOrder"}},
		"an endless number":  {body: edit(`:0.00313,`, `:1e-999999999,`), want: []string{"ModelPrices", "PriceOrder"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.status == 0 {
				tt.status = http.StatusOK
			}
			m := ParseModels(jsonAnswer(tt.status, tt.body))
			var found []Finding
			for _, r := range ModelsRules() {
				found = append(found, r.Judge(m)...)
			}
			assert.Equal(t, tt.want, names(found))
			wellFormed(t, found)
		})
	}
	m := ParseModels(jsonAnswer(200, models))
	require.Len(t, m.List, 1)
	assert.Equal(t, "m", m.List[0].ID)
	assert.Equal(t, big.NewRat(313, 100000), m.List[0].Price("costPerMillionCacheRead"))
	assert.Nil(t, m.List[0].Price("id"))
}
