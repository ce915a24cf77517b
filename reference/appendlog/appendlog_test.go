package appendlog

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// all reads the records of a file, up to an error.
func all(path string) (records []string, end int64, err error) {
	for record, err := range Read(path, 0) {
		if err != nil {
			return records, end, err
		}
		records, end = append(records, string(record.Data)), record.End
	}
	return records, end, nil
}

func line(record string) string { return string(appendLine(nil, []byte(record))) }

func open(t *testing.T, path string) *Log {
	t.Helper()
	l, err := Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func TestWhatIsAppendedIsReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	records, _, err := all(path)
	require.NoError(t, err, "a file that is missing")
	require.Empty(t, records)

	l := open(t, path)
	require.NoError(t, l.Append([]byte(`{"a":1}`)))
	require.NoError(t, l.Append([]byte(`b c`)))
	records, end, err := all(path)
	require.NoError(t, err, "while it is open")
	assert.Equal(t, []string{`{"a":1}`, "b c"}, records)
	require.NoError(t, l.Close())

	l = open(t, path)
	assert.Zero(t, l.Torn())
	require.NoError(t, l.Append([]byte("d")))
	records = nil
	for record, err := range Read(path, end) {
		require.NoError(t, err)
		records = append(records, string(record.Data))
	}
	assert.Equal(t, []string{"d"}, records, "from where another read ended")

	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "for its owner alone")
}

func TestAppendRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l := open(t, path)
	for name, record := range map[string][]byte{
		"nothing": nil, "a newline": []byte("a\nb"), "too much": bytes.Repeat([]byte("x"), maxRecord+1),
	} {
		require.Error(t, l.Append(record), name)
	}
	require.NoError(t, l.Append(bytes.Repeat([]byte("x"), maxRecord)), "the longest")
	require.NoError(t, l.Close())
	require.ErrorIs(t, l.Append([]byte("late")), errClosed)
	records, _, err := all(path)
	require.NoError(t, err)
	assert.Len(t, records, 1)
}

func TestOneProcessAppends(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l := open(t, path)
	_, err := Open(path)
	require.ErrorIs(t, err, ErrInUse)
	require.NoError(t, l.Close())
	open(t, path)
}

func TestOpenFailsWhereThereIsNoPlace(t *testing.T) {
	_, err := Open(filepath.Join(t.TempDir(), "missing", "log"))
	require.ErrorContains(t, err, "no such file")
}

// TestTornEnds tries every way in which a file can end badly.
func TestTornEnds(t *testing.T) {
	good := line("one") + line("two")
	tests := map[string]string{
		"half a line":                  "0123abcd thr",
		"a line without its newline":   strings.TrimSuffix(line("three"), "\n"),
		"a whole line of a wrong sum":  "00000000 three\n",
		"two of them":                  "00000000 three\n00000000 four\n",
		"zeros":                        strings.Repeat("\x00", 5000),
		"more zeros than a line holds": strings.Repeat("\x00", 3*maxLine),
		"an empty line":                "\n",
		"a sum alone":                  "0123abcd\n",
		"no hexadecimal digits":        "zzzzzzzz x\n",
		"digits in capitals":           strings.ToUpper(line("k")[:8]) + " k\n",
	}
	for n := 1; n < len(line("three")); n++ {
		tests[fmt.Sprintf("%d bytes of a line", n)] = line("three")[:n]
	}
	for name, torn := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			require.NoError(t, os.WriteFile(path, []byte(good+torn), 0o600))
			records, end, err := all(path)
			require.NoError(t, err)
			assert.Equal(t, []string{"one", "two"}, records)
			assert.EqualValues(t, len(good), end)

			l := open(t, path)
			assert.EqualValues(t, len(torn), l.Torn())
			require.NoError(t, l.Append([]byte("three")))
			whole, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, good+line("three"), string(whole))
		})
	}
}

func TestDamageIsNoTornEnd(t *testing.T) {
	for name, damaged := range map[string]string{
		"a changed digit":      line("one") + strings.Replace(line("usd 10"), "10", "90", 1) + line("two"),
		"a line that is lost":  line("one") + "\n" + line("two"),
		"zeros between":        line("one") + strings.Repeat("\x00", 2*maxLine) + "\n" + line("two"),
		"two lines put in one": line("one") + strings.TrimSuffix(line("a"), "\n") + line("b") + line("two"),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			require.NoError(t, os.WriteFile(path, []byte(damaged), 0o600))
			records, _, err := all(path)
			var damage *DamageError
			require.ErrorAs(t, err, &damage)
			assert.EqualValues(t, len(line("one")), damage.Offset)
			assert.ErrorContains(t, err, path)
			assert.Equal(t, []string{"one"}, records)
			_, err = Open(path)
			require.ErrorAs(t, err, &damage)
			left, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, damaged, string(left), "nothing is cut off")
		})
	}
}

func TestConcurrentAppendsShareTheDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l := open(t, path)
	var wait sync.WaitGroup
	want := make(map[string]bool)
	for i := range 20 {
		for j := range 20 {
			want[fmt.Sprintf("%d-%d", i, j)] = true
		}
		wait.Go(func() {
			for j := range 20 {
				assert.NoError(t, l.Append(fmt.Appendf(nil, "%d-%d", i, j)))
			}
		})
	}
	wait.Wait()
	records, _, err := all(path)
	require.NoError(t, err)
	assert.Len(t, records, len(want))
	for _, r := range records {
		delete(want, r)
	}
	assert.Empty(t, want)
}

// A disk that fails once is not trusted again: what is on it is not known.
func TestAfterAFailureNothingIsAppended(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "log"))
	require.NoError(t, l.Err())
	require.NoError(t, l.file.Close()) // the next write fails
	require.ErrorIs(t, l.Append([]byte("a")), os.ErrClosed)
	require.ErrorIs(t, l.Err(), os.ErrClosed)
	require.ErrorIs(t, l.Append([]byte("b")), os.ErrClosed)
}

// FuzzRead reads and opens files of any content: no panic, no endless loop, and
// what Open leaves is read without an error.
func FuzzRead(f *testing.F) {
	f.Add([]byte(line("one") + line("two")))
	f.Add([]byte(line("one") + "torn"))
	f.Add([]byte(line("one") + "bad\n" + line("two")))
	f.Add([]byte("\n\n\x00"))
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "log")
		require.NoError(t, os.WriteFile(path, content, 0o600))
		records, end, err := all(path)
		require.LessOrEqual(t, end, int64(len(content)))
		l, openErr := Open(path)
		require.Equal(t, err == nil, openErr == nil)
		if openErr != nil {
			return
		}
		require.NoError(t, l.Append([]byte("more")))
		require.NoError(t, l.Close())
		again, _, err := all(path)
		require.NoError(t, err)
		require.Equal(t, append(records, "more"), again)
	})
}
