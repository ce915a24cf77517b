package server

import (
	"encoding/json"
	"net/http"
	"strconv"

	"plumbline.dev/plumbline/fakegpu/control"
	"plumbline.dev/plumbline/fakegpu/internal/wire"
)

// whole is a reply that is not streamed: it keeps a script's timing, and
// answers with one JSON object at the end. What only a stream can have (raw
// bytes, comments, repeated chunks, [DONE]) leaves no trace in it.
type whole struct {
	*session
	*transport
	reply   *wire.Reply
	lp      []byte
	offsets []int
}

func newWhole(x *session) *whole {
	return &whole{
		session:   x,
		transport: newTransport(x.ctx, x.w, x.script, func() {}),
		reply:     wire.NewReply(x.req.Choices),
		offsets:   make([]int, x.req.Choices),
	}
}

func (o *whole) start() error         { return nil }
func (o *whole) repeat() error        { return nil }
func (o *whole) raw([]byte) error     { return nil }
func (o *whole) comment(string) error { return nil }
func (o *whole) account() error       { return nil }
func (o *whole) done() error          { return nil }

func (o *whole) token(choice int, show string, form *control.Token) error {
	o.count()
	o.handed(1)
	o.reply.Text(choice, show)
	if o.req.Logprobs {
		o.lp = wire.AppendLogprobs(o.lp[:0], o.req, form.Text, o.offsets[choice])
		o.reply.Logprobs(choice, o.lp)
	}
	o.offsets[choice] += len(show)
	return nil
}

func (o *whole) rest(choice int, text string) error {
	if text != "" {
		o.reply.Text(choice, text)
	}
	return nil
}

func (o *whole) delta(choice int, raw json.RawMessage) error {
	o.count()
	o.handed(1)
	o.reply.Delta(choice, raw)
	return nil
}

// fail answers with an HTTP error: there is no other place for it.
func (o *whole) fail(e *control.ErrorObject) error {
	o.w.Header().Set("Content-Type", "application/json")
	o.w.WriteHeader(http.StatusInternalServerError)
	// A failure means that the peer has left; there is nobody to tell.
	_, _ = o.w.Write(wire.ErrorJSON(e))
	return errFailed
}

func (o *whole) finish(choice int, reason string) error {
	o.ended++
	o.session.reason = reason
	o.reply.Finish(choice, reason)
	return nil
}

func (o *whole) end() error {
	if err := o.send(o.head200(), nil, 0); err != nil {
		return err
	}
	return o.transport.end()
}

// kill breaks the connection: a reset before any byte, a cut in the middle of
// the JSON object.
func (o *whole) kill(reset bool) error {
	if !reset {
		body := o.head200()
		if err := o.send(body[:len(body)/2], nil, 0); err != nil {
			return err
		}
	}
	return o.transport.kill(reset)
}

// head200 sets the response's head and returns its body.
func (o *whole) head200() []byte {
	var usage []byte
	if o.script.Usage != control.UsageNever {
		usage = o.usageJSON()
	}
	timings := o.accounted()
	body := o.reply.JSON(o.dialect, o.req, o.id, o.req.Model, o.created, usage, &timings)
	if !o.script.Gzip && !o.script.BOM {
		o.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	// Without a flush this cannot fail: the head goes with the body.
	_ = o.head("application/json", false)
	return body
}
