package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Limits of a script. They bound what one registration costs the fake GPU.
const (
	MaxScriptBytes = 8 << 20 // of the script as JSON
	MaxSteps       = 100_000
	MaxPad         = 8 << 20 // bytes
	MaxChoices     = 128     // n of a request
	maxWait        = 24 * time.Hour
	maxCoalesce    = time.Minute
	minNonce       = 16
	maxNonce       = 64
	maxName        = 64 // of a gate or a finish reason
)

// Validate tells what is wrong with a script: what, at which step, and what
// would be right. It returns nil for a script that the fake GPU accepts.
func (s Script) Validate() error {
	if err := ValidateNonce(s.Nonce); err != nil {
		return err
	}
	if err := s.validateFields(); err != nil {
		return err
	}
	if len(s.Steps) > MaxSteps {
		return fmt.Errorf("script %s: %d steps, at most %d are allowed", s.Nonce, len(s.Steps), MaxSteps)
	}
	last := len(s.Steps) - 1
	for i := range s.Steps {
		step := &s.Steps[i]
		if err := step.validate(); err != nil {
			return fmt.Errorf("script %s: steps[%d]: %w", s.Nonce, i, err)
		}
		if step.ends() && i != last {
			return fmt.Errorf("script %s: steps[%d] comes after an ending (%s) and would never be played; remove one of them",
				s.Nonce, i+1, step.kinds()[0])
		}
	}
	return nil
}

// ValidateNonce tells whether a nonce can name a script.
func ValidateNonce(nonce string) error {
	if len(nonce) < minNonce || len(nonce) > maxNonce {
		return fmt.Errorf("nonce %.80q has %d characters, want %d to %d lower-case letters and digits",
			nonce, len(nonce), minNonce, maxNonce)
	}
	for _, r := range nonce {
		if !nonceRune(r) {
			return fmt.Errorf("nonce %q holds %q, want lower-case letters and digits only", nonce, r)
		}
	}
	return nil
}

// FindNonce returns the nonce of the last marker in a request body, whatever
// its format; the last, because a conversation may carry markers of old turns.
func FindNonce(body []byte) (string, bool) {
	open := []byte("[plumbline:")
	for end := len(body); ; {
		start := bytes.LastIndex(body[:end], open)
		if start < 0 {
			return "", false
		}
		rest := body[start+len(open) : min(start+len(open)+maxNonce+1, len(body))]
		if stop := bytes.IndexByte(rest, ']'); stop >= 0 {
			if nonce := string(rest[:stop]); ValidateNonce(nonce) == nil {
				return nonce, true
			}
		}
		end = start
	}
}

func nonceRune(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' }

func (s Script) validateFields() error {
	switch {
	case s.HTTP != nil && len(s.Steps) > 0:
		return fmt.Errorf("script %s: http and steps exclude each other", s.Nonce)
	case s.PromptTokens < 0:
		return fmt.Errorf("script %s: promptTokens is %d, want 0 or more", s.Nonce, s.PromptTokens)
	case s.CachedTokens != nil && *s.CachedTokens < 0:
		return fmt.Errorf("script %s: cachedTokens is %d, want 0 or more", s.Nonce, *s.CachedTokens)
	case s.CacheWriteTokens != nil && *s.CacheWriteTokens < 0:
		return fmt.Errorf("script %s: cacheWriteTokens is %d, want 0 or more", s.Nonce, *s.CacheWriteTokens)
	case s.ChopBytes < 0:
		return fmt.Errorf("script %s: chopBytes is %d, want 1 or more, or 0 for none", s.Nonce, s.ChopBytes)
	case s.CoalesceMS < 0 || s.CoalesceMS > int(maxCoalesce/time.Millisecond):
		return fmt.Errorf("script %s: coalesceMs is %d, want 0 to %d", s.Nonce, s.CoalesceMS, maxCoalesce/time.Millisecond)
	case s.CoalesceMS > 0 && s.ChopBytes > 0:
		return fmt.Errorf("script %s: coalesceMs and chopBytes exclude each other", s.Nonce)
	}
	if err := oneOf("lineEnd", s.LineEnd, "", "lf", "crlf", "cr"); err != nil {
		return fmt.Errorf("script %s: %w", s.Nonce, err)
	}
	if err := oneOf("usage", string(s.Usage), usageFaults()...); err != nil {
		return fmt.Errorf("script %s: %w", s.Nonce, err)
	}
	if s.HTTP != nil {
		if err := s.HTTP.validate(); err != nil {
			return fmt.Errorf("script %s: http: %w", s.Nonce, err)
		}
	}
	return nil
}

func usageFaults() []string {
	return []string{
		string(UsageOrdinary), string(UsageNever), string(UsageOnFinish), string(UsageEarly),
		string(UsageCumulative), string(UsageTwice), string(UsageUnasked), string(UsageWrong),
		string(UsageNegative), string(UsageFraction), string(UsageZero),
	}
}

func (a *HTTPAnswer) validate() error {
	if a.Status < 200 || a.Status > 599 {
		return fmt.Errorf("status is %d, want 200 to 599", a.Status)
	}
	for name, value := range a.Headers {
		if name == "" || strings.ContainsFunc(name, notHeaderRune) {
			return fmt.Errorf("header name %q, want letters, digits and -", name)
		}
		if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			return fmt.Errorf("header %s holds a control character", name)
		}
	}
	return nil
}

func notHeaderRune(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
}

// ends tells whether nothing can follow the step.
func (s *Step) ends() bool { return s.Close || s.Cut || s.Reset || s.Hang }

// kinds lists the fields of the step that are set, by their JSON names.
func (s *Step) kinds() []string {
	var set []string
	add := func(on bool, name string) {
		if on {
			set = append(set, name)
		}
	}
	add(s.Token != nil, "token")
	add(s.Delta != nil, "delta")
	add(s.PauseMS != 0, "pauseMs")
	add(s.Gate != "", "gate")
	add(len(s.Raw) > 0, "raw")
	add(s.Comment != "", "comment")
	add(s.Error != nil, "error")
	add(s.Finish != "", "finish")
	add(s.Done, "done")
	add(s.Close, "close")
	add(s.Cut, "cut")
	add(s.Reset, "reset")
	add(s.Hang, "hang")
	add(s.Repeat, "repeat")
	return set
}

func (s *Step) validate() error {
	switch kinds := s.kinds(); len(kinds) {
	case 0:
		return errors.New("sets no field, want exactly one (a pause below one millisecond counts as none)")
	case 1:
	default:
		return fmt.Errorf("sets %s, want exactly one field", strings.Join(kinds, " and "))
	}
	switch {
	case s.Token != nil:
		return s.Token.validate()
	case s.Delta != nil:
		return s.Delta.validate()
	case s.PauseMS < 0 || s.PauseMS > int(maxWait/time.Millisecond):
		return fmt.Errorf("pauseMs is %d, want 1 to %d", s.PauseMS, maxWait/time.Millisecond)
	case s.Gate != "":
		return ValidateGate(s.Gate)
	case strings.ContainsAny(s.Comment, "\r\n"):
		return errors.New("comment holds a line break; use one step for each line")
	case s.Error != nil && s.Error.Message == "":
		return errors.New("error has no message")
	case len(s.Finish) > maxName:
		return fmt.Errorf("finish has %d bytes, want at most %d", len(s.Finish), maxName)
	}
	return nil
}

// ValidateGate tells whether a name can name a gate.
func ValidateGate(name string) error {
	if name == "" || len(name) > maxName || strings.ContainsFunc(name, notHeaderRune) {
		return fmt.Errorf("gate %.80q, want 1 to %d letters, digits, - or _", name, maxName)
	}
	return nil
}

func (t *Token) validate() error {
	if t.Pad < 0 || t.Pad > MaxPad {
		return fmt.Errorf("token.pad is %d, want 0 to %d bytes", t.Pad, MaxPad)
	}
	if t.CutPauseMS < 0 || t.CutPauseMS > int(maxWait/time.Millisecond) {
		return fmt.Errorf("token.cutPauseMs is %d, want 0 to %d", t.CutPauseMS, maxWait/time.Millisecond)
	}
	previous := 0
	for i, cut := range t.Cuts {
		if cut <= previous {
			return fmt.Errorf("token.cuts[%d] is %d, want offsets above 0 in rising order", i, cut)
		}
		previous = cut
	}
	return nil
}

func (d *Delta) validate() error {
	if d.Choice < 0 || d.Choice >= MaxChoices {
		return fmt.Errorf("delta.choice is %d, want 0 to %d", d.Choice, MaxChoices-1)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(d.JSON, &object); err != nil || object == nil {
		return errors.New("delta.json is no JSON object")
	}
	return nil
}

func oneOf(field, value string, allowed ...string) error {
	for _, a := range allowed {
		if value == a {
			return nil
		}
	}
	return fmt.Errorf("%s is %q, want %s, or nothing", field, value, strings.Join(allowed[1:], ", "))
}
