package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReportAgainstFindings(t *testing.T) {
	known := []finding{{row: "a-01", why: "it always does"}, {row: "a-02", why: "it depends", sometimes: true}}
	tests := []struct {
		name, rows, wantErr, wantLog string
	}{
		{name: "as known", rows: `{"id":"a-01","verdict":"fail"},{"id":"a-02","verdict":"pass"},{"id":"a-03","verdict":"pass"}`, wantLog: "      a-01: it always does\n"},
		{"one sometimes", `{"id":"a-01","verdict":"fail"},{"id":"a-02","verdict":"fail"}`, "", "      a-01: it always does\n      a-02: it depends\n"},
		{name: "one more fails", rows: `{"id":"a-01","verdict":"fail"},{"id":"a-03","verdict":"fail","reason":"no [DONE]"}`, wantErr: "a-03 fails: no [DONE]", wantLog: "      a-01: it always does\n"},
		{name: "a known one passes", rows: `{"id":"a-01","verdict":"pass"}`, wantErr: "a-01 passes, although it always does"},
		{name: "a known one could not be judged", rows: `{"id":"a-01","verdict":"inconclusive","reason":"no key"}`, wantErr: "a-01, which is known to fail, was not judged: no key"},
		{name: "one that fails sometimes could not be judged", rows: `{"id":"a-02","verdict":"inconclusive"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "report.json")
			require.NoError(t, os.WriteFile(path, []byte(`{"totals":{"pass":1},"requirements":[`+test.rows+`]}`), 0o600))
			r, err := readReport(path)
			require.NoError(t, err)
			var log strings.Builder
			err = r.compare(known, &log)
			if test.wantErr == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, test.wantErr)
			}
			assert.Equal(t, test.wantLog, log.String())
		})
	}
}

func TestReportWithoutAnyPassIsNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"totals":{"inconclusive":3}}`), 0o600))
	_, err := readReport(path)
	assert.ErrorContains(t, err, "not one row passed")
}
