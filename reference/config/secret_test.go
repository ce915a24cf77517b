package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

func TestSecretIsNeverPrinted(t *testing.T) {
	server := ModelServer{Name: "n", APIKey: NewSecret("sk-very-secret")}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "key", server.APIKey, "server", server)
	asJSON, err := json.Marshal(server)
	require.NoError(t, err)
	asYAML, err := yaml.Marshal(map[string]any{"key": server.APIKey})
	require.NoError(t, err)
	for _, printed := range []string{string(asJSON), string(asYAML), log.String()} {
		assert.Contains(t, printed, "[redacted]")
		assert.NotContains(t, printed, "very")
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%t", "%w"} {
		for _, value := range []any{server.APIKey, server, &server, []Secret{server.APIKey}} {
			printed := fmt.Sprintf(verb, value)
			assert.NotContains(t, printed, "very", verb)
			assert.NotContains(t, printed, "76657279", verb) // in hexadecimal
		}
	}
	assert.Equal(t, "sk-very-secret", server.APIKey.Reveal())
}

func TestModelByNameOrAlias(t *testing.T) {
	c := &Config{Models: []Model{{ID: "a"}, {ID: "b", Aliases: []string{"c"}}}}
	m, ok := c.Model("c")
	require.True(t, ok)
	assert.Equal(t, "b", m.ID)
	_, ok = c.Model("C")
	assert.False(t, ok)
}
