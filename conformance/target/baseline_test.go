package target_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance/target"
)

var rows = []string{"mortar-stream-07", "mortar-stream-25", "mortar-cancel-05", "mortar-models-02"}

func baseline(t *testing.T, text string) (target.Baseline, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "known.txt")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return target.LoadBaseline(path, rows)
}

func TestBaselineForms(t *testing.T) {
	tests := map[string]string{
		"plain lines":   "# ours\n\nmortar-stream-25  # adds gzip\nmortar-cancel-05\n",
		"a YAML list":   "---\n- mortar-stream-25 # adds gzip\n- mortar-cancel-05\n",
		"a YAML map":    "mortar-stream-25: adds gzip\nmortar-cancel-05:\n",
		"tags, CRLF":    "\ufeff@mortar-stream-25 # adds gzip\r\n@mortar-cancel-05\r\n",
		"quoted scalar": "- \"mortar-stream-25\" # adds gzip\n- 'mortar-cancel-05'",
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			b, err := baseline(t, text)
			require.NoError(t, err)
			assert.Equal(t, []string{"mortar-cancel-05", "mortar-stream-25"}, b.Rows())
			reason, listed := b.Excuses("mortar-stream-25")
			assert.True(t, listed)
			assert.Equal(t, "adds gzip", reason)
			reason, listed = b.Excuses("mortar-cancel-05")
			assert.True(t, listed)
			assert.Empty(t, reason)
			_, listed = b.Excuses("mortar-stream-07")
			assert.False(t, listed)
		})
	}
}

func TestBaselineErrors(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"unknown row":      {"\nmortar-steam-25 # x", `known.txt:2: unknown row "mortar-steam-25": did you mean "mortar-stream-25"?`},
		"twice":            {"mortar-stream-07\nmortar-stream-07", "known.txt:2: mortar-stream-07 is listed twice"},
		"two on a line":    {"mortar-stream-07, mortar-stream-25", "known.txt:1: expected one row a line"},
		"a flow list":      {"[mortar-stream-07]", "known.txt:1: expected one row a line"},
		"a reason alone":   {": because", "known.txt:1: expected one row a line"},
		"reason not apart": {"mortar-stream-07 because", "known.txt:1: expected one row a line"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := baseline(t, tt.text)
			require.ErrorContains(t, err, tt.want)
		})
	}

	_, err := baseline(t, "a-1\nb-2\n")
	require.Error(t, err)
	assert.Len(t, strings.Split(err.Error(), "\n"), 2, "every problem is listed")

	_, err = target.LoadBaseline("missing.txt", rows)
	require.ErrorContains(t, err, "reading the baseline: open missing.txt")
}

func TestNoBaseline(t *testing.T) {
	b, err := target.LoadBaseline("", rows)
	require.NoError(t, err)
	assert.Empty(t, b.Rows())
	_, listed := b.Excuses("mortar-stream-07")
	assert.False(t, listed)
}

func FuzzBaseline(f *testing.F) {
	for _, seed := range []string{"mortar-stream-25 # x", "- a: b", "---", "#", "[", ":", "\ufeff"} {
		f.Add(seed)
	}
	path := filepath.Join(f.TempDir(), "known.txt")
	f.Fuzz(func(t *testing.T, text string) {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		b, err := target.LoadBaseline(path, rows)
		if err == nil {
			require.Subset(t, rows, b.Rows())
		}
	})
}
