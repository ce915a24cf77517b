package modelserver

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"plumbline.dev/plumbline/reference/completion"
)

// requestBody derives the request to a model server from the client's. All
// fields of the client travel on, byte for byte, but those that are the
// gateway's to decide: the reply is always streamed, so that every request is
// counted, stopped and aborted in one way; usage is always asked for; and the
// limit goes under the one name that the server knows.
func requestBody(req *completion.Request, server Server) []byte {
	model := server.Model
	if model == "" {
		model = req.Model
	}
	size := 128
	for key, value := range req.Body {
		size += len(key) + len(value) + 4
	}
	body := append(make([]byte, 0, size), `{"model":`...)
	body = appendQuoted(body, model)
	body = append(body, `,"stream":true`...)
	if !server.Dialect.WithoutUsage {
		body = append(body, `,"stream_options":{"include_usage":true}`...)
	}
	if req.MaxTokens != nil {
		body = append(body, ',')
		body = appendQuoted(body, server.Dialect.MaxTokensField)
		body = append(body, ':')
		body = strconv.AppendInt(body, int64(*req.MaxTokens), 10)
	}
	for _, key := range slices.Sorted(maps.Keys(req.Body)) {
		switch key {
		case "model", "stream", "stream_options", "max_tokens", "max_completion_tokens":
			continue
		}
		body = append(body, ',')
		body = appendQuoted(body, key)
		body = append(body, ':')
		body = append(body, req.Body[key]...)
	}
	return append(body, '}')
}

func appendQuoted(buf []byte, s string) []byte {
	literal, err := json.Marshal(s)
	if err != nil { // strings always marshal
		return append(buf, `""`...)
	}
	return append(buf, literal...)
}
