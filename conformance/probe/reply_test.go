package probe

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/fakegpu/control"
)

const nonce = "abcdefghij0123456789"

func TestRepliesAreScripts(t *testing.T) {
	token := func(text string) control.Step { return control.Step{Token: &control.Token{Text: text}} }
	cases := []struct {
		name string
		make func(t *testing.T) *Reply
		text string
		want []control.Step
	}{
		{"tokens", func(*testing.T) *Reply { return Replies("a", "b") }, "ab", []control.Step{token("a"), token("b")}},
		{"a pause and a gate", func(*testing.T) *Reply {
			r := Replies("a", "b")
			r.PauseAfter(1, 2*time.Second)
			r.WaitAfter(0)
			return r
		}, "ab", []control.Step{{Gate: Gate}, token("a"), {PauseMS: 2000}, token("b")}},
		{"a fault ends it", func(t *testing.T) *Reply {
			r := Replies("a", "b", "c")
			require.NoError(t, r.Fail("resets the connection", 2))
			return r
		}, "ab", []control.Step{token("a"), token("b"), {Reset: true}}},
		{"lockstep", func(*testing.T) *Reply {
			r := Replies("a", "b")
			r.Lockstep()
			return r
		}, "ab", []control.Step{token("a"), {Gate: "token-1"}, token("b"), {Gate: "token-2"}}},
		{"a finish reason", func(*testing.T) *Reply {
			r := Replies("a")
			r.Finish("length")
			return r
		}, "a", []control.Step{token("a"), {Finish: "length"}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			reply := c.make(t)
			script := reply.build(nonce)
			assert.Equal(t, c.want, script.Steps)
			assert.Equal(t, c.text, reply.Text())
			assert.NoError(t, script.Validate())
		})
	}
}

// Whatever the words of the features make of a reply, the fake GPU takes it.
func TestEveryFaultAndHabitIsAValidScript(t *testing.T) {
	for _, name := range Faults() {
		r := Replies(Numbered(3)...)
		require.NoError(t, r.Fail(name, 2), name)
		assert.NoError(t, r.build(nonce).Validate(), name)
		assert.Equal(t, "t1 t2", r.Text(), name)
	}
	plain := Replies(Numbered(3)...).build(nonce)
	for _, name := range Habits() {
		r := Replies(Numbered(3)...)
		require.NoError(t, r.Habit(name), name)
		script := r.build(nonce)
		assert.NoError(t, script.Validate(), name)
		assert.NotEqual(t, plain, script, "the habit %q changes nothing", name)
	}
	assert.Error(t, Replies().Fail("explodes", 0))
	assert.Error(t, Replies().Habit("sings"))
}

func TestCallIsCutIntoWholePieces(t *testing.T) {
	r := Replies()
	r.Call(0, "f", `{"a":1}`, 3)
	script := r.build(nonce)
	require.NoError(t, script.Validate())
	assert.Len(t, script.Steps, 1+3+1, "the call, its pieces, the finish")
	assert.Equal(t, "tool_calls", script.Steps[4].Finish)
}

func TestIntervals(t *testing.T) {
	documented := &Env{}
	short := &Env{Target: Target{Intervals: Intervals{Ping: 400 * time.Millisecond, Silence: time.Second}}}
	for _, c := range []struct{ documented, short time.Duration }{
		{2 * time.Second, 2 * time.Second}, // no documented interval: a pause that a feature chose
		{10 * time.Second, 400 * time.Millisecond},
		{25 * time.Second, time.Second},
		{35 * time.Second, time.Second},
		{600 * time.Second, 600 * time.Second},
	} {
		assert.Equal(t, c.documented, documented.In(c.documented))
		assert.Equal(t, c.short, short.In(c.documented), c.documented.String())
	}
	assert.Equal(t, time.Second, documented.Tolerance(10*time.Second, time.Second))
	assert.Equal(t, 100*time.Millisecond, short.Tolerance(10*time.Second, time.Second), "never too little for a clock to keep")
}

func TestNoiseRemembersTheWorst(t *testing.T) {
	n := &Noise{}
	base := time.Now()
	n.remember(lateness{at: base.Add(time.Second), by: 20 * time.Millisecond})
	n.remember(lateness{at: base.Add(3 * time.Second), by: 900 * time.Millisecond})
	assert.Equal(t, 900*time.Millisecond, n.Worst(base, base.Add(5*time.Second)))
	assert.Equal(t, 20*time.Millisecond, n.Worst(base, base.Add(2*time.Second)))
	assert.Equal(t, 900*time.Millisecond, n.Worst(base.Add(2*time.Second), base.Add(2500*time.Millisecond)), "late from its due moment on")
	assert.Zero(t, n.Worst(base.Add(4*time.Second), base.Add(5*time.Second)))
	n.remember(lateness{at: base.Add(time.Hour), by: 10 * time.Millisecond})
	assert.Len(t, n.late, 1, "old ones are forgotten")
}
