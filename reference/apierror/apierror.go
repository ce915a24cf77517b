// Package apierror holds the errors that the gateway reports to its clients,
// before any format gives them a shape. The words are those of the OpenAI API,
// which the chat and text formats send as they stand; other formats map the
// type and the status to their own.
//
// A message may name a parameter, a bound or a model. It never holds a key or
// text of a prompt, so it may be logged.
package apierror

import (
	"fmt"
	"net/http"
	"time"
)

// Types of errors, the value of error.type in the OpenAI formats.
const (
	TypeInvalidRequest     = "invalid_request_error"
	TypeInsufficientQuota  = "insufficient_quota"
	TypeRateLimitRequests  = "requests"
	TypeRateLimitTokens    = "tokens"
	TypeServer             = "server_error"
	TypeServiceUnavailable = "service_unavailable_error"
	// TypeUpstream is the type of every failure of a model server
	// ("Stream responses, Know when a reply is complete").
	TypeUpstream = "upstream_error"
)

// Error is a refusal or a failure as a client sees it.
type Error struct {
	// Status is the HTTP status, for an error before the reply has begun.
	Status int
	Type   string
	// Message is a sentence for a person; never empty.
	Message string
	// Code names the case for a program; nil is JSON null.
	Code *string
	// Param is the path of the parameter at fault, such as messages[0].role;
	// nil is JSON null.
	Param *string
	// RetryAfter is how long the client should wait; 0 says nothing. It is sent
	// in whole seconds, rounded up.
	RetryAfter time.Duration
}

// Error returns the message with its type and code.
func (e *Error) Error() string {
	if e.Code != nil {
		return fmt.Sprintf("%s (%s): %s", e.Type, *e.Code, e.Message)
	}
	return e.Type + ": " + e.Message
}

// RetryPointless tells whether the status invites clients to retry although
// the same request would fail again: the official SDKs repeat every 429, also
// the one that says that the money is spent.
func (e *Error) RetryPointless() bool {
	return e.Status == http.StatusTooManyRequests && e.Type == TypeInsufficientQuota
}

// invalid is an error of the request itself; an empty code or param is null.
func invalid(code, param, format string, args ...any) *Error {
	return &Error{
		Status:  http.StatusBadRequest,
		Type:    TypeInvalidRequest,
		Message: fmt.Sprintf(format, args...),
		Code:    optional(code),
		Param:   optional(param),
	}
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
