package check

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance/wire"
)

// asks are what the requests of the files in testdata asked for, by the first
// word of their names.
var asks = map[string]Ask{
	"asked":    asked,
	"unasked":  unasked,
	"two":      {IncludeUsage: true, Choices: 2},
	"tools":    {IncludeUsage: true, Tools: true},
	"logprobs": {IncludeUsage: true, Logprobs: true, TopLogprobs: 2},
	"failed":   asked,
	"stopped":  asked,
}

// rulesFor are the rules for the files whose names begin with word.
func rulesFor(word string) []Rule {
	switch word {
	case "failed":
		return FailedRules()
	case "stopped":
		return StoppedRules()
	default:
		return ChatRules()
	}
}

// ofOpenAI keeps the rules that judge rows of OpenAI's baseline.
func ofOpenAI(rules []Rule) []Rule {
	return slices.DeleteFunc(rules, func(r Rule) bool {
		return !slices.ContainsFunc(r.Rows, func(row string) bool { return strings.HasPrefix(row, "openai-") })
	})
}

// The streams in testdata/legal are odd, but no document rules them out: no rule
// may say a word. Those in testdata/openai are legal for OpenAI's baseline alone.
func TestLegalStreams(t *testing.T) {
	for _, dir := range []string{"legal", "openai"} {
		files, err := filepath.Glob(filepath.Join("testdata", dir, "*.sse"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			t.Run(filepath.Base(file), func(t *testing.T) {
				body, err := os.ReadFile(file)
				require.NoError(t, err)
				word, _, _ := strings.Cut(filepath.Base(file), "-")
				ask, ok := asks[word]
				require.True(t, ok, "no such ask: %s", word)
				rules := rulesFor(word)
				if dir == "openai" {
					rules = ofOpenAI(rules)
				}

				assert.Empty(t, Judge(ParseChat(transcript(string(body)), ask), rules))
				bytewise := transcript(string(body))
				bytewise.Reads = nil
				for i := range body {
					bytewise.Reads = append(bytewise.Reads, wire.Read{End: i + 1, At: bytewise.EndAt})
				}
				assert.Empty(t, Judge(ParseChat(bytewise, ask), rules), "byte by byte")
				assert.Empty(t, JudgeTranscript(transcript(string(body)), ask).Judge(rules), "by the fast judge")
				if dir == "openai" {
					assert.NotEmpty(t, Judge(ParseChat(transcript(string(body)), ask), ChatRules()), "it belongs to testdata/legal")
				}
			})
		}
	}
}

func TestLegalLongLine(t *testing.T) {
	long := strings.Replace(hello, "Hello", strings.Repeat("long ", 400_000), 1)
	assert.Empty(t, Judge(ParseChat(answer(role, long, finish, usage, done), asked), ChatRules()))
}

func TestEveryRuleIsNamedAfterItsMethodAndJudgesKnownRows(t *testing.T) {
	catalogue, err := os.ReadFile(filepath.Join("..", "..", "features", "requirements.yaml"))
	require.NoError(t, err)
	for set, rules := range map[string][]Rule{"chat": ChatRules(), "failed": FailedRules(), "stopped": StoppedRules()} {
		seen := map[string]bool{}
		for _, r := range rules {
			assert.False(t, seen[r.Name], "%s: %s twice", set, r.Name)
			seen[r.Name] = true
			if r.Name != "DocumentedReader" {
				assert.NotEmpty(t, r.Rows, r.Name)
			}
			for _, row := range r.Rows {
				assert.Contains(t, string(catalogue), "{id: "+row+",", r.Name)
			}
			for _, f := range r.Judge(ParseChat(answer(failed, failed, done, done, role, hello, "x"), asked)) {
				assert.Equal(t, r.Name, f.Rule)
			}
		}
	}
}

func TestJudging(t *testing.T) {
	rules := Judging(ChatRules(), "mortar-stream-07")
	var got []string
	for _, r := range rules {
		got = append(got, r.Name)
	}
	assert.Equal(t, []string{"LFOnly", "EventsTerminated"}, got)
	assert.Empty(t, Judging(ChatRules(), "no-such-row"))
}
