package probe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"plumbline.dev/plumbline/conformance/verdict"
	"plumbline.dev/plumbline/conformance/wire"
	"plumbline.dev/plumbline/fakegpu/control"
)

// Session is one scenario at work: the reply that the model server shall send,
// and the streams that the client opened. It is used by one goroutine.
type Session struct {
	env   *Env
	Reply *Reply // nil with a live model, or where no prompt is sent
	// Waiting is told what is waited for, when it takes long.
	Waiting func(what string, until time.Time)

	// Name is the session in whose telemetry the requests appear, "" for none.
	Name string
	// Key is with which key the session's owner sends requests that name none.
	Key Key

	// Scenario is its name, for what is captured.
	Scenario string

	stopped map[string]bool // ids of generations whose stop was accepted
	nonce   string
	feeds   []*Feed
	streams []*Stream
	last    Request
	answer  *wire.Transcript // the latest answer that is no stream
}

// NewSession returns the session of a new scenario.
func (e *Env) NewSession() *Session { return &Session{env: e} }

// In returns how long a documented wait takes on this target.
func (s *Session) In(documented time.Duration) time.Duration { return s.env.In(documented) }

// Tolerance returns the tolerance of a documented interval on this target.
func (s *Session) Tolerance(documented, tolerance time.Duration) time.Duration {
	return s.env.Tolerance(documented, tolerance)
}

// Scripted tells whether the model server is ours.
func (s *Session) Scripted() bool { return s.env.Scripted() }

// Close leaves every stream that still runs.
func (s *Session) Close() {
	for _, stream := range s.streams {
		stream.exchange.Leave()
	}
	s.capture()
	for _, feed := range s.feeds {
		feed.exchange.Leave()
	}
	if s.nonce != "" {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = s.env.gpu.Forget(ctx, s.nonce) // it would expire anyway
	}
}

// script registers the reply, once.
func (s *Session) script(ctx context.Context) error {
	if s.Reply == nil || !s.env.Scripted() || s.nonce != "" {
		return nil
	}
	nonce := newNonce()
	if err := s.env.gpu.Register(ctx, s.Reply.build(nonce)); err != nil {
		return fmt.Errorf("register the script of the reply: %w", err)
	}
	s.nonce = nonce
	return nil
}

// Send sends a request on its way; a later one is sent for the same script. The
// error is one of the harness, never of the target.
func (s *Session) Send(ctx context.Context, r Request) (*Stream, error) {
	if err := s.script(ctx); err != nil {
		return nil, err
	}
	exchange, err := s.env.start(ctx, http.MethodPost, r.path(), s.env.bodyOf(r, s.nonce), s.bearer(r), s.header(r))
	if err != nil {
		return nil, err
	}
	stream := &Stream{session: s, exchange: exchange, format: r.Format, ask: r.Ask(), began: time.Now(), number: len(s.streams) + 1}
	s.streams, s.last = append(s.streams, stream), r
	return stream, nil
}

// SendBody sends a body as it is and waits for the answer.
func (s *Session) SendBody(ctx context.Context, r Request, body []byte) {
	s.last = r
	s.answer = s.env.plainWith(ctx, http.MethodPost, r.path(), body, s.bearer(r), s.header(r))
}

// SendFields sends a request that prompts no script and waits for the answer.
func (s *Session) SendFields(ctx context.Context, r Request) { s.SendBody(ctx, r, s.env.bodyOf(r, "")) }

// SendWhole asks for a reply that is not streamed and waits for it.
func (s *Session) SendWhole(ctx context.Context, r Request) (*wire.Transcript, error) {
	if err := s.script(ctx); err != nil {
		return nil, err
	}
	s.last = r
	return s.env.plainWith(ctx, http.MethodPost, r.path(), s.env.bodyOf(r, s.nonce), s.bearer(r), s.header(r)), nil
}

// Sibling is the session of another client in the same scenario.
func (s *Session) Sibling() *Session {
	sibling := s.env.NewSession()
	sibling.Scenario = s.Scenario
	return sibling
}

// Secret is a key itself, to look for where it must not be.
func (s *Session) Secret(k Key) string { return s.env.secret(k) }

// Model is the model that requests ask for, "" if the target chooses.
func (s *Session) Model() string { return s.env.Target.Model }

// Journal returns the requests that reached the model server.
func (s *Session) Journal(ctx context.Context) ([]control.Record, error) {
	journal, err := s.env.gpu.Journal(ctx, s.nonce)
	if err != nil {
		return nil, fmt.Errorf("read the fake GPU's journal: %w", err)
	}
	return journal.Requests, nil
}

// Ended waits until the model server's latest reply is over, however it ended.
func (s *Session) Ended(ctx context.Context) (control.Record, error) {
	journal, err := s.await(ctx, s.env.patience(), "the model server's reply is over", control.Condition{Ended: true})
	if err != nil {
		return control.Record{}, err
	}
	return journal.Requests[len(journal.Requests)-1], nil
}

// Models asks for the list of models.
func (s *Session) Models(ctx context.Context) *wire.Transcript {
	return s.env.plain(ctx, http.MethodGet, "/v1/models", nil, s.env.Target.Key)
}

// Stop asks for the end of a generation. path is the id as it stands in the
// path, already escaped.
func (s *Session) Stop(ctx context.Context, path string, key Key) *wire.Transcript {
	s.answer = s.env.plain(ctx, http.MethodPost, "/v1/generations/"+path+"/stop", []byte{}, s.env.secret(key))
	if s.answer.Status == http.StatusOK {
		if s.stopped == nil {
			s.stopped = map[string]bool{}
		}
		s.stopped[path] = true
	}
	return s.answer
}

// Last is the request that was sent last.
func (s *Session) Last() Request { return s.last }

// Answer is the latest answer that is no stream, or the latest stream's, whole.
func (s *Session) Answer(ctx context.Context) (*wire.Transcript, error) {
	if s.answer != nil {
		return s.answer, nil
	}
	stream, err := s.Stream()
	if err != nil {
		return nil, err
	}
	if err := stream.WaitEnd(ctx); err != nil {
		return nil, err
	}
	return stream.exchange.Transcript(), nil
}

// Stream is the latest stream.
func (s *Session) Stream() (*Stream, error) {
	if len(s.streams) == 0 {
		return nil, errors.New("the scenario judges a stream before it opens one")
	}
	return s.streams[len(s.streams)-1], nil
}

// Streams are all of them, the oldest first.
func (s *Session) Streams() []*Stream { return s.streams }

// GoOn opens the gate of the reply.
func (s *Session) GoOn(ctx context.Context) error {
	if err := s.env.gpu.Release(ctx, s.nonce, Gate); err != nil {
		return fmt.Errorf("let the model server go on: %w", err)
	}
	return nil
}

// await waits for the model server, as long as the target may take for what it
// should do at once. A timeout is a violation: expected did not come.
func (s *Session) await(ctx context.Context, limit time.Duration, expected string, condition control.Condition) (control.Journal, error) {
	waitCtx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	journal, err := s.env.gpu.Await(waitCtx, s.nonce, condition)
	s.env.waited(err != nil && ctx.Err() == nil && waitCtx.Err() != nil)
	switch {
	case err == nil:
		return journal, nil
	case ctx.Err() != nil:
		return journal, ctx.Err()
	case errors.Is(waitCtx.Err(), context.DeadlineExceeded):
		return journal, verdict.Violated(expected, "not within %v", limit)
	default:
		return journal, fmt.Errorf("ask the model server: %w", err)
	}
}

// AtGate waits until the model server waits.
func (s *Session) AtGate(ctx context.Context) error {
	_, err := s.await(ctx, s.env.patience(), "the request reaches the model server, which comes to its gate", control.Condition{Gate: Gate})
	return err
}

// AbortSeen makes sure that the model server sees the generation aborted within
// limit from now on, and no other end of it.
func (s *Session) AbortSeen(ctx context.Context, limit time.Duration) error {
	began := time.Now()
	const expected = "the model server sees the generation aborted"
	journal, err := s.await(ctx, limit+s.env.patience(), expected, control.Condition{Ended: true})
	if err != nil {
		return err
	}
	record := journal.Requests[len(journal.Requests)-1]
	if record.Ending != control.EndingAborted {
		return verdict.Violated(expected, "it ended as %s after %d tokens", record.Ending, record.Generated)
	}
	seen := time.Unix(0, record.EndedAt).Add(-s.env.offset)
	if took := seen.Sub(began); took > limit {
		if noise := s.env.noise.Worst(began, seen); took-noise <= limit {
			return verdict.CannotJudge("the abort came after %v, but this machine ran %v late meanwhile", took, noise)
		}
		return verdict.Violated(fmt.Sprintf("%s within %v", expected, limit), "after %v", took.Round(time.Millisecond))
	}
	return nil
}
