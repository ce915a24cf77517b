package wire

import (
	"encoding/json"
	"fmt"
	"net/http"

	"plumbline.dev/plumbline/fakegpu/control"
)

// Error is a refusal with its HTTP status.
type Error struct {
	Status  int
	Message string
	Type    string
	Param   string // "" is null
	Code    any    // nil is the status
	// Extra are further members that one dialect adds.
	Extra map[string]any
}

func badRequest(param, format string, args ...any) *Error {
	return &Error{Status: http.StatusBadRequest, Message: fmt.Sprintf(format, args...), Param: param}
}

// NotFound is the refusal of an unknown model.
func NotFound(model string) *Error {
	return &Error{
		Status: http.StatusNotFound, Type: "NotFoundError", Param: "model",
		Message: fmt.Sprintf("The model `%.200s` does not exist.", model),
	}
}

// ContextExceeded is the refusal of a prompt that does not fit into the window.
func ContextExceeded(message string, promptTokens, window int, d Dialect) *Error {
	e := &Error{Status: http.StatusBadRequest, Message: message, Param: "messages", Code: "context_length_exceeded"}
	if d == LlamaCpp {
		e.Code, e.Type = nil, "exceed_context_size_error"
		e.Extra = map[string]any{"n_prompt_tokens": promptTokens, "n_ctx": window}
	}
	return e
}

// JSON is the error's body in a dialect.
func (e *Error) JSON(d Dialect) []byte {
	kind := e.Type
	if kind == "" {
		kind = map[bool]string{true: "invalid_request_error", false: "BadRequestError"}[d == LlamaCpp]
	}
	code := e.Code
	if code == nil {
		code = e.Status
	}
	var param any
	if e.Param != "" {
		param = e.Param
	}
	inner := map[string]any{"message": e.Message, "type": kind, "code": code}
	if d != LlamaCpp {
		inner["param"] = param
	}
	for name, value := range e.Extra {
		inner[name] = value
	}
	if d == SGLang {
		inner["object"] = "error"
		return mustJSON(inner)
	}
	return mustJSON(map[string]any{"error": inner})
}

// ErrorJSON is {"error": …} with a script's error object.
func ErrorJSON(e *control.ErrorObject) []byte {
	return mustJSON(map[string]any{"error": e})
}

// mustJSON encodes values made of strings, numbers and maps of them, which
// cannot fail.
func mustJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("fakegpu: encoding %T: %v", v, err))
	}
	return data
}
