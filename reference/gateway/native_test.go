package gateway

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/fakegpu/control"
	"plumbline.dev/plumbline/reference/config"
)

// A gateway is a model server that speaks every format: another one in front of
// it, which uses that, tells the same.
func TestNativeModelServer(t *testing.T) {
	inner := newNotholyRig(t, nil)
	outer := newNotholyRig(t, func(cfg *config.Config) {
		cfg.Models[0].ModelServers = []config.ModelServer{{
			Name: "inner", URL: inner.base, APIKey: config.NewSecret(key2), Native: []string{"responses", "messages"}, Dialect: config.DefaultDialect(),
		}}
	})
	whole := control.Script{}.Tokens("Hé", "llo \"x\"\n")
	broken := control.Script{}.Tokens("a").Then(control.Step{Reset: true})
	prefixes := map[string]string{"chat": "chatcmpl-", "text": "chatcmpl-", "responses": "resp_", "messages": "msg_"}
	for _, f := range formatCases {
		t.Run(f.name, func(t *testing.T) {
			want, err := read(f.ask(inner, inner.script(whole), "true"))
			require.NoError(t, err)
			<-inner.settled
			for _, stream := range []string{"true", "false"} {
				resp := f.ask(outer, inner.script(whole), stream)
				got, err := read(resp)
				require.NoError(t, err)
				require.Equal(t, http.StatusOK, resp.StatusCode, got)
				assert.Equal(t, f.read(t, true, want), f.read(t, stream == "true", got))
				assert.Contains(t, (<-inner.settled).ID, prefixes[f.name], "the format in which the model server was asked")
			}
			got, err := read(f.ask(outer, inner.script(broken), "true"))
			require.NoError(t, err)
			assert.Contains(t, got, f.failure)
			<-inner.settled
		})
	}
}
