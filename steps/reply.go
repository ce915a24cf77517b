package steps

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"plumbline.dev/plumbline/conformance/probe"
	"plumbline.dev/plumbline/fakegpu/control"
)

// replySentences say what the model server shall reply.
var replySentences = []sentence{
	say(`any prompt`, func(w *World) any { return w.anyPrompt }),
	say(`a prompt with a long answer`, func(w *World) any { return w.longPrompt }),
	say(`a model server that replies with (\d+) tokens`, func(w *World) any { return w.repliesWithTokens }),
	say(`a model server that replies (".*")`, func(w *World) any { return w.replies }),
	say(`a model server that calls the function "([^"]+)" with (\{.*\}) in (\d+) pieces`, func(w *World) any { return w.calls }),
	say(`a model server that calls the function "([^"]+)" with (\{.*\}) and "([^"]+)" with (\{.*\})`, func(w *World) any { return w.callsTwo }),
	say(`a model server that answers (\d+) with "(.*)"`, func(w *World) any { return w.answersHTTP }),
	say(`a model server that (closes|resets) before its first token`, func(w *World) any { return w.endsAtOnce }),
	say(`it pauses for (\d+) s after token (\d+)`, func(w *World) any { return w.pauses }),
	say(`it pauses for (\d+) s in the middle of the event of token (\d+)`, func(w *World) any { return w.pausesInside }),
	say(`it holds its headers back for (\d+) s`, func(w *World) any { return w.holdsHeaders }),
	say(`it reports (\d+) prompt tokens, (\d+) of them cached`, func(w *World) any { return w.reports }),
	say(`it reports (\d+) prompt tokens, (\d+) of them cached and (\d+) written`, func(w *World) any { return w.reportsWrites }),
	say(`a long prompt that nobody has sent before`, func(w *World) any { return w.newPrompt }),
	say(`it waits after token (\d+)`, func(w *World) any { return w.waits }),
	say(`it generates each token only when the client has received the one before`, func(w *World) any { return w.lockstep }),
	say(`it generates a token every (\d+) ms`, func(w *World) any { return w.pace }),
	say(`it thinks "([^"]*)" first`, func(w *World) any { return w.thinks }),
	say(`it finishes with reason "(\w+)"`, func(w *World) any { return w.finishes }),
	say(`it sends a comment after token (\d+)`, func(w *World) any { return w.comments }),
	say(`it (`+alternatives(probe.Faults())+`) after token (\d+)`, func(w *World) any { return w.fails }),
	say(`it (`+alternatives(probe.Habits())+`)`, func(w *World) any { return w.habit }),
	say(`(\d+) other streams that wait after token (\d+)`, func(w *World) any { return w.otherStreams }),
}

func alternatives(names []string) string {
	for i, name := range names {
		names[i] = regexp.QuoteMeta(name)
	}
	return strings.Join(names, "|")
}

func (w *World) reply(tokens ...string) { w.session.Reply = probe.Replies(tokens...) }

func (w *World) anyPrompt() { w.reply("Plumb", " lines", " hang", " true", ".") }

func (w *World) longPrompt() {
	w.long = true
	w.repliesWithTokens(40)
}

// newPrompt has some 1,300 tokens: prefix caches keep prompts of 1,024 and more.
func (w *World) newPrompt() {
	w.anyPrompt()
	w.prompt = "Document " + probe.NewName() + ":" + strings.Repeat(" A plumb line hangs true whatever the wall beside it does.", 100)
}

func (w *World) repliesWithTokens(n int) { w.reply(probe.Numbered(n)...) }

func (w *World) replies(list string) error {
	var tokens []string
	if err := json.Unmarshal([]byte("["+list+"]"), &tokens); err != nil {
		return fmt.Errorf("the tokens are no list of texts: %w", err)
	}
	w.reply(tokens...)
	return nil
}

func (w *World) calls(name, arguments string, pieces int) {
	w.reply()
	w.session.Reply.Call(0, name, arguments, pieces)
}

func (w *World) callsTwo(first, firstArguments, second, secondArguments string) {
	w.reply()
	w.session.Reply.Call(0, first, firstArguments, 2)
	w.session.Reply.Call(1, second, secondArguments, 2)
}

func (w *World) answersHTTP(status int, text string) {
	w.reply()
	answer := control.HTTPAnswer{Status: status, Body: text, Headers: map[string]string{"Content-Type": "text/html"}}
	if !strings.HasPrefix(text, "<") {
		body, _ := json.Marshal(map[string]any{"error": map[string]any{"message": text, "type": http.StatusText(status), "code": status}})
		answer.Body, answer.Headers["Content-Type"] = string(body), "application/json"
	}
	w.session.Reply.Answer(answer)
}

func (w *World) endsAtOnce(how string) {
	w.reply()
	w.session.Reply.Script().HoldHeaders = true
	w.session.Reply.After(0, control.Step{Close: how == "closes", Reset: how == "resets"})
}

func (w *World) pauses(seconds, token int) {
	w.session.Reply.PauseAfter(token, w.wait(seconds))
}

func (w *World) pausesInside(seconds, token int) {
	w.session.Reply.PauseInside(token, w.wait(seconds))
}

func (w *World) holdsHeaders(seconds int) {
	w.session.Reply.Script().HoldHeaders = true
	w.session.Reply.PauseAfter(0, w.wait(seconds))
}

// wait is a wait of the features on this target.
func (w *World) wait(seconds int) time.Duration {
	return w.session.In(time.Duration(seconds) * time.Second)
}

func (w *World) reports(prompt, cached int) { w.session.Reply.Counts(prompt, cached, -1) }

func (w *World) reportsWrites(prompt, cached, written int) {
	w.session.Reply.Counts(prompt, cached, written)
}

func (w *World) waits(token int) { w.session.Reply.WaitAfter(token) }

func (w *World) lockstep() { w.session.Reply.Lockstep() }

func (w *World) pace(ms int) { w.session.Reply.Pace(time.Duration(ms) * time.Millisecond) }

// thinks makes it send reasoning as model servers do that keep it apart.
func (w *World) thinks(thought string) {
	piece, _ := json.Marshal(map[string]string{"reasoning_content": thought})
	w.session.Reply.After(0, control.Step{Delta: &control.Delta{JSON: piece}})
}

func (w *World) finishes(reason string) { w.session.Reply.Finish(reason) }

func (w *World) comments(token int) {
	w.session.Reply.After(token, control.Step{Comment: "the model server is alive"})
}

func (w *World) fails(how string, token int) error { return w.session.Reply.Fail(how, token) }

func (w *World) habit(name string) error { return w.session.Reply.Habit(name) }

// otherStreams opens streams that have come to their gate before the scenario goes on.
func (w *World) otherStreams(ctx context.Context, n, token int) error {
	for range n {
		s := w.session.Sibling()
		s.Reply = probe.Replies(probe.Numbered(token + 3)...)
		s.Reply.WaitAfter(token)
		w.other = append(w.other, s)
		stream, err := s.Send(ctx, probe.Request{Stream: true})
		if err != nil {
			return err
		}
		if err := stream.WaitText(ctx, s.Reply.TextOf(token)); err != nil {
			return err
		}
	}
	return nil
}
