package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"plumbline.dev/plumbline/fakegpu/control"
	"plumbline.dev/plumbline/fakegpu/engine"
	"plumbline.dev/plumbline/fakegpu/internal/store"
	"plumbline.dev/plumbline/fakegpu/internal/wire"
	"plumbline.dev/plumbline/fakegpu/kv"
)

// maxBody bounds a request body, in bytes.
const maxBody = 32 << 20

// complete serves one chat or text completion.
func (s *Server) complete(w http.ResponseWriter, r *http.Request, chat bool) {
	if !s.enter() {
		http.Error(w, "the server is shutting down", http.StatusServiceUnavailable)
		return
	}
	defer s.replies.Done()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		s.refuse(w, bodyError(err))
		return
	}
	var run *store.Run
	if nonce, ok := control.FindNonce(body); ok {
		run = s.store.Begin(nonce, r.URL.Path, body)
	}
	ending := control.EndingFailed
	defer func() { run.End(ending) }()

	req, refusal := wire.DecodeRequest(body, chat, s.dialect)
	if refusal == nil {
		refusal = s.known(req)
	}
	script := run.Script()
	switch {
	case script != nil && script.HTTP != nil:
		if refusal == nil {
			run.Understood("", req.Stream, req.IncludeUsage, prompt(req).Tokens(), 0, "")
		}
		ending = answer(w, script.HTTP)
	case refusal != nil:
		s.refuse(w, refusal)
	default:
		ending = s.reply(w, r, req, run)
	}
}

// enter counts one more running reply, unless the server is closing.
func (s *Server) enter() bool {
	s.entrance.Lock()
	defer s.entrance.Unlock()
	if s.life.Err() != nil {
		return false
	}
	s.replies.Add(1)
	return true
}

func bodyError(err error) *wire.Error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return &wire.Error{Status: http.StatusRequestEntityTooLarge, Message: fmt.Sprintf("the body has more than %d bytes", maxBody)}
	}
	return &wire.Error{Status: http.StatusBadRequest, Message: "the body could not be read"}
}

// known refuses a model that is not served: vLLM looks at the name, the others
// do not.
func (s *Server) known(req *wire.Request) *wire.Error {
	if req.Model == "" {
		req.Model = modelName(s.options)
	}
	if s.dialect == wire.VLLM && s.options.Model != "" && req.Model != s.options.Model {
		return wire.NotFound(req.Model)
	}
	return nil
}

func (s *Server) refuse(w http.ResponseWriter, e *wire.Error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.Status)
	// A failure means that the peer has left; there is nobody to tell.
	_, _ = w.Write(e.JSON(s.dialect))
}

// answer writes a script's plain HTTP answer.
func answer(w http.ResponseWriter, a *control.HTTPAnswer) control.Ending {
	for name, value := range a.Headers {
		w.Header().Set(name, value)
	}
	if w.Header().Get("Content-Type") == "" && strings.HasPrefix(a.Body, "{") {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(a.Status)
	_, err := w.Write([]byte(a.Body))
	switch {
	case err != nil && !errors.Is(err, http.ErrBodyNotAllowed):
		return control.EndingAborted
	case a.Status >= 400:
		return control.EndingFailed
	}
	return control.EndingFinished
}

// reply generates the reply to a request that was understood.
func (s *Server) reply(w http.ResponseWriter, r *http.Request, req *wire.Request, run *store.Run) control.Ending {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()

	x := &session{
		w: w, ctx: ctx, req: req, run: run, dialect: s.dialect, script: run.Script(),
		id: newID(s.dialect, req.Chat), created: time.Now().Unix(), started: time.Now(),
	}
	generation, err := s.prefill(x)
	if err != nil {
		return s.notAdmitted(w, err)
	}
	defer x.release()
	err = x.generate(generation)
	x.meter.end(x.reason)
	switch {
	case err == nil:
		return control.EndingFinished
	case errors.Is(err, errFailed) || s.life.Err() != nil:
		return control.EndingFailed
	}
	return control.EndingAborted
}

// prefill takes the prompt through the prefix cache and begins the account. The
// generation is nil when a script answers. It is apart from reply so that what
// it needs is not on the stack of every reply that waits.
func (s *Server) prefill(x *session) (*engine.Generation, error) {
	var generation *engine.Generation
	var hit kv.Hit
	if x.script != nil {
		hit, x.release = s.engine.Hold(prompt(x.req))
	} else {
		x.script = &control.Script{}
		var err error
		generation, err = s.engine.Generate(x.ctx, prompt(x.req), engine.Params{
			Choices: x.req.Choices, MaxTokens: x.req.MaxTokens, Stop: x.req.Stop, Seed: x.req.Seed, IgnoreEOS: x.req.IgnoreEOS,
		})
		if err != nil {
			return nil, err
		}
		hit, x.release = generation.Hit, generation.Close
	}
	x.usage = usageOf(x.req, x.script, hit)
	tier := cacheTier(x.usage, hit)
	x.run.Understood(x.id, x.req.Stream, x.req.IncludeUsage, x.usage.PromptTokens, value(x.usage.CachedTokens), tier)
	if tier != "" {
		x.w.Header().Set("X-Cache-Tier", tier)
	}
	x.meter = s.metrics.begin(x.usage.PromptTokens)
	return generation, nil
}

// prompt is what the model reads. The prefix caches of different models and of
// different salts are apart.
func prompt(req *wire.Request) engine.Prompt {
	return engine.Prompt{Text: req.Prompt, Root: req.Model + "\x00" + req.CacheSalt}
}

// notAdmitted ends a request that the engine did not take: its prompt is too
// long, or it was over before its turn.
func (s *Server) notAdmitted(w http.ResponseWriter, err error) control.Ending {
	var tooLong *engine.PromptTooLongError
	switch {
	case errors.As(err, &tooLong):
		s.refuse(w, wire.ContextExceeded(err.Error(), tooLong.PromptTokens, tooLong.ContextWindow, s.dialect))
		return control.EndingFailed
	case s.life.Err() != nil:
		return control.EndingFailed
	}
	return control.EndingAborted
}

// usageOf is the usage before the first token. A script that sets a count of
// the prompt sets all of them.
func usageOf(req *wire.Request, script *control.Script, hit kv.Hit) wire.Usage {
	u := wire.Usage{
		PromptTokens: script.PromptTokens, CachedTokens: script.CachedTokens, CacheWriteTokens: script.CacheWriteTokens,
	}
	if u.PromptTokens > 0 {
		return u
	}
	u.PromptTokens = prompt(req).Tokens()
	if u.CachedTokens == nil {
		u.CachedTokens = &hit.Tokens
	}
	return u
}

// cacheTier names the tier of the cached tokens. Those that only a script knows
// of count as found in the GPU's memory.
func cacheTier(u wire.Usage, hit kv.Hit) string {
	switch {
	case value(u.CachedTokens) == 0:
		return ""
	case hit.Tokens == 0:
		return kv.GPU.String()
	}
	return hit.Tier().String()
}

func value(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

// newID returns an id of a reply as the dialect forms it.
func newID(d wire.Dialect, chat bool) string {
	digits := fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64())
	switch {
	case d == wire.SGLang:
		return digits
	case chat || d == wire.LlamaCpp:
		return "chatcmpl-" + digits
	}
	return "cmpl-" + digits
}
