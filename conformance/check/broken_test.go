package check

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"

	"plumbline.dev/plumbline/conformance/wire"
)

// Each stream is broken in one way. Expected are all rules that speak, so that
// one that says too much is seen as well as one that says nothing.
func TestBrokenStreams(t *testing.T) {
	replace := func(event, old, new string) string {
		if !strings.Contains(event, old) {
			panic("nothing to break: " + old)
		}
		return strings.Replace(event, old, new, 1)
	}
	type stream = []string
	tests := map[string]struct {
		events stream
		ask    *Ask // asked by default
		want   []string
	}{
		"good":               {events: stream{role, hello, world, finish, usage, done}},
		"good without usage": {events: without(role, hello, world, finish, done), ask: &unasked},
		"nothing":            {want: []string{"DocumentedReader", "DoneOnce", "FinishOnce", "HasChunks", "SDKReads", "UsageLast"}},
		"[DONE] alone":       {events: stream{done}, want: []string{"FinishOnce", "HasChunks", "SDKReads", "UsageLast"}},
		"a JSON answer":      {events: stream{`{"object":"chat.completion"}`}, want: []string{"DocumentedReader", "DoneOnce", "EventsTerminated", "FinishOnce", "HasChunks", "SDKReads", "UsageLast"}},

		// The terminator.
		"no [DONE]":               {events: stream{role, hello, finish, usage}, want: []string{"DocumentedReader", "DoneOnce"}},
		"cut off":                 {events: stream{role, hello}, want: []string{"DocumentedReader", "DoneOnce", "FinishOnce", "SDKReads", "UsageLast"}},
		"[DONE] without brackets": {events: stream{role, finish, usage, "data: DONE\n\n"}, want: []string{"DataJSON", "DocumentedReader", "DoneOnce", "SDKReads"}},
		"[DONE] with a space":     {events: stream{role, finish, usage, "data: [DONE] \n\n"}, want: []string{"DataJSON", "DocumentedReader", "DoneOnce", "SDKReads"}},
		"[DONE] without data":     {events: stream{role, finish, usage, "[DONE]\n\n"}, want: []string{"DocumentedReader", "DoneOnce", "OnlyComments"}},
		"[DONE] twice":            {events: stream{role, finish, usage, done, done}, want: []string{"DoneOnce"}},
		"[DONE] not ended":        {events: stream{role, finish, usage, "data: [DONE]\n"}, want: []string{"DocumentedReader", "DoneOnce", "EventsTerminated", "SDKReads"}},
		"[DONE] before usage":     {events: stream{role, finish, done, usage}, want: []string{"DoneLast", "SDKReads", "UsageLast"}},
		"[DONE] before finish":    {events: stream{role, hello, done, finish, usage}, want: []string{"DoneLast", "FinishOnce", "SDKReads", "UsageLast"}},
		"a comment after [DONE]":  {events: stream{role, finish, usage, done, ": ping\n\n"}, want: []string{"DoneLast"}},
		"half a line after it":    {events: stream{role, finish, usage, done, "da"}, want: []string{"DoneLast", "EventsTerminated"}},
		"a receipt after [DONE]":  {events: stream{role, finish, usage, done, "data: {\"paid\":1}\n\n"}, want: []string{"ChunkObject", "ChunkShape", "CreatedConstant", "DocumentedReader", "DoneLast", "IDConstant", "IDForm", "ModelConstant", "NoVendorFields", "UsageNullBefore"}},

		// Usage.
		"no usage":                 {events: stream{role, hello, finish, done}, want: []string{"SDKReads", "UsageLast"}},
		"usage beside a choice":    {events: stream{role, hello, finish, replace(usage, `"choices":[]`, `"choices":[`+choice(0, "{}", `"stop"`)+`]`), done}, want: []string{"FinishOnce", "UsageLast"}},
		"usage on the finish":      {events: stream{role, hello, replace(finish, `"usage":null`, `"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}`), done}, want: []string{"UsageLast"}},
		"usage not last":           {events: stream{role, hello, finish, usage, envelope("", `,"usage":null`), done}, want: []string{"UsageLast"}},
		"usage twice":              {events: stream{role, hello, finish, usage, usage, done}, want: []string{"UsageNullBefore", "UsageOnce"}},
		"usage on every chunk":     {events: stream{replace(role, "null}\n", `{"prompt_tokens":9,"completion_tokens":0,"total_tokens":9}}`+"\n"), hello, finish, usage, done}, want: []string{"UsageNullBefore", "UsageOnce"}},
		"no usage key before":      {events: append(without(role, hello, finish), usage, done), want: []string{"UsageNullBefore"}},
		"usage chunk, no choices":  {events: stream{role, hello, finish, replace(usage, `"choices":[],`, ""), done}, want: []string{"ChunkShape", "DocumentedReader", "SDKReads", "UsageLast"}},
		"usage null at the end":    {events: stream{role, hello, finish, envelope("", `,"usage":null`), done}, want: []string{"SDKReads", "UsageLast"}},
		"usage not asked for":      {events: append(without(role, hello, finish), usage, done), ask: &unasked, want: []string{"NoEmptyChoices", "NoUsage"}},
		"empty choices, unasked":   {events: append(without(role, hello, finish), envelope("", ""), done), ask: &unasked, want: []string{"NoEmptyChoices"}},
		"a wrong sum":              {events: stream{role, hello, finish, replace(usage, `:11`, `:12`), done}, want: []string{"UsageSums"}},
		"a negative count":         {events: stream{role, hello, finish, replace(usage, `:9`, `:-9`), done}, want: []string{"UsageSums"}},
		"a fraction":               {events: stream{role, hello, finish, replace(usage, `:2,`, `:2.5,`), done}, want: []string{"UsageSums"}},
		"a count as text":          {events: stream{role, hello, finish, replace(usage, `:2,`, `:"2",`), done}, want: []string{"UsageSums"}},
		"more reasoning than all":  {events: stream{role, hello, finish, replace(usage, `:11}`, `:11,"completion_tokens_details":{"reasoning_tokens":79}}`), done}, want: []string{"UsageSums"}},
		"more cached than prompt":  {events: stream{role, hello, finish, replace(usage, `:11}`, `:11,"prompt_tokens_details":{"cached_tokens":10}}`), done}, want: []string{"UsageSums"}},
		"0 tokens behind text":     {events: stream{role, hello, finish, replace(replace(usage, `:2,`, `:0,`), `:11`, `:9`), done}, want: []string{"UsageNotZero"}},
		"more tokens than allowed": {events: stream{role, hello, finish, usage, done}, ask: &Ask{IncludeUsage: true, MaxTokens: 1}, want: []string{"TokenLimit"}},

		// The finish chunk.
		"two finish chunks":       {events: stream{role, hello, finish, finish, usage, done}, want: []string{"FinishOnce"}},
		"no finish chunk":         {events: stream{role, hello, usage, done}, want: []string{"FinishOnce", "SDKReads"}},
		"content after finish":    {events: stream{role, hello, finish, world, usage, done}, want: []string{"NothingAfterFinish"}},
		"empty after finish":      {events: stream{role, hello, finish, replace(hello, "Hello", ""), usage, done}, want: []string{"ChoiceOver"}},
		"an unknown reason":       {events: stream{role, hello, replace(finish, `"stop"`, `"abort"`), usage, done}, want: []string{"FinishKey"}},
		"an empty reason":         {events: stream{role, replace(hello, `"finish_reason":null`, `"finish_reason":""`), finish, usage, done}, want: []string{"FinishKey"}},
		"no finish_reason key":    {events: stream{role, replace(hello, `,"finish_reason":null`, ""), finish, usage, done}, want: []string{"FinishKey"}},
		"a finish reason not one": {events: stream{role, hello, replace(finish, `"stop"`, "7"), usage, done}, want: []string{"FinishKey", "FinishOnce", "SDKReads"}},

		// What names the reply.
		"the id changes":        {events: stream{role, replace(hello, "0d1f", "0d20"), finish, usage, done}, want: []string{"IDConstant", "SDKReads"}},
		"an empty id":           {events: stream{role, replace(hello, testID, ""), finish, usage, done}, want: []string{"IDConstant", "IDForm", "SDKReads"}},
		"another id form":       {events: strings.SplitAfter(strings.ReplaceAll(role+hello+finish+usage, testID, "chatcmpl-1E3A")+done, "\n\n"), want: []string{"IDForm", "IDHeader"}},
		"created changes":       {events: stream{role, replace(hello, "1767225600", "1767225601"), finish, usage, done}, want: []string{"CreatedConstant"}},
		"created missing":       {events: stream{role, replace(hello, `"created":1767225600,`, ""), finish, usage, done}, want: []string{"ChunkShape", "CreatedConstant"}},
		"created long ago":      {events: strings.SplitAfter(strings.ReplaceAll(role+hello+finish+usage, "1767225600", "0")+done, "\n\n"), want: []string{"CreatedConstant"}},
		"created in ms":         {events: strings.SplitAfter(strings.ReplaceAll(role+hello+finish+usage, "1767225600", "1767225600000")+done, "\n\n"), want: []string{"CreatedConstant"}},
		"the model changes":     {events: stream{role, replace(hello, `"m"`, `"n"`), finish, usage, done}, want: []string{"ModelConstant"}},
		"the model is null":     {events: stream{role, replace(hello, `"m"`, `null`), finish, usage, done}, want: []string{"ChunkShape", "ModelConstant"}},
		"another object":        {events: stream{role, replace(hello, `.chunk"`, `"`), finish, usage, done}, want: []string{"ChunkObject", "SDKReads"}},
		"no role":               {events: stream{hello, world, finish, usage, done}, want: []string{"RoleFirst", "SDKReads"}},
		"another role":          {events: stream{role, replace(hello, `{"content"`, `{"role":"user","content"`), finish, usage, done}, want: []string{"RoleFirst"}},
		"a role of no one":      {events: stream{role, replace(hello, `{"content"`, `{"role":"robot","content"`), finish, usage, done}, want: []string{"DeltaTypes", "RoleFirst"}},
		"null role":             {events: stream{role, replace(hello, `{"content"`, `{"role":null,"content"`), finish, usage, done}, want: []string{"DeltaTypes"}},
		"the index counts up":   {events: stream{role, replace(hello, `"index":0`, `"index":1`), finish, usage, done}, want: []string{"ChoiceIndex", "DocumentedReader", "RoleFirst"}},
		"no index":              {events: stream{role, replace(hello, `"index":0,`, ""), finish, usage, done}, want: []string{"ChoiceIndex", "SDKReads"}},
		"a choice twice":        {events: stream{role, replace(hello, `[{`, `[`+choice(0, "{}", "null")+`,{`), finish, usage, done}, want: []string{"ChoiceIndex", "DocumentedReader"}},
		"a vendor field":        {events: stream{role, replace(hello, `"usage"`, `"provider":"x","usage"`), finish, usage, done}, want: []string{"NoVendorFields"}},
		"reasoning_content":     {events: stream{role, replace(hello, `{"content"`, `{"reasoning_content":"hm","content"`), finish, usage, done}, want: []string{"NoVendorFields"}},
		"message beside delta":  {events: stream{role, replace(hello, `"delta"`, `"message":{"content":"Hello"},"delta"`), finish, usage, done}, want: []string{"NoVendorFields"}},
		"a vendor's usage":      {events: stream{role, hello, finish, replace(usage, `:11}`, `:11,"cost":0.1}`), done}, want: []string{"NoVendorFields"}},
		"error null":            {events: stream{role, replace(hello, `"usage"`, `"error":null,"usage"`), finish, usage, done}, want: []string{"NoErrorKey", "SDKReads"}},
		"an error, then [DONE]": {events: stream{role, hello, failed, done}, want: []string{"DocumentedReader", "FinishOnce", "NoErrorKey", "SDKReads", "UsageLast"}},
		"content is a number":   {events: stream{role, replace(hello, `"Hello"`, "5"), finish, usage, done}, want: []string{"DeltaTypes", "DocumentedReader"}},
		"delta missing":         {events: stream{role, replace(hello, `"delta":{"content":"Hello"},`, ""), finish, usage, done}, want: []string{"ChunkShape", "SDKReads"}},
		"choices of no objects": {events: stream{role, replace(envelope("", `,"usage":null`), "[]", "[7]"), finish, usage, done}, want: []string{"ChunkShape"}},
		"choices null":          {events: stream{role, replace(envelope("", `,"usage":null`), "[]", "null"), finish, usage, done}, want: []string{"ChunkShape", "DocumentedReader", "SDKReads"}},
		"logprobs unasked":      {events: stream{role, replace(hello, `"delta"`, `"logprobs":{"content":[]},"delta"`), finish, usage, done}, want: []string{"Logprobs"}},
		"a stop sequence":       {events: stream{role, hello, finish, usage, done}, ask: &Ask{IncludeUsage: true, Stop: []string{"ll"}}, want: []string{"StopNotInText"}},

		// The framing.
		"CRLF":                     {events: strings.SplitAfter(strings.ReplaceAll(role+finish+usage+done, "\n", "\r\n"), "\r\n\r\n"), want: []string{"DocumentedReader", "LFOnly"}},
		"CR":                       {events: stream{strings.ReplaceAll(role+finish+usage+done, "\n", "\r")}, want: []string{"DocumentedReader", "LFOnly", "SDKReads"}},
		"one LF between events":    {events: stream{strings.TrimSuffix(role, "\n"), finish, usage, done}, want: []string{"DataJSON", "FinishOnce", "OneDataLine", "SDKReads"}},
		"two objects in a line":    {events: stream{role, strings.TrimSuffix(hello, "\n\n") + strings.TrimPrefix(hello, "data: "), finish, usage, done}, want: []string{"DataJSON", "DocumentedReader", "SDKReads"}},
		"pretty printed":           {events: stream{role, replace(hello, `,"object"`, ",\ndata: \"object\""), finish, usage, done}, want: []string{"DocumentedReader", "OneDataLine"}},
		"no space":                 {events: stream{role, replace(hello, "data: ", "data:"), finish, usage, done}, want: []string{"DataSpace", "DocumentedReader"}},
		"two spaces":               {events: stream{role, replace(hello, "data: ", "data:  "), finish, usage, done}, want: []string{"DataSpace"}},
		"a byte order mark":        {events: stream{"\xef\xbb\xbf" + role, finish, usage, done}, want: []string{"NoBOM", "SDKReads"}},
		"broken UTF-8":             {events: stream{role, replace(world, "ö", "\xc3"), finish, usage, done}, want: []string{"SDKReads", "UTF8"}},
		"a named event":            {events: stream{"event: message\n" + role, finish, usage, done}, want: []string{"UnnamedEvents"}},
		"an event named error":     {events: stream{role, "event: error\n" + hello, finish, usage, done}, want: []string{"SDKReads", "UnnamedEvents"}},
		"a name without data":      {events: stream{"event: ping\n\n", role, finish, usage, done}, want: []string{"SDKReads", "UnnamedEvents"}},
		"an id line":               {events: stream{"id: 1\n" + role, finish, usage, done}, want: []string{"OnlyComments"}},
		"an id line and a ping":    {events: stream{"id: 1\n" + role, ": ping\n\n", finish, usage, done}, want: []string{"OnlyComments", "SDKReads"}},
		"retry alone":              {events: stream{"retry: 5\n\n", role, finish, usage, done}, want: []string{"OnlyComments", "SDKReads"}},
		"an unknown field":         {events: stream{"error: {}\n\n", role, finish, usage, done}, want: []string{"OnlyComments"}},
		"bare text":                {events: stream{"ping\n\n", role, finish, usage, done}, want: []string{"OnlyComments"}},
		"an empty data event":      {events: stream{role, "data:\n\n", finish, usage, done}, want: []string{"DataJSON", "DataSpace", "SDKReads"}},
		"a comment as data":        {events: stream{role, "data: : ping\n\n", finish, usage, done}, want: []string{"DataJSON", "DocumentedReader", "SDKReads"}},
		"data is a list":           {events: stream{role, "data: []\n\n", finish, usage, done}, want: []string{"DataJSON", "DocumentedReader", "SDKReads"}},
		"a ping inside an event":   {events: stream{replace(role, "\n\n", "\n: ping\n\n"), finish, usage, done}, want: []string{"CommentsBetweenEvents"}},
		"a ping inside a line":     {events: stream{replace(role, `"object"`, "\n: ping\n\n\"object\""), finish, usage, done}, want: []string{"CommentsBetweenEvents", "DataJSON", "DocumentedReader", "OnlyComments", "RoleFirst", "SDKReads"}},
		"half an event at the end": {events: stream{role, finish, usage, done[:len(done)-2]}, want: []string{"DocumentedReader", "DoneOnce", "EventsTerminated", "SDKReads"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			ask := asked
			if tt.ask != nil {
				ask = *tt.ask
			}
			found := Judge(ParseChat(answer(tt.events...), ask), ChatRules())
			assert.Equal(t, tt.want, names(found))
			wellFormed(t, found)
		})
	}
}

func wellFormed(t *testing.T, found []Finding) {
	t.Helper()
	for _, f := range found {
		assert.NotEmpty(t, f.Rule)
		assert.NotEmpty(t, f.Expected, f.Rule)
		assert.NotEmpty(t, f.Seen, f.Rule)
		assert.LessOrEqual(t, len(f.Seen), 300, f.Rule)
		assert.False(t, strings.ContainsFunc(f.Seen, func(r rune) bool { return !unicode.IsPrint(r) }), "%s: %q", f.Rule, f.Seen)
	}
}

func TestBrokenHeadsAndEnds(t *testing.T) {
	tests := map[string]struct {
		breakIt func(*wire.Transcript)
		want    []string
	}{
		"status":            {func(t *wire.Transcript) { t.Status = 201 }, []string{"EventStream"}},
		"an error status":   {func(t *wire.Transcript) { t.Status = 500 }, []string{"DocumentedReader", "EventStream", "SDKReads"}},
		"JSON":              {func(t *wire.Transcript) { t.Header.Set("Content-Type", "application/json") }, []string{"EventStream"}},
		"no type":           {func(t *wire.Transcript) { t.Header.Del("Content-Type") }, []string{"EventStream"}},
		"caching":           {func(t *wire.Transcript) { t.Header.Del("Cache-Control") }, []string{"CacheControl"}},
		"transforming":      {func(t *wire.Transcript) { t.Header.Set("Cache-Control", "no-cache") }, []string{"CacheControl"}},
		"more directives":   {func(t *wire.Transcript) { t.Header.Add("Cache-Control", "private") }, []string{"CacheControl"}},
		"buffering":         {func(t *wire.Transcript) { t.Header.Set("X-Accel-Buffering", "yes") }, []string{"AccelBuffering"}},
		"a length":          {func(t *wire.Transcript) { t.Header.Set("Content-Length", "1"); t.ContentLength = 1 }, []string{"NoLength"}},
		"an encoding":       {func(t *wire.Transcript) { t.Header.Set("Content-Encoding", "br") }, []string{"NoEncoding"}},
		"no id":             {func(t *wire.Transcript) { t.Header.Del("X-Mortar-Request-Id") }, []string{"IDHeader"}},
		"another id":        {func(t *wire.Transcript) { t.Header.Set("X-Mortar-Request-Id", "chatcmpl-2") }, []string{"IDHeader"}},
		"no final chunk":    {func(t *wire.Transcript) { t.End, t.EndError = wire.EndCut, "unexpected EOF" }, []string{"CleanEnd", "DocumentedReader", "SDKReads"}},
		"a reset":           {func(t *wire.Transcript) { t.End, t.EndError = wire.EndReset, "reset" }, []string{"CleanEnd", "DocumentedReader", "SDKReads"}},
		"never closed":      {func(t *wire.Transcript) { t.End, t.EndError = wire.EndTimeout, "deadline" }, []string{"CleanEnd", "DocumentedReader"}},
		"an endless body":   {func(t *wire.Transcript) { t.End, t.EndError = wire.EndLimit, "limit" }, []string{"CleanEnd", "DocumentedReader"}},
		"we left":           {func(t *wire.Transcript) { t.End, t.EndError = wire.EndLeft, "left" }, nil},
		"other spelling":    {func(t *wire.Transcript) { t.Header.Set("Cache-Control", "No-Transform,no-cache") }, nil},
		"type in capitals":  {func(t *wire.Transcript) { t.Header.Set("Content-Type", "Text/Event-Stream") }, nil},
		"two header fields": {func(t *wire.Transcript) { t.Header["Cache-Control"] = []string{"no-cache", "no-transform"} }, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tr := answer(role, hello, world, finish, usage, done)
			tt.breakIt(tr)
			found := Judge(ParseChat(tr, asked), ChatRules())
			assert.Equal(t, tt.want, names(found))
			wellFormed(t, found)
		})
	}
}
