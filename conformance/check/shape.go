package check

import (
	"fmt"
	"slices"

	"github.com/tidwall/gjson"
)

// HasChunks: the reply has at least one chunk. What every chunk must hold is
// judged by other rules, and would hold of none.
func (c *Chat) HasChunks() []Finding {
	n := c.notes("HasChunks")
	if len(c.Chunks) == 0 {
		n.finish("at least one chunk", "none")
	}
	return n.found
}

// ChunkObject: object is chat.completion.chunk.
func (c *Chat) ChunkObject() []Finding {
	n := c.notes("ChunkObject")
	for _, k := range c.Chunks {
		if v := k.object.get("object"); text(v) != "chat.completion.chunk" {
			n.event(k.Event, "object chat.completion.chunk", "object "+seen(v))
		}
	}
	return n.found
}

// kind is a type that a field may have.
type kind struct {
	name string
	ok   func(gjson.Result) bool
}

var (
	aString  = kind{"a string", func(v gjson.Result) bool { return v.Type == gjson.String }}
	anInt    = kind{"an integer", func(v gjson.Result) bool { _, ok := integer(v); return ok }}
	aNumber  = kind{"a number", func(v gjson.Result) bool { return v.Type == gjson.Number }}
	anArray  = kind{"an array", gjson.Result.IsArray}
	anObject = kind{"an object", gjson.Result.IsObject}
)

// orNull is k or null.
func (k kind) orNull() kind {
	return kind{k.name + " or null", func(v gjson.Result) bool { return isNull(v) || k.ok(v) }}
}

// field is one field of a documented shape.
type field struct {
	key      string
	kind     kind
	required bool
}

// breaks calls bad for every field of o that is missing or of another type.
func breaks(o object, fields []field, bad func(expected, seen string)) {
	for _, f := range fields {
		v := o.get(f.key)
		switch {
		case v.Exists() && f.kind.ok(v):
		case v.Exists():
			bad(f.key+" as "+f.kind.name, f.key+" "+v.Raw)
		case f.required:
			bad(f.key+" as "+f.kind.name, "no "+f.key)
		}
	}
}

var chunkFields = []field{
	{"id", aString, true},
	{"object", aString, true},
	{"created", anInt, true},
	{"model", aString, true},
	{"choices", anArray, true},
	{"usage", anObject.orNull(), false},
	{"service_tier", aString.orNull(), false},
	{"system_fingerprint", aString.orNull(), false},
	{"obfuscation", aString.orNull(), false},
}

// ChunkShape: every chunk has the documented fields with the documented types,
// and every choice is an object with an object delta.
func (c *Chat) ChunkShape() []Finding {
	n := c.notes("ChunkShape")
	for _, k := range c.Chunks {
		bad := func(expected, seen string) { n.event(k.Event, expected, seen) }
		breaks(k.object, chunkFields, bad)
		for i, v := range list(k.object.get("choices")) {
			choice, ok := asObject(v)
			if !ok {
				bad(fmt.Sprintf("choices[%d] as an object", i), v.Raw)
				continue
			}
			if d := choice.get("delta"); !d.IsObject() {
				bad(fmt.Sprintf("choices[%d].delta as an object", i), "delta "+seen(d))
			}
		}
	}
	return n.found
}

var deltaFields = []field{
	{"role", aString, false},
	{"content", aString.orNull(), false},
	{"refusal", aString.orNull(), false},
	{"tool_calls", anArray, false},
	{"function_call", anObject, false},
}

// DeltaTypes: what a delta holds has the documented types.
func (c *Chat) DeltaTypes() []Finding {
	n := c.notes("DeltaTypes")
	roles := []string{"developer", "system", "user", "assistant", "tool"}
	for _, k := range c.Chunks {
		for _, ch := range k.Choices {
			breaks(ch.delta, deltaFields, func(expected, seen string) { n.event(k.Event, "delta."+expected, seen) })
			if v := ch.delta.get("role"); v.Type == gjson.String && !slices.Contains(roles, ch.Role) {
				n.event(k.Event, "one of the documented roles", "role "+seen(v))
			}
		}
	}
	return n.found
}
