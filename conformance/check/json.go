package check

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// object is a JSON object with its members in the order in which they came.
type object struct{ members []member }

type member struct {
	key   string
	value gjson.Result
}

// parseObject reads one whole JSON object; false is for anything else.
func parseObject(data []byte) (object, bool) {
	if !json.Valid(data) {
		return object{}, false
	}
	return asObject(gjson.ParseBytes(data))
}

// asObject returns the members of a value that is an object.
func asObject(v gjson.Result) (object, bool) {
	if !v.IsObject() {
		return object{}, false
	}
	o := object{make([]member, 0, 8)} // a chunk has six or seven
	v.ForEach(func(key, value gjson.Result) bool {
		o.members = append(o.members, member{text(key), value})
		return true
	})
	return o, true
}

// get returns the value of key, the last one as every JSON reader does. It is
// the zero Result, which does not exist, where there is none.
func (o object) get(key string) gjson.Result {
	for i := len(o.members) - 1; i >= 0; i-- {
		if o.members[i].key == key {
			return o.members[i].value
		}
	}
	return gjson.Result{}
}

// list returns the elements of an array, and none of any other value.
func list(v gjson.Result) []gjson.Result {
	if !v.IsArray() {
		return nil
	}
	return v.Array()
}

// text returns the text of a string, and "" for any other value.
func text(v gjson.Result) string {
	if v.Type != gjson.String {
		return ""
	}
	// Surrogates that stand alone or in wrong order are told apart only here.
	if strings.Contains(v.Raw, `\u`) {
		var s string
		if json.Unmarshal([]byte(v.Raw), &s) == nil {
			return s
		}
	}
	return v.Str
}

// isNull tells a null that is there.
func isNull(v gjson.Result) bool { return v.Type == gjson.Null && v.Raw != "" }

// integer returns a number without a fraction.
func integer(v gjson.Result) (int64, bool) {
	if v.Type != gjson.Number {
		return 0, false
	}
	if i, err := strconv.ParseInt(v.Raw, 10, 64); err == nil {
		return i, true
	}
	f := v.Num
	if f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// seen is how a value is shown in a finding.
func seen(v gjson.Result) string {
	if !v.Exists() {
		return "missing"
	}
	return v.Raw
}
