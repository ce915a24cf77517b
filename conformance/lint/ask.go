package lint

import (
	"net/http"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/conformance/check"
)

// asked is what the request of a capture asked for, where it was captured.
func (c *Capture) ask() check.Ask {
	ask := check.Ask{Now: c.sentAt}
	if at, err := http.ParseTime(c.Transcript.Header.Get("Date")); err == nil && ask.Now.IsZero() {
		ask.Now = at
	}
	if !c.asked || !gjson.ValidBytes(c.Transcript.Request.Body) {
		return ask
	}
	request := gjson.ParseBytes(c.Transcript.Request.Body)
	ask.IncludeUsage = request.Get("stream_options.include_usage").Bool()
	ask.Choices = int(request.Get("n").Int())
	for _, key := range []string{"max_tokens", "max_completion_tokens"} {
		if limit := request.Get(key); limit.Exists() {
			ask.MaxTokens = int(limit.Int())
		}
	}
	ask.Logprobs = request.Get("logprobs").Bool()
	ask.TopLogprobs = int(request.Get("top_logprobs").Int())
	ask.Tools = request.Get("tools").IsArray()
	switch stop := request.Get("stop"); {
	case stop.Type == gjson.String:
		ask.Stop = []string{stop.String()}
	case stop.IsArray():
		for _, word := range stop.Array() {
			ask.Stop = append(ask.Stop, word.String())
		}
	}
	return ask
}

// guess completes what was asked for by what came, where no request was
// captured: nothing that came is held to be unasked for.
func guess(ask check.Ask, chat *check.Chat) check.Ask {
	for _, k := range chat.Chunks {
		seen := gjson.ParseBytes(k.Raw)
		ask.IncludeUsage = ask.IncludeUsage || seen.Get("usage").IsObject()
		for _, choice := range k.Choices {
			ask.Choices = min(maxChoices, max(ask.Choices, choice.Index+1))
		}
		for _, choice := range seen.Get("choices").Array() {
			ask.Logprobs = ask.Logprobs || choice.Get("logprobs.content").IsArray()
		}
	}
	if ask.Logprobs {
		ask.TopLogprobs = maxTopLogprobs
	}
	return ask
}

// The largest numbers that OpenAI documents.
const (
	maxChoices     = 128
	maxTopLogprobs = 20
)

// askedFor are the fields of a request that say what its answer is to be, and
// nothing of what it is about.
var askedFor = []string{"model", "stream", "stream_options", "n", "max_tokens", "max_completion_tokens", "logprobs", "top_logprobs", "stop"}

// Asked returns a request body with nothing but the fields that say what its
// answer is to be: no prompt stands in it. It is nil for what is no JSON.
func Asked(body []byte) []byte {
	if !gjson.ValidBytes(body) {
		return nil
	}
	request := gjson.ParseBytes(body)
	out := []byte("{")
	for _, key := range askedFor {
		if v := request.Get(key); v.Exists() {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(append(append(out, '"'), key...), `":`...)
			out = append(out, v.Raw...)
		}
	}
	return append(out, '}')
}

// AsksForStream tells whether a request asks for a stream.
func AsksForStream(body []byte) bool {
	return gjson.ValidBytes(body) && gjson.GetBytes(body, "stream").Bool()
}
