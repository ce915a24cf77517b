package tap_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance/lint"
	"plumbline.dev/plumbline/conformance/tap"
)

func keepFiles(t *testing.T, bodies bool, streams int, pieces ...string) ([]string, *rig) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "kept")
	keeper, err := tap.NewKeeper(folder, 2, bodies)
	require.NoError(t, err)
	r := newRig(t, streaming(pieces...), func(o *tap.Options) { o.Keep = keeper })
	for range streams {
		_, err := io.Copy(io.Discard, post(t, t.Context(), r.url).Body)
		require.NoError(t, err)
		r.proxy.Wait()
	}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	require.NoError(t, err)
	return files, r
}

func TestTheLastOffendingStreamsAreKept(t *testing.T) {
	broken := append(reply(40), "data: [DONE]\n\n")
	files, r := keepFiles(t, true, 4, broken...)
	require.Len(t, files, 2)
	assert.Equal(t, "000004-mortar-stream-11.json", filepath.Base(files[1]))
	text, err := os.ReadFile(files[1])
	require.NoError(t, err)
	assert.NotContains(t, string(text), "canary", "neither the key nor the prompt")

	report, err := lint.Judge(files[1], text, lint.Options{})
	require.NoError(t, err)
	require.Len(t, report.Findings, 1)
	assert.Equal(t, r.found[0].Findings, report.Findings, "lint finds in the file what the tap found")
}

func TestGoodStreamsAreNotKept(t *testing.T) {
	files, _ := keepFiles(t, true, 2, reply(3)...)
	assert.Empty(t, files)
}

func TestWithoutBodiesNothingOfWhatWasSaidIsKept(t *testing.T) {
	files, _ := keepFiles(t, false, 1, strings.Replace(reply(3)[0], `"delta"`, `"secret saying":1,"delta"`, 1))
	require.Len(t, files, 1)
	text, err := os.ReadFile(files[0])
	require.NoError(t, err)
	assert.Contains(t, string(text), "mortar-stream-30")
	assert.NotContains(t, string(text), "secret saying")
	assert.NotContains(t, string(text), "canary")
}
