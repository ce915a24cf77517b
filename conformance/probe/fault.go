package probe

import (
	"fmt"
	"maps"
	"slices"

	"plumbline.dev/plumbline/fakegpu/control"
)

// faults are the ways in which a model server fails in the middle of a reply,
// by the words of the features. The steps behind a fault are not played unless
// it goes on.
var faults = map[string]struct {
	steps  []control.Step
	goesOn bool
}{
	"resets the connection":          {steps: []control.Step{{Reset: true}}},
	"cuts the connection":            {steps: []control.Step{{Cut: true}}},
	"closes the body cleanly":        {steps: []control.Step{{Close: true}}},
	"sends half an event and closes": {steps: []control.Step{{Raw: []byte(`data: {"id":"chatcmpl-half","object":"chat.comple`)}, {Close: true}}},
	"sends a malformed chunk":        {steps: []control.Step{{Raw: []byte("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\n\n")}}, goesOn: true},
	"reports an error":               {steps: []control.Step{{Error: &control.ErrorObject{Message: "device-side assert triggered", Type: "server_error"}}, {Close: true}}},
	"reports an error and then sends [DONE]": {steps: []control.Step{
		{Error: &control.ErrorObject{Message: "device-side assert triggered", Type: "server_error"}}, {Done: true}}},
	"reports an error that names its secrets": {steps: []control.Step{{Error: &control.ErrorObject{
		Message: "POST http://10.11.12.13:8000/v1/chat/completions failed, Authorization: Bearer sk-plumbline-canary-5f1e, " +
			"File \"/srv/model/worker.py\", line 88, in generate: goroutine 17 [running]", Type: "server_error"}}, {Close: true}}},
}

// Fail makes it fail behind token n, in the words of the features.
func (r *Reply) Fail(how string, n int) error {
	fault, ok := faults[how]
	if !ok {
		return fmt.Errorf("no fault is called %q", how)
	}
	r.After(n, slices.Clone(fault.steps)...)
	if !fault.goesOn {
		r.broken = n
	} else {
		r.tokens = r.tokens[:n]
	}
	return nil
}

// habits are ways of writing that a model server may have, by the words of the
// features. None of them changes what the reply says.
var habits = map[string]func(*Reply){
	"sends its bytes one by one":                func(r *Reply) { r.script.ChopBytes = 1 },
	"writes data lines without the space":       func(r *Reply) { r.script.NoSpace = true },
	"begins with a byte order mark":             func(r *Reply) { r.script.BOM = true },
	"sends a line of 100000 bytes":              func(r *Reply) { r.pad(100_000) },
	"sends a line of 1500000 bytes":             func(r *Reply) { r.pad(1_500_000) },
	"sends several events in one packet":        func(r *Reply) { r.script.CoalesceMS = 50 },
	"escapes every character that is not ASCII": func(r *Reply) { r.escape = true },
	"compresses its stream":                     func(r *Reply) { r.script.Gzip = true },
	"ends its lines with CRLF":                  func(r *Reply) { r.script.LineEnd = "crlf" },
	"ends its lines with CR":                    func(r *Reply) { r.script.LineEnd = "cr" },
	"runs on past max_tokens":                   func(r *Reply) { r.script.IgnoreMaxTokens = true },
	"reports usage on the finish chunk":         func(r *Reply) { r.script.Usage = control.UsageOnFinish },
	"reports usage on its first chunk only":     func(r *Reply) { r.script.Usage = control.UsageEarly },
	"reports usage on every chunk, counting up": func(r *Reply) { r.script.Usage = control.UsageCumulative },
	"reports no usage":                          func(r *Reply) { r.script.Usage = control.UsageNever },
	"reports usage twice":                       func(r *Reply) { r.script.Usage = control.UsageTwice },
	"reports usage although not asked":          func(r *Reply) { r.script.Usage = control.UsageUnasked },
}

// Habit gives it a habit, in the words of the features.
func (r *Reply) Habit(name string) error {
	set, ok := habits[name]
	if !ok {
		return fmt.Errorf("no habit is called %q", name)
	}
	set(r)
	return nil
}

// Faults returns the names of all faults.
func Faults() []string { return slices.Sorted(maps.Keys(faults)) }

// Habits returns the names of all habits.
func Habits() []string { return slices.Sorted(maps.Keys(habits)) }
