package probe

import (
	"context"
	"crypto/x509"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/wire"
	"plumbline.dev/plumbline/fakegpu/control"
)

// Target is what the scenarios need to know of the target.
type Target struct {
	BaseURL string         // without /v1
	RootCAs *x509.CertPool // vouch for it; nil for those of the system
	Model   string         // "" where none is known
	Key     string
	Key2    string // of the same organization
	Org2Key string // of another one
	Poor    string // a key that is out of credits
	Limited string // a key that is over its limit
	// CreditsPath is where the balance is read, "" for where the reference has it.
	CreditsPath string
	Alias       string // another name of the model, "" where none is known
	Control     string // base URL of the fake GPU behind it, "" for a live model
	// SessionHeader is where a request names its session, "" for the header of
	// the reference. Events are the names that the documents leave open.
	SessionHeader string
	Events        check.Names
	Intervals
}

// Intervals are the documented waits, or shorter ones of a development target.
// Zero is the documented one.
type Intervals struct {
	Ping    time.Duration // between keep-alive comments: 10 s
	Silence time.Duration // after which a reply must still go on: 35 s
	// TelemetryPing is the time between two pings of a telemetry stream: 15 s.
	TelemetryPing time.Duration
	Tick          time.Duration // between two ticks of fleet metrics: 2 s
	// Patience is no documented wait: it is how long the target may take for what
	// it should do at once, before the harness stops waiting.
	Patience time.Duration
}

// The documented waits, in whose terms the features speak.
const (
	documentedPing    = 10 * time.Second
	documentedSilence = 35 * time.Second
)

// In returns how long a wait of the features takes on this target: those of a
// ping interval and more follow the target's own intervals.
func (e *Env) In(documented time.Duration) time.Duration {
	switch {
	case documented == documentedSilence && e.Target.Silence > 0:
		return e.Target.Silence
	case documented >= documentedPing && documented < documentedSilence && e.Target.Ping > 0:
		return time.Duration(float64(documented) / float64(documentedPing) * float64(e.Target.Ping))
	default:
		return documented
	}
}

// Tolerance returns the tolerance of a documented interval on this target.
func (e *Env) Tolerance(documented, tolerance time.Duration) time.Duration {
	const least = 100 * time.Millisecond
	if e.In(documented) == documented {
		return tolerance
	}
	return max(least, time.Duration(float64(tolerance)/float64(documented)*float64(e.In(documented))))
}

// Env is what all scenarios of a run share.
type Env struct {
	Target Target
	// Sink is given every stream of a scenario when it closes; nil for none. It is
	// called from many goroutines.
	Sink   func(Captured)
	noise  *Noise
	client *http.Client
	gpu    *control.Client // nil with a live model
	offset time.Duration   // of the fake GPU's clock to ours
	vain   atomic.Int32    // waits in a row that timed out
}

// preflightPatience bounds each request of the preflight.
const preflightPatience = 10 * time.Second

// NewEnv reaches out to both ends. The error says which of them is out of
// reach, and why; a target that answers anything at all is not out of reach.
func NewEnv(ctx context.Context, target Target) (*Env, error) {
	e := &Env{Target: target, client: wire.NewClient(wire.ClientOptions{RootCAs: target.RootCAs})}
	if target.Control != "" {
		e.gpu = control.NewClient(target.Control, nil)
		offset, _, err := e.gpu.ClockOffset(ctx)
		if err != nil {
			return nil, fmt.Errorf("the fake GPU at %s does not answer its control API: %w", target.Control, err)
		}
		e.offset = offset
	}
	if err := e.reach(ctx); err != nil {
		return nil, err
	}
	if e.gpu != nil {
		if err := e.forwards(ctx); err != nil {
			return nil, err
		}
	}
	e.noise = Listen()
	return e, nil
}

// Close lets go of what the run held.
func (e *Env) Close() {
	e.noise.Close()
	e.client.CloseIdleConnections()
}

// Scripted tells whether the model server is ours.
func (e *Env) Scripted() bool { return e.gpu != nil }

// patience is how long the target may take for what it should do at once. It
// is no tolerance of a documented time, only an end of waiting. A target that
// let several waits in a row time out gets less, or it would hold the run for
// the sum of them.
func (e *Env) patience() time.Duration {
	if e.Target.Patience > 0 {
		return e.Target.Patience
	}
	patience := 30 * time.Second
	if e.Scripted() {
		patience = 10 * time.Second
	}
	if e.vain.Load() >= 6 {
		patience /= 5
	}
	return patience
}

// replyPatience is how long a reply that waits for nothing may take.
func (e *Env) replyPatience() time.Duration { return 2 * e.patience() }

// waited notes whether a wait came to its end.
func (e *Env) waited(timedOut bool) {
	if timedOut {
		e.vain.Add(1)
	} else {
		e.vain.Store(0)
	}
}

// reach asks for the list of models, and takes the first one if no model is set.
func (e *Env) reach(parent context.Context) error {
	ctx, cancel := context.WithTimeout(parent, preflightPatience)
	defer cancel()
	t := e.plain(ctx, http.MethodGet, "/v1/models", nil, e.Target.Key)
	switch {
	case t.Status != 0:
	case t.End == wire.EndRefused && ctx.Err() == nil:
		return fmt.Errorf("the target %s is out of reach: %s", e.Target.BaseURL, t.EndError)
	default:
		return e.answers(parent)
	}
	if e.Target.Model == "" && t.Status == http.StatusOK {
		e.Target.Model = gjson.GetBytes(t.Body, "data.0.id").String()
	}
	return nil
}

// answers makes sure that a target which keeps its list of models to itself
// answers a completion at least.
func (e *Env) answers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, min(preflightPatience, e.patience()))
	defer cancel()
	if e.plain(ctx, http.MethodPost, "/v1/chat/completions", []byte("{}"), e.Target.Key).Status == 0 {
		return fmt.Errorf("the target %s takes connections but answers nothing: no response head within %v", e.Target.BaseURL, preflightPatience)
	}
	return nil
}

// forwards makes sure that a good answer of the target comes from our model
// server: judging the wrong deployment would help nobody. An answer that is not
// good is left for the rows to judge.
func (e *Env) forwards(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, min(preflightPatience, e.patience()))
	defer cancel()
	s := &Session{env: e, Reply: Replies(Numbered(2)...)}
	defer s.Close()
	stream, err := s.Send(ctx, Request{Stream: true})
	if err != nil {
		return err
	}
	if stream.exchange.WaitEnd(ctx) != nil || stream.exchange.Transcript().Status != http.StatusOK {
		return nil
	}
	journal, err := e.gpu.Journal(ctx, s.nonce)
	if err != nil {
		return fmt.Errorf("read the fake GPU's journal: %w", err)
	}
	if len(journal.Requests) == 0 {
		return fmt.Errorf("the target %s answered, but not from the fake GPU at %s: let it forward there, or leave --control and --model-server out", e.Target.BaseURL, e.Target.Control)
	}
	return nil
}
