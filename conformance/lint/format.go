package lint

import (
	"bytes"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/conformance/check"
)

// format is a format that a stream can have.
type format struct {
	name string
	// path ends the path of its requests.
	path string
	// shows tells by the first events whether a body has this format.
	shows *regexp.Regexp
	read  func(*Capture, Options) subject
}

// formats are in the order in which they are tried. A format is added here.
func formats() []format {
	return []format{
		{name: "chat", path: "/chat/completions", read: readChat, shows: regexp.MustCompile(`"chat\.completion\.chunk"|"delta":\s*\{`)},
		{name: "text", path: "/completions", read: readText, shows: regexp.MustCompile(`"text_completion"`)},
		{name: "responses", path: "/responses", read: readResponses, shows: regexp.MustCompile(`(?m)^event: ?response\.|"type":\s*"response\.`)},
		{name: "messages", path: "/messages", read: readMessages, shows: regexp.MustCompile(`(?m)^event: ?message_start|"type":\s*"(?:message_start|content_block_\w+)"`)},
	}
}

// Formats returns the names of the formats.
func Formats() []string {
	var names []string
	for _, f := range formats() {
		names = append(names, f.name)
	}
	return names
}

func formatNames() string { return strings.Join(Formats(), ", ") }

// firstEvents is how much of a body its format is guessed from, in bytes.
const firstEvents = 16 << 10

// format is the format of this name, or the one that the capture shows.
func (c *Capture) format(name string) (format, error) {
	t := c.Transcript
	path, _, _ := strings.Cut(t.Request.URL, "?")
	if name == "" && t.Status >= http.StatusMultipleChoices {
		if strings.HasSuffix(path, "/messages") || gjson.GetBytes(t.Body, "type").String() == "error" {
			return format{name: "error", read: readMessageError}, nil
		}
		return format{name: "error", read: readError}, nil
	}
	begins := t.Body[:min(len(t.Body), firstEvents)]
	for _, f := range formats() {
		if name == f.name || name == "" && strings.HasSuffix(path, f.path) {
			return f, nil
		}
	}
	if bytes.HasPrefix(bytes.TrimSpace(begins), []byte("{")) && !AsksForStream(t.Request.Body) {
		return format{}, fmt.Errorf("its body is one JSON document and no stream")
	}
	// The format that shows first is the one: a reply may talk of another.
	first, at := format{}, len(begins)
	for _, f := range formats() {
		if place := f.shows.FindIndex(begins); place != nil && place[0] < at {
			first, at = f, place[0]
		}
	}
	if first.read != nil {
		return first, nil
	}
	if hasLine(begins, "data:") || c.Form != formBody {
		return formats()[0], nil // what it has instead is for the rules to say
	}
	return format{}, errUnknownFormat
}

// mortarID is what an id looks like in Mortar's documents.
var mortarID = regexp.MustCompile(`^chatcmpl-[0-9a-f]{24}$`)

func readChat(c *Capture, o Options) subject {
	ask := c.ask()
	judged := check.JudgeTranscript(&c.Transcript, ask)
	if !c.asked {
		if ask = guess(ask, judged.Chat); ask.Choices > 1 || ask.Logprobs {
			judged = check.JudgeTranscript(&c.Transcript, ask)
		}
	}
	return chatSubject(c, judged, ask, o)
}

// chatSubject is a chat stream that was asked for with ask.
func chatSubject(c *Capture, judged *check.Judged, ask check.Ask, o Options) subject {
	if o.IncludeUsage != nil {
		ask.IncludeUsage = *o.IncludeUsage
	}
	chat := judged.Chat
	chat.Ask = ask
	s := subject{profile: profileOf(c, chat.ID()), open: !chat.Complete()}
	rules := chat.Rules()
	switch o.Ending {
	case Complete:
		rules = check.ChatRules()
	case Failed:
		rules = check.FailedRules()
	case Stopped:
		rules = check.StoppedRules()
	}
	for _, r := range rules {
		s.judgements = append(s.judgements, judgement{rule: r.Name, rows: r.Rows, head: r.Head, found: func() []check.Finding {
			return judged.Judge([]check.Rule{r})
		}})
	}
	return s
}

func readText(c *Capture, o Options) subject {
	text := check.ParseText(&c.Transcript, c.ask())
	if !c.asked {
		text.Ask = guess(text.Ask, &text.Chat)
	}
	if o.IncludeUsage != nil {
		text.Ask.IncludeUsage = *o.IncludeUsage
	}
	rules := slices.Concat(check.TextRules(), check.TextUsageRules())
	if o.Ending == Failed || o.Ending == "" && len(text.Errors) > 0 {
		rules = check.FailedTextRules()
	}
	return subject{profile: "openai", open: !text.Complete(), judgements: judging(text, rules)}
}

func readResponses(c *Capture, o Options) subject {
	r := check.ParseResponses(&c.Transcript, c.ask())
	rules := check.ResponsesRules()
	if o.Ending == Failed || o.Ending == "" && (len(r.Errors) > 0 || r.Status() == "failed") {
		rules = check.FailedResponsesRules()
	}
	return subject{profile: "openai", judgements: judging(r, rules)}
}

func readMessages(c *Capture, o Options) subject {
	m := check.ParseMessages(&c.Transcript, c.ask())
	rules := check.MessagesRules()
	if o.Ending == Failed || o.Ending == "" && len(m.Errors) > 0 {
		rules = check.FailedMessagesRules()
	}
	return subject{profile: "anthropic", judgements: judging(m, rules)}
}

// judging makes rules ready to judge a reply.
func judging[T any](reply T, rules []check.RuleOf[T]) []judgement {
	var out []judgement
	for _, r := range rules {
		out = append(out, judgement{rule: r.Name, rows: r.Rows, head: r.Name == "EventStream", found: func() []check.Finding { return r.Judge(reply) }})
	}
	return out
}

// profileOf is the profile that the head or the id of a reply suggests.
func profileOf(c *Capture, id string) string {
	if c.Transcript.Header.Get("X-Mortar-Request-Id") != "" || mortarID.MatchString(id) {
		return "mortar"
	}
	return "openai"
}

// readError reads an answer that is an error before any stream.
func readError(c *Capture, _ Options) subject {
	e := check.ParseError(&c.Transcript)
	s := subject{profile: profileOf(c, "")}
	for _, r := range check.ErrorRules() {
		s.judgements = append(s.judgements, judgement{rule: r.Name, rows: r.Rows, found: func() []check.Finding { return r.Judge(e) }})
	}
	return s
}

// readMessageError reads a refusal in the form of Anthropic's.
func readMessageError(c *Capture, _ Options) subject {
	e := check.ParseMessageError(&c.Transcript)
	return subject{profile: "anthropic", judgements: []judgement{
		{rule: "MessageErrorForm", rows: []string{"anthropic-messages-17"}, found: e.MessageErrorForm},
	}}
}
