package modelserver

import (
	"maps"
	"slices"
	"strconv"

	"plumbline.dev/plumbline/reference/completion"
)

// reader turns the events of a stream, in the format of its server, into events
// of a reply.
type reader interface {
	// chunk decodes the data of one event into the batch. isError tells that the
	// event has the name error.
	chunk(b *completion.Batch, data []byte, isError bool) *Error
	// finished tells whether the reply is complete.
	finished() bool
	// over tells whether the stream has said that it ends here.
	over() bool
}

// call is how a server is asked, and how its answer is read.
type call struct {
	path    string
	version string // of Anthropic's API
	body    []byte
	decode  reader
}

// messagesVersion is the version that servers of Anthropic's API are asked for.
const messagesVersion = "2023-06-01"

// call chooses the format in which a server is asked: the client's own if the
// server speaks it, else chat.
func (s *poolServer) call(req *completion.Request) call {
	if req.Native == nil || !slices.Contains(s.Native, req.Native.Format) {
		return call{path: "/chat/completions", body: requestBody(req, s.Server), decode: newDecoder(req.Choices, s.Dialect)}
	}
	body := nativeBody(req, s.Server)
	if req.Native.Format == completion.FormatMessages {
		return call{path: "/messages", version: messagesVersion, body: body, decode: new(messagesDecoder)}
	}
	return call{path: "/responses", body: body, decode: new(responsesDecoder)}
}

// nativeBody is the client's request with what is the gateway's to decide: the
// model's name, and that the reply is streamed.
func nativeBody(req *completion.Request, server Server) []byte {
	model := server.Model
	if model == "" {
		model = req.Model
	}
	body := appendQuoted([]byte(`{"model":`), model)
	body = append(body, `,"stream":true`...)
	for _, key := range slices.Sorted(maps.Keys(req.Native.Body)) {
		switch key {
		case "model", "stream":
			continue
		}
		body = append(appendQuoted(append(body, ','), key), ':')
		body = append(body, req.Native.Body[key]...)
	}
	return append(body, '}')
}

// callList numbers the tool calls of a reply, whose pieces carry the position
// among all parts of the reply.
type callList struct{ positions []string }

// begin appends the event of a call that begins. The id and the name are
// literals.
func (l *callList) begin(b *completion.Batch, position, id, name []byte) *Error {
	if len(l.positions) >= maxToolCalls {
		return malformed("there are too many tool calls")
	}
	if !isString(id) || !isString(name) {
		return malformed("a tool call has no id or no name")
	}
	l.positions = append(l.positions, string(position))
	piece := strconv.AppendInt([]byte(`[{"index":`), int64(len(l.positions)-1), 10)
	piece = append(append(piece, `,"id":`...), id...)
	piece = append(append(piece, `,"type":"function","function":{"name":`...), name...)
	piece = append(piece, `,"arguments":""}}]`...)
	b.Add(completion.Event{Kind: completion.KindToolCall, ToolCalls: piece})
	return nil
}

// more appends the event of more arguments, a literal.
func (l *callList) more(b *completion.Batch, position, arguments []byte) *Error {
	index := slices.Index(l.positions, string(position))
	if index < 0 || !isString(arguments) {
		return malformed("a piece of a tool call belongs to none")
	}
	if isEmptyText(arguments) {
		return nil
	}
	piece := strconv.AppendInt([]byte(`[{"index":`), int64(index), 10)
	piece = append(append(piece, `,"function":{"arguments":`...), arguments...)
	b.Add(completion.Event{Kind: completion.KindToolCall, ToolCalls: append(piece, "}}]"...), Tokens: 1})
	return nil
}

// addText adds text of some kind, a literal, as one token.
func addText(b *completion.Batch, kind completion.Kind, text []byte) *Error {
	if !isString(text) {
		return malformed("the text of a delta is not a string")
	}
	if !isEmptyText(text) {
		b.Add(completion.Event{Kind: kind, Text: b.Keep(text), Tokens: 1})
	}
	return nil
}
