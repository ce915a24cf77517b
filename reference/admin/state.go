package admin

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"plumbline.dev/plumbline/reference/account"
	"plumbline.dev/plumbline/reference/appendlog"
	"plumbline.dev/plumbline/reference/limit"
	"plumbline.dev/plumbline/reference/price"
)

// State is what all decisions so far add up to.
type State struct {
	Organizations []*Organization // in the order in which they were added
	end           int64           // offset in the file behind the last change
}

// Organization is an organization as it was decided.
type Organization struct {
	ID string
	// Limited tells that it has a balance, at first of nothing.
	Limited bool
	Credits price.Money // granted in all
	Keys    []Key
	At      time.Time // when it was added
}

// Key is a key of an organization.
type Key struct {
	ID      string // its name
	Digest  account.Digest
	Limits  limit.Limits
	At      time.Time // when it was added
	Revoked bool
}

// find returns the organization of this id, nil if there is none.
func (s *State) find(id string) *Organization {
	for _, org := range s.Organizations {
		if org.ID == id {
			return org
		}
	}
	return nil
}

// Find yields the organization of this id, or all for "".
func (s *State) Find(id string) iter.Seq[*Organization] {
	return func(yield func(*Organization) bool) {
		for _, org := range s.Organizations {
			if (id == "" || org.ID == id) && !yield(org) {
				return
			}
		}
	}
}

func (s *State) addOrg(org *Organization) error {
	if err := checkName("an organization", org.ID); err != nil {
		return err
	}
	if s.find(org.ID) != nil {
		return fmt.Errorf("there is an organization %q already", org.ID)
	}
	s.Organizations = append(s.Organizations, org)
	return nil
}

func (o *Organization) addKey(k Key) error {
	if err := checkName("a key", k.ID); err != nil {
		return err
	}
	for _, n := range []*int64{k.Limits.RequestsPerMinute, k.Limits.TokensPerMinute} {
		if n != nil && *n < 0 {
			return fmt.Errorf("%d is not a limit: use 0 to let nothing pass, and no limit at all for any number", *n)
		}
	}
	if slices.ContainsFunc(o.Keys, func(other Key) bool { return other.ID == k.ID }) {
		// Not even one that was revoked: logs and charges tell keys by their names.
		return fmt.Errorf("organization %q had a key %q already: choose another name", o.ID, k.ID)
	}
	o.Keys = append(o.Keys, k)
	return nil
}

func (o *Organization) revokeKey(id string) error {
	for i := range o.Keys {
		k := &o.Keys[i]
		switch {
		case k.ID != id:
		case k.Revoked:
			return fmt.Errorf("key %q of organization %q is revoked already", id, o.ID)
		default:
			k.Revoked = true
			return nil
		}
	}
	return fmt.Errorf("organization %q has no key %q", o.ID, id)
}

func (o *Organization) addCredits(usd price.Money) error {
	switch {
	case usd.Sign() <= 0:
		return fmt.Errorf("%s US dollars cannot be added: the amount must be more than 0", usd)
	case !o.Limited:
		return fmt.Errorf("organization %q is unlimited, so it has no credits to add to", o.ID)
	}
	o.Credits = o.Credits.Add(usd)
	return nil
}

// read takes in the changes behind those that the state has.
func (s *State) read(path string) error {
	for record, err := range appendlog.Read(path, s.end) {
		if err != nil {
			return err
		}
		c, err := decode(record.Data)
		if err == nil {
			err = s.apply(c)
		}
		if err != nil {
			return fmt.Errorf("%s: the change before byte %d: %w", path, record.End, err)
		}
		s.end = record.End
	}
	return nil
}
