package check

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance/wire"
)

// sameVerdicts demands of the fast judge what the rules find in the whole body.
func sameVerdicts(t *testing.T, tr *wire.Transcript, ask Ask) {
	t.Helper()
	whole, thin := ParseChat(tr, ask), JudgeTranscript(tr, ask)
	for _, r := range everyRule() {
		want, got := r.Judge(whole), thin.Judge([]Rule{r})
		if !assert.ObjectsAreEqual(want, got) && (len(want) > 0 || len(got) > 0) {
			require.Equal(t, want, got, "%s, body:\n%s", r.Name, excerpt(string(tr.Body), nil))
		}
	}
}

// long makes a reply in which everything that the judge may leave out comes
// often enough to be left out, and everything else now and then.
func long(rnd *rand.Rand, events []string) string {
	var b strings.Builder
	for range 1 + rnd.IntN(6) {
		e := events[rnd.IntN(len(events))]
		n, every := 1, 1+rnd.IntN(30)
		if rnd.IntN(2) == 0 {
			n = rnd.IntN(60)
		}
		other := events[rnd.IntN(len(events))]
		for i := range n {
			word := fmt.Sprintf("Hello %d", i)
			if rnd.IntN(2*every) == 0 {
				word = []string{"", "Hello\xc3", `Hello","content":"x`, "Hello", strings.Repeat("long ", 99)}[rnd.IntN(5)]
			}
			b.WriteString(strings.ReplaceAll(e, "Hello", word))
			if rnd.IntN(every) == 0 {
				b.WriteString(other)
			}
		}
	}
	return b.String()
}

// mutate changes a few bytes.
func mutate(rnd *rand.Rand, body string) string {
	b := []byte(body)
	for range rnd.IntN(4) {
		if len(b) == 0 {
			break
		}
		at := rnd.IntN(len(b))
		switch rnd.IntN(4) {
		case 0:
			b[at] = "\n\r\"\\{}:, \x00\xff5"[rnd.IntN(12)]
		case 1:
			b = append(b[:at], b[at+1:]...)
		case 2:
			b = append(b[:at], append([]byte("\n"), b[at:]...)...)
		case 3:
			b = b[:at]
		}
	}
	return string(b)
}

// inReads cuts a body into reads at random places, each at its own time.
func inReads(rnd *rand.Rand, tr *wire.Transcript) *wire.Transcript {
	tr.Reads = nil
	for at := 0; at < len(tr.Body); {
		at = min(len(tr.Body), at+1+rnd.IntN(1+rnd.IntN(3000)))
		tr.Reads = append(tr.Reads, wire.Read{End: at, At: time.Duration(at) * time.Microsecond})
	}
	tr.EndAt = time.Second
	return tr
}

func TestChatJudgeFindsWhatTheRulesFind(t *testing.T) {
	events := []string{
		role, hello, hello, hello, world, finish, usage, done, failed, ": ping\n\n", ": ping\n", "\n", "event: x\n",
		strings.Replace(hello, "Hello", "", 1), strings.Replace(hello, `"index":0`, `"index":1`, 1),
		strings.Replace(hello, testID, "chatcmpl-other", 1), strings.Replace(hello, `"delta"`, `"provider":"x","delta"`, 1),
		strings.Replace(hello, `"content"`, `"reasoning_content":"hm","content"`, 1), strings.Replace(hello, `null`, `"stop"`, 1),
		strings.Replace(hello, `"usage":null`, `"usage":null,"obfuscation":"abc"`, 1), strings.Replace(hello, "data: ", "data:", 1),
		strings.ReplaceAll(hello, "\n", "\r\n"), strings.Replace(hello, `"usage":null`, `"usage":7`, 1), strings.Replace(hello, `"usage":null`, `"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}`, 1),
		envelope("", ""), tool(`{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"x"}}`),
		tool(`{"index":0,"function":{"arguments":"Hello"}}`), tool(`{"index":0,"function":{"arguments":"{\"Hello\":"}}`), tool(`{"index":1,"function":{"arguments":"Hello"}}`),
		tool(`{"index":0,"function":{"arguments":"1,Hello"},"type":"function"}`), tool(`{"index":0,"function":{"arguments":"\ud83eHello"}}`),
		strings.Replace(finish, "stop", "tool_calls", 1),
		"data: {}\n\n", "data: oops\n\n", "id: 7\n", strings.Replace(hello, `"Hello"`, `"Hello","content":"x"`, 1),
		strings.Replace(hello, "Hello", `Hello é \u00e9 \ud83e 🦙 \"`, 1), strings.Replace(hello, "Hello", "Hello\xc3", 1),
	}
	asks := []Ask{asked, unasked, {IncludeUsage: true, Choices: 2, MaxTokens: 1}, {Stop: []string{"ell"}}, {Logprobs: true}}
	rnd := rand.New(rand.NewPCG(5, 8))
	for range 250 {
		tr := inReads(rnd, transcript(mutate(rnd, long(rnd, events))))
		tr.End = []wire.End{wire.EndClean, wire.EndCut, wire.EndLeft}[rnd.IntN(3)]
		sameVerdicts(t, tr, asks[rnd.IntN(len(asks))])
	}
}

func TestChatJudgeOnTheCorpus(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*", "*.sse"))
	require.NoError(t, err)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			body, err := os.ReadFile(file)
			require.NoError(t, err)
			word, _, _ := strings.Cut(filepath.Base(file), "-")
			sameVerdicts(t, transcript(string(body)), asks[word])
			sameVerdicts(t, transcript(strings.Repeat(string(body), 20)), asks[word])
		})
	}
}

// What was left out before a fault moves its place by just that much.
func TestChatJudgeKnowsThePlaceBehindWhatItForgot(t *testing.T) {
	long := strings.Replace(hello, "Hello", strings.Repeat("long ", 50), 1)
	pieces := strings.Repeat(tool(`{"index":0,"function":{"arguments":"1,"}}`), 50)
	for name, body := range map[string]string{
		"text":            role + strings.Repeat(long, 60) + "data: oops\n\n" + done,
		"comments":        role + strings.Repeat(long, 60) + "data: {}\n\n" + strings.Repeat(": ping\n\n", 40) + "data: oops\n\n" + done,
		"both":            role + strings.Repeat(long, 60) + strings.Repeat(": ping\n\n", 40) + strings.Repeat(long, 9) + "data: oops\n\n" + strings.Repeat(": ping\n\n", 40),
		"comments, twice": strings.Repeat(role+strings.Repeat(long, 60)+strings.Repeat(": ping\n\n", 40)+"data: oops\n\n", 3),
		"arguments":       role + tool(`{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"["}}`) + pieces + "data: oops\n\n" + pieces + strings.Repeat(": ping\n\n", 40) + finish + "data: oops\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			sameVerdicts(t, transcript(body), asked)
			j := JudgeTranscript(transcript(body), asked)
			assert.Less(t, len(j.Chat.Transcript.Body), len(body)*3/4, "it forgot")
			assert.NotEmpty(t, j.Judge(ChatRules()))
		})
	}
}

// Arguments are joined as they are read piece by piece: neither do two halves of
// a surrogate pair become one character, nor does an earlier one of two equal
// members count.
func TestChatJudgeJoinsArgumentsAsTheyAreRead(t *testing.T) {
	start := role + tool(`{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"x"}}`)
	end := strings.Replace(finish, "stop", "tool_calls", 1) + usage + done
	for name, pieces := range map[string]string{
		"halves of a character": tool(`{"index":0,"function":{"arguments":"\ud83e"}}`) + tool(`{"index":0,"function":{"arguments":"\udd99"}}`),
		"members twice":         tool(`{"index":0,"function":{"arguments":"a","arguments":"b"}}`),
		"members, twice":        tool(`{"index":0,"function":{"arguments":"a"},"function":{"arguments":"b"}}`),
		"escapes":               tool(`{"index":0,"function":{"arguments":"\n\""}}`),
	} {
		t.Run(name, func(t *testing.T) {
			tr := transcript(start + strings.Repeat(pieces, 40) + end)
			sameVerdicts(t, tr, asked)
			assert.Equal(t, ParseChat(tr, asked).ToolCalls(0), JudgeTranscript(tr, asked).Chat.ToolCalls(0))
			assert.Equal(t, []string{"ToolDeltas"}, names(JudgeTranscript(tr, asked).Judge(ChatRules())))
		})
	}
}

// However many chunks a reply has, the judge holds no more than a few.
func TestChatJudgeForgets(t *testing.T) {
	replies := map[string]string{
		"text":      hello,
		"unicode":   strings.Replace(hello, "Hello", `w\u00f6rld ö \n`, 1),
		"reasoning": strings.Replace(hello, `"content"`, `"reasoning_content"`, 1),
		"broken":    strings.Replace(hello, `"delta"`, `"provider":"x","delta"`, 1),
		"pings":     ": ping\n\n",
	}
	for name, event := range replies {
		t.Run(name, func(t *testing.T) {
			j := NewChatJudge(Head{}, asked)
			j.Feed([]byte(role), 0)
			for i := range 20_000 {
				j.Feed([]byte(event), time.Duration(i))
			}
			assert.Less(t, j.Kept(), 256<<10)
			assert.NotEmpty(t, j.Finish(wire.EndClean, 0, "").Judge(ChatRules()), "it has no end")
		})
	}
}

func FuzzChatJudge(f *testing.F) {
	f.Add([]byte(role+hello+finish+usage+done), uint8(20), uint16(7))
	f.Add([]byte(": ping\n\n"+hello+hello), uint8(40), uint16(100))
	f.Fuzz(func(t *testing.T, body []byte, times uint8, cut uint16) {
		if len(body) > 4<<10 {
			return
		}
		tr := transcript(strings.Repeat(string(body), 1+int(times)))
		at := min(int(cut), len(tr.Body))
		tr.Reads = []wire.Read{{End: at, At: 1}, {End: len(tr.Body), At: 2}}
		sameVerdicts(t, tr, asked)
	})
}

func BenchmarkChatJudge(b *testing.B) {
	pieces := func(make func(i int) string) string {
		var out strings.Builder
		out.WriteString(role)
		for i := range 20_000 {
			out.WriteString(make(i))
		}
		return out.String() + finish + usage + done
	}
	bodies := map[string]string{
		"text": pieces(func(i int) string { return strings.Replace(hello, "Hello", fmt.Sprint(" token", i), 1) }),
		"tools": pieces(func(i int) string {
			return tool(fmt.Sprintf(`{"index":0,"function":{"arguments":"%d,"}}`, i))
		}),
	}
	for name, body := range bodies {
		b.Run(name, func(b *testing.B) {
			tr, rules := transcript(body), ChatRules()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				JudgeTranscript(tr, asked).Judge(rules)
			}
		})
	}
}
