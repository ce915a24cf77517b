package target

import (
	"fmt"
	"log/slog"
)

// redacted is what stands for a key wherever one is printed.
const redacted = "[redacted]"

// Secret is a key. However it is printed, logged or marshalled it reads
// "[redacted]"; only Reveal gives the key. The zero Secret is no key.
type Secret struct {
	// A pointer, because fmt prints unexported fields of an enclosing struct
	// without asking their methods, and prints pointers as addresses.
	text *string
}

// NewSecret returns text as a Secret, or no key if text is empty.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{text: &text}
}

// Reveal returns the key itself, "" if there is none.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// IsZero reports whether there is no key.
func (s Secret) IsZero() bool { return s.text == nil }

// String returns "[redacted]", or "" if there is no key.
func (s Secret) String() string {
	if s.IsZero() {
		return ""
	}
	return redacted
}

// Format prints the same for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = fmt.Fprint(f, s.String()) }

// MarshalText makes JSON, XML and map keys print the same.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalYAML makes YAML print the same.
func (s Secret) MarshalYAML() (any, error) { return s.String(), nil }

// LogValue makes slog print the same.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }
