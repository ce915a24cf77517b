package mutant

import (
	"bytes"
	"encoding/json"
	"strings"
)

// object is a JSON object that a mutant changes in place. Its methods look into
// a chunk or a completion and are safe on nil and on what is not there.
type object map[string]any

// decode reads one JSON object, nil for anything else. Numbers keep their text.
func decode(text string) object {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var o object
	if decoder.Decode(&o) != nil {
		return nil
	}
	return o
}

// encode writes any JSON value on one line.
func encode(v any) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return "null" // a mutant put in what is no JSON: its row will not fail
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// inner is the object under a key; writes to what is not there are lost.
func (o object) inner(key string) object {
	m, ok := o[key].(map[string]any)
	if !ok {
		return object{}
	}
	return m
}

// list is the objects of the array under a key.
func (o object) list(key string) []object {
	values, _ := o[key].([]any)
	var objects []object
	for _, v := range values {
		if m, ok := v.(map[string]any); ok {
			objects = append(objects, m)
		}
	}
	return objects
}

func (o object) choices() []object { return o.list("choices") }

// choice is the first choice, empty if there is none.
func (o object) choice() object {
	for _, c := range o.choices() {
		return c
	}
	return object{}
}

func (o object) delta() object   { return o.choice().inner("delta") }
func (o object) message() object { return o.choice().inner("message") }

func (o object) text() string {
	s, _ := o.delta()["content"].(string)
	return s
}

func (o object) finish() string {
	s, _ := o.choice()["finish_reason"].(string)
	return s
}

// usage is nil where there is none or null.
func (o object) usage() object {
	m, ok := o["usage"].(map[string]any)
	if !ok {
		return nil
	}
	return m
}

// number is a count under a key, 0 if it is none.
func (o object) number(key string) int {
	n, _ := o[key].(json.Number)
	i, _ := n.Int64()
	return int(i)
}

// word is a text under a key, "" if it is none.
func (o object) word(key string) string {
	s, _ := o[key].(string)
	return s
}

// clone is a copy that shares nothing.
func (o object) clone() object { return decode(encode(o)) }
