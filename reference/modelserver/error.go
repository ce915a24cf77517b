package modelserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"

	"plumbline.dev/plumbline/reference/apierror"
)

// Kind tells the failures of a model server from each other.
type Kind uint8

// Kinds of failures.
const (
	KindUnavailable Kind = iota + 1 // no server of the model could be reached
	KindRefused                     // the connection was refused or could not be made
	KindReset                       // the connection was reset
	KindCut                         // the connection ended inside the body
	KindEndedEarly                  // a clean end of the body before the finish
	KindDoneEarly                   // [DONE] before the finish
	KindMalformed                   // a chunk that is no chat completion chunk
	KindInvalidUTF8                 // bytes that are no UTF-8
	KindTooLong                     // a line beyond the limit
	KindErrorEvent                  // the server's own error event
	KindAborted                     // a finish reason that says the server gave up
	KindStatus                      // an HTTP status other than 200
	KindContentType                 // 200, but no event stream
	KindEncoding                    // a Content-Encoding that cannot be read
	KindIdle                        // silence beyond the idle timeout
)

var kindNames = [...]string{
	KindUnavailable: "no model server available",
	KindRefused:     "connection refused",
	KindReset:       "connection reset",
	KindCut:         "connection ended inside the body",
	KindEndedEarly:  "stream ended before the finish",
	KindDoneEarly:   "[DONE] before the finish",
	KindMalformed:   "malformed chunk",
	KindInvalidUTF8: "invalid UTF-8",
	KindTooLong:     "line too long",
	KindErrorEvent:  "error event",
	KindAborted:     "aborted by the model server",
	KindStatus:      "HTTP status",
	KindContentType: "not an event stream",
	KindEncoding:    "unreadable content encoding",
	KindIdle:        "idle timeout",
}

// String names the kind in words for logs.
func (k Kind) String() string {
	if int(k) < len(kindNames) && kindNames[k] != "" {
		return kindNames[k]
	}
	return fmt.Sprintf("failure %d", uint8(k))
}

// Error is a failure of a model server. Its text is made of the gateway's own
// words, so it may be logged: what the server said may hold addresses, keys or
// prompts and is kept in no message.
type Error struct {
	Kind   Kind
	Server string // the server's configured name, "" when none was chosen
	Status int    // the HTTP status for KindStatus, else 0
	// ContextLength is true when the server refused a prompt as too long.
	ContextLength bool
	// RetryAfter is what the server asked for, 0 if it did not.
	RetryAfter time.Duration
	// reason is a detail in the gateway's own words.
	reason string
	cause  error
}

// Error says what happened on which server.
func (e *Error) Error() string {
	text := "model server"
	if e.Server != "" {
		text += " " + e.Server
	}
	text += ": " + e.Kind.String()
	if e.Status != 0 {
		text += fmt.Sprintf(" %d", e.Status)
	}
	if e.reason != "" {
		text += ": " + e.reason
	}
	return text
}

// Unwrap returns the transport's error, nil if there was none.
func (e *Error) Unwrap() error { return e.cause }

// beforeFirstByte tells whether another server may be asked instead.
func (e *Error) beforeFirstByte() bool {
	switch e.Kind {
	case KindRefused, KindReset, KindCut:
		return true
	case KindStatus:
		return e.Status == http.StatusServiceUnavailable || e.Status == http.StatusTooManyRequests || e.Status == http.StatusBadGateway
	default:
		return false
	}
}

// API returns what the client is told. Only a request that the model server
// found wrong is the client's own fault; every other failure has the type
// upstream_error ("Stream responses, Know when a reply is complete").
func (e *Error) API() *apierror.Error {
	if e.ContextLength {
		code, param := "context_length_exceeded", "messages"
		return &apierror.Error{
			Status: http.StatusBadRequest, Type: apierror.TypeInvalidRequest, Code: &code, Param: &param,
			Message: "The messages and the reply that was asked for exceed the model's context window. Shorten the conversation.",
		}
	}
	if e.Kind == KindStatus {
		switch e.Status {
		case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusRequestEntityTooLarge:
			code := "rejected_by_model_server"
			return &apierror.Error{
				Status: http.StatusBadRequest, Type: apierror.TypeInvalidRequest, Code: &code,
				Message: fmt.Sprintf("The model server does not accept this request (HTTP %d): a parameter is one that it does not support, or has a value that it does not allow.", e.Status),
			}
		}
	}
	out := apierror.UpstreamError(publicMessages[e.Kind])
	code := publicCodes[e.Kind]
	out.Code = &code
	switch {
	case e.Kind == KindUnavailable,
		e.Kind == KindStatus && (e.Status == http.StatusServiceUnavailable || e.Status == http.StatusTooManyRequests):
		out.Status = http.StatusServiceUnavailable
		out.RetryAfter = max(e.RetryAfter, time.Second)
	case e.Kind == KindIdle:
		out.Status = http.StatusGatewayTimeout
	}
	return out
}

var publicMessages = [...]string{
	KindUnavailable: "No model server is available. Try again in a moment.",
	KindRefused:     "The model server could not be reached.",
	KindReset:       "The model server closed the connection before the reply was complete.",
	KindCut:         "The model server closed the connection before the reply was complete.",
	KindEndedEarly:  "The model server ended its stream before the reply was complete.",
	KindDoneEarly:   "The model server ended its stream before the reply was complete.",
	KindMalformed:   "The model server sent a chunk that could not be read.",
	KindInvalidUTF8: "The model server sent text that is not UTF-8.",
	KindTooLong:     "The model server sent a chunk that is too long.",
	KindErrorEvent:  "The model server reported an error.",
	KindAborted:     "The model server gave up on the reply.",
	KindStatus:      "The model server refused the request.",
	KindContentType: "The model server did not answer with a stream.",
	KindEncoding:    "The model server's answer could not be decoded.",
	KindIdle:        "The model server fell silent.",
}

var publicCodes = [...]string{
	KindUnavailable: "model_server_unavailable",
	KindRefused:     "model_server_unreachable",
	KindReset:       "model_server_disconnected",
	KindCut:         "model_server_disconnected",
	KindEndedEarly:  "incomplete_reply",
	KindDoneEarly:   "incomplete_reply",
	KindMalformed:   "malformed_chunk",
	KindInvalidUTF8: "malformed_chunk",
	KindTooLong:     "malformed_chunk",
	KindErrorEvent:  "model_server_error",
	KindAborted:     "model_server_error",
	KindStatus:      "model_server_error",
	KindContentType: "malformed_reply",
	KindEncoding:    "malformed_reply",
	KindIdle:        "model_server_timeout",
}

// errIdle is the cause with which an idle timeout cancels a request.
var errIdle = errors.New("idle timeout")

// transportError classifies what the HTTP transport said. A request whose own
// context ended gets the context's cause: the client left, nobody failed.
func transportError(ctx context.Context, server string, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		if errors.Is(cause, errIdle) {
			return &Error{Kind: KindIdle, Server: server}
		}
		return cause
	}
	kind := KindCut
	var op *net.OpError
	switch {
	case errors.As(err, &op) && op.Op == "dial":
		kind = KindRefused
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		kind = KindReset
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		kind = KindCut
	}
	return &Error{Kind: kind, Server: server, cause: err}
}
