package witness

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/config"
	"plumbline.dev/plumbline/reference/gateway"
)

// startGateway starts the reference gateway in front of a model server until the
// end of the test, and returns its URL.
func startGateway(t *testing.T, modelServer string) string {
	t.Helper()
	cfg := config.Default(config.ProfileMortar)
	cfg.Listeners[0].Address = "127.0.0.1:0"
	cfg.Limits.Drain = time.Millisecond // a test that failed may leave a stream open
	offered := config.DefaultModel(config.ProfileMortar)
	offered.ID = model
	offered.ModelServers = []config.ModelServer{{URL: modelServer + "/v1"}}
	cfg.Models = []config.Model{offered}
	cfg.Organizations = []config.Organization{
		{ID: "witness", Keys: []config.Key{config.KeyFrom("first", key), config.KeyFrom("second", key2)}},
		{ID: "stranger", Keys: []config.Key{config.KeyFrom("first", otherKey)}},
	}
	require.NoError(t, cfg.Complete())

	g, err := gateway.New(cfg, gateway.Deps{})
	require.NoError(t, err)
	require.NoError(t, g.Listen())
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	served := make(chan error, 1)
	go func() { served <- g.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, <-served)
	})
	return g.URL(0)
}
