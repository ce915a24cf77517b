package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"plumbline.dev/plumbline/conformance"
)

const (
	redrawEvery = 200 * time.Millisecond // the one line of a terminal
	logEvery    = 5 * time.Second        // a new line in a log
)

// Progress shows how far a run is: how many scenarios are done and running,
// and what is being waited for. On a terminal it is one line that is rewritten;
// in a log it is a line now and then, and none while nothing changes.
//
// It is told by the runner, from any goroutine, and draws on its own clock, so
// that a scenario never waits for a terminal.
type Progress struct {
	out      io.Writer
	screen   Screen
	redactor *Redactor
	now      func() time.Time

	mu      sync.Mutex
	planned int
	done    int
	failed  int
	running map[string]int // scenarios by name
	waiting map[string]wait
	last    string // what was drawn
	broken  bool   // the writer failed, and is left alone since

	stop  chan struct{}
	ended chan struct{}
	once  sync.Once
}

type wait struct {
	what  string
	until time.Time
}

// NewProgress starts to draw on out, which should be the standard error. It
// ends with Close.
func NewProgress(out io.Writer, screen Screen, redactor *Redactor) *Progress {
	every := logEvery
	if screen.Terminal {
		every = redrawEvery
	}
	ticker := time.NewTicker(every)
	p := newProgress(out, screen, redactor, time.Now)
	go func() {
		defer ticker.Stop()
		p.loop(ticker.C)
	}()
	return p
}

func newProgress(out io.Writer, screen Screen, redactor *Redactor, now func() time.Time) *Progress {
	return &Progress{
		out: out, screen: screen, redactor: redactor, now: now,
		running: make(map[string]int),
		waiting: make(map[string]wait),
		stop:    make(chan struct{}),
		ended:   make(chan struct{}),
	}
}

// Planned says how many scenarios there are.
func (p *Progress) Planned(scenarios int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.planned = scenarios
}

// Started says that a scenario runs.
func (p *Progress) Started(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running[name]++
}

// Waiting says what a running scenario waits for, and until when at the
// latest; a later call replaces it.
func (p *Progress) Waiting(name, what string, until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting[name] = wait{what, until}
}

// Finished says how a scenario ended.
func (p *Progress) Finished(result conformance.ScenarioResult) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if result.Verdict == conformance.Fail || result.Verdict == conformance.HarnessError {
		p.failed++
	}
	if p.running[result.Name]--; p.running[result.Name] <= 0 {
		delete(p.running, result.Name)
		delete(p.waiting, result.Name)
	}
}

// Close stops drawing, clears the line of a terminal, and returns when nothing
// is written any more.
func (p *Progress) Close() {
	p.once.Do(func() { close(p.stop) })
	<-p.ended
}

func (p *Progress) loop(tick <-chan time.Time) {
	defer close(p.ended)
	for {
		select {
		case <-tick:
			p.draw()
		case <-p.stop:
			p.clear()
			return
		}
	}
}

func (p *Progress) draw() {
	p.mu.Lock()
	line := p.status()
	same := line == p.last
	p.last = line
	p.mu.Unlock()
	if same || p.broken {
		return
	}
	if p.screen.Terminal {
		line = "\r" + line + "\x1b[K"
	} else {
		line += "\n"
	}
	p.write(line)
}

func (p *Progress) clear() {
	if p.screen.Terminal && !p.broken {
		p.write("\r\x1b[K")
	}
}

// write is called by the loop alone.
func (p *Progress) write(text string) {
	if _, err := io.WriteString(p.out, text); err != nil {
		p.broken = true
	}
}

// status is the line to show; p.mu is held.
func (p *Progress) status() string {
	running := 0
	for _, n := range p.running {
		running += n
	}
	text := fmt.Sprintf("%d of %d done", p.done, p.planned)
	if p.failed > 0 {
		text += fmt.Sprintf(", %d failed", p.failed)
	}
	text += fmt.Sprintf(", %d running", running)
	if longest, ok := p.longest(); ok {
		text += "; " + longest
	}
	if !p.screen.Terminal {
		return "plumbline: " + text
	}
	room := defaultWidth - 1
	if p.screen.Columns != nil {
		room = p.screen.Columns() - 1 // a full line would wrap and not be rewritten
	}
	if bar := p.bar(); room >= 60 {
		return bar + " " + clip(text, room-columns(bar)-1)
	}
	return clip(text, max(room, 0))
}

// longest describes the wait that ends last: the run takes at least as long.
func (p *Progress) longest() (string, bool) {
	if len(p.waiting) == 0 {
		return "", false
	}
	names := slices.Sorted(maps.Keys(p.waiting))
	name := slices.MaxFunc(names, func(a, b string) int {
		return cmp.Compare(p.waiting[a].until.UnixNano(), p.waiting[b].until.UnixNano())
	})
	w := p.waiting[name]
	left := max(0, w.until.Sub(p.now())).Round(time.Second)
	text := fmt.Sprintf("at most %s more for %s", left, oneLine(p.redactor.Text(w.what)))
	if others := len(p.waiting) - 1; others > 0 {
		text += fmt.Sprintf(", and %s", count(others, "shorter wait", "shorter waits"))
	}
	return text, true
}

// bar shows the part that is done.
func (p *Progress) bar() string {
	const width = 20
	full := 0
	if p.planned > 0 {
		full = min(width, p.done*width/p.planned)
	}
	as := green
	if p.failed > 0 {
		as = red
	}
	return p.screen.paint(as, strings.Repeat("━", full)) + p.screen.paint(dim, strings.Repeat("─", width-full))
}
