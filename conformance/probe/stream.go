package probe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/verdict"
	"plumbline.dev/plumbline/conformance/wire"
)

// Stream is a reply on its way to the client.
type Stream struct {
	session  *Session
	exchange *wire.Exchange
	format   check.Format
	ask      check.Ask
	began    time.Time
	number   int

	read int // events that received has seen
	text strings.Builder
}

// Chat is what came up to now, read as a chat completion.
func (st *Stream) Chat() *check.Chat { return check.ParseChat(st.exchange.Transcript(), st.ask) }

// Format is the format in which it was asked for, "" for a chat completion.
func (st *Stream) Format() check.Format { return st.format }

// Ask is what its request lets expect.
func (st *Stream) Ask() check.Ask { return st.ask }

// Saying is what the reply says up to now, in whatever format it comes.
func (st *Stream) Saying() check.Saying {
	return check.Say(st.format, st.exchange.Transcript(), st.ask)
}

// Transcript is what came up to now.
func (st *Stream) Transcript() *wire.Transcript { return st.exchange.Transcript() }

// Leave closes the connection.
func (st *Stream) Leave() { st.exchange.Leave() }

// WaitEnd waits until the body has ended, however it did.
func (st *Stream) WaitEnd(ctx context.Context) error {
	limit := st.session.env.replyPatience()
	if st.session.Reply != nil {
		limit += st.session.Reply.Silence()
		st.session.waiting("a reply that is silent for long", st.session.Reply.Silence())
	}
	return st.within(ctx, limit, "the stream ends", st.exchange.WaitEnd)
}

// EndsWithin makes sure that the body ends within limit from now on.
func (st *Stream) EndsWithin(ctx context.Context, limit time.Duration) error {
	began := st.exchange.Elapsed()
	if err := st.within(ctx, limit+st.session.env.patience(), "the stream ends", st.exchange.WaitEnd); err != nil {
		return err
	}
	ended := st.exchange.Transcript().EndAt
	if took := ended - began; took > limit {
		if noise := st.Noise(began, ended); took-noise <= limit {
			return verdict.CannotJudge("the stream ended after %v, but this machine ran %v late meanwhile", took, noise)
		}
		return verdict.Violated(fmt.Sprintf("the stream ends within %v", limit), "after %v", took.Round(time.Millisecond))
	}
	return nil
}

// WaitHead waits for the status and the headers. They must come while the model
// server has sent nothing yet, if it waits.
func (st *Stream) WaitHead(ctx context.Context) error {
	return st.within(ctx, st.session.env.patience(), "the response headers arrive", st.exchange.WaitHead)
}

// WaitText waits until the text received begins with want.
func (st *Stream) WaitText(ctx context.Context, want string) error {
	expected := fmt.Sprintf("the client has received %q", short(want))
	err := st.within(ctx, st.session.env.patience(), expected, func(ctx context.Context) error {
		return st.exchange.WaitUntil(ctx, func(s *wire.Stream) bool {
			for ; st.read < len(s.Events); st.read++ {
				st.text.WriteString(piece(st.format, s.Events[st.read].Data))
			}
			return strings.HasPrefix(st.text.String(), want)
		})
	})
	var violation *verdict.Violation
	if errors.As(err, &violation) {
		return verdict.Violated(expected, "%s; the text so far is %q", violation.Seen, short(st.text.String()))
	}
	return err
}

// within runs a wait that the target must end in time.
func (st *Stream) within(ctx context.Context, limit time.Duration, expected string, wait func(context.Context) error) error {
	return st.session.env.within(ctx, st.exchange, limit, expected, wait)
}

// within is a wait for something of an exchange.
func (e *Env) within(ctx context.Context, x *wire.Exchange, limit time.Duration, expected string, wait func(context.Context) error) error {
	waitCtx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := wait(waitCtx)
	e.waited(err != nil && ctx.Err() == nil && waitCtx.Err() != nil)
	var ended *wire.EndedError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &ended):
		return verdict.Violated(expected, "the answer was over before (%s, status %d)", describeEnd(ended), x.Transcript().Status)
	case errors.Is(waitCtx.Err(), context.DeadlineExceeded):
		return verdict.Violated(expected, "not within %v", limit)
	default:
		return err
	}
}

func describeEnd(e *wire.EndedError) string {
	if e.Words == "" {
		return string(e.End)
	}
	return fmt.Sprintf("%s: %s", e.End, e.Words)
}

// Whole waits for the end and reads the chat, or the text completion, of which
// most rules for a chat hold too.
func (st *Stream) Whole(ctx context.Context) (*check.Chat, error) {
	t, err := st.Ended(ctx)
	if err != nil {
		return nil, err
	}
	switch st.format {
	case "", check.FormatChat:
		return check.ParseChat(t, st.ask), nil
	case check.FormatText:
		return &check.ParseText(t, st.ask).Chat, nil
	}
	return nil, fmt.Errorf("the scenario judges a %s as if it were a chat completion", st.format)
}

// Ended waits for the end and returns all that came. A stream that never began is
// a violation at once.
func (st *Stream) Ended(ctx context.Context) (*wire.Transcript, error) {
	if err := st.WaitEnd(ctx); err != nil {
		return nil, err
	}
	t := st.exchange.Transcript()
	if t.Status == 0 {
		return nil, verdict.Violated("an answer", "none: %s", t.EndError)
	}
	return t, nil
}

// HeaderID is the id in the response header.
func (st *Stream) HeaderID(ctx context.Context) (string, error) {
	if err := st.WaitHead(ctx); err != nil {
		return "", err
	}
	id := st.exchange.Transcript().Header.Get("X-Mortar-Request-Id")
	if id == "" {
		return "", verdict.Violated("the response header X-Mortar-Request-Id", "none")
	}
	return id, nil
}

// ID is the id of the first chunk.
func (st *Stream) ID() (string, error) {
	for _, event := range st.exchange.Events() {
		for _, path := range []string{"id", "response.id", "message.id"} {
			if id := gjson.GetBytes(event.Data, path).String(); id != "" {
				return id, nil
			}
		}
	}
	return "", verdict.Violated("a chunk with the id of the completion", "none so far")
}

// CompletionIDs are the ids that the completion may have: that of the header, and
// those of its chunks up to now. They are the same unless another row is broken.
func (st *Stream) CompletionIDs(ctx context.Context) ([]string, error) {
	if err := st.WaitHead(ctx); err != nil {
		return nil, err
	}
	var ids []string
	if id := st.exchange.Transcript().Header.Get("X-Mortar-Request-Id"); id != "" {
		ids = append(ids, id)
	}
	for _, event := range st.exchange.Events() {
		if id := gjson.GetBytes(event.Data, "id").String(); id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, verdict.Violated("the id of the completion, in its header or chunks", "none, status %d", st.exchange.Transcript().Status)
	}
	return ids, nil
}

// Received is how many tokens of the reply the client has received.
func (st *Stream) Received() int {
	text, n := st.Chat().Text(0), 0
	for n < st.session.Reply.Length() && strings.HasPrefix(text, st.session.Reply.TextOf(n+1)) {
		n++
	}
	return n
}

// Lockstep takes one token after the other, each before the next is generated.
func (st *Stream) Lockstep(ctx context.Context) error {
	s := st.session
	for n := 1; n <= s.Reply.Length(); n++ {
		if err := st.WaitText(ctx, s.Reply.TextOf(n)); err != nil {
			return err
		}
		if err := s.env.gpu.Release(ctx, s.nonce, gateOf(n)); err != nil {
			return fmt.Errorf("let the model server generate token %d: %w", n+1, err)
		}
	}
	return nil
}

// Noise is how late this machine was between two times of the transcript.
func (st *Stream) Noise(from, to time.Duration) time.Duration {
	return st.session.env.noise.Worst(st.began.Add(from), st.began.Add(to))
}

func (s *Session) waiting(what string, d time.Duration) {
	if d > time.Second && s.Waiting != nil {
		s.Waiting(what, time.Now().Add(d))
	}
}

// short cuts a text for a message.
func short(text string) string {
	const most = 160
	if len(text) <= most {
		return text
	}
	return text[:most/2] + "…" + strings.ToValidUTF8(text[len(text)-most/2:], "")
}
