package idempotency

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"

	"plumbline.dev/plumbline/reference/apierror"
)

// Header is the header in which a client names a request that it may repeat.
const Header = "Idempotency-Key"

// maxKey bounds the key of a client, in bytes.
const maxKey = 255

// Request identifies a request that may be repeated, by digests in hexadecimal.
type Request struct {
	Key string // of the organization and its key
	// Content is of all that the reply depends on, so that a key that is used
	// for two different requests is found.
	Content string
}

// RequestOf tells which request this is, for an organization, an address and a
// body. Without the header ok is false: the request is not to be known again.
func RequestOf(h http.Header, org, path string, body []byte) (r Request, ok bool, e *apierror.Error) {
	values := h.Values(Header)
	switch {
	case len(values) == 0:
		return Request{}, false, nil
	case len(values) > 1:
		return Request{}, false, apierror.InvalidValue(Header, "send the header once")
	case values[0] == "":
		return Request{}, false, apierror.InvalidValue(Header, "it is empty")
	case len(values[0]) > maxKey:
		return Request{}, false, apierror.InvalidValue(Header, "it must have at most 255 characters")
	}
	for _, c := range []byte(values[0]) {
		if c < 0x20 || c > 0x7e {
			return Request{}, false, apierror.InvalidValue(Header, "it must consist of printable ASCII characters")
		}
	}
	return Request{Key: digest([]byte(org), []byte(values[0])), Content: digest([]byte(path), body)}, true, nil
}

// digest tells two pairs apart also where they are the same put together.
func digest(a, b []byte) string {
	first, second := sha256.Sum256(a), sha256.Sum256(b)
	both := sha256.Sum256(append(first[:], second[:]...))
	return hex.EncodeToString(both[:])
}
