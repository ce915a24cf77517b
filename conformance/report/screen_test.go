package report

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestScreenOfWhatIsNoTerminal(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out.txt"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() })
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = null.Close() })

	assert.Equal(t, Screen{}, ScreenOf(&bytes.Buffer{}, os.Getenv))
	assert.Equal(t, Screen{}, ScreenOf(file, os.Getenv))
	assert.Equal(t, Screen{}, ScreenOf(null, os.Getenv), "a device that is no terminal")
}

func TestScreenWidth(t *testing.T) {
	for columns, want := range map[int]int{0: minWidth, 59: minWidth, 80: 80, 500: maxWidth} {
		assert.Equal(t, want, Screen{Columns: func() int { return columns }}.width())
	}
	assert.Equal(t, defaultWidth, Screen{}.width())
}

func TestPaint(t *testing.T) {
	assert.Equal(t, "x", Screen{}.paint(red, "x"))
	assert.Equal(t, "\x1b[1;31mx\x1b[0m", Screen{Color: true}.paint(red, "x"))
	assert.Equal(t, "x", Screen{Color: true}.paint(plain, "x"))
}
