package report

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOutputWritesFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out", "deep", "report.json")
	var stdout bytes.Buffer
	o := Output{Stdout: &stdout, Screen: Screen{Color: true}}
	specs := []Spec{{Format: "pretty"}, {"json", path}, {"pretty", filepath.Join(dir, "run.txt")}}
	require.NoError(t, o.Write(sample(), specs))

	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(encodedJSON(t, NewRedactor().Report(sample()))), string(text))
	assert.Contains(t, stdout.String(), "\x1b[", "the screen has colours")
	plainText, err := os.ReadFile(filepath.Join(dir, "run.txt"))
	require.NoError(t, err)
	assert.NotContains(t, string(plainText), "\x1b[", "a file has none")

	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, entries, 1, "no temporary file is left")
	info, err := os.Stat(path)
	require.NoError(t, err)
	if runtime.GOOS != "windows" {
		assert.Equal(t, os.FileMode(0o644), info.Mode().Perm())
	}
}

func TestOutputReplacesAWholeFile(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real.json"), filepath.Join(dir, "link.json")
	require.NoError(t, os.WriteFile(real, bytes.Repeat([]byte("x"), 1<<20), 0o600))
	require.NoError(t, os.Symlink(real, link))
	require.NoError(t, Output{}.Write(allPass(), []Spec{{"json", link}}))
	text, err := os.ReadFile(real)
	require.NoError(t, err)
	assert.Equal(t, string(encodedJSON(t, allPass())), string(text))
	info, err := os.Lstat(link)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&os.ModeSymlink, "the link stays a link")
}

func TestOutputErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, []byte("kept"), 0o600))

	t.Run("a full disk", func(t *testing.T) {
		if _, err := os.Stat("/dev/full"); err != nil {
			t.Skip("this system has no /dev/full")
		}
		err := Output{}.Write(sample(), []Spec{{"junit", "/dev/full"}})
		require.ErrorContains(t, err, "writing the junit report: write /dev/full: no space left on device")
		info, err := os.Stat("/dev/full")
		require.NoError(t, err)
		assert.NotZero(t, info.Mode()&os.ModeDevice, "a device is never replaced by a file")

		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		require.NoError(t, err)
		t.Cleanup(func() { _ = full.Close() })
		err = Output{Stdout: full}.Write(sample(), []Spec{{Format: "pretty"}})
		require.ErrorContains(t, err, "writing the pretty report: write /dev/full: no space left on device")
	})
	t.Run("a file in place of a folder", func(t *testing.T) {
		err := Output{}.Write(sample(), []Spec{{"json", filepath.Join(file, "r.json")}})
		require.ErrorContains(t, err, "not a directory")
	})
	t.Run("a folder in place of a file", func(t *testing.T) {
		err := Output{}.Write(sample(), []Spec{{"json", dir}})
		require.ErrorContains(t, err, dir+" is a folder: name a file in it")
	})
	t.Run("the other reports are written all the same", func(t *testing.T) {
		good := filepath.Join(dir, "good.json")
		err := Output{}.Write(sample(), []Spec{{"json", dir}, {"json", good}})
		require.Error(t, err)
		assert.FileExists(t, good)
	})
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "kept", string(text))
}

// A write that fails half-way leaves what was there before, and nothing beside.
func TestWriteFileCleansUp(t *testing.T) {
	dir := t.TempDir()
	closed, err := os.CreateTemp(dir, "closed")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	require.Error(t, fill(closed, []byte("x")), "an error of any step is reported")
}
