package config

import (
	"fmt"
	"io"
	"log/slog"
)

const redacted = "[redacted]"

// Secret is text that must not be seen. Every way of printing it gives
// [redacted]; [Secret.Reveal] gives the text to the one place that needs it.
type Secret struct {
	// text is a pointer because printing a value that holds a Secret in a field
	// of its own calls none of these methods; an address is then all it shows.
	text *string
}

// NewSecret hides a text.
func NewSecret(text string) Secret { return Secret{&text} }

// Reveal returns the text; of the zero value, which is no secret, "".
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// IsZero tells whether there is no secret.
func (s Secret) IsZero() bool { return s.Reveal() == "" }

// String implements [fmt.Stringer].
func (s Secret) String() string { return redacted }

// Format implements [fmt.Formatter], for every verb.
func (s Secret) Format(f fmt.State, _ rune) {
	// Printing has nowhere to report an error to.
	_, _ = io.WriteString(f, redacted)
}

// MarshalText implements [encoding.TextMarshaler], for JSON and YAML.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// LogValue implements [slog.LogValuer].
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }
