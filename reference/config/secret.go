package config

import "log/slog"

const redacted = "[redacted]"

// Secret is text that must not be seen. Every way of printing it gives
// [redacted]; [Secret.Reveal] gives the text to the one place that needs it.
type Secret struct {
	text string
}

// NewSecret hides a text.
func NewSecret(text string) Secret { return Secret{text} }

// Reveal returns the text.
func (s Secret) Reveal() string { return s.text }

// IsZero tells whether there is no secret.
func (s Secret) IsZero() bool { return s.text == "" }

// String implements [fmt.Stringer].
func (s Secret) String() string { return redacted }

// GoString implements [fmt.GoStringer], for %#v.
func (s Secret) GoString() string { return redacted }

// MarshalText implements [encoding.TextMarshaler], for JSON and YAML.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// LogValue implements [slog.LogValuer].
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }
