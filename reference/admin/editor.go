package admin

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"plumbline.dev/plumbline/reference/account"
	"plumbline.dev/plumbline/reference/appendlog"
	"plumbline.dev/plumbline/reference/limit"
	"plumbline.dev/plumbline/reference/price"
)

// keyPrefix begins every key that is made here, so that scanners for leaked
// keys can know them.
const keyPrefix = "sk-plumbline-"

// Editor decides. One process at a time may have one.
type Editor struct {
	log   *appendlog.Log
	state *State
}

// Open opens the decisions in a file, which is made if it is missing.
func Open(path string) (*Editor, error) {
	log, err := appendlog.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the administrator's decisions: %w", err)
	}
	state := new(State)
	if err := state.read(path); err != nil {
		_ = log.Close() // nothing was written
		return nil, fmt.Errorf("opening the administrator's decisions: %w", err)
	}
	return &Editor{log, state}, nil
}

// Read returns what the decisions in a file add up to; without the file, nothing.
func Read(path string) (*State, error) {
	state := new(State)
	if err := state.read(path); err != nil {
		return nil, fmt.Errorf("reading the administrator's decisions: %w", err)
	}
	return state, nil
}

// Close lets others decide.
func (e *Editor) Close() error { return e.log.Close() }

// decide carries a change out and writes it down.
func (e *Editor) decide(c change) error {
	c.At = time.Now().UnixMilli()
	if err := e.state.apply(c); err != nil {
		return err
	}
	record, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("writing a change down: %w", err)
	}
	return e.log.Append(record)
}

// AddOrganization adds an organization, with a balance of nothing or without any.
func (e *Editor) AddOrganization(id string, unlimited bool) error {
	return e.decide(change{Do: addOrg, Org: id, Unlimited: unlimited})
}

// AddKey makes a key for an organization and returns it. It is kept as a digest
// alone, so nobody can ever return it again.
func (e *Editor) AddKey(org, id string, limits limit.Limits) (key string, err error) {
	var random [24]byte
	_, _ = rand.Read(random[:]) // it never fails: it ends the process instead
	key = keyPrefix + base64.RawURLEncoding.EncodeToString(random[:])
	digest := account.DigestOf(key)
	err = e.decide(change{
		Do: addKey, Org: org, Key: id, SHA256: hex.EncodeToString(digest[:]),
		Requests: limits.RequestsPerMinute, Tokens: limits.TokensPerMinute,
	})
	if err != nil {
		return "", err
	}
	return key, nil
}

// RevokeKey ends the use of a key. Its name stays taken.
func (e *Editor) RevokeKey(org, id string) error {
	return e.decide(change{Do: revokeKey, Org: org, Key: id})
}

// AddCredits adds to what an organization was granted.
func (e *Editor) AddCredits(org string, usd price.Money) error {
	return e.decide(change{Do: addCredits, Org: org, USD: usd.String()})
}
