//go:build unix

package ledger

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// killedVariable makes the test binary a process that writes to the ledger it
// names until it is killed.
const killedVariable = "LEDGER_WRITER"

func TestMain(m *testing.M) {
	if path := os.Getenv(killedVariable); path != "" {
		writeForEver(path)
	}
	os.Exit(m.Run())
}

// writeForEver tells each id on standard output when it has been acknowledged.
func writeForEver(path string) {
	f, err := Open(path)
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	first := 0
	for range f.Entries() {
		first++
	}
	var out sync.Mutex
	var writers sync.WaitGroup
	for w := range 8 {
		writers.Go(func() {
			for i := 0; ; i++ {
				id := fmt.Sprintf("%d-%d-%d", first, w, i)
				if _, err := f.Write(context.Background(), entry(id, "0.0000000000001")); err != nil {
					os.Exit(1)
				}
				out.Lock()
				fmt.Println(id)
				out.Unlock()
			}
		})
	}
	writers.Wait()
}

// Whatever was acknowledged before kill -9 is there afterwards, once.
func TestAcknowledgedEntriesSurviveKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	var acknowledged []string
	for range 3 { // each one opens what the last left
		writer := exec.Command(os.Args[0])
		writer.Env = append(os.Environ(), killedVariable+"="+path)
		stdout, err := writer.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, writer.Start())
		lines := bufio.NewScanner(stdout)
		for n := 0; lines.Scan(); n++ {
			acknowledged = append(acknowledged, lines.Text())
			if n == 200 {
				require.NoError(t, writer.Process.Kill())
			}
		}
		require.Error(t, writer.Wait(), "it was killed")
	}
	require.Greater(t, len(acknowledged), 600)

	f := open(t, path)
	times := make(map[string]int)
	for e, err := range f.Entries() {
		require.NoError(t, err)
		times[e.ID]++
	}
	for _, id := range acknowledged {
		assert.Equal(t, 1, times[id], id)
	}
	// Beyond those there are only the few that were written and not yet told.
	assert.LessOrEqual(t, len(times)-len(acknowledged), 3*8)
}
