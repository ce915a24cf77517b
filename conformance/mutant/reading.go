package mutant

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

// errReader is how a mutant gives up on its model server.
var errReader = errors.New("the mutant gives up")

// reads is a mutant that reads the stream of its model server wrongly. For each
// stream begin returns what is made of what one read returned; the last call has
// ended set.
func reads(begin func() func(piece string, ended bool) (string, error)) func() relay {
	return func() relay {
		return relay{raw: func(r io.Reader) io.Reader { return &pieces{from: r, change: begin()} }}
	}
}

// always is reads without anything kept between two reads.
func always(change func(piece string) string) wrap {
	return fixed(reads(func() func(string, bool) (string, error) {
		return func(piece string, _ bool) (string, error) { return change(piece), nil }
	})())
}

// pieces hands on what change makes of each read.
type pieces struct {
	from   io.Reader
	size   int // bytes of one read at most; 0 is 64 KiB
	change func(piece string, ended bool) (string, error)
	kept   bytes.Buffer
	err    error
}

// Read implements io.Reader.
func (p *pieces) Read(b []byte) (int, error) {
	size := p.size
	if size == 0 {
		size = 64 << 10
	}
	buf := make([]byte, size)
	for p.kept.Len() == 0 && p.err == nil {
		n, err := p.from.Read(buf)
		text, failed := p.change(string(buf[:n]), errors.Is(err, io.EOF))
		p.kept.WriteString(text)
		if p.err = err; failed != nil {
			p.err = failed
		}
	}
	if p.kept.Len() > 0 {
		return p.kept.Read(b)
	}
	return 0, p.err
}

// byLine is a mutant that reads line by line: change gets each line with its
// end, and the rest of the body with none.
func byLine(begin func() func(line string, ended bool) (string, error)) wrap {
	return fixed(reads(func() func(string, bool) (string, error) {
		rest, change := "", begin()
		return func(piece string, ended bool) (string, error) {
			var out strings.Builder
			for rest += piece; ; {
				line, after, whole := strings.Cut(rest, "\n")
				if !whole {
					break
				}
				rest = after
				text, err := change(line+"\n", false)
				if out.WriteString(text); err != nil {
					return out.String(), err
				}
			}
			if !ended {
				return out.String(), nil
			}
			text, err := change(rest, true)
			out.WriteString(text)
			return out.String(), err
		}
	})())
}

// eachLine is byLine with nothing kept between two lines.
func eachLine(change func(line string) string) wrap {
	return byLine(func() func(string, bool) (string, error) {
		return func(line string, _ bool) (string, error) { return change(line), nil }
	})
}

func readings() []Mutant {
	const success = `data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` +
		"\n\ndata: [DONE]\n\n"
	failed := []string{"mortar-stream-16", "mortar-stream-17"}
	need := []string{"mortar-stream-09", "mortar-stream-18", "mortar-stream-19", "mortar-stream-20", "openai-chat-19"}
	return []Mutant{
		{Name: "reads-64k-lines", Summary: "a line of more than 64 KiB from the model server ends the reply", Report: "openai/openai-go#368",
			Breaks: []string{"mortar-stream-08"}, Behind: byLine(func() func(string, bool) (string, error) {
				return func(line string, _ bool) (string, error) {
					if len(line) > 64<<10 {
						return "", errReader
					}
					return line, nil
				}
			})},
		{Name: "reads-1m-lines", Summary: "a line of more than 1 MiB from the model server is dropped",
			Breaks: []string{"mortar-stream-08"}, Behind: eachLine(func(line string) string {
				if len(line) > 1<<20 {
					return "\n"
				}
				return line
			})},
		{Name: "reads-lf-alone", Summary: "lines that end with CRLF or CR are not found", Report: "envoyproxy/ai-gateway#2463",
			Breaks: []string{"mortar-stream-07"}, Behind: always(func(piece string) string { return strings.ReplaceAll(piece, "\r", "\u200b") })},
		{Name: "reads-data-with-space-alone", Summary: "data lines without the blank are dropped", Report: "huggingface/text-generation-inference#1648",
			Breaks: []string{"mortar-stream-08"}, Behind: eachLine(func(line string) string {
				if strings.HasPrefix(line, "data:") && !strings.HasPrefix(line, "data: ") {
					return "\n"
				}
				return line
			})},
		{Name: "reads-one-event-a-read", Summary: "of events that come at once only the first is passed on", Report: "ray-project/ray#62246",
			Breaks: []string{"mortar-stream-08", "mortar-stream-11"}, May: []string{"mortar-*", "openai-chat-*"}, // wherever two come at once
			Behind: always(func(piece string) string {
				if first, _, two := strings.Cut(piece, "\n\n"); two {
					return first + "\n\n"
				}
				return piece
			})},
		{Name: "reads-characters-a-read", Summary: "what each read returned is decoded by itself", Report: "api7/aisix#111",
			Breaks: []string{"mortar-stream-10"}, Behind: fixed(relay{raw: func(r io.Reader) io.Reader {
				decode := func(piece string, _ bool) (string, error) { return strings.ToValidUTF8(piece, "\ufffd"), nil }
				return &pieces{from: r, size: 7, change: decode}
			}})},
		{Name: "reads-comments-as-data", Summary: "a comment of the model server is taken for data", Report: "mnfst/llm-gateway#2053",
			Breaks: []string{"mortar-stream-09"}, May: []string{"openai-chat-19"}, Behind: eachLine(func(line string) string {
				if strings.HasPrefix(line, ":") {
					return "data: " + line
				}
				return line
			})},
		{Name: "reads-end-as-success", Summary: "a body that ends without finish and [DONE] counts as complete", Report: "NVIDIA/TensorRT-LLM#18289",
			Breaks: failed, May: need, Behind: byLine(func() func(string, bool) (string, error) {
				done := false
				return func(line string, ended bool) (string, error) {
					if done = done || strings.Contains(line, "[DONE]"); ended && !done {
						return success, nil
					}
					return line, nil
				}
			})},
		{Name: "reads-reset-as-success", Summary: "a connection that breaks counts as the end of a complete reply", Report: "BerriAI/litellm#33404",
			Breaks: failed, May: need, Behind: fixed(relay{raw: func(r io.Reader) io.Reader {
				return io.MultiReader(&deaf{r}, strings.NewReader(success))
			}})},
		{Name: "reads-past-error", Summary: "an error event of the model server is passed over", Report: "diegosouzapw/OmniRoute#8210",
			Breaks: failed, May: need, Behind: eachLine(func(line string) string {
				if strings.Contains(line, `"error"`) {
					return strings.TrimSuffix(success, "data: [DONE]\n\n")
				}
				return line
			})},
		{Name: "reads-past-garbage", Summary: "a malformed chunk of the model server is passed over",
			Breaks: failed, May: need, Behind: eachLine(func(line string) string {
				if data, ok := strings.CutPrefix(line, "data: {"); ok && decode("{"+data) == nil {
					return "\n"
				}
				return line
			})},
		{Name: "reads-on-when-left", Summary: "the model server is read to the end when the generation is aborted", Report: "xorbitsai/inference#5548",
			Breaks: []string{"mortar-cancel-01", "mortar-cancel-03", "mortar-cancel-04", "mortar-cancel-10"},
			Behind: fixed(relay{
				raw:    func(r io.Reader) io.Reader { return r },
				linger: func(*exchange) int { return forEver },
			})},
	}
}

// deaf takes a failed read for the end.
type deaf struct{ from io.Reader }

// Read implements io.Reader.
func (d *deaf) Read(b []byte) (int, error) {
	n, err := d.from.Read(b)
	if err != nil {
		err = io.EOF
	}
	return n, err
}
