package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/conformance/wire"
)

// Reading is what the reader does that the document shows ("Stream responses,
// Read the stream yourself"), written here as JavaScript would run it.
type Reading struct {
	Printed  string
	Finished bool   // it met [DONE]
	Threw    string // what it threw, "" if it came to its end
}

// errThrown is a JavaScript exception.
type errThrown string

func (e errThrown) Error() string { return string(e) }

// Read runs the documented reader over the stream.
func (c *Chat) Read() Reading {
	var r Reading
	t := c.Transcript
	if t.Status != 0 && (t.Status < 200 || t.Status > 299) {
		r.Threw = fmt.Sprintf("Error: status %d", t.Status)
		return r
	}
	var printed strings.Builder
	err := r.events(decodeUTF8(t.Body), &printed)
	r.Printed = printed.String()
	switch {
	case err != nil:
		r.Threw = err.Error()
	case t.End == wire.EndCut || t.End == wire.EndReset || t.End == wire.EndTimeout || t.End == wire.EndLimit:
		r.Threw = "TypeError: terminated"
	case !r.Finished:
		r.Threw = "Error: The stream ended before [DONE], so the reply is incomplete."
	}
	return r
}

// events splits the text at each blank line and reads what lies between.
func (r *Reading) events(body string, printed *strings.Builder) error {
	for {
		event, rest, found := strings.Cut(body, "\n\n")
		if !found {
			return nil
		}
		body = rest
		for line := range strings.SplitSeq(event, "\n") {
			data, ok := strings.CutPrefix(line, "data: ")
			if !ok {
				continue
			}
			if data == "[DONE]" {
				r.Finished = true
				continue
			}
			content, err := readChunk(data)
			if err != nil {
				return err
			}
			printed.WriteString(content)
		}
	}
}

// readChunk evaluates JSON.parse(data) and chunk.choices[0]?.delta?.content ?? "".
func readChunk(data string) (string, error) {
	if !json.Valid([]byte(data)) {
		return "", errThrown("SyntaxError: " + data)
	}
	chunk := gjson.Parse(data)
	if isNull(chunk) {
		return "", errThrown("TypeError: Cannot read properties of null (reading 'error')")
	}
	if e := property(chunk, "error"); truthy(e) {
		return "", errThrown("Error: " + text(property(e, "message")))
	}
	choices := property(chunk, "choices")
	if !choices.Exists() || isNull(choices) {
		return "", errThrown("TypeError: Cannot read properties of undefined (reading '0')")
	}
	first := property(choices, "0")
	if choices.IsArray() {
		if all := list(choices); len(all) > 0 {
			first = all[0]
		}
	}
	content := property(property(first, "delta"), "content")
	switch {
	case !content.Exists() || isNull(content):
		return "", nil
	case content.Type == gjson.String:
		return text(content), nil
	default:
		return "", errThrown("TypeError [ERR_INVALID_ARG_TYPE]: content " + content.Raw)
	}
}

// property is value?.key: undefined of anything but an object that has it. Of
// two equal keys the last one counts.
func property(value gjson.Result, key string) gjson.Result {
	var last gjson.Result
	if value.IsObject() {
		value.ForEach(func(k, v gjson.Result) bool {
			if text(k) == key {
				last = v
			}
			return true
		})
	}
	return last
}

// decodeUTF8 is a TextDecoder: it drops a byte order mark, puts U+FFFD for what
// is no UTF-8, and keeps back a character that the end of the body cut.
func decodeUTF8(body []byte) string {
	body = bytes.TrimPrefix(body, []byte("\uFEFF"))
	if n := len(body); n > 0 {
		for i := n - 1; i >= max(0, n-utf8.UTFMax); i-- {
			if utf8.RuneStart(body[i]) {
				if !utf8.FullRune(body[i:]) {
					body = body[:i]
				}
				break
			}
		}
	}
	return replaceBroken(body)
}

// replaceBroken puts U+FFFD for each longest piece that could have begun a
// character and did not.
func replaceBroken(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var out strings.Builder
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			size = brokenPrefix(b)
		}
		out.WriteRune(r)
		b = b[size:]
	}
	return out.String()
}

// brokenPrefix is the length of the longest beginning of b, which begins no
// character, that could have begun one.
func brokenPrefix(b []byte) int {
	n := 1
	for n < len(b) && n < utf8.UTFMax && !utf8.FullRune(b[:n+1]) {
		n++
	}
	return n
}

// DocumentedReader: the reader of the document comes to its end without
// throwing, and prints the text of the reply.
//
// It is a witness. What makes it fail is a breach of a row of its own, judged by
// another rule, so no row of the catalogue hangs on it.
func (c *Chat) DocumentedReader() []Finding {
	n := c.notes("DocumentedReader")
	r := c.Read()
	if r.Threw != "" {
		n.end("the documented reader comes to its end", r.Threw)
		return n.found
	}
	// With more choices than one it prints whichever stands first.
	if c.Ask.choices() > 1 {
		return nil
	}
	var want strings.Builder
	for _, d := range c.Deltas(0) {
		want.WriteString(replaceBroken([]byte(d.Text)))
	}
	if want.String() != r.Printed {
		n.end("the documented reader prints "+excerpt(want.String(), c.Ask.Keys), r.Printed)
	}
	return n.found
}
