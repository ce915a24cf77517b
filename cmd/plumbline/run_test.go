package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance"
)

// plumbline runs a command line as a user would and returns its exit code.
func plumbline(t *testing.T, ctx context.Context, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Chdir(t.TempDir()) // no plumbline.yaml of the developer's
	root := newRootCommand()
	var out, errs bytes.Buffer
	root.SetOut(&out)
	root.SetErr(&errs)
	root.SetArgs(args)
	code = exitCode(root.ExecuteContext(ctx), &errs)
	return code, out.String(), errs.String()
}

func TestRunIsUnderstoodOrRefused(t *testing.T) {
	cases := []struct {
		name string
		args []string
		says string
	}{
		{"an unknown tag", []string{"run", "--tags", "@mortar-stream-1x"}, `did you mean "mortar-stream-1`},
		{"an unknown profile", []string{"run", "--profile", "motar"}, `did you mean "mortar"`},
		{"an unknown format", []string{"run", "--report", "junitt"}, `did you mean "junit"`},
		{"an unknown flag", []string{"run", "--tagz", "x"}, "unknown flag"},
		{"an unknown command", []string{"runn"}, "unknown command"},
		{"a target that is no URL", []string{"run", "--target", "localhost"}, "target"},
		{"a selection of nothing", []string{"run", "--tags", "@mortar-stream-01 and @mortar-stream-02"}, "selects no scenario"},
		{"both ways to script", []string{"run", "--target", "http://127.0.0.1:1", "--control", "http://127.0.0.1:2", "--model-server", "127.0.0.1:3"}, "control"},
		{"an unknown profile of requirements", []string{"requirements", "--profile", "motar"}, `did you mean "mortar"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			code, _, stderr := plumbline(t, t.Context(), c.args...)
			assert.Equal(t, conformance.ExitUsage, code, stderr)
			assert.Contains(t, stderr, c.says)
		})
	}
}

// judge runs all rows that need no scripted model server on a handler.
func judge(t *testing.T, handler http.HandlerFunc) conformance.Report {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "report.json")
	code, _, stderr := plumbline(t, t.Context(), "run", "--target", server.URL, "--key", "sk-canary-4711", "--report", "json:"+file, "--concurrency", "32")
	assert.Equal(t, conformance.ExitViolation, code, stderr)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "sk-canary-4711")
	var report conformance.Report
	require.NoError(t, json.Unmarshal(text, &report))
	return report
}

func TestTargetsThatAreNoGateway(t *testing.T) {
	cases := []struct {
		name    string
		handler http.HandlerFunc
		passes  []string
	}{
		{"HTML", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<html>welcome"))
		}, nil},
		{"500 to everything", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "oops", 500) }, nil},
		{"a redirect", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) }, nil},
		{"nothing at all", func(w http.ResponseWriter, _ *http.Request) {}, nil},
		{"an endless line", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write([]byte("data: "))
			piece := bytes.Repeat([]byte("x"), 1<<16)
			for {
				if _, err := w.Write(piece); err != nil {
					return
				}
			}
		}, []string{"mortar-stream-01", "openai-chat-01"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			report := judge(t, c.handler)
			var passed []string
			for _, row := range report.Requirements {
				if row.Verdict == conformance.Pass {
					passed = append(passed, row.ID)
				}
			}
			assert.Equal(t, c.passes, passed, "what is no gateway keeps nothing")
			assert.Zero(t, report.Totals[conformance.HarnessError])
		})
	}
}

func TestTargetOutOfReach(t *testing.T) {
	foreign := httptest.NewTLSServer(http.NotFoundHandler()) // nobody vouches for its certificate
	t.Cleanup(foreign.Close)
	cases := []struct{ name, url, says string }{
		{"it refuses connections", "http://127.0.0.1:1", "refused"},
		{"its certificate is not to be trusted", foreign.URL, "certificate"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			code, stdout, stderr := plumbline(t, t.Context(), "run", "--target", c.url)
			assert.Equal(t, conformance.ExitHarness, code)
			assert.Contains(t, stderr, c.says)
			assert.Empty(t, stdout, "nothing was judged, so there is no report")
		})
	}
}

func TestReportThatCannotBeWritten(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("this machine has no /dev/full")
	}
	code, _, stderr := plumbline(t, t.Context(), "run", "--tags", "@mortar-stream-01", "--report", "json:/dev/full")
	assert.Equal(t, conformance.ExitHarness, code)
	assert.Contains(t, stderr, "no space left")
}

// interruptingWriter cancels a run as soon as its progress shows that something
// is being waited for.
type interruptingWriter struct {
	cancel context.CancelFunc
}

func (w interruptingWriter) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "running") {
		w.cancel()
	}
	return len(p), nil
}

func TestInterruptedRunReportsWhatItJudged(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	t.Chdir(t.TempDir())
	root := newRootCommand()
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetErr(interruptingWriter{cancel})
	root.SetArgs([]string{"run", "--tags", "@mortar-stream-01 or @mortar-stream-26", "--report", "json"})
	var status exitStatus
	require.True(t, errors.As(root.ExecuteContext(ctx), &status))
	assert.Equal(t, conformance.ExitHarness, int(status))
	var report conformance.Report
	require.NoError(t, json.Unmarshal(out.Bytes(), &report))
	assert.True(t, report.Interrupted)
	verdicts := map[string]conformance.Verdict{}
	for _, row := range report.Requirements {
		verdicts[row.ID] = row.Verdict
	}
	assert.Equal(t, conformance.Pass, verdicts["mortar-stream-01"])
	assert.Equal(t, conformance.HarnessError, verdicts["mortar-stream-26"], "what was not judged is not a pass")
}
