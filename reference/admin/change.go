package admin

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"plumbline.dev/plumbline/reference/account"
	"plumbline.dev/plumbline/reference/limit"
	"plumbline.dev/plumbline/reference/price"
)

// FileName is the name of the file of decisions in a data directory.
const FileName = "accounts.log"

// What a change does.
const (
	addOrg     = "org.add"
	addKey     = "key.add"
	revokeKey  = "key.revoke"
	addCredits = "credits.add"
)

// change is one decision as it is written.
type change struct {
	Do        string `json:"do"`
	At        int64  `json:"at"` // milliseconds
	Org       string `json:"org"`
	Unlimited bool   `json:"unlimited,omitempty"` // of org.add
	Key       string `json:"key,omitempty"`       // the name of the key
	SHA256    string `json:"sha256,omitempty"`    // of key.add
	Requests  *int64 `json:"requestsPerMinute,omitempty"`
	Tokens    *int64 `json:"tokensPerMinute,omitempty"`
	USD       string `json:"usd,omitempty"` // of credits.add
}

// maxName bounds the names of organizations and keys, in characters.
const maxName = 64

func checkName(what, name string) error {
	if name == "" || len(name) > maxName {
		return fmt.Errorf("%q cannot name %s: use 1 to %d characters", name, what, maxName)
	}
	for _, c := range []byte(name) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '_', c == '-' && name[0] != '-':
		default:
			return fmt.Errorf("%q cannot name %s: use letters, digits, dots, underscores and hyphens", name, what)
		}
	}
	return nil
}

// apply carries a change out, or says why it cannot be.
func (s *State) apply(c change) error {
	at := time.UnixMilli(c.At)
	if c.Do == addOrg {
		return s.addOrg(&Organization{ID: c.Org, Limited: !c.Unlimited, At: at})
	}
	org := s.find(c.Org)
	if org == nil {
		return fmt.Errorf("there is no organization %q: add it with orgs add", c.Org)
	}
	switch c.Do {
	case addKey:
		digest, err := hex.DecodeString(c.SHA256)
		if err != nil || len(digest) != len(account.Digest{}) {
			return errors.New("sha256 is not 64 hexadecimal digits")
		}
		return org.addKey(Key{
			ID: c.Key, Digest: account.Digest(digest), At: at,
			Limits: limit.Limits{RequestsPerMinute: c.Requests, TokensPerMinute: c.Tokens},
		})
	case revokeKey:
		return org.revokeKey(c.Key)
	case addCredits:
		usd, err := price.ParseMoney(c.USD)
		if err != nil {
			return err
		}
		return org.addCredits(usd)
	default:
		return fmt.Errorf("%q is no change that this version knows", c.Do)
	}
}

func decode(record []byte) (change, error) {
	var c change
	if err := json.Unmarshal(record, &c); err != nil {
		return c, fmt.Errorf("it is no change: %w", err)
	}
	return c, nil
}
