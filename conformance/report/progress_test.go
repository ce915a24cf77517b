package report

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"plumbline.dev/plumbline/conformance"
)

// The progress can be handed to the runner as it is.
var _ interface {
	Planned(scenarios int)
	Started(name string)
	Waiting(name, what string, until time.Time)
	Finished(result conformance.ScenarioResult)
} = (*Progress)(nil)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// film draws a progress after each step, a second apart.
func film(t *testing.T, screen Screen, steps ...func(*Progress)) string {
	t.Helper()
	var out bytes.Buffer
	now := noon
	p := newProgress(&out, screen, nil, func() time.Time { return now })
	for _, step := range steps {
		now = now.Add(time.Second)
		step(p)
		p.draw()
	}
	go p.loop(nil)
	p.Close()
	return out.String()
}

func TestProgressDrawsOnItsClock(t *testing.T) {
	defer goleak.VerifyNone(t)
	var out bytes.Buffer
	p := newProgress(&out, Screen{}, nil, time.Now)
	tick := make(chan time.Time)
	go p.loop(tick)
	p.Planned(7)
	tick <- noon
	p.Close()
	assert.Equal(t, "plumbline: 0 of 7 done, 0 running\n", out.String())
}

func finished(name string, v conformance.Verdict) func(*Progress) {
	return func(p *Progress) { p.Finished(conformance.ScenarioResult{Name: name, Verdict: v}) }
}

func script() []func(*Progress) {
	return []func(*Progress){
		func(p *Progress) {
			p.Planned(4)
			for _, name := range []string{"a", "b", "b"} {
				p.Started(name)
			}
		},
		func(p *Progress) { p.Waiting("a", "two pings, 10 s apart", noon.Add(25*time.Second)) },
		func(p *Progress) { p.Waiting("b", "a reply that is silent", noon.Add(35*time.Second)) },
		finished("b", conformance.Pass),
		finished("b", conformance.Fail),
		finished("a", conformance.Inconclusive),
	}
}

func TestProgressInALog(t *testing.T) {
	defer goleak.VerifyNone(t)
	assert.Equal(t, strings.Join([]string{
		"plumbline: 0 of 4 done, 3 running",
		"plumbline: 0 of 4 done, 3 running; at most 23s more for two pings, 10 s apart",
		"plumbline: 0 of 4 done, 3 running; at most 32s more for a reply that is silent, and 1 shorter wait",
		"plumbline: 1 of 4 done, 2 running; at most 31s more for a reply that is silent, and 1 shorter wait",
		"plumbline: 2 of 4 done, 1 failed, 1 running; at most 20s more for two pings, 10 s apart",
		"plumbline: 3 of 4 done, 1 failed, 0 running",
		"",
	}, "\n"), film(t, Screen{}, script()...))
}

func TestProgressSaysNothingTwice(t *testing.T) {
	nothing := func(*Progress) {}
	assert.Equal(t, "plumbline: 0 of 0 done, 0 running\n", film(t, Screen{}, nothing, nothing, nothing))
}

func TestProgressOnATerminal(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, width := range []int{10, 20, 59, 60, 80, 200} {
		t.Run(fmt.Sprint(width, " columns"), func(t *testing.T) {
			text := film(t, Screen{Terminal: true, Color: true, Columns: func() int { return width }}, script()...)
			assert.NotContains(t, text, "\n", "one line, rewritten")
			lines := strings.Split(strings.TrimPrefix(text, "\r"), "\r")
			assert.Greater(t, len(lines), 4)
			assert.Equal(t, "\x1b[K", lines[len(lines)-1], "the line is cleared at the end")
			for _, line := range lines {
				require.True(t, strings.HasSuffix(line, "\x1b[K"), "%q", line)
				assert.Less(t, columns(strings.TrimSuffix(line, "\x1b[K")), width, "a full line would wrap: %q", line)
			}
		})
	}
	text := film(t, Screen{Terminal: true, Columns: func() int { return 100 }}, script()...)
	assert.Contains(t, text, "━━━━━─────────────── 1 of 4 done, 2 running; at most 31s more")
	assert.NotContains(t, text, "\x1b[3", "no colour without Color")
}

func TestProgressPastItsDeadline(t *testing.T) {
	text := film(t, Screen{}, func(p *Progress) { p.Waiting("a", "an end\x1b]0;\n", noon.Add(-time.Minute)) })
	assert.Equal(t, "plumbline: 0 of 0 done, 0 running; at most 0s more for an end\\x1b]0;\n", text)
}

type brokenWriter struct{ writes int }

func (w *brokenWriter) Write([]byte) (int, error) {
	w.writes++
	return 0, errors.New("broken pipe")
}

func TestProgressLeavesABrokenWriterAlone(t *testing.T) {
	w := &brokenWriter{}
	p := newProgress(w, Screen{Terminal: true}, nil, time.Now)
	tick := make(chan time.Time)
	go p.loop(tick)
	for n := range 3 {
		p.Planned(n)
		tick <- noon
	}
	p.Close()
	assert.Equal(t, 1, w.writes)
}

func TestProgressFromManyGoroutines(t *testing.T) {
	defer goleak.VerifyNone(t)
	var out bytes.Buffer
	p := NewProgress(&out, Screen{Terminal: true}, nil)
	p.Planned(50)
	var all sync.WaitGroup
	for n := range 50 {
		all.Go(func() {
			name := fmt.Sprint("scenario ", n)
			p.Started(name)
			p.Waiting(name, "its end", time.Now())
			finished(name, conformance.Pass)(p)
		})
	}
	all.Wait()
	p.Close()
	p.Close() // a second time does no harm
	assert.Equal(t, 50, p.done)
	assert.Empty(t, p.running)
	assert.Empty(t, p.waiting)
}
