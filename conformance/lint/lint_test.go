package lint_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance"
	"plumbline.dev/plumbline/conformance/lint"
	"plumbline.dev/plumbline/conformance/wire"
)

func captured(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "curl", name+".txt"))
	require.NoError(t, err)
	return string(text)
}

// reply is one good reply: the head as curl -i writes it, and the body.
func reply(t testing.TB) (head, body string) {
	t.Helper()
	head, body, ok := strings.Cut(captured(t, "head"), "\r\n\r\n")
	require.True(t, ok)
	return head + "\r\n\r\n", body
}

func judge(t testing.TB, file string, o lint.Options) *lint.Report {
	t.Helper()
	r, err := lint.Judge("capture", []byte(file), o)
	require.NoError(t, err)
	return r
}

// rows are the rows that were found broken, each once and in order.
func rows(r *lint.Report) []string {
	var out []string
	for _, f := range r.Findings {
		out = append(out, f.Requirement)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// The same good reply, as curl wrote it down in every way.
func TestWhatCurlWritesDown(t *testing.T) {
	for name, want := range map[string]struct {
		form string
		head bool
		note string
	}{
		"body":            {"body", false, "no head"},
		"head":            {"http", true, ""},
		"head-and-chunks": {"http", true, ""},
		"verbose":         {"http", true, "the first 11 lines are no part of the stream"},
		"trace":           {"trace", true, ""},
		"trace-time":      {"trace", true, ""},
		"trace-ascii":     {"trace", true, "--trace-ascii writes a dot"},
	} {
		t.Run(name, func(t *testing.T) {
			r := judge(t, captured(t, name), lint.Options{})
			assert.Empty(t, r.Findings)
			assert.Equal(t, want.form, r.Form)
			assert.Equal(t, "chat", r.Format)
			assert.Equal(t, "mortar", r.Profile)
			assert.Equal(t, conformance.ExitPass, r.ExitCode)
			assert.Equal(t, want.head, slices.Contains(r.Judged, "mortar-stream-24"))
			assert.Contains(t, r.Judged, "mortar-stream-11")
			assert.Contains(t, strings.Join(r.Notes, "\n"), want.note)
			if want.note == "" {
				assert.Empty(t, r.Notes)
			}
		})
	}
}

func TestTheTimesOfATrace(t *testing.T) {
	c, err := lint.Read([]byte(captured(t, "trace-time")))
	require.NoError(t, err)
	assert.Positive(t, c.Transcript.HeaderAt)
	assert.Less(t, c.Transcript.HeaderAt, time.Second)
	assert.Equal(t, http.StatusOK, c.Transcript.Status)
	assert.Equal(t, wire.EndClean, c.Transcript.End)
	assert.Equal(t, `data: {"id":"chatcmpl-`, string(c.Transcript.Body[:22]))
	assert.True(t, strings.HasSuffix(string(c.Transcript.Body), "\n\ndata: [DONE]\n\n"))
	assert.Contains(t, string(c.Transcript.Request.Body), "haikü")
}

func TestAnErrorBeforeTheStream(t *testing.T) {
	refused := captured(t, "refused")
	r := judge(t, refused, lint.Options{})
	assert.Equal(t, "error", r.Format)
	assert.Empty(t, r.Findings)
	assert.Equal(t, []string{"openai-chat-23"}, rows(judge(t, strings.Replace(refused, `"type"`, `"kind"`, 1), lint.Options{Profile: "openai"})))
}

// chunked puts a body into the chunks of HTTP/1.1, of odd sizes.
func chunked(body string) string {
	var b strings.Builder
	for i := 0; len(body) > 0; i++ {
		n := min(len(body), 1+(i*37)%200)
		fmt.Fprintf(&b, "%x;ext=1\r\n%s\r\n", n, body[:n])
		body = body[n:]
	}
	return b.String() + "0\r\n\r\n"
}

// traced is what curl --trace writes of an answer.
func traced(head, body string) string {
	var b strings.Builder
	section := func(what, data string) {
		fmt.Fprintf(&b, "<= Recv %s, %d bytes (0x%x)\n", what, len(data), len(data))
		for at := 0; at < len(data); at += 16 {
			line := data[at:min(len(data), at+16)]
			digits := ""
			for _, c := range []byte(line) {
				digits += hex.EncodeToString([]byte{c}) + " "
			}
			fmt.Fprintf(&b, "%04x: %-48s%s\n", at, digits, strings.Map(func(r rune) rune {
				if r < ' ' || r > '~' {
					return '.'
				}
				return r
			}, line))
		}
	}
	b.WriteString("== Info:   Trying 127.0.0.1:80...\n")
	for line := range strings.SplitAfterSeq(head, "\n") {
		if line != "" {
			section("header", line)
		}
	}
	for len(body) > 0 {
		n := min(len(body), 300)
		section("data", body[:n])
		body = body[n:]
	}
	return b.String()
}

// A fault is found at its place in the file, in whatever form it comes.
func TestAFaultIsFoundAtItsPlace(t *testing.T) {
	plain, body := reply(t)
	parts := strings.SplitAfter(body, "\n\n")
	bad := strings.Replace(parts[2], `"delta"`, `"provider":"x","delta"`, 1)
	require.NotEqual(t, parts[2], bad)
	parts[2] = bad
	body = strings.Join(parts, "")
	require.Contains(t, plain, "Transfer-Encoding: chunked")
	verbose := "* Connected\n> POST /v1 HTTP/1.1\n> \n} [5 bytes data]\n< " + strings.ReplaceAll(strings.TrimSuffix(plain, "\r\n"), "\r\n", "\r\n< ") + "\r\n"
	for name, file := range map[string]string{
		"body":         body,
		"head":         plain + body,
		"chunks":       plain + chunked(body),
		"two heads":    "HTTP/1.1 100 Continue\r\n\r\n" + plain + body,
		"verbose":      verbose + "{ [99 bytes data]\n" + parts[0] + "{ [99 bytes data]\n" + strings.Join(parts[1:], "") + "* Connection #0 to host x left intact\n",
		"a prompt":     "me@host:~/src (main)$ curl -N \\\n  -H 'A: b' http://x\n\n" + body + "me@host:~/src (main)$ ",
		"a fence":      "```\n" + body + "```\n",
		"CRLF":         strings.ReplaceAll(body, "\n", "\r\n"),
		"no beginning": parts[0][100:] + strings.Join(parts[1:], ""),
	} {
		t.Run(name, func(t *testing.T) {
			r := judge(t, file, lint.Options{})
			require.Equal(t, []string{"mortar-stream-30"}, rows(r))
			f := r.Findings[0]
			want := strings.Index(file, strings.TrimRight(bad, "\n")[:60])
			for i := 0; i < 2; i++ { // the third event
				want += 1 + strings.Index(file[want+1:], strings.TrimRight(bad, "\n")[:60])
			}
			if name == "no beginning" {
				want = strings.Index(file, bad)
			}
			if name == "chunks" { // the event is cut somewhere
				assert.LessOrEqual(t, f.Offset, len(file))
				assert.True(t, strings.HasPrefix(file[f.Offset:], "d"), "it begins with its data line")
			} else {
				assert.Equal(t, want, f.Offset)
			}
			assert.Equal(t, 1+strings.Count(file[:f.Offset], "\n"), f.Line)
			assert.Equal(t, `choices.provider: "x"`, f.Seen)
			assert.Equal(t, conformance.ExitViolation, r.ExitCode)
		})
	}
	t.Run("trace", func(t *testing.T) {
		r := judge(t, traced(plain, body), lint.Options{})
		require.Equal(t, []string{"mortar-stream-30"}, rows(r))
	})
}

// What a server did wrong is no paste, and what a paste did is no server's fault.
func TestPasteIsToldFromFault(t *testing.T) {
	head, body := reply(t)
	events := strings.SplitAfter(body, "\n\n")
	tests := map[string]struct {
		file string
		o    lint.Options
		want []string
		note string
	}{
		"CRLF behind a head":          {head + strings.ReplaceAll(body, "\n", "\r\n"), lint.Options{}, []string{"mortar-stream-07"}, ""},
		"CRLF in some lines":          {strings.Replace(body, "\n\n", "\r\n\r\n", 1), lint.Options{}, []string{"mortar-stream-07"}, ""},
		"CRLF everywhere":             {strings.ReplaceAll(body, "\n", "\r\n"), lint.Options{}, nil, "every line ends with CR LF"},
		"a cut end":                   {body[:len(body)-40], lint.Options{}, []string{"mortar-stream-07", "mortar-stream-11", "mortar-stream-31"}, ""},
		"a cut end, said":             {body[:len(body)-40], lint.Options{Partial: true}, nil, "the capture is cut"},
		"cut before usage, said":      {strings.Join(events[:5], ""), lint.Options{Partial: true}, nil, "the capture is cut"},
		"cut between events":          {strings.Join(events[:5], ""), lint.Options{}, []string{"mortar-stream-11", "mortar-stream-12", "mortar-stream-31"}, ""},
		"a fault before a cut, said":  {strings.Replace(body[:len(body)-40], `"delta"`, `"d"`, 1), lint.Options{Partial: true}, []string{"mortar-stream-02", "mortar-stream-30", "mortar-stream-31", "openai-chat-07"}, ""},
		"no beginning":                {body[90:], lint.Options{}, nil, "the beginning is missing"},
		"bare text among the events":  {strings.Replace(body, "\n\n", "\n\nping\n\n", 1), lint.Options{}, []string{"mortar-stream-09"}, ""},
		"a byte order mark":           {"\xef\xbb\xbf" + body, lint.Options{}, []string{"mortar-stream-08", "mortar-stream-31"}, ""},
		"chunks that end too soon":    {strings.TrimSuffix(captured(t, "head-and-chunks"), "0\r\n\r\n"), lint.Options{}, []string{"mortar-stream-11", "mortar-stream-31"}, ""},
		"an answer that is no stream": {"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>\n", lint.Options{Profile: "openai"}, []string{"openai-chat-01", "openai-chat-02", "openai-chat-03", "openai-chat-09", "openai-chat-19"}, ""},
		"usage that was not asked":    {body, lint.Options{IncludeUsage: new(bool)}, []string{"mortar-stream-05"}, ""},
		"it should have failed":       {body, lint.Options{Ending: lint.Failed}, []string{"mortar-stream-16", "mortar-stream-17"}, ""},
		"it should have been stopped": {body, lint.Options{Ending: lint.Stopped}, []string{"mortar-cancel-07"}, ""},
		"stopped":                     {strings.Join(slices.Delete(slices.Clone(events), 5, 6), ""), lint.Options{Ending: lint.Stopped}, nil, ""},
		"failed": {strings.Join(events[:4], "") + `data: {"error":{"message":"The model server failed.","type":"upstream_error","param":null,"code":null}}` + "\n\n",
			lint.Options{}, nil, ""},
		"openai's id": {strings.ReplaceAll(body, "chatcmpl-", "chatcmpl-X"), lint.Options{}, nil, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := judge(t, tt.file, tt.o)
			assert.Equal(t, tt.want, rows(r))
			assert.Contains(t, strings.Join(r.Notes, "\n"), tt.note)
		})
	}
	assert.Equal(t, "openai", judge(t, tests["openai's id"].file, lint.Options{}).Profile)
}

// A text completion that fails, and a refusal of a message, have rules of their own.
func TestFailuresOfOtherFormats(t *testing.T) {
	const (
		text    = `data: {"id":"cmpl-1","object":"text_completion","created":1,"model":"m","choices":[{"index":0,"text":"Hello","logprobs":null,"finish_reason":null}]}` + "\n\n"
		failed  = `data: {"error":{"message":"The model server failed.","type":"upstream_error","param":null,"code":null}}` + "\n\n"
		refused = "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n\r\n"
		message = `{"type":"error","error":{"type":"not_found_error","message":"There is no such model."}}`
	)
	for name, tt := range map[string]struct {
		file string
		o    lint.Options
		want []string
	}{
		"text that fails":              {text + failed, lint.Options{Profile: "notholy"}, nil},
		"text with [DONE] behind":      {text + failed + "data: [DONE]\n\n", lint.Options{Profile: "notholy"}, []string{"notholy-errors-07"}},
		"text that should have failed": {text, lint.Options{Profile: "notholy", Ending: lint.Failed}, []string{"notholy-errors-04"}},
		"a message that is refused":    {refused + message, lint.Options{}, nil},
		"in a profile":                 {refused + message, lint.Options{Profile: "notholy"}, nil},
		"refused with a wrong type":    {refused + strings.Replace(message, "not_found_error", "api_error", 1), lint.Options{}, []string{"anthropic-messages-17"}},
		"of no form at all":            {refused + `{"oops":1}`, lint.Options{Profile: "notholy"}, []string{"openai-chat-23"}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.want, rows(judge(t, tt.file, tt.o)))
		})
	}
}

func TestATranscriptOfOurOwn(t *testing.T) {
	head, body := reply(t)
	c, err := lint.Read([]byte(traced(head, body)))
	require.NoError(t, err)
	file := lint.File{SchemaVersion: lint.FileVersion, Transcript: c.Transcript}
	write := func() string {
		text, err := json.Marshal(file)
		require.NoError(t, err)
		return string(text)
	}
	r := judge(t, write(), lint.Options{})
	assert.Empty(t, r.Findings)
	assert.Equal(t, "transcript", r.Form)
	assert.Contains(t, r.Judged, "mortar-stream-24")

	file.Transcript.Body = []byte(strings.Replace(body, "data: [DONE]", "data: [DONE]\n\ndata: [DONE]", 1))
	r = judge(t, write(), lint.Options{})
	require.Equal(t, []string{"mortar-stream-11"}, rows(r))
	assert.Equal(t, strings.LastIndex(string(file.Transcript.Body), "data: [DONE]"), r.Findings[0].Offset, "in its body")

	// The request tells that usage was not asked for.
	file.Transcript.Body = []byte(body)
	file.Transcript.Request.Body = []byte(`{"stream":true}`)
	assert.Equal(t, []string{"mortar-stream-05"}, rows(judge(t, write(), lint.Options{})))

	file.Ending = lint.Stopped
	file.Transcript.Request.Body = nil
	assert.Equal(t, []string{"mortar-cancel-07"}, rows(judge(t, write(), lint.Options{})))

	file.SchemaVersion = 9
	_, err = lint.Judge("f", []byte(write()), lint.Options{})
	assert.ErrorContains(t, err, "schemaVersion is 9")
}

func TestFormats(t *testing.T) {
	for want, body := range map[string]string{
		"chat":      captured(t, "body"),
		"text":      "data: {\"object\":\"text_completion\",\"choices\":[]}\n\ndata: [DONE]\n\n",
		"responses": "event: response.created\ndata: {\"type\":\"response.created\"}\n\n",
		"messages":  "event: message_start\ndata: {\"type\":\"message_start\"}\n\n",
	} {
		t.Run(want, func(t *testing.T) {
			assert.Equal(t, want, judge(t, body, lint.Options{}).Format)
			assert.Contains(t, lint.Formats(), want)
		})
	}
	talk := strings.Replace(captured(t, "body"), `"content":"This"`, `"content":"\"type\":\"message_start\""`, 1)
	assert.Equal(t, "chat", judge(t, talk, lint.Options{}).Format)
}

func TestWhatIsNotUnderstood(t *testing.T) {
	body := captured(t, "body")
	for name, tt := range map[string]struct {
		file string
		o    lint.Options
		says string
	}{
		"a profile":              {body, lint.Options{Profile: "mortal"}, `did you mean "mortar"`},
		"a format":               {body, lint.Options{Format: "chatt"}, `did you mean "chat"`},
		"an ending":              {body, lint.Options{Ending: "stoped"}, `did you mean "stopped"`},
		"nothing":                {"", lint.Options{}, "no event stream in it"},
		"prose":                  {"It does not work.\nPlease help.\n", lint.Options{}, "no event stream in it"},
		"a document":             {`{"object":"chat.completion"}`, lint.Options{}, "no event stream in it"},
		"an answer that is none": {"HTTP/1.1 200 OK\r\n\r\n" + `{"object":"text_completion"}`, lint.Options{}, "one JSON document"},
		"half a JSON file":       {`{"schemaVersion":1,"transcript":`, lint.Options{}, "unexpected end"},
		"an empty trace":         {"== Info:   Trying 127.0.0.1:1...\n== Info: connect failed\n", lint.Options{}, "no answer in it"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := lint.Judge("f", []byte(tt.file), tt.o)
			var usage *lint.UsageError
			require.ErrorAs(t, err, &usage)
			assert.ErrorContains(t, err, tt.says)
		})
	}
}

func TestReports(t *testing.T) {
	r := &lint.Report{SchemaVersion: 1, File: "a,b.sse", Format: "chat", Form: "body", Profile: "mortar", Guessed: true,
		Judged: []string{"r-1", "r-2"}, ExitCode: 1, Notes: []string{"cut"}, Findings: []lint.Finding{
			{Requirement: "r-1", Rows: []string{"r-1", "r-3"}, Line: 3, Offset: 40, Expected: "50% of it", Seen: "a"},
			{Requirement: "r-2", Rows: []string{"r-2"}, Offset: 90, Expected: "an end", Seen: "none"},
			{Requirement: "r-1", Rows: []string{"r-1", "r-3"}, Line: 7, Offset: 80, Expected: "50% of it", Seen: "a"},
			{Requirement: "r-2", Rows: []string{"r-2"}, Expected: "a head", Seen: "<none>"},
		}}
	for form, want := range map[string]string{
		"pretty": `a,b.sse: chat, profile mortar, guessed: 4 findings

  a,b.sse:3 (byte 40)  r-1, r-3
    expected 50% of it
    seen     a
    and 1 more like it, the next at a,b.sse:7 (byte 80)

  a,b.sse (byte 90)  r-2
    expected an end
    seen     none

  the head  r-2
    expected a head
    seen     <none>

  note: cut
`,
		"json": `{"schemaVersion":1,"file":"a,b.sse","format":"chat","form":"body","profile":"mortar","profileGuessed":true,"judged":["r-1","r-2"],"findings":[` +
			`{"requirement":"r-1","rows":["r-1","r-3"],"line":3,"offset":40,"expected":"50% of it","seen":"a"},` +
			`{"requirement":"r-2","rows":["r-2"],"line":0,"offset":90,"expected":"an end","seen":"none"},` +
			`{"requirement":"r-1","rows":["r-1","r-3"],"line":7,"offset":80,"expected":"50% of it","seen":"a"},` +
			`{"requirement":"r-2","rows":["r-2"],"line":0,"offset":0,"expected":"a head","seen":"<none>"}],"notes":["cut"],"exitCode":1}` + "\n",
		"github": `::error file=a%2Cb.sse,line=3,title=r-1::expected 50%25 of it; seen a
::error file=a%2Cb.sse,title=r-2::expected an end; seen none
::error file=a%2Cb.sse,line=7,title=r-1::expected 50%25 of it; seen a
::error file=a%2Cb.sse,title=r-2::expected a head; seen <none>
::notice file=a%2Cb.sse::cut
`,
	} {
		t.Run(form, func(t *testing.T) {
			var b strings.Builder
			require.NoError(t, lint.Writers()[form](&b, r))
			assert.Equal(t, want, b.String())
		})
	}
}

// Whatever stands in a file, it is judged or refused, and findings lie within it.
func FuzzJudge(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "curl", "*"))
	require.NoError(f, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(text, false)
	}
	f.Add([]byte(`{"schemaVersion":1,"transcript":{"status":200,"body":"ZGF0YTogW0RPTkVdCgo=","reads":[{"end":99,"at":-1}],"end":"left"}}`), false)
	f.Add([]byte("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\nffffffff\r\ndata: x\n\n"), true)
	f.Add([]byte("<= Recv header, 4 bytes (0x4)\n0000: HTTP/1.1 200\n<= Recv data, 99999999 bytes (0x5)\nffff: data:\n"), true)
	f.Add([]byte("$ curl\n  data: \r\n\r\ndata: x\r\n$ "), true)
	f.Fuzz(func(t *testing.T, file []byte, partial bool) {
		r, err := lint.Judge("f", file, lint.Options{Partial: partial})
		if err != nil {
			return
		}
		size := len(file)
		if r.Form == "transcript" || r.Form == "trace" {
			return
		}
		for _, found := range r.Findings {
			require.LessOrEqual(t, found.Offset, size)
			require.LessOrEqual(t, found.Line, strings.Count(string(file), "\n")+1)
		}
	})
}

func BenchmarkJudge(b *testing.B) {
	events := strings.SplitAfter(captured(b, "body"), "\n\n")
	var body strings.Builder
	body.WriteString(events[0])
	for i := range 40_000 {
		body.WriteString(strings.Replace(events[1], "This", fmt.Sprint(" token", i), 1))
	}
	body.WriteString(strings.Join(events[2:], ""))
	file := []byte(body.String())
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		r, err := lint.Judge("f", file, lint.Options{})
		if err != nil || len(r.Findings) > 0 {
			b.Fatal(err, r)
		}
	}
}
