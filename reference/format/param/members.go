package param

import (
	"encoding/json"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/strictjson"
)

// Members are the top-level parameters of a request, as they were sent.
type Members map[string]json.RawMessage

// Parse reads the body of a request. The members are pieces of body, which must
// therefore not change.
func Parse(body []byte) (Members, *apierror.Error) {
	members, err := strictjson.Object(body)
	if err != nil {
		return nil, apierror.InvalidJSON(err.Error())
	}
	return members, nil
}

// Get returns a parameter; null is the same as absent.
func (m Members) Get(name string) gjson.Result {
	raw, ok := m[name]
	if !ok {
		return gjson.Result{}
	}
	v := gjson.ParseBytes(raw)
	if v.Type == gjson.Null {
		return gjson.Result{}
	}
	return v
}

// Rule is a top-level parameter whose value can be judged alone.
type Rule struct {
	name     string
	nullable bool
	check    Check
}

// Strict is a parameter whose value must not be null.
func Strict(name string, c Check) Rule { return Rule{name, false, c} }

// Nullable is a parameter for which null says the same as leaving it out.
func Nullable(name string, c Check) Rule { return Rule{name, true, c} }

// Check judges the parameters in the order of the rules and reports the first
// that is wrong.
func (m Members) Check(rules []Rule) *apierror.Error {
	for _, rule := range rules {
		raw, ok := m[rule.name]
		if !ok {
			continue
		}
		v := gjson.ParseBytes(raw)
		if v.Type == gjson.Null && rule.nullable {
			continue
		}
		if e := rule.check(rule.name, v); e != nil {
			return e
		}
	}
	return nil
}

// CheckNames reports a parameter that no rule speaks of, for formats that know
// all of theirs: the first by the alphabet.
func (m Members) CheckNames(rules []Rule) *apierror.Error {
	known := make(map[string]bool, len(rules))
	for _, rule := range rules {
		known[rule.name] = true
	}
	unknown, found := "", false
	for name := range m {
		if !known[name] && (!found || name < unknown) {
			unknown, found = name, true
		}
	}
	if found {
		return apierror.UnknownParameter(unknown)
	}
	return nil
}

// StopSequences returns a parameter that is one string or an array of them.
func (m Members) StopSequences(name string) []string {
	v := m.Get(name)
	if v.Type == gjson.String {
		return []string{v.Str}
	}
	var stop []string
	v.ForEach(func(_, s gjson.Result) bool {
		stop = append(stop, s.Str)
		return true
	})
	return stop
}

// Int returns an integer parameter, nil when it is absent.
func (m Members) Int(name string) *int {
	v := m.Get(name)
	if !v.Exists() {
		return nil
	}
	n := int(v.Int())
	return &n
}
