package lint

import (
	"bytes"
	"fmt"
	"strconv"
)

// beginsChunk tells whether raw begins with the size of a chunk on its own line.
func beginsChunk(raw []byte) bool {
	_, _, ok := chunkSize(raw)
	return ok
}

// chunkSize reads the line with the size of a chunk; n is the line's own length.
func chunkSize(raw []byte) (size, n int, ok bool) {
	end := bytes.IndexByte(raw[:min(len(raw), 4<<10)], '\n')
	if end < 0 {
		return 0, 0, false
	}
	digits, _, _ := bytes.Cut(raw[:end], []byte(";"))
	value, err := strconv.ParseUint(string(bytes.TrimSpace(digits)), 16, 31)
	return int(value), end + 1, err == nil
}

// dechunk takes a body out of the chunks of HTTP/1.1. Problem says why it does
// not end as it should.
func dechunk(raw []byte) (body []byte, marks places, problem string) {
	body = make([]byte, 0, len(raw))
	at := 0
	for {
		size, n, ok := chunkSize(raw[at:])
		switch {
		case at == len(raw):
			return body, marks, "the last chunk is missing"
		case !ok:
			return body, marks, fmt.Sprintf("at byte %d of the body stands no chunk size", at)
		case size == 0:
			return body, marks, ""
		}
		at += n
		marks = append(marks, mark{body: len(body), file: at})
		whole := min(size, len(raw)-at)
		body = append(body, raw[at:at+whole]...)
		if whole < size {
			return body, marks, fmt.Sprintf("the last chunk has %d of %d bytes", whole, size)
		}
		at += size
		at += len(lineEnd(raw[at:]))
	}
}

// lineEnd is the line end that b begins with, if it does.
func lineEnd(b []byte) []byte {
	for _, end := range []string{"\r\n", "\n"} {
		if bytes.HasPrefix(b, []byte(end)) {
			return b[:len(end)]
		}
	}
	return nil
}
