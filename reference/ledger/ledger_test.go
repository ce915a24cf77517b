package ledger

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/appendlog"
	"plumbline.dev/plumbline/reference/price"
)

func entry(id, usd string) Entry {
	return Entry{
		ID: id, Org: "org", KeyID: "web", Model: "m", Kind: Finish, USD: price.MustParseMoney(usd),
		At: time.UnixMilli(1_700_000_000_123), Prompt: 12, Cached: 4, CacheWrite: -1, Completion: 7, Estimated: true,
		Retry: &Retry{Key: "k", Request: "r"},
	}
}

func open(t *testing.T, path string) *File {
	t.Helper()
	f, err := Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// read reads all entries; each is told by its id and its amount.
func read(t *testing.T, path string) (entries []string) {
	t.Helper()
	for e, err := range Read(path) {
		require.NoError(t, err)
		entries = append(entries, e.ID+" "+e.USD.String())
	}
	return entries
}

func TestEntriesSurviveExactly(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	f := open(t, path)
	want := entry("chatcmpl-1", "0.0000020460375")
	written, err := f.Write(context.Background(), want)
	require.NoError(t, err)
	require.True(t, written)
	require.NoError(t, f.Close())

	f = open(t, path)
	var got []Entry
	for e, err := range f.Entries() {
		require.NoError(t, err)
		got = append(got, e)
	}
	require.Len(t, got, 1)
	assert.Zero(t, want.USD.Cmp(got[0].USD))
	want.USD, got[0].USD = price.Money{}, price.Money{}
	assert.Equal(t, want, got[0])
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"usd":"0.0000020460375"`, "an amount is text, never a float")
}

func TestOneEntryPerCompletion(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	f := open(t, path)
	var wait sync.WaitGroup
	wrote := make(chan bool, 100)
	for range 100 {
		wait.Go(func() {
			written, err := f.Write(context.Background(), entry("a", "1"))
			assert.NoError(t, err)
			wrote <- written
		})
	}
	wait.Wait()
	close(wrote)
	n := 0
	for w := range wrote {
		if w {
			n++
		}
	}
	assert.Equal(t, 1, n)
	require.NoError(t, f.Close())

	f = open(t, path)
	written, err := f.Write(context.Background(), entry("a", "2"))
	require.NoError(t, err)
	assert.False(t, written, "nor after a restart")
	assert.Equal(t, []string{"a 1"}, read(t, path))

	var m Memory
	for i, want := range []bool{true, false} {
		written, err := m.Write(context.Background(), entry("a", "1"))
		require.NoError(t, err)
		assert.Equal(t, want, written, i)
	}
}

func TestRepeatedLinesCountOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	f := open(t, path)
	_, err := f.Write(context.Background(), entry("a", "1"))
	require.NoError(t, err)
	require.NoError(t, f.Close())
	once, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, slices.Concat(once, once), 0o600))
	assert.Equal(t, []string{"a 1"}, read(t, path))
}

func TestOldIdsAreForgottenTheRecentOnesNot(t *testing.T) {
	var s ids
	for i := range remembered + 10 {
		require.True(t, s.add(fmt.Sprint(i)))
	}
	assert.Len(t, s.known, remembered)
	assert.False(t, s.add(fmt.Sprint(remembered+9)))
	assert.False(t, s.add("10"))
	assert.True(t, s.add("9"), "the oldest made room")
}

func TestWriteRefusesWhatIsNoEntry(t *testing.T) {
	f := open(t, filepath.Join(t.TempDir(), FileName))
	for want, change := range map[string]func(*Entry){
		"no completion id": func(e *Entry) { e.ID = "" },
		"no organization":  func(e *Entry) { e.Org = "" },
		"the kind":         func(e *Entry) { e.Kind = "x" },
		"negative":         func(e *Entry) { e.USD = price.MustParseMoney("-1") },
	} {
		e := entry("a", "1")
		change(&e)
		_, err := f.Write(context.Background(), e)
		require.ErrorContains(t, err, want)
		_, err = new(Memory).Write(context.Background(), e)
		require.ErrorContains(t, err, want)
	}
	written, err := f.Write(context.Background(), entry("a", "1"))
	require.NoError(t, err)
	assert.True(t, written, "what was refused was not written")
}

func TestReadRefusesWhatIsNoLedger(t *testing.T) {
	for want, record := range map[string]string{
		"it is no entry":     `[1]`,
		"no completion id":   `{"org":"o","kind":"finish","usd":"1"}`,
		"is not an amount":   `{"id":"a","org":"o","kind":"finish","usd":"1,5"}`,
		"the amount is miss": `{"id":"a","org":"o","kind":"finish"}`,
		"cannot unmarshal":   `{"id":"a","org":"o","kind":"finish","usd":0.1}`,
	} {
		path := filepath.Join(t.TempDir(), FileName)
		log, err := appendlog.Open(path)
		require.NoError(t, err)
		require.NoError(t, log.Append([]byte(record)))
		require.NoError(t, log.Close())
		_, err = Open(path)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, path)
		// Nobody holds the file after a failure.
		log, err = appendlog.Open(path)
		require.NoError(t, err)
		require.NoError(t, log.Close())
	}
}

func TestATornEntryIsCutOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	f := open(t, path)
	_, err := f.Write(context.Background(), entry("a", "1"))
	require.NoError(t, err)
	require.NoError(t, f.Close())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, append(whole, whole[:20]...), 0o600))
	f = open(t, path)
	assert.EqualValues(t, 20, f.Torn())
	_, err = f.Write(context.Background(), entry("b", "2"))
	require.NoError(t, err)
	assert.Equal(t, []string{"a 1", "b 2"}, read(t, path))
}

// FuzzDecode reads any record: no panic, and what is read is written and read
// again as the same.
func FuzzDecode(f *testing.F) {
	for _, usd := range []string{"1", "0.0000020460375", "0"} {
		record, err := entry("a", usd).encode()
		require.NoError(f, err)
		f.Add(string(record))
	}
	f.Add(`{"usd":"1e999999999"}`)
	f.Add(strings.Repeat(`[`, 1000))
	f.Fuzz(func(t *testing.T, record string) {
		e, err := decode([]byte(record))
		if err != nil {
			return
		}
		encoded, err := e.encode()
		require.NoError(t, err)
		again, err := decode(encoded)
		require.NoError(t, err)
		require.Zero(t, e.USD.Cmp(again.USD))
		require.Equal(t, e.ID, again.ID)
		require.Equal(t, e.At.UnixMilli(), again.At.UnixMilli())
	})
}
