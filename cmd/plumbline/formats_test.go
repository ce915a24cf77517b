package main

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance"
	"plumbline.dev/plumbline/conformance/target"
)

// behind starts the reference gateway and makes a handler in front of it the
// target: it gets the way through to the gateway.
func behind(t *testing.T, profile string, wrap func(through http.Handler) http.HandlerFunc) conformance.Target {
	t.Helper()
	judged := conformance.Target{Profile: profile, Intervals: conformance.Intervals{Ping: shortened.Ping, Silence: shortened.Silence, Patience: 300 * time.Millisecond}}
	stop, err := startReference(t.Context(), target.Config{Intervals: shortened}, &judged)
	require.NoError(t, err)
	t.Cleanup(stop)
	gateway, err := url.Parse(judged.BaseURL)
	require.NoError(t, err)
	through := httputil.NewSingleHostReverseProxy(gateway)
	through.ErrorLog = log.New(io.Discard, "", 0) // of clients that leave, as scenarios do
	server := httptest.NewServer(wrap(through))
	t.Cleanup(server.Close)
	judged.BaseURL, judged.Reference = server.URL, false
	return judged
}

// completes tells whether a request asks for a reply, in whatever format.
func completes(r *http.Request) bool { return r.Method == http.MethodPost }

// hollow answers 200 with an event stream that is empty, whatever the gateway
// says. The gateway is asked all the same, so that the model server has seen the
// request.
func hollow(through http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !completes(r) {
			through.ServeHTTP(w, r)
			return
		}
		through.ServeHTTP(httptest.NewRecorder(), r)
		w.Header().Set("Content-Type", "text/event-stream")
	}
}

// A reply that holds nothing keeps nothing: every scenario of the formats fails on
// it, but for those that ask for the head alone.
func TestEmptyRepliesKeepNothing(t *testing.T) {
	judged := behind(t, "notholy", hollow)
	report, err := conformance.Run(t.Context(), conformance.Options{Target: judged, Concurrency: 64})
	require.NoError(t, err)
	assert.Zero(t, report.Totals[conformance.HarnessError], "%v", report.Errors)
	heads := map[string]bool{}
	for _, row := range report.Requirements {
		for _, s := range row.Scenarios {
			if s.Verdict == conformance.Pass {
				heads[s.Name] = true
			}
		}
	}
	for name := range heads {
		assert.Contains(t, name, "answered with an event stream", "it passes on an empty stream")
	}
	assert.NotEmpty(t, heads)
}

// A gateway that speaks one format is judged on it alone; the others' rows say why
// they are not.
func TestGatewayOfOneFormat(t *testing.T) {
	judged := behind(t, "openai,anthropic", func(through http.Handler) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if completes(r) && r.URL.Path != "/v1/messages" {
				http.NotFound(w, r)
				return
			}
			through.ServeHTTP(w, r)
		}
	})
	report, err := conformance.Run(t.Context(), conformance.Options{Target: judged, Tags: "@openai-text-02 or @openai-responses-02 or @openai-chat-24 or @anthropic-messages-02"})
	require.NoError(t, err)
	verdicts := map[string]conformance.Verdict{}
	for _, row := range report.Requirements {
		verdicts[row.ID] = row.Verdict
		if row.Verdict == conformance.Inconclusive {
			format, _, _ := strings.Cut(strings.TrimPrefix(row.ID, "openai-"), "-")
			assert.Contains(t, row.Reason, "does not speak the "+format+" format")
		}
	}
	assert.Equal(t, map[string]conformance.Verdict{
		"openai-text-02": conformance.Inconclusive, "openai-responses-02": conformance.Inconclusive, "openai-chat-24": conformance.Inconclusive,
		"anthropic-messages-02": conformance.Pass,
	}, verdicts)
	assert.Equal(t, conformance.ExitInconclusive, report.ExitCode)
}

// A gateway that has none of the formats is no gateway, whatever it is judged by.
func TestGatewayOfNoFormat(t *testing.T) {
	judged := behind(t, "openai", func(through http.Handler) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if completes(r) {
				http.NotFound(w, r)
				return
			}
			through.ServeHTTP(w, r)
		}
	})
	report, err := conformance.Run(t.Context(), conformance.Options{Target: judged, Tags: "@openai-text-02 or @openai-responses-02"})
	require.NoError(t, err)
	assert.Equal(t, conformance.ExitViolation, report.ExitCode)
}

func TestProfilesThatContradictEachOther(t *testing.T) {
	_, err := conformance.Run(t.Context(), conformance.Options{Target: conformance.Target{BaseURL: "http://127.0.0.1:1", Profile: "mortar,notholy"}})
	var usage *conformance.UsageError
	require.ErrorAs(t, err, &usage)
	assert.Contains(t, err.Error(), "contradict each other")
}
