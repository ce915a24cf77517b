package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/fakegpu/control"
	"plumbline.dev/plumbline/fakegpu/server"
)

// The harness and the reference each read chat streams, by code that they do not
// share: what both understood of the same bytes must be the same.

const streamFolders = "../../conformance/check/testdata/*/*.sse"

// corpus is the streams that the checks know to be legal.
func corpus(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(streamFolders)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	bodies := map[string][]byte{}
	for _, file := range files {
		body, err := os.ReadFile(file)
		require.NoError(t, err)
		bodies[strings.TrimSuffix(filepath.Base(file), ".sse")] = body
	}
	return bodies
}

// choicesOf is how many choices a stream of the corpus was asked for.
func choicesOf(name string) int {
	if strings.HasPrefix(name, "two-") {
		return 2
	}
	return 1
}

func TestBothReadersUnderstandLegalStreams(t *testing.T) {
	r := newReplay(t)
	for name, body := range corpus(t) {
		t.Run(name, func(t *testing.T) {
			harness, chat := harnessReads(streamed(body), choicesOf(name))
			reference := r.reads(t, body, choicesOf(name))
			require.Equal(t, harness, reference)
			want := complete
			switch word, _, _ := strings.Cut(name, "-"); word {
			case "failed":
				want = failed
			case "stopped": // it ends without a finish, which a model server may not do
				want = refused
			}
			require.Equal(t, want, reference.Outcome)
			for _, ending := range []string{"\r\n", "\r"} {
				agree(t, r, []byte(strings.ReplaceAll(string(body), "\n", ending)), choicesOf(name))
			}
			require.Equal(t, chat.Text(0), reference.Texts[0])
		})
	}
}

// Each dialect and each habit of the fake GPU, read by both over a connection.
func TestBothReadersUnderstandTheFakeGPU(t *testing.T) {
	habits := map[string]control.Script{
		"as it is":           {},
		"CRLF":               {LineEnd: "crlf"},
		"CR":                 {LineEnd: "cr", ChopBytes: 7},
		"a byte order mark":  {BOM: true},
		"no space":           {NoSpace: true},
		"chopped":            {ChopBytes: 1},
		"packed":             {Gzip: true},
		"coalesced":          {CoalesceMS: 5},
		"no role":            {NoRole: true},
		"usage on finish":    {Usage: control.UsageOnFinish},
		"usage on each":      {Usage: control.UsageCumulative},
		"usage early":        {Usage: control.UsageEarly},
		"usage twice":        {Usage: control.UsageTwice},
		"no usage":           {Usage: control.UsageNever},
		"everything at once": {LineEnd: "crlf", BOM: true, NoSpace: true, ChopBytes: 3, Gzip: true, Usage: control.UsageCumulative},
	}
	const text = "Grüße, 🦙 \"quoted\" \n\tand more"
	for _, dialect := range server.Dialects() {
		gpu, err := server.Listen(t.Context(), "127.0.0.1:0", server.Options{Dialect: dialect})
		require.NoError(t, err)
		t.Cleanup(gpu.Close)
		remote := control.NewClient(gpu.URL(), nil)
		for name, script := range habits {
			t.Run(dialect+", "+name, func(t *testing.T) {
				script.Nonce = "differentialnonce"
				script = script.Tokens("Grüße,", " 🦙 ").Then(
					control.Step{Comment: "ping"}, control.Step{Token: &control.Token{Text: "\"quoted\"", Cuts: []int{9, 40}}},
					control.Step{Token: &control.Token{Text: " \n\tand more", Escape: true}})
				require.NoError(t, remote.Register(t.Context(), script))
				t.Cleanup(func() { _ = remote.Forget(t.Context(), script.Nonce) })
				prompt := "Hello " + control.Marker(script.Nonce)
				harness, _ := harnessReads(answered(t, gpu.URL(), prompt), 1)
				require.Equal(t, harness, referenceReads(t, gpu.URL(), prompt, 1))
				require.Equal(t, complete, harness.Outcome)
				require.Equal(t, []string{text}, harness.Texts)
				require.Equal(t, script.Usage == control.UsageNever, harness.Usage == nil)
			})
		}
	}
}

// Streams that are broken at random: both refuse, or both understand the same.
func TestBothReadersAgreeOnBrokenStreams(t *testing.T) {
	r := newReplay(t)
	rnd := rand.New(rand.NewPCG(11, 4))
	outcomes := map[string]int{}
	for name, body := range corpus(t) {
		for range 25 {
			broken := string(body)
			for range 1 + rnd.IntN(3) {
				broken = breaks(rnd, broken)
			}
			outcomes[agree(t, r, []byte(broken), choicesOf(name))]++
		}
	}
	for _, outcome := range []string{complete, failed, refused} {
		require.NotZero(t, outcomes[outcome], "%v", outcomes)
	}
}

// breaks breaks a stream in one place.
func breaks(rnd *rand.Rand, body string) string {
	if body == "" {
		return body
	}
	at := rnd.IntN(len(body))
	switch rnd.IntN(6) {
	case 0: // a byte becomes another
		return body[:at] + string("\n\r\"\\{}[]:,0-. \x00\xff"[rnd.IntN(16)]) + body[at+1:]
	case 1: // a byte is lost
		return body[:at] + body[at+1:]
	case 2: // the end is cut
		return body[:at]
	case 3: // an event is lost
		events := strings.SplitAfter(body, "\n\n")
		i := rnd.IntN(len(events))
		return strings.Join(append(append([]string{}, events[:i]...), events[i+1:]...), "")
	case 4: // an event comes twice
		events := strings.SplitAfter(body, "\n\n")
		i := rnd.IntN(len(events))
		return strings.Join(append(append([]string{}, events[:i+1]...), events[i:]...), "")
	default: // a value becomes another
		values := []string{"null", `""`, "0", "-1", "1.5", "true", "[]", "{}", `"x"`, `"\ud83e"`}
		old := values[rnd.IntN(4)]
		return body[:at] + strings.Replace(body[at:], old, values[rnd.IntN(len(values))], 1)
	}
}

func FuzzBothReaders(f *testing.F) {
	for name, body := range corpus(f) {
		if len(body) < 4<<10 {
			f.Add(body, choicesOf(name) > 1)
		}
	}
	f.Add([]byte("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"), false)
	r := newReplay(f)
	f.Fuzz(func(t *testing.T, body []byte, two bool) {
		if len(body) > 8<<10 {
			return
		}
		choices := 1
		if two {
			choices = 2
		}
		agree(t, r, body, choices)
	})
}

// agree demands that both readers understand the same of a stream, but where it
// says why they may not. It returns the outcome for the reference.
func agree(t *testing.T, r *replay, body []byte, choices int) string {
	t.Helper()
	harness, chat := harnessReads(streamed(body), choices)
	reference := r.reads(t, body, choices)
	what := func() string { return fmt.Sprintf("harness %+v\nreference %+v\n%q", harness, reference, body) }
	if strangeKeys(chat) {
		return reference.Outcome
	}
	found := map[string]bool{}
	// OpenAI's rows say nothing of UTF-8, Mortar's do.
	for _, f := range check.Judge(chat, append(check.ChatBaseline(), check.Judging(check.ChatRules(), "mortar-stream-10")...)) {
		found[f.Rule] = true
	}
	switch {
	case len(found) == 0 && !fractions.Match(body):
		require.Equal(t, harness, reference, "nothing is wrong with it: %s", what())
	case reference.Outcome == refused:
		// What the gateway refuses, the harness finds fault with: found is not empty.
	case harness.Outcome == refused:
		// A model server may end its stream without [DONE], and send events without
		// data: SDKs read both. No gateway may.
		require.True(t, len(chat.Dones) == 0 && finished(harness) || found["DataJSON"], what())
	default:
		require.Equal(t, harness.Outcome, reference.Outcome, what())
		require.Equal(t, harness.Texts, reference.Texts, what())
		if !found["FinishKey"] { // else a reason has another word, which the gateway translates
			require.Equal(t, harness.Finishes, reference.Finishes, what())
		}
		if !found["ToolDeltas"] && !found["DeltaTypes"] { // else calls are mended
			require.Equal(t, harness.Calls, reference.Calls, what())
		}
		if !found["UsageSums"] { // else counts that cannot be true are not believed
			require.Equal(t, harness.Usage, reference.Usage, what())
		}
	}
	return reference.Outcome
}
