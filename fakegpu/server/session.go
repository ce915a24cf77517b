package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"plumbline.dev/plumbline/fakegpu/control"
	"plumbline.dev/plumbline/fakegpu/engine"
	"plumbline.dev/plumbline/fakegpu/internal/store"
	"plumbline.dev/plumbline/fakegpu/internal/wire"
)

var (
	// errLeft says that the peer has gone before the reply was over.
	errLeft = errors.New("the peer has left")
	// errFailed says that the script's own fault has ended the reply.
	errFailed = errors.New("the script's fault has ended the reply")
)

// session is one completion request while its reply is generated, and the
// account of it.
type session struct {
	w       http.ResponseWriter
	ctx     context.Context // ends when the peer leaves or the server closes
	req     *wire.Request
	run     *store.Run
	dialect wire.Dialect
	script  *control.Script // never nil; empty for the steady engine
	id      string
	created int64
	started time.Time
	meter   *meter
	usage   wire.Usage
	first   time.Time // of the first token
	ended   int       // choices that have their finish chunk
	reason  string    // the latest finish reason
	matched string    // the stop sequence that ended the reply, "" for none
	release func()    // gives the prompt's cache blocks back; may be called twice
}

// reply is where a reply is written to: a stream, or one JSON object.
// Its errors are errLeft or errFailed.
type reply interface {
	start() error
	// token writes one generated token; show is "" when all of its text is
	// held back, and form says how it is written.
	token(choice int, show string, form *control.Token) error
	// rest writes text of earlier tokens that was held back.
	rest(choice int, text string) error
	delta(choice int, raw json.RawMessage) error
	repeat() error
	raw(b []byte) error
	comment(text string) error
	fail(e *control.ErrorObject) error
	finish(choice int, reason string) error
	account() error // usage, when every choice has finished
	done() error
	end() error // the clean end of the body
	kill(reset bool) error
	wait(d time.Duration, opened <-chan struct{}) error
}

// forever is a wait that only the peer or a gate ends.
const forever time.Duration = -1

// generate writes the whole reply.
func (x *session) generate(g *engine.Generation) error {
	var out reply
	if x.req.Stream {
		out = newStream(x)
	} else {
		out = newWhole(x)
	}
	if g == nil {
		return newPlayer(x, out).play()
	}
	return x.steady(g, out)
}

// steady writes what the engine generates.
func (x *session) steady(g *engine.Generation, out reply) error {
	if err := out.start(); err != nil {
		return err
	}
	var plain control.Token
	for t, err := range g.Tokens(x.ctx) {
		switch {
		case err != nil:
			return errLeft
		case t.Finish == "":
			plain.Text = t.Text
			err = out.token(t.Choice, t.Text, &plain)
		default:
			if err = out.rest(t.Choice, t.Text); err == nil {
				err = out.finish(t.Choice, string(t.Finish))
			}
		}
		if err != nil {
			return err
		}
	}
	// Whoever sees the end of the reply can rely on its room being free.
	x.release()
	if err := out.account(); err != nil {
		return err
	}
	if err := out.done(); err != nil {
		return err
	}
	return out.end()
}

// count takes one more generated token into the account.
func (x *session) count() {
	if x.usage.CompletionTokens == 0 {
		x.first = time.Now()
		x.usage.Prefill = x.first.Sub(x.started)
	}
	x.usage.CompletionTokens++
}

// handed notes that n generated tokens have been handed to the network.
func (x *session) handed(n int) {
	x.run.Tokens(n)
	x.meter.tokens(n)
}

// accounted is the usage up to now.
func (x *session) accounted() wire.Usage {
	if !x.first.IsZero() {
		x.usage.Decode = time.Since(x.first)
	}
	return x.usage
}

// usageJSON is the usage object, as wrong as the script wants it.
func (x *session) usageJSON() []byte {
	return wire.AppendUsage(nil, x.accounted(), x.script.Usage)
}

// place says where usage stands in a stream.
type place struct {
	early, every, onFinish bool
	chunks                 int // chunks of its own, after the finish
}

func (x *session) usagePlace() place {
	asked := x.req.IncludeUsage || x.dialect.UsageOnFinish()
	ordinary := place{chunks: 1, every: x.req.ContinuousUsage}
	if x.dialect.UsageOnFinish() {
		ordinary = place{onFinish: true}
	}
	switch fault := x.script.Usage; {
	case fault == control.UsageUnasked:
		return ordinary
	case fault == control.UsageNever || !asked:
		return place{}
	case fault == control.UsageOnFinish:
		return place{onFinish: true}
	case fault == control.UsageEarly:
		return place{early: true}
	case fault == control.UsageCumulative:
		return place{every: true, chunks: 1}
	case fault == control.UsageTwice:
		return place{chunks: 2}
	}
	return ordinary
}
