// Package account knows the organizations that may use the gateway and their
// API keys. A key is held as its SHA-256 digest alone: nothing here can reveal
// it, and no error repeats it.
package account

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/limit"
)

// Organization owns keys, sessions, running generations and credits.
type Organization struct {
	ID   string
	Keys []Key
}

// Key is one API key of an organization.
type Key struct {
	// ID names the key in logs; it is no secret and unique in its organization.
	ID     string
	Digest Digest
	Limits limit.Limits
}

// Digest is the SHA-256 of a key's bytes.
type Digest [sha256.Size]byte

// DigestOf returns the digest under which a key is known.
func DigestOf(key string) Digest { return sha256.Sum256([]byte(key)) }

// Identity is who sent a request.
type Identity struct {
	Org    string
	KeyID  string
	Limits limit.Limits // of the key
}

// Directory finds the owner of a key. It is safe for concurrent use, and never
// changes.
type Directory struct {
	// keys are grouped by the first bytes of their digest, so that a look-up
	// costs the same with ten keys and with a million. What the grouping tells
	// by its timing is a piece of a digest, from which no key follows.
	keys map[uint32][]entry
}

type entry struct {
	digest Digest
	owner  Identity
}

// NewDirectory builds a directory. It fails on an organization or a key
// without a name, on a name used twice, and on one key given twice.
func NewDirectory(orgs []Organization) (*Directory, error) {
	d := &Directory{keys: make(map[uint32][]entry)}
	var problems []error
	seenOrg := make(map[string]bool)
	for i, org := range orgs {
		switch {
		case org.ID == "":
			problems = append(problems, fmt.Errorf("organization %d has no id", i+1))
		case seenOrg[org.ID]:
			problems = append(problems, fmt.Errorf("organization %q is listed twice", org.ID))
		}
		seenOrg[org.ID] = true
		problems = append(problems, d.add(org)...)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, fmt.Errorf("reading organizations: %w", err)
	}
	return d, nil
}

func (d *Directory) add(org Organization) (problems []error) {
	seen := make(map[string]bool)
	for i, key := range org.Keys {
		switch {
		case key.ID == "":
			problems = append(problems, fmt.Errorf("key %d of organization %q has no id", i+1, org.ID))
		case seen[key.ID]:
			problems = append(problems, fmt.Errorf("organization %q has two keys with the id %q", org.ID, key.ID))
		}
		seen[key.ID] = true
		if owner, taken := d.find(key.Digest); taken {
			problems = append(problems, fmt.Errorf("key %q of organization %q is the same as key %q of organization %q", key.ID, org.ID, owner.KeyID, owner.Org))
			continue
		}
		group := groupOf(key.Digest)
		d.keys[group] = append(d.keys[group], entry{key.Digest, Identity{Org: org.ID, KeyID: key.ID, Limits: key.Limits}})
	}
	return problems
}

// Authenticate tells who sent the request, from its Authorization header
// (scheme Bearer, in any case) or its x-api-key header. Every other request,
// one that sends two different keys included, gets a 401.
func (d *Directory) Authenticate(r *http.Request) (Identity, *apierror.Error) {
	key, refusal := presented(r)
	if refusal != nil {
		return Identity{}, refusal
	}
	owner, ok := d.find(DigestOf(key))
	if !ok {
		return Identity{}, apierror.InvalidKey("Incorrect API key provided.")
	}
	return owner, nil
}

func (d *Directory) find(digest Digest) (Identity, bool) {
	var owner Identity
	found := false
	for _, e := range d.keys[groupOf(digest)] {
		if subtle.ConstantTimeCompare(e.digest[:], digest[:]) == 1 {
			owner, found = e.owner, true
		}
	}
	return owner, found
}

func groupOf(d Digest) uint32 { return binary.BigEndian.Uint32(d[:4]) }

// presented returns the one key that the request carries.
func presented(r *http.Request) (string, *apierror.Error) {
	authorization, apiKey := r.Header.Values("Authorization"), r.Header.Values("X-Api-Key")
	if len(authorization) > 1 || len(apiKey) > 1 {
		return "", apierror.InvalidKey("More than one API key provided. Send one Authorization header.")
	}
	var key string
	if len(authorization) == 1 {
		scheme, token, _ := strings.Cut(strings.TrimSpace(authorization[0]), " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return "", apierror.InvalidKey("The Authorization header is not of the form 'Bearer YOUR_KEY'.")
		}
		key = strings.TrimSpace(token)
	}
	if len(apiKey) == 1 {
		other := strings.TrimSpace(apiKey[0])
		if key != "" && other != "" && other != key {
			return "", apierror.InvalidKey("Two different API keys provided. Send one of Authorization and x-api-key.")
		}
		if key == "" {
			key = other
		}
	}
	if key == "" {
		return "", apierror.InvalidKey("You didn't provide an API key. Send it in the Authorization header: 'Authorization: Bearer YOUR_KEY'.")
	}
	return key, nil
}
