package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance"
	"plumbline.dev/plumbline/conformance/target"
)

// shortened are intervals with which a whole run takes seconds.
var shortened = target.Intervals{Ping: 400 * time.Millisecond, Silence: 1200 * time.Millisecond,
	TelemetryPing: 400 * time.Millisecond, Tick: 300 * time.Millisecond}

// The reference gateway keeps every row of every profile, as a user's own test
// would see it: a subtest for each scenario.
func TestReferenceKeepsEveryRow(t *testing.T) {
	profiles, err := conformance.Profiles()
	require.NoError(t, err)
	for _, profile := range profiles {
		t.Run(profile, func(t *testing.T) {
			judged := conformance.Target{Profile: profile,
				Intervals: conformance.Intervals{Ping: shortened.Ping, Silence: shortened.Silence,
					TelemetryPing: shortened.TelemetryPing, Tick: shortened.Tick}}
			stop, err := startReference(t.Context(), target.Config{Intervals: shortened}, &judged)
			require.NoError(t, err)
			t.Cleanup(stop)
			conformance.Test(t, judged)
		})
	}
}
