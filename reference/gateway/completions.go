package gateway

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"plumbline.dev/plumbline/reference/account"
	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/config"
	"plumbline.dev/plumbline/reference/format"
	"plumbline.dev/plumbline/reference/format/messages"
	"plumbline.dev/plumbline/reference/generation"
	"plumbline.dev/plumbline/reference/limit"
	"plumbline.dev/plumbline/reference/telemetry"
)

// bodyTimeout is how long a client may take to send its request. A reply has
// no limit of time.
const bodyTimeout = time.Minute

// newID makes the id of a completion: 96 bits that nobody can guess.
func newID(prefix string) string {
	var random [12]byte
	_, _ = rand.Read(random[:]) // it never fails: it ends the process instead
	return prefix + hex.EncodeToString(random[:])
}

// complete serves the completions of one format.
func (f *face) complete(w http.ResponseWriter, r *http.Request, api apiFormat) {
	id := newID(api.prefix)
	w.Header().Set(generation.RequestIDHeader, id)
	if speaksAnthropic(r) {
		w.Header().Set(messages.RequestIDHeader, id)
		w.Header().Add("Access-Control-Expose-Headers", messages.RequestIDHeader)
	}
	who, e := f.admit(r)
	if e != nil {
		f.refuse(w, r, e)
		return
	}
	if e := f.limits.Take(limit.Key{Org: who.Org, KeyID: who.KeyID}, who.Limits, w.Header()); e != nil {
		f.refuse(w, r, e)
		return
	}
	body, e := f.body(w, r)
	if e != nil {
		f.refuse(w, r, e)
		return
	}
	req, m, e := f.decode(body, api)
	if e != nil {
		f.refuse(w, r, e)
		return
	}
	req.Org = who.Org
	session, e := telemetry.SessionOf(r.Header)
	if e != nil {
		f.refuse(w, r, e)
		return
	}
	gen := &generation.Generation{
		Info:         generation.Info{ID: id, Org: who.Org, Session: session, KeyID: who.KeyID, Model: m.ID, Stream: req.Stream},
		Request:      req.Request,
		Backend:      m.backend,
		Encoder:      req.encode(format.Head{ID: id, Model: m.ID, Created: time.Now().Unix()}),
		Keeps:        req.keeps,
		WriteError:   api.refuse,
		Bus:          f.bus,
		Observer:     f.observer,
		PromptTokens: func() int64 { return int64(f.counter.CountMessages(req.Messages)) },
		Ping:         f.cfg.Intervals.Ping,
		Grace:        headGrace,
		Drain:        f.drain,
	}
	f.paid(w, r, &purchase{Generation: gen, who: who, prices: m.Prices}, body)
}

// admit checks what can be checked before the body is read.
func (f *face) admit(r *http.Request) (account.Identity, *apierror.Error) {
	who, e := f.authenticate(r)
	if e != nil {
		return who, e
	}
	if f.draining.Load() {
		return who, apierror.ShuttingDown()
	}
	if speaksAnthropic(r) {
		if e := messages.CheckVersion(r.Header); e != nil {
			return who, e
		}
	}
	if declared := r.Header.Get("Content-Type"); declared != "" {
		media, _, err := mime.ParseMediaType(declared)
		if err != nil || media != "application/json" && !strings.HasSuffix(media, "+json") {
			return who, apierror.UnsupportedMedia(declared)
		}
	}
	return who, nil
}

// decode reads the request and finds its model.
func (f *face) decode(body []byte, api apiFormat) (*asked, *model, *apierror.Error) {
	req, e := api.decode(body, f.models[0].ID)
	if e != nil {
		return nil, nil, e
	}
	m, ok := f.names[req.Model]
	if !ok {
		return nil, nil, apierror.ModelNotFound(req.Model)
	}
	req.Model = m.ID
	if f.profile == config.ProfileNotholy {
		req.IncludeUsage = true // "What to expect": always, asked or not
	}
	return req, m, nil
}

// body reads the whole body into memory: a request that is still being read
// while its reply is written can break the reply.
func (f *face) body(w http.ResponseWriter, r *http.Request) ([]byte, *apierror.Error) {
	limit := f.cfg.Limits.MaxBodyBytes
	if r.ContentLength > limit {
		return nil, apierror.TooLarge(limit)
	}
	rc := http.NewResponseController(w)
	// A server that cannot set deadlines has none to protect it, no more.
	_ = rc.SetReadDeadline(time.Now().Add(bodyTimeout))
	defer func() { _ = rc.SetReadDeadline(time.Time{}) }()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, apierror.TooLarge(limit)
	case err != nil:
		return nil, apierror.InvalidJSON("it ended before it was complete")
	}
	return body, nil
}
