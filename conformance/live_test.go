package conformance_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance"
	"plumbline.dev/plumbline/conformance/target"
)

// TestLive judges the gateway that the PLUMBLINE_ variables name:
//
//	PLUMBLINE_TARGET=https://api.example.com PLUMBLINE_KEY=… go test ./conformance -run Live -v
func TestLive(t *testing.T) {
	if os.Getenv("PLUMBLINE_TARGET") == "" {
		t.Skip("no live endpoint is named: set PLUMBLINE_TARGET and PLUMBLINE_KEY")
	}
	profiles, err := conformance.Profiles()
	require.NoError(t, err)
	config, err := target.Load(target.Sources{Environ: os.Environ(), Profiles: profiles})
	require.NoError(t, err)
	conformance.TestWith(t, conformance.Options{
		Tags: config.Tags, Concurrency: config.Concurrency,
		Target: conformance.Target{
			BaseURL: config.URL, Profile: strings.Join(config.Profiles, ","), Model: config.Model, Control: config.Control,
			Key: config.Keys.Key.Reveal(), Key2: config.Keys.Key2.Reveal(), Org2Key: config.Keys.Org2.Reveal(),
			PoorKey: config.Keys.Poor.Reveal(), LimitedKey: config.Keys.Limited.Reveal(), Alias: config.Alias, CreditsPath: config.Credits.Path,
			SessionHeader: config.Telemetry.SessionHeader,
			Events: conformance.EventNames{Route: config.Telemetry.RouteEvent, Cache: config.Telemetry.CacheEvent,
				Latency: config.Telemetry.LatencyEvent},
		},
	})
}
