package responses

import (
	"bytes"
	"net/http"
	"strconv"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/format"
	"plumbline.dev/plumbline/reference/format/block"
)

// response is what is known of a response; it writes the Response object.
type response struct {
	head     format.Head
	settings []byte
	output   output
	reason   completion.FinishReason // "" when it was stopped by its id
	usage    *completion.Usage       // nil before the end
	failure  *apierror.Error
	done     int64 // when it was completed, in Unix seconds; 0 if it was not
}

func newResponse(h format.Head, req *Request) response {
	return response{head: h, settings: req.settings, output: newOutput(h)}
}

// status is how the response ended.
func (r *response) status() string {
	switch {
	case r.failure != nil:
		return failed
	case r.reason == "", r.cut():
		return incomplete
	}
	return completed
}

// cut tells whether the model was kept from ending its reply.
func (r *response) cut() bool {
	return r.reason == completion.FinishLength || r.reason == completion.FinishContentFilter
}

// blank gives a reply that ended without any text an empty one: clients look for
// a message in every response that is complete.
func (r *response) blank(buf []byte, blocks *block.Sequence) []byte {
	if r.reason == "" || len(blocks.Blocks()) > 0 {
		return buf
	}
	return blocks.Blank(buf)
}

// append appends the Response object with this status.
func (r *response) append(buf []byte, status string) []byte {
	buf = append(buf, `{"id":`...)
	buf = format.AppendString(buf, r.head.ID)
	buf = append(buf, `,"object":"response","created_at":`...)
	buf = strconv.AppendInt(buf, r.head.Created, 10)
	buf = append(buf, `,"status":"`...)
	buf = append(buf, status...)
	buf = append(buf, `","completed_at":`...)
	if status == completed {
		buf = strconv.AppendInt(buf, r.done, 10)
	} else {
		buf = append(buf, "null"...)
	}
	buf = append(buf, `,"error":`...)
	buf = appendFailure(buf, r.failure)
	buf = append(buf, `,"incomplete_details":`...)
	switch {
	case status == incomplete && r.reason == completion.FinishLength:
		buf = append(buf, `{"reason":"max_output_tokens"}`...)
	case status == incomplete && r.reason == completion.FinishContentFilter:
		buf = append(buf, `{"reason":"content_filter"}`...)
	default:
		buf = append(buf, "null"...)
	}
	buf = append(buf, `,"model":`...)
	buf = format.AppendString(buf, r.head.Model)
	buf = append(buf, r.settings...)
	buf = append(buf, `,"output":`...)
	buf = r.output.append(buf)
	buf = append(buf, `,"usage":`...)
	if status == inProgress {
		return append(buf, "null}"...)
	}
	return append(appendUsage(buf, r.usage), '}')
}

func appendUsage(buf []byte, u *completion.Usage) []byte {
	if u == nil {
		return append(buf, "null"...)
	}
	buf = append(buf, `{"input_tokens":`...)
	buf = strconv.AppendInt(buf, u.PromptTokens, 10)
	buf = append(buf, `,"input_tokens_details":{"cached_tokens":`...)
	buf = strconv.AppendInt(buf, u.CachedTokens, 10)
	buf = append(buf, `,"cache_write_tokens":`...)
	buf = strconv.AppendInt(buf, u.Written(), 10)
	buf = append(buf, `},"output_tokens":`...)
	buf = strconv.AppendInt(buf, u.CompletionTokens, 10)
	buf = append(buf, `,"output_tokens_details":{"reasoning_tokens":`...)
	buf = strconv.AppendInt(buf, u.ReasoningTokens, 10)
	buf = append(buf, `},"total_tokens":`...)
	buf = strconv.AppendInt(buf, u.TotalTokens(), 10)
	return append(buf, '}')
}

// appendFailure appends the error of a failed response.
func appendFailure(buf []byte, e *apierror.Error) []byte {
	if e == nil {
		return append(buf, "null"...)
	}
	code := "server_error"
	switch {
	case e.Status == http.StatusTooManyRequests:
		code = "rate_limit_exceeded"
	case e.Status == http.StatusServiceUnavailable:
		code = "server_is_overloaded"
	case e.Status < http.StatusInternalServerError && e.Status != 0:
		code = "invalid_prompt"
	}
	buf = append(append(buf, `{"code":"`...), code...)
	buf = append(buf, `","message":`...)
	return append(format.AppendString(buf, e.Message), '}')
}

// appendLogprobs appends the tokens of the chat format's logprobs as one list.
func appendLogprobs(buf []byte, logprobs [][]byte) []byte {
	buf = append(buf, '[')
	start := len(buf)
	for _, l := range logprobs {
		list := []byte(gjson.GetBytes(l, "content").Raw)
		list = bytes.TrimSuffix(bytes.TrimPrefix(list, []byte("[")), []byte("]"))
		if len(list) == 0 || string(list) == "null" {
			continue
		}
		if len(buf) > start {
			buf = append(buf, ',')
		}
		buf = append(buf, list...)
	}
	return append(buf, ']')
}

// itemStatus is how an item ended: the last of a reply that was cut is
// incomplete, and so is a call whose arguments are not whole then.
func (r *response) itemStatus(it *item, blocks []*block.Block) string {
	if r.reason != "" && !r.cut() {
		return completed
	}
	last := it.parts[len(it.parts)-1]
	if last.Index == len(blocks)-1 || last.Kind == block.Call && !last.Whole() {
		return incomplete
	}
	return completed
}
