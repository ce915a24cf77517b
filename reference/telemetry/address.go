package telemetry

import (
	"net/http"
	"net/url"

	"plumbline.dev/plumbline/reference/apierror"
)

// Address is where an event belongs: a session of an organization.
type Address struct {
	Org     string
	Session string
}

const (
	// SessionHeader names the session of a completion request. No document says
	// how a request names it; reference/README.md does.
	SessionHeader = "X-Mortar-Session-Id"
	sessionParam  = "session"
	maxSession    = 128 // characters
)

// SessionOf returns the session that a completion request belongs to, "" if it
// names none.
func SessionOf(h http.Header) (string, *apierror.Error) {
	values := h.Values(SessionHeader)
	switch {
	case len(values) > 1:
		return "", apierror.InvalidValue(SessionHeader, "send the header once")
	case len(values) == 0 || values[0] == "":
		return "", nil
	}
	return values[0], checkSession(SessionHeader, values[0])
}

// sessionAsked returns the session that a telemetry stream asks for.
func sessionAsked(u *url.URL) (string, *apierror.Error) {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return "", apierror.InvalidValue(sessionParam, "the query of the address is not well formed")
	}
	values := query[sessionParam]
	switch {
	case len(values) == 0:
		return "", apierror.Missing(sessionParam)
	case len(values) > 1:
		return "", apierror.InvalidValue(sessionParam, "name one session")
	case values[0] == "":
		return "", apierror.EmptyString(sessionParam)
	}
	return values[0], checkSession(sessionParam, values[0])
}

// checkSession accepts what a header can carry without a change: a name that
// the two ways of giving it would not read alike could never receive an event.
func checkSession(param, session string) *apierror.Error {
	if len(session) > maxSession {
		return apierror.StringTooLong(param, maxSession)
	}
	for _, c := range []byte(session) {
		if c <= ' ' || c > '~' {
			return apierror.InvalidValue(param, "use printable ASCII characters without spaces")
		}
	}
	return nil
}
