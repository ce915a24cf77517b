package target_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"plumbline.dev/plumbline/conformance/target"
)

const canary = "sk-canary-7f3a9c"

func TestSecretIsNeverPrinted(t *testing.T) {
	s := target.NewSecret(canary)
	type holder struct {
		Open   target.Secret
		hidden target.Secret
		Any    any
		Map    map[string]target.Secret
		List   []*target.Secret
	}
	h := holder{Open: s, hidden: s, Any: s, Map: map[string]target.Secret{"k": s}, List: []*target.Secret{&s}}

	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T", "%p", "%10s", "%w"} {
		for _, arg := range []any{s, &s, h, &h, []any{h}} {
			assert.NotContains(t, fmt.Sprintf(verb, arg), canary, verb)
			assert.NotContains(t, fmt.Sprintf(verb, arg), fmt.Sprintf("%x", canary), verb)
		}
	}
	assert.Equal(t, "[redacted]", fmt.Sprintf("%v", s))
	assert.Equal(t, "[redacted]", fmt.Sprintf("%#v", s))

	asJSON, err := json.Marshal(h)
	require.NoError(t, err)
	assert.Contains(t, string(asJSON), `"Open":"[redacted]"`)
	asYAML, err := yaml.Marshal(map[string]any{"key": s})
	require.NoError(t, err)
	asXML, err := xml.Marshal(s)
	require.NoError(t, err)
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("start", "key", s, "all", h)
	slog.New(slog.NewTextHandler(&log, nil)).Info("start", "key", s, "all", h)
	for _, text := range []string{string(asJSON), string(asYAML), string(asXML), log.String()} {
		assert.NotContains(t, text, canary)
		assert.Contains(t, text, "[redacted]")
	}
}

func TestSecretReveal(t *testing.T) {
	assert.Equal(t, canary, target.NewSecret(canary).Reveal())
	assert.True(t, target.NewSecret("").IsZero())
	assert.Empty(t, target.Secret{}.Reveal())
	assert.Empty(t, fmt.Sprint(target.Secret{}), "no key must not look like one")
}
