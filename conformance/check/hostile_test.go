package check

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Bodies of the worst kind are judged in time that grows with their length
// alone: one of these that grew with its square would take many minutes.
func TestHostileBodies(t *testing.T) {
	const many = 20_000
	bodies := map[string]string{
		"chunks without id":  strings.Repeat("data: {}\n\n", many),
		"errors":             strings.Repeat(`data: {"error":{"message":"m"}}`+"\n\n", many),
		"pieces of a call":   role + strings.Repeat(tool(`{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"x"}}`), many),
		"choices in a chunk": envelope(strings.TrimSuffix(strings.Repeat(choice(7, `{"tool_calls":[{}]}`, `"stop"`)+",", many), ","), ""),
		"deep arrays":        envelope(choice(0, `{"content":`+strings.Repeat("[", 9_000)+strings.Repeat("]", 9_000)+"}", "null"), ""),
		"too deep":           "data: " + strings.Repeat(`{"a":`, 1_000_000) + "\n\n",
		"members":            `data: {"usage":{"prompt_tokens_details":{` + strings.TrimSuffix(strings.Repeat(`"a":1,`, many), ",") + "}}}\n\n",
		"fields of an event": strings.Repeat("data: x\n", many),
		"comments":           strings.Repeat(":\n", many),
		"CR":                 strings.Repeat("\r", many),
		"broken UTF-8":       strings.Repeat("data: \xff\n\n", many),
		"items":              created + strings.Repeat(itemAdded, many),
		"parts":              created + itemAdded + strings.Repeat(partAdded, many),
		"deltas":             created + itemAdded + partAdded + strings.Repeat(textHello, many) + strings.Repeat(textDone, many) + completed,
		"blocks":             msgStart + strings.Repeat(toolStart, many),
		"pieces of a block":  msgStart + toolStart + strings.Repeat(toolOpen, many) + blockStop + calledStop + msgStop,
		"ends of a message":  msgStart + strings.Repeat(msgDelta, many) + strings.Repeat(msgStop, many),
		"choice after choice": func() string {
			var b strings.Builder
			for i := range many {
				b.WriteString(envelope(choice(i, `{"tool_calls":[{"index":0}]}`, `"stop"`), ""))
			}
			return b.String()
		}(),
	}
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			c := ParseChat(transcript(body), Ask{IncludeUsage: true, Choices: 128, Stop: []string{"x"}})
			assert.NotEmpty(t, Judge(c, ChatRules()))
			Judge(c, FailedRules())
			text := ParseText(transcript(body), Ask{IncludeUsage: true, Stop: []string{"x"}})
			assert.NotEmpty(t, append(JudgeBy(text, TextRules()), JudgeBy(text, TextUsageRules())...))
			assert.NotEmpty(t, JudgeBy(ParseResponses(transcript(body), Ask{}), FailedResponsesRules()))
			JudgeBy(ParseResponses(transcript(body), Ask{}), ResponsesRules())
			assert.NotEmpty(t, JudgeBy(ParseMessages(transcript(body), Ask{}), FailedMessagesRules()))
			JudgeBy(ParseMessages(transcript(body), Ask{}), MessagesRules())
		})
	}
}

func BenchmarkJudge(b *testing.B) {
	body := role + strings.Repeat(hello, 10_000) + finish + usage + done
	rules := ChatRules()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		Judge(ParseChat(transcript(body), asked), rules)
	}
}
