package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzParseChat(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "*", "*.sse"))
	require.NoError(f, err)
	for _, file := range files {
		body, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(body, true, uint8(1))
	}
	f.Add([]byte(role+failed+done), false, uint8(2))
	f.Add([]byte(`data: {"choices":[{"index":-9223372036854775808,"delta":[]}],"usage":{"prompt_tokens":9223372036854775807,"completion_tokens":1,"total_tokens":-1}}`+"\n\n"), true, uint8(0))
	f.Fuzz(func(t *testing.T, body []byte, includeUsage bool, choices uint8) {
		ask := Ask{IncludeUsage: includeUsage, Choices: int(choices), Logprobs: choices%2 == 0, TopLogprobs: 2, Stop: []string{"l"}, MaxTokens: 3}
		c := ParseChat(transcript(string(body)), ask)
		for _, rules := range [][]Rule{ChatRules(), FailedRules(), StoppedRules()} {
			for _, found := range Judge(c, rules) {
				require.LessOrEqual(t, len(found.Seen), maxSeen)
				require.LessOrEqual(t, found.Offset, len(body))
				require.NotEmpty(t, found.Expected)
			}
		}
		c.TextIs(0, "Hello")
		c.NoReplacement(0, "Hello")
		c.UsageIs(1, 1)
		Agreement(c, ParseCompletion(transcript(string(body)), ask))
		DistinctIDs(c, c)
	})
}

func FuzzParseError(f *testing.F) {
	f.Add([]byte(badRole))
	f.Add([]byte(models))
	f.Add([]byte(whole))
	f.Fuzz(func(t *testing.T, body []byte) {
		e := ParseError(jsonAnswer(400, string(body)))
		for _, r := range ErrorRules() {
			for _, found := range r.Judge(e) {
				require.LessOrEqual(t, len(found.Seen), maxSeen)
			}
		}
		e.NoSecret("sk-0123456789abcdef")
		e.Is(ErrorWant{Statuses: []int{1}, Type: "t", Code: "c", Param: "p"})
		m := ParseModels(jsonAnswer(200, string(body)))
		for _, r := range ModelsRules() {
			r.Judge(m)
		}
		c := ParseCompletion(jsonAnswer(200, string(body)), Ask{})
		for _, r := range CompletionRules() {
			r.Judge(c)
		}
		StopAnswer(jsonAnswer(200, string(body)), "id")
	})
}

// Whatever a body holds, the readers of every format come to an end, and what
// they find can be shown.
func FuzzParseFormats(f *testing.F) {
	for _, events := range [][]string{
		numbered(helloResponse()...), numbered(created, callAdded, callDelta, callDelta2, callEnd, callDone, calledEnd), numbered(created, respFailed),
		helloMessage(), {msgStart, toolStart, toolOpen, toolClose, blockStop, calledStop, msgStop}, {msgStart, msgError},
		{textOne, textTwo, textFinish, textUsage, done}, {textOne, failed},
	} {
		f.Add([]byte(strings.Join(events, "")), uint8(0))
	}
	f.Add([]byte(`data: {"type":"response.output_item.added","output_index":9223372036854775807,"item":[]}`+"\n\n"), uint8(1))
	f.Add([]byte(`data: {"type":"content_block_delta","index":-9223372036854775808,"delta":{"type":"text_delta"}}`+"\n\n"), uint8(2))
	f.Fuzz(func(t *testing.T, body []byte, limit uint8) {
		ask := Ask{MaxTokens: int(limit), Stop: []string{"l"}, Logprobs: limit%2 == 0, TopLogprobs: 2}
		tr := transcript(string(body))
		text, response, message := ParseText(tr, ask), ParseResponses(tr, ask), ParseMessages(tr, ask)
		for _, found := range [][]Finding{
			JudgeBy(text, TextRules()), JudgeBy(text, TextUsageRules()), text.UsageBeforeDone(), text.OneErrorEnvelope(), text.NoEndBeforeError(),
			JudgeBy(response, ResponsesRules()), JudgeBy(response, FailedResponsesRules()),
			JudgeBy(message, MessagesRules()), JudgeBy(message, FailedMessagesRules()),
		} {
			for _, finding := range found {
				require.LessOrEqual(t, len(finding.Seen), maxSeen)
				require.LessOrEqual(t, finding.Offset, len(body))
				require.NotEmpty(t, finding.Expected)
			}
		}
		answer := jsonAnswer(200, string(body))
		ParseTextCompletion(answer, ask).TextCompletionShape()
		ParseResponse(answer, ask).ResponseWhole()
		ParseMessage(answer, ask).MessageWhole()
		ParseMessageError(answer).MessageErrorForm()
		for _, format := range []Format{FormatChat, FormatText, FormatResponses, FormatMessages} {
			Same("a", Say(format, tr, ask), "b", SayWhole(format, answer, ask))
		}
		for _, charge := range ParseCredits(answer).Charges {
			charge.ChargeOfBreak(1, 2, 1, ExamplePrices())
		}
	})
}
