package idempotency

import (
	"net/http"
	"sync"
)

// tee writes a reply to the leader's client and into the recording. To whoever
// makes the reply, writing never fails: that everybody has left is told by the
// context alone, so that a reply goes on while one client waits for it.
type tee struct {
	recording *Recording
	w         http.ResponseWriter
	rc        *http.ResponseController
	once      sync.Once
	begun     bool // the head is written
	broken    bool // the leader's client cannot be written to
}

// leave says that the leader's client is gone. Any goroutine may call it.
func (t *tee) leave() { t.once.Do(t.recording.leave) }

// Header implements [http.ResponseWriter].
func (t *tee) Header() http.Header { return t.w.Header() }

// WriteHeader implements [http.ResponseWriter].
func (t *tee) WriteHeader(status int) {
	t.begun = true
	t.recording.head(status, t.w.Header())
	t.w.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (t *tee) Write(p []byte) (int, error) {
	if !t.begun {
		t.WriteHeader(http.StatusOK)
	}
	t.recording.write(p)
	if !t.broken {
		_, err := t.w.Write(p)
		t.check(err)
	}
	return len(p), nil
}

// FlushError implements what [http.ResponseController] flushes by.
func (t *tee) FlushError() error {
	if !t.broken {
		t.check(t.rc.Flush())
	}
	return nil
}

func (t *tee) check(err error) {
	if err != nil {
		t.broken = true
		t.leave()
	}
}
