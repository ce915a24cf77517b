package completion

import (
	"iter"

	"github.com/tidwall/gjson"
)

// ToolPiece is one element of an event's ToolCalls: the beginning of a call or
// more of its arguments. The texts are JSON string literals, "" when absent.
type ToolPiece struct {
	Index               int // which call of the reply
	ID, Name, Arguments string
}

// ToolPieces yields the pieces of Event.ToolCalls one by one, for formats that
// cannot relay the array as it stands.
func ToolPieces(calls []byte) iter.Seq[ToolPiece] {
	return func(yield func(ToolPiece) bool) {
		gjson.ParseBytes(calls).ForEach(func(_, piece gjson.Result) bool {
			return yield(ToolPiece{
				Index:     int(piece.Get("index").Int()),
				ID:        literal(piece.Get("id")),
				Name:      literal(piece.Get("function.name")),
				Arguments: literal(piece.Get("function.arguments")),
			})
		})
	}
}

func literal(v gjson.Result) string {
	if v.Type != gjson.String {
		return ""
	}
	return v.Raw
}
