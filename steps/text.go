package steps

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"plumbline.dev/plumbline/conformance/verdict"
)

// textSentences are about what the reply says.
var textSentences = []sentence{
	say(`the reply is "([^"]*)"`, func(w *World) any { return w.replyIs }),
	say(`the reply has some text`, func(w *World) any { return w.hasText }),
	say(`every choice has the text "([^"]*)"`, func(w *World) any { return w.everyChoiceIs }),
	say(`the text does not contain "([^"]*)"`, func(w *World) any { return w.doesNotContain }),
	say(`the client receives the text that the model server generated`, func(w *World) any { return w.textUnchanged }),
	say(`the client receives every token while the model server waits`, func(w *World) any { return w.tokenByToken }),
	say(`the client receives the call "([^"]+)" with (\{.*\})`, func(w *World) any { return w.receivesCall }),
}

func (w *World) replyIs(ctx context.Context, want string) error {
	says, err := w.says(ctx)
	if err != nil {
		return err
	}
	return sameText(says.Text, want)
}

func sameText(got, want string) error {
	if got == want {
		return nil
	}
	at := 0
	for at < len(got) && at < len(want) && got[at] == want[at] {
		at++
	}
	return verdict.Violated(fmt.Sprintf("the text %s", quote(want, at)), "%s, which differs from byte %d on", quote(got, at), at)
}

// quote shows a text around one byte of it.
func quote(text string, at int) string {
	const around = 60
	from, to := max(0, at-around), min(len(text), at+around)
	return fmt.Sprintf("%q", text[from:to])
}

func (w *World) hasText(ctx context.Context) error {
	says, err := w.says(ctx)
	if err != nil {
		return err
	}
	if strings.TrimSpace(says.Text) == "" {
		return verdict.Violated("a reply with text", "none")
	}
	return nil
}

func (w *World) everyChoiceIs(ctx context.Context, want string) error {
	chat, err := w.chat(ctx)
	if err != nil {
		return err
	}
	for i := range chat.Ask.Choices {
		if err := sameText(chat.Text(i), want); err != nil {
			return err
		}
	}
	return nil
}

func (w *World) doesNotContain(ctx context.Context, word string) error {
	says, err := w.says(ctx)
	if err != nil {
		return err
	}
	if got := says.Text; strings.Contains(got, word) {
		return verdict.Violated(fmt.Sprintf("a text without %q", word), "%q", got)
	}
	return nil
}

func (w *World) textUnchanged(ctx context.Context) error {
	return w.replyIs(ctx, w.session.Reply.Text())
}

func (w *World) tokenByToken(ctx context.Context) error {
	stream, err := w.session.Stream()
	if err != nil {
		return err
	}
	return stream.Lockstep(ctx)
}

func (w *World) receivesCall(ctx context.Context, name, arguments string) error {
	says, err := w.says(ctx)
	if err != nil {
		return err
	}
	expected := fmt.Sprintf("a call of %s with %s", name, arguments)
	var names []string
	for _, call := range says.Calls {
		names = append(names, call.Name)
		if call.Name != name {
			continue
		}
		if !sameJSON(call.Arguments, arguments) {
			return verdict.Violated(expected, "the arguments %q", call.Arguments)
		}
		return nil
	}
	return verdict.Violated(expected, "calls of %q", names)
}

func sameJSON(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	return fmt.Sprint(x) == fmt.Sprint(y)
}
