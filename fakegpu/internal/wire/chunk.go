package wire

import (
	"strconv"
	"strings"

	"plumbline.dev/plumbline/fakegpu/control"
)

// fingerprint is the system_fingerprint of the llamacpp dialect.
const fingerprint = "fakegpu"

// Encoder appends the SSE events of one reply to buffers.
type Encoder struct {
	dialect Dialect
	chat    bool
	prefix  string // "data: "
	eol     string
	head    string // of a chunk, up to the opening of choices
	tail    string // of a chunk, after choices
}

// Chunk is the variable part of one chunk. Exactly one of Text, Delta and Role
// is what it says, unless NoChoice.
type Chunk struct {
	NoChoice bool // choices is empty
	Choice   int
	Role     bool
	HasText  bool
	Text     string
	Escape   bool   // non-ASCII characters as \u escapes
	Delta    []byte // a JSON object
	Logprobs []byte // a JSON value, nil for none
	Finish   string
	Matched  string // the stop sequence that was hit, which some dialects name
	Usage    []byte // a JSON object, nil for none
	Timings  *Usage // for llama.cpp's timings, nil for none
	Pad      int    // bytes of padding
}

// NewEncoder returns an encoder of a reply in the framing that the script asks for.
func NewEncoder(d Dialect, r *Request, id, model string, created int64, s *control.Script) *Encoder {
	e := &Encoder{dialect: d, chat: r.Chat, prefix: "data: ", eol: "\n"}
	if s.NoSpace {
		e.prefix = "data:"
	}
	switch s.LineEnd {
	case "crlf":
		e.eol = "\r\n"
	case "cr":
		e.eol = "\r"
	}
	object := "text_completion"
	if r.Chat {
		object = "chat.completion.chunk"
	}
	named := string(appendString(nil, model, false))
	meta := `"created":` + strconv.FormatInt(created, 10) + `,"model":` + named
	if d == LlamaCpp {
		e.head = `{"choices":[`
		e.tail = `],` + strings.Replace(meta, `,"model"`, `,"id":"`+id+`","model"`, 1) +
			`,"system_fingerprint":"` + fingerprint + `","object":"` + object + `"`
	} else {
		e.head = `{"id":"` + id + `","object":"` + object + `",` + meta + `,"choices":[`
		e.tail = `]`
	}
	return e
}

// Chunk appends one chunk event.
func (e *Encoder) Chunk(b []byte, c *Chunk) []byte {
	b = append(b, e.prefix...)
	b = append(b, e.head...)
	if !c.NoChoice {
		b = e.choice(b, c)
	}
	b = append(b, e.tail...)
	switch {
	case c.Usage != nil:
		b = append(b, `,"usage":`...)
		b = append(b, c.Usage...)
	case e.dialect == SGLang:
		b = append(b, `,"usage":null`...)
	}
	if c.Timings != nil && e.dialect == LlamaCpp {
		b = append(b, `,"timings":`...)
		b = appendTimings(b, *c.Timings)
	}
	if c.Pad > 0 {
		b = appendPad(b, c.Pad)
	}
	b = append(b, '}')
	return e.end(b)
}

// Data appends an event with this JSON value as its data.
func (e *Encoder) Data(b, value []byte) []byte {
	b = append(b, e.prefix...)
	b = append(b, value...)
	return e.end(b)
}

// Done appends the [DONE] event.
func (e *Encoder) Done(b []byte) []byte {
	b = append(b, e.prefix...)
	b = append(b, "[DONE]"...)
	return e.end(b)
}

// Comment appends a comment.
func (e *Encoder) Comment(b []byte, text string) []byte {
	b = append(b, ": "...)
	b = append(b, text...)
	return e.end(b)
}

func (e *Encoder) end(b []byte) []byte {
	b = append(b, e.eol...)
	return append(b, e.eol...)
}

// choice appends the one element of choices. llama.cpp's chat puts the finish
// reason first and names no logprobs that were not asked for.
func (e *Encoder) choice(b []byte, c *Chunk) []byte {
	b = append(b, '{')
	finishFirst := e.dialect == LlamaCpp && e.chat
	if finishFirst {
		b = appendFinish(b, c.Finish)
		b = append(b, ',')
	}
	if !e.chat && e.dialect == LlamaCpp {
		b = e.content(b, c)
		b = append(b, `,"index":`...)
		b = strconv.AppendInt(b, int64(c.Choice), 10)
	} else {
		b = append(b, `"index":`...)
		b = strconv.AppendInt(b, int64(c.Choice), 10)
		b = append(b, ',')
		b = e.content(b, c)
	}
	if c.Logprobs != nil {
		b = append(b, `,"logprobs":`...)
		b = append(b, c.Logprobs...)
	} else if !finishFirst {
		b = append(b, `,"logprobs":null`...)
	}
	if !finishFirst {
		b = append(b, ',')
		b = appendFinish(b, c.Finish)
	}
	switch {
	case e.dialect == SGLang:
		b = appendMatched(append(b, `,"matched_stop":`...), c.Matched)
	case e.dialect == VLLM && c.Finish != "":
		b = appendMatched(append(b, `,"stop_reason":`...), c.Matched)
	}
	return append(b, '}')
}

// appendMatched appends the stop sequence that was hit; none is null.
func appendMatched(b []byte, sequence string) []byte {
	if sequence == "" {
		return append(b, "null"...)
	}
	return appendString(b, sequence, false)
}

func appendFinish(b []byte, reason string) []byte {
	b = append(b, `"finish_reason":`...)
	if reason == "" {
		return append(b, "null"...)
	}
	return appendString(b, reason, false)
}

// content appends the member that holds what the chunk says.
func (e *Encoder) content(b []byte, c *Chunk) []byte {
	if !e.chat {
		b = append(b, `"text":`...)
		return appendString(b, c.Text, c.Escape)
	}
	b = append(b, `"delta":`...)
	switch {
	case c.Delta != nil:
		return append(b, c.Delta...)
	case c.Role:
		return append(b, roleDelta(e.dialect)...)
	case c.HasText && e.dialect == SGLang:
		b = append(b, `{"role":null,"content":`...)
		b = appendString(b, c.Text, c.Escape)
		return append(b, `,"reasoning_content":null,"tool_calls":null}`...)
	case c.HasText:
		b = append(b, `{"content":`...)
		b = appendString(b, c.Text, c.Escape)
		return append(b, '}')
	}
	return append(b, finishDelta(e.dialect)...)
}

func roleDelta(d Dialect) string {
	switch d {
	case SGLang:
		return `{"role":"assistant","content":"","reasoning_content":null,"tool_calls":null}`
	case LlamaCpp:
		return `{"role":"assistant","content":null}`
	}
	return `{"role":"assistant","content":""}`
}

func finishDelta(d Dialect) string {
	switch d {
	case SGLang:
		return `{"role":null,"content":null,"reasoning_content":null,"tool_calls":null}`
	case LlamaCpp:
		return `{}`
	}
	return `{"content":""}`
}

// appendPad appends a member that is n bytes long or a little more. OpenAI's
// own streams carry such padding under this name, so clients ignore it.
func appendPad(b []byte, n int) []byte {
	b = append(b, `,"obfuscation":"`...)
	for range n {
		b = append(b, 'x')
	}
	return append(b, '"')
}
