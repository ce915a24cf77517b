package server

import (
	"time"

	"plumbline.dev/plumbline/fakegpu/control"
	"plumbline.dev/plumbline/fakegpu/internal/stop"
)

// player plays a script's steps into a reply.
type player struct {
	*session
	out      reply
	matcher  *stop.Matcher // every choice has the same text, so one is enough
	counts   []int         // generated tokens by choice
	finished bool
	over     bool // the ordinary ending has been played ahead of the steps
}

func newPlayer(x *session, out reply) *player {
	return &player{session: x, out: out, matcher: stop.New(x.req.Stop), counts: make([]int, x.req.Choices)}
}

// play plays every step, and the ordinary ending if the script has none.
func (p *player) play() error {
	if err := p.out.start(); err != nil {
		return err
	}
	steps := p.script.Steps
	done := false
	for i := range steps {
		if p.ctx.Err() != nil {
			return errLeft
		}
		step := &steps[i]
		if err := p.step(step, steps[i+1:]); err != nil {
			return err
		}
		if step.Close || p.over {
			return nil
		}
		done = done || step.Done
	}
	if done {
		return p.out.end()
	}
	return p.ending("stop")
}

// step plays one step.
func (p *player) step(s *control.Step, later []control.Step) error {
	switch {
	case s.Token != nil:
		return p.token(s.Token, later)
	case s.Delta != nil:
		return p.delta(s.Delta, later)
	case s.PauseMS > 0:
		return p.out.wait(time.Duration(s.PauseMS)*time.Millisecond, nil)
	case s.Gate != "":
		return p.gate(s.Gate)
	case s.Finish != "":
		return p.finish(s.Finish)
	case s.Error != nil:
		return p.fail(s.Error, len(later) == 0)
	case s.Close:
		return p.close()
	case s.Cut || s.Reset:
		return p.out.kill(s.Reset)
	case s.Hang:
		return p.out.wait(forever, nil)
	case s.Raw != nil:
		return p.out.raw(s.Raw)
	case s.Comment != "":
		return p.out.comment(s.Comment)
	case s.Done:
		return p.out.done()
	case s.Repeat:
		return p.out.repeat()
	}
	return nil
}

// token writes a token for every choice that may have one more.
func (p *player) token(t *control.Token, later []control.Step) error {
	show, found := t.Text, false
	if !p.finished {
		show, found = p.matcher.Push(t.Text)
	}
	for choice := range p.counts {
		if p.full(choice) {
			continue
		}
		p.counts[choice]++
		if err := p.out.token(choice, show, t); err != nil {
			return err
		}
	}
	if found {
		p.over, p.matched = true, p.matcher.Found()
		return p.ending("stop")
	}
	return p.limit(later)
}

func (p *player) delta(d *control.Delta, later []control.Step) error {
	if d.Choice < len(p.counts) {
		if p.full(d.Choice) {
			return nil
		}
		p.counts[d.Choice]++
	}
	if err := p.out.delta(d.Choice, d.JSON); err != nil {
		return err
	}
	return p.limit(later)
}

// full tells whether a choice has all the tokens that the request allows.
func (p *player) full(choice int) bool {
	return !p.finished && !p.script.IgnoreMaxTokens && p.req.MaxTokens > 0 && p.counts[choice] >= p.req.MaxTokens
}

// limit ends the reply with reason length when every choice is full, unless
// the script goes on with a fault that needs no further token.
func (p *player) limit(later []control.Step) error {
	for choice := range p.counts {
		if !p.full(choice) {
			return nil
		}
	}
	if !endsAtLimit(later) {
		return nil
	}
	p.over = true
	return p.ending("length")
}

func endsAtLimit(later []control.Step) bool {
	fault := false
	for i := range later {
		s := &later[i]
		if s.Token != nil || s.Delta != nil {
			return true
		}
		if s.PauseMS == 0 && s.Gate == "" && s.Finish == "" && !s.Done {
			fault = true
		}
	}
	return !fault
}

// gate waits until the control API opens a gate.
func (p *player) gate(name string) error {
	opened, err := p.run.Arrive(name)
	if err != nil {
		return errFailed
	}
	defer p.run.Leave()
	return p.out.wait(forever, opened)
}

// fail writes an error event; as the last step it ends the body.
func (p *player) fail(e *control.ErrorObject, last bool) error {
	if err := p.out.fail(e); err != nil || !last {
		return err
	}
	if err := p.out.end(); err != nil {
		return err
	}
	return errFailed
}

// close ends the body here. Without a finish that is a failure, and a reply
// that is not streamed has nothing to answer with.
func (p *player) close() error {
	if p.finished {
		return p.out.end()
	}
	if !p.req.Stream {
		return p.out.kill(false)
	}
	if err := p.out.end(); err != nil {
		return err
	}
	return errFailed
}

// finish writes the finish chunk of every choice, and usage.
func (p *player) finish(reason string) error {
	p.release()
	rest := p.matcher.Rest()
	for choice := range p.counts {
		if err := p.out.rest(choice, rest); err != nil {
			return err
		}
		if err := p.out.finish(choice, reason); err != nil {
			return err
		}
	}
	p.finished = true
	return p.out.account()
}

// ending plays the ordinary ending.
func (p *player) ending(reason string) error {
	if !p.finished {
		if err := p.finish(reason); err != nil {
			return err
		}
	}
	if err := p.out.done(); err != nil {
		return err
	}
	return p.out.end()
}
