package replies

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// Golden compares what a format wrote of a reply with the file in testdata.
func Golden(t *testing.T, name, extension string, got []byte) {
	t.Helper()
	if extension == ".json" {
		require.True(t, json.Valid(got), "%s", got)
	} else {
		Frames(t, got)
	}
	path := filepath.Join("testdata", strings.ReplaceAll(name, " ", "_")+extension)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "write it with: go test -run %s . -update", t.Name())
	assert.Equal(t, string(want), string(got))
}

// Frame is one event of a stream.
type Frame struct{ Event, Data string }

// Frames reads a stream. It accepts nothing but the exact form that the gateway
// writes: an optional event line, one data line, an empty line; or a comment.
func Frames(t testing.TB, stream []byte) (frames []Frame) {
	t.Helper()
	require.True(t, strings.HasSuffix(string(stream), "\n\n"), "the last event ends")
	for text := range strings.SplitSeq(strings.TrimSuffix(string(stream), "\n\n"), "\n\n") {
		if strings.HasPrefix(text, ": ") {
			continue
		}
		var f Frame
		if rest, named := strings.CutPrefix(text, "event: "); named {
			f.Event, text, _ = strings.Cut(rest, "\n")
		}
		data, ok := strings.CutPrefix(text, "data: ")
		require.True(t, ok && !strings.ContainsAny(data, "\r\n"), "%q", text)
		require.True(t, data == "[DONE]" || json.Valid([]byte(data)), "%q", data)
		f.Data = data
		frames = append(frames, f)
	}
	return frames
}
