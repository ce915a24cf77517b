package steps

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/probe"
)

// formats are the names of the formats in a sentence.
const formats = `(chat completion|text completion|response|message)`

// requestSentences say what the client asks for.
var requestSentences = []sentence{
	say(`the client streams a `+formats+`(.*)`, func(w *World) any { return w.streams }),
	say(`the client streams the same `+formats+` again`, func(w *World) any { return w.streamsAgain }),
	say(`the client asks for a `+formats+`(.*) that is not streamed`, func(w *World) any { return w.asksWhole }),
	say(`the client asks for a chat completion that is not streamed, without waiting for it`, func(w *World) any { return w.asksWholeWithoutWaiting }),
	say(`the client asks for the same `+formats+` without streaming`, func(w *World) any { return w.asksSameWhole }),
	say(`the client sends the body "(.*)" as a `+formats, func(w *World) any { return w.sendsBody }),
	say(`the client sends a `+formats+` whose (\w+) is (.+)`, func(w *World) any { return w.sendsField }),
	say(`the client sends a `+formats+` without (\w+)`, func(w *World) any { return w.sendsWithout }),
	say(`the client sends a chat completion with logprobs whose top_logprobs is (\d+)`, func(w *World) any { return w.sendsTopLogprobs }),
	say(`the stream has ended`, func(w *World) any { return w.hasEnded }),
}

// wish is one thing that a request may ask for, as the features say it.
type wish struct {
	expr  *regexp.Regexp
	grant func(r *probe.Request, args []string)
}

func wished(expr string, grant func(r *probe.Request, args []string)) wish {
	return wish{expr: regexp.MustCompile("^" + expr), grant: grant}
}

func usage(include bool) map[string]any { return map[string]any{"include_usage": include} }

var wishes = []wish{
	wished(`, asking for usage`, func(r *probe.Request, _ []string) { r.Fields["stream_options"] = usage(true) }),
	wished(`, asking for no usage`, func(r *probe.Request, _ []string) { r.Fields["stream_options"] = usage(false) }),
	wished(`, offering gzip`, func(r *probe.Request, _ []string) { r.OfferGzip = true }),
	wished(` without naming a model`, func(r *probe.Request, _ []string) { r.WithoutModel = true }),
	wished(` with a key of another organization`, func(r *probe.Request, _ []string) { r.Key = probe.OtherOrg }),
	wished(` of a model that does not exist`, func(r *probe.Request, _ []string) { r.Own = map[string]any{"model": "plumbline-no-such-model"} }),
	wished(` with an idempotency key`, func(r *probe.Request, _ []string) { r.Idempotency = probe.NewName() }),
	wished(` with a wrong key`, func(r *probe.Request, _ []string) { r.Key = probe.WrongKey }),
	wished(` in no session`, func(r *probe.Request, _ []string) { r.NoSession = true }),
	wished(` with the key in the header (\S+)`, func(r *probe.Request, a []string) { r.KeyHeader = a[0] }),
	wished(` with the version (\S+)`, func(r *probe.Request, a []string) { r.Version = a[0] }),
	wished(` with a key without credits`, func(r *probe.Request, _ []string) { r.Key = probe.PoorKey }),
	wished(` with a key over its limit`, func(r *probe.Request, _ []string) { r.Key = probe.LimitedKey }),
	wished(` by the alias of the model`, func(r *probe.Request, _ []string) { r.ByAlias = true }),
	wished(` without a limit`, func(r *probe.Request, _ []string) { r.Unlimited = true }),
	wished(` without a key`, func(r *probe.Request, _ []string) { r.Key = probe.NoKey }),
	wished(` with logprobs`, func(r *probe.Request, _ []string) { r.Fields["logprobs"], r.Fields["top_logprobs"] = true, 2 }),
	wished(` of at most (\d+) tokens?`, func(r *probe.Request, a []string) { r.Fields["max_tokens"] = number(a[0]) }),
	wished(` of at most (\d+) completion tokens?`, func(r *probe.Request, a []string) { r.Fields["max_completion_tokens"] = number(a[0]) }),
	wished(` of (\d+) choices`, func(r *probe.Request, a []string) { r.Fields["n"] = number(a[0]) }),
	wished(` stopping at "([^"]*)"`, func(r *probe.Request, a []string) { r.Fields["stop"] = a[0] }),
	wished(` with the tool "([^"]+)"`, func(r *probe.Request, a []string) { r.Fields["tools"] = tools(a) }),
	wished(` with the tools "([^"]+)" and "([^"]+)"`, func(r *probe.Request, a []string) { r.Fields["tools"] = tools(a) }),
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits) // the expressions let only digits through
	return n
}

func tools(names []string) []any {
	var list []any
	for _, name := range names {
		list = append(list, map[string]any{"type": "function", "function": map[string]any{
			"name": name, "parameters": map[string]any{"type": "object", "properties": map[string]any{}}}})
	}
	return list
}

// request reads what stands behind "a chat completion" in a sentence.
func (w *World) request(words string) (probe.Request, error) {
	r := probe.Request{Fields: map[string]any{}, Long: w.long, Prompt: w.prompt}
	if w.model != "" {
		r.Fields["model"] = w.model
	}
	for words != "" {
		before := words
		for _, wish := range wishes {
			if m := wish.expr.FindStringSubmatch(words); m != nil {
				wish.grant(&r, m[1:])
				words = words[len(m[0]):]
				break
			}
		}
		if words == before {
			return r, fmt.Errorf("a request cannot ask for %q", words)
		}
	}
	return r, nil
}

func (w *World) streams(ctx context.Context, format, words string) error {
	r, err := w.request(words)
	if err != nil {
		return err
	}
	r.Stream, r.Format = true, check.Format(format)
	_, err = w.session.Send(ctx, r)
	return err
}

func (w *World) streamsAgain(ctx context.Context, _ string) error {
	if err := w.hasEnded(ctx); err != nil {
		return err
	}
	_, err := w.session.Send(ctx, w.session.Last())
	return err
}

func (w *World) asksWhole(ctx context.Context, format, words string) error {
	r, err := w.request(words)
	if err != nil {
		return err
	}
	r.Format = check.Format(format)
	return w.complete(ctx, r)
}

func (w *World) asksSameWhole(ctx context.Context, _ string) error {
	if err := w.hasEnded(ctx); err != nil {
		return err
	}
	return w.complete(ctx, w.session.Last().Whole())
}

// complete asks for one completion that is not streamed and waits for it. It does
// not replace the scenario's stream.
func (w *World) complete(ctx context.Context, r probe.Request) error {
	transcript, err := w.session.SendWhole(ctx, r)
	w.whole, w.wholeBy = transcript, r
	return err
}

func (w *World) asksWholeWithoutWaiting(ctx context.Context) error {
	_, err := w.session.Send(ctx, probe.Request{})
	return err
}

func (w *World) sendsBody(ctx context.Context, quoted, format string) error {
	var body string
	if err := json.Unmarshal([]byte(`"`+quoted+`"`), &body); err != nil {
		return fmt.Errorf("the body is no quoted text: %w", err)
	}
	w.session.SendBody(ctx, probe.Request{Format: check.Format(format)}, []byte(body))
	return nil
}

func (w *World) sendsWithout(ctx context.Context, format, field string) {
	w.session.SendFields(ctx, probe.Request{Format: check.Format(format), Own: map[string]any{field: probe.Absent}})
}

func (w *World) sendsField(ctx context.Context, format, field, value string) error {
	if !json.Valid([]byte(value)) {
		return fmt.Errorf("the value %s of %s is no JSON", value, field)
	}
	w.session.SendFields(ctx, probe.Request{Format: check.Format(format), Own: map[string]any{field: json.RawMessage(value)}})
	return nil
}

func (w *World) sendsTopLogprobs(ctx context.Context, n int) {
	w.session.SendFields(ctx, probe.Request{Own: map[string]any{"logprobs": true, "top_logprobs": n}})
}

func (w *World) hasEnded(ctx context.Context) error {
	_, _, err := w.ended(ctx)
	return err
}
