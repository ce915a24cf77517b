package wire

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Redacted stands in a Transcript where a key stood.
const Redacted = "[redacted]"

// describe returns what is kept of a request: all but its keys.
func describe(req *http.Request) Request {
	r := Request{Method: req.Method, URL: redactURL(req.URL), Header: redactHeader(req.Header)}
	if req.GetBody == nil {
		return r
	}
	body, err := req.GetBody()
	if err != nil {
		return r
	}
	defer body.Close()
	// The body comes from memory, and evidence without it is still evidence.
	r.Body, _ = io.ReadAll(io.LimitReader(body, DefaultBodyLimit))
	return r
}

// redactHeader returns a copy of h in which no value is a key.
func redactHeader(h http.Header) http.Header {
	out := h.Clone()
	for name, values := range out {
		switch strings.ToLower(name) {
		case "authorization", "proxy-authorization":
			for i, v := range values {
				scheme, _, two := strings.Cut(v, " ")
				if two {
					values[i] = scheme + " " + Redacted
				} else {
					values[i] = Redacted
				}
			}
		case "x-api-key", "api-key", "cookie", "set-cookie":
			for i := range values {
				values[i] = Redacted
			}
		}
	}
	return out
}

// redactURL writes u without a password and without a key in its query.
func redactURL(u *url.URL) string {
	c := *u
	query := c.Query()
	found := false
	for name := range query {
		if slices.Contains([]string{"key", "api_key", "api-key", "apikey", "access_token", "token"}, strings.ToLower(name)) {
			query.Set(name, Redacted)
			found = true
		}
	}
	if found {
		c.RawQuery = query.Encode()
	}
	return c.Redacted()
}

// Redact returns a transcript whose headers and address hold no key. The bodies
// stay as they are.
func Redact(t Transcript) Transcript {
	t.Request.Header, t.Header = redactHeader(t.Request.Header), redactHeader(t.Header)
	if u, err := url.Parse(t.Request.URL); err == nil {
		t.Request.URL = redactURL(u)
	}
	return t
}
