package check

import (
	"fmt"
	"strings"

	"plumbline.dev/plumbline/conformance/wire"
)

// Format is an API format.
type Format string

// The formats, as the features call a reply of each.
const (
	FormatChat      Format = "chat completion"
	FormatText      Format = "text completion"
	FormatResponses Format = "response"
	FormatMessages  Format = "message"
)

// Saying is what a reply says, in whatever format and form it came: one prompt
// has one saying.
type Saying struct {
	ID    string
	Text  string
	Calls []ToolCall
	// Finish is why the reply ended, in the words of chat completions; "" if it
	// did not say. What ends at a stop sequence ended by itself.
	Finish string
	// Usage counts the whole prompt, cached or not; nil without any count.
	Usage *Usage

	Events   int     // that hold a piece of a good reply
	Deltas   []Delta // the pieces of text, if it was streamed
	Complete bool    // it came to the end that its format has for a good reply
	Failed   bool    // it told of a failure in the form of its format
}

// Say reads a streamed reply in any format.
func Say(f Format, t *wire.Transcript, ask Ask) Saying {
	switch f {
	case FormatText:
		return ParseText(t, ask).Saying()
	case FormatResponses:
		return ParseResponses(t, ask).Saying()
	case FormatMessages:
		return ParseMessages(t, ask).Saying()
	default:
		return ParseChat(t, ask).Saying()
	}
}

// SayWhole reads a reply that was not streamed.
func SayWhole(f Format, t *wire.Transcript, ask Ask) Saying {
	switch f {
	case FormatText:
		return ParseTextCompletion(t, ask).Saying()
	case FormatResponses:
		return ParseResponse(t, ask).Saying()
	case FormatMessages:
		return ParseMessage(t, ask).Saying()
	default:
		return ParseCompletion(t, ask).Saying()
	}
}

// Saying returns what choice 0 says.
func (c *Chat) Saying() Saying {
	return Saying{ID: c.ID(), Text: c.Text(0), Calls: c.ToolCalls(0), Finish: c.Finish(0), Usage: c.Usage(), Events: len(c.Chunks),
		Deltas: c.Deltas(0), Complete: c.Complete(), Failed: len(c.Errors) > 0}
}

// Saying returns what choice 0 says.
func (c *Completion) Saying() Saying {
	s := Saying{ID: c.ID(), Text: c.Text(0), Calls: c.ToolCalls(0), Finish: c.Finish(0), Usage: c.Usage()}
	s.Complete = s.Finish != ""
	return s
}

// Same judges that two replies to one prompt say the same: text, calls, why they
// ended, and the counts of tokens. What is cached of a prompt may differ, as the
// second request may find what the first one left. The names tell the two apart
// in what is found.
func Same(wantName string, want Saying, gotName string, got Saying) []Finding {
	var found []Finding
	differ := func(what, wanted, seen string) {
		if wanted != seen {
			found = append(found, Finding{Rule: "Same", Expected: fmt.Sprintf("%s %s as in the %s", what, excerpt(wanted, nil), wantName),
				Seen: excerpt(fmt.Sprintf("%s in the %s", seen, gotName), nil)})
		}
	}
	differ("the text", fmt.Sprintf("%q", want.Text), fmt.Sprintf("%q", got.Text))
	differ("the calls", callsText(want.Calls), callsText(got.Calls))
	differ("the end", fmt.Sprintf("%q", want.Finish), fmt.Sprintf("%q", got.Finish))
	differ("the token counts", counts(want.Usage), counts(got.Usage))
	return found
}

func counts(u *Usage) string {
	if u == nil {
		return "none"
	}
	return fmt.Sprintf("%d + %d", u.PromptTokens, u.CompletionTokens)
}

// joined returns the text of deltas.
func joined(deltas []Delta) string {
	var b strings.Builder
	for _, d := range deltas {
		b.WriteString(d.Text)
	}
	return b.String()
}
