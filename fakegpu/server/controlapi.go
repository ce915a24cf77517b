package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"plumbline.dev/plumbline/fakegpu/control"
	"plumbline.dev/plumbline/fakegpu/internal/store"
)

// maxAwait bounds one long poll.
const maxAwait = time.Minute

func (s *Server) controlRoutes(mux *http.ServeMux) {
	handle := func(pattern string, f func(*http.Request) (any, error)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			r.Body = http.MaxBytesReader(w, r.Body, control.MaxScriptBytes)
			answer, err := f(r)
			switch {
			case err != nil:
				writeJSON(w, refusalStatus(err), map[string]string{"error": err.Error()})
			case answer == nil:
				w.WriteHeader(http.StatusNoContent)
			default:
				writeJSON(w, http.StatusOK, answer)
			}
		})
	}
	handle("POST "+control.Prefix+"/scripts", s.register)
	handle("POST "+control.Prefix+"/gates/{nonce}/{gate}/release", s.release)
	handle("GET "+control.Prefix+"/journals/{nonce}", s.journal)
	handle("POST "+control.Prefix+"/journals/{nonce}/await", s.await)
	handle("DELETE "+control.Prefix+"/journals/{nonce}", s.forget)
	handle("GET "+control.Prefix+"/clock", func(*http.Request) (any, error) { return control.Clock{Now: s.now()}, nil })
}

func refusalStatus(err error) int {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.Is(err, store.ErrUnknown):
		return http.StatusNotFound
	case errors.As(err, &tooLarge):
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusBadRequest
}

func (s *Server) register(r *http.Request) (any, error) {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, fmt.Errorf("reading the script: %w", err)
	}
	script, err := control.DecodeScript(data)
	if err != nil {
		return nil, err
	}
	s.store.Register(script, len(data))
	return nil, nil
}

func (s *Server) release(r *http.Request) (any, error) {
	nonce, gate := r.PathValue("nonce"), r.PathValue("gate")
	if err := control.ValidateNonce(nonce); err != nil {
		return nil, err
	}
	if err := control.ValidateGate(gate); err != nil {
		return nil, err
	}
	return nil, s.store.Release(nonce, gate)
}

func (s *Server) journal(r *http.Request) (any, error) {
	nonce := r.PathValue("nonce")
	if err := control.ValidateNonce(nonce); err != nil {
		return nil, err
	}
	return s.store.Journal(nonce)
}

func (s *Server) await(r *http.Request) (any, error) {
	nonce := r.PathValue("nonce")
	if err := control.ValidateNonce(nonce); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, fmt.Errorf("reading the condition: %w", err)
	}
	question, err := control.DecodeAwait(data)
	if err != nil {
		return nil, err
	}
	wait := min(time.Duration(question.WaitMS)*time.Millisecond, maxAwait)
	ctx, cancel := context.WithTimeout(r.Context(), wait)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	j, met, err := s.store.Await(ctx, nonce, question.Condition)
	if err != nil {
		return nil, err
	}
	return control.AwaitAnswer{Met: met, Journal: j}, nil
}

func (s *Server) forget(r *http.Request) (any, error) {
	nonce := r.PathValue("nonce")
	if err := control.ValidateNonce(nonce); err != nil {
		return nil, err
	}
	return nil, s.store.Forget(nonce)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	// A failure means that the peer has left; there is nobody to tell.
	_ = encoder.Encode(v)
}
