package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"plumbline.dev/plumbline/reference/price"
)

// Kind is how a completion ended, as far as its price is concerned.
type Kind string

// Kinds of entries.
const (
	Finish Kind = "finish" // the reply is complete
	Stop   Kind = "stop"   // it was stopped by its id
	Break  Kind = "break"  // a failure ended it, or its client left
)

// Entry is what one completion cost. It holds no key and no text.
type Entry struct {
	ID    string // the completion's
	Org   string
	KeyID string
	Model string
	Kind  Kind
	USD   price.Money // exact
	At    time.Time   // to the millisecond
	// Prompt, Cached, CacheWrite and Completion count tokens; CacheWrite is -1
	// where the model server reported none.
	Prompt, Cached, CacheWrite, Completion int64
	// Estimated tells that the gateway counted.
	Estimated bool
	// Retry names the request for a client that repeats it; nil if it cannot be
	// repeated.
	Retry *Retry
}

// Retry is how a repeated request is known again: digests, in hexadecimal.
type Retry struct {
	Key     string `json:"key"`     // of the organization and its Idempotency-Key
	Request string `json:"request"` // of the address and the body
}

// wire is an Entry as it is written. Amounts are text, so that no reader can
// take them for floats.
type wire struct {
	ID         string `json:"id"`
	Org        string `json:"org"`
	KeyID      string `json:"key,omitempty"`
	Model      string `json:"model"`
	Kind       Kind   `json:"kind"`
	USD        string `json:"usd"`
	At         int64  `json:"at"`
	Prompt     int64  `json:"prompt"`
	Cached     int64  `json:"cached"`
	CacheWrite int64  `json:"cacheWrite"`
	Completion int64  `json:"completion"`
	Estimated  bool   `json:"estimated,omitempty"`
	Retry      *Retry `json:"retry,omitempty"`
}

func (e Entry) check() error {
	switch {
	case e.ID == "":
		return errors.New("an entry of the ledger has no completion id")
	case e.Org == "":
		return fmt.Errorf("the entry of %s has no organization", e.ID)
	case e.Kind != Finish && e.Kind != Stop && e.Kind != Break:
		return fmt.Errorf("the entry of %s has the kind %q: it must be finish, stop or break", e.ID, e.Kind)
	case e.USD.Sign() < 0:
		return fmt.Errorf("the entry of %s has a negative amount", e.ID)
	}
	return nil
}

func (e Entry) encode() ([]byte, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	return json.Marshal(wire{
		e.ID, e.Org, e.KeyID, e.Model, e.Kind, e.USD.String(), e.At.UnixMilli(),
		e.Prompt, e.Cached, e.CacheWrite, e.Completion, e.Estimated, e.Retry,
	})
}

func decode(record []byte) (Entry, error) {
	var w wire
	if err := json.Unmarshal(record, &w); err != nil {
		return Entry{}, fmt.Errorf("it is no entry: %w", err)
	}
	usd, err := price.ParseMoney(w.USD)
	if err != nil {
		return Entry{}, fmt.Errorf("the entry of %s: %w", w.ID, err)
	}
	e := Entry{
		w.ID, w.Org, w.KeyID, w.Model, w.Kind, usd, time.UnixMilli(w.At),
		w.Prompt, w.Cached, w.CacheWrite, w.Completion, w.Estimated, w.Retry,
	}
	return e, e.check()
}
