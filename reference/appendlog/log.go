package appendlog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// Log is a file that is open for appending. It is safe for concurrent use.
type Log struct {
	path string
	torn int64

	mu   sync.Mutex
	next *batch // that records join; nil if none is waiting
	err  error  // why nothing can be appended any more

	disk sync.Mutex // held while a batch is written
	file *os.File
}

// batch is records that reach the disk together.
type batch struct {
	lines []byte
	done  chan struct{}
	err   error // set before done is closed
}

// ErrInUse says that another process has the file open for appending.
var ErrInUse = errors.New("another process is using it")

var errClosed = errors.New("the file is closed")

// Open opens a file for appending, for its owner alone, and makes it if it is
// missing. A torn end is cut off. It fails with [ErrInUse] or a [*DamageError].
func Open(path string) (*Log, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening a file of records: %w", err)
	}
	l := &Log{path: path, file: f}
	if err := l.prepare(); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	return l, nil
}

func (l *Log) prepare() error {
	if err := lock(l.file); err != nil {
		return err
	}
	end := int64(0)
	for record, err := range Read(l.path, 0) {
		if err != nil {
			return err
		}
		end = record.End
	}
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	if l.torn = info.Size() - end; l.torn > 0 {
		if err := l.file.Truncate(end); err != nil {
			return fmt.Errorf("cutting off a torn end: %w", err)
		}
	}
	if err := l.file.Sync(); err != nil {
		return err
	}
	return syncDir(filepath.Dir(l.path))
}

// syncDir makes the name of a new file survive the machine.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	return errors.Join(err, d.Close())
}

// Torn is how many bytes of a torn end were cut off when the file was opened.
func (l *Log) Torn() int64 { return l.torn }

// Append appends a record and returns when it is on the disk. Records of
// concurrent calls share one write and one sync: whoever comes first writes for
// all that come while the disk is busy.
//
// After a write has failed nobody knows what the disk holds, so every later call
// fails too, until the file is opened anew.
func (l *Log) Append(record []byte) error {
	if len(record) == 0 || len(record) > maxRecord {
		return fmt.Errorf("appending to %s: a record of %d bytes: it must have 1 to %d", l.path, len(record), maxRecord)
	}
	for _, c := range record {
		if c == '\n' {
			return fmt.Errorf("appending to %s: the record holds a newline", l.path)
		}
	}
	l.mu.Lock()
	b, first := l.next, l.next == nil
	if first {
		b = &batch{done: make(chan struct{})}
		l.next = b
	}
	b.lines = appendLine(b.lines, record)
	l.mu.Unlock()
	if first {
		l.commit(b)
	}
	<-b.done
	if b.err != nil {
		return fmt.Errorf("appending to %s: %w", l.path, b.err)
	}
	return nil
}

func (l *Log) commit(b *batch) {
	l.disk.Lock()
	defer l.disk.Unlock()
	l.mu.Lock()
	l.next = nil // from here on b is full
	b.err = l.err
	l.mu.Unlock()
	if b.err == nil {
		b.err = l.write(b.lines)
	}
	close(b.done)
}

func (l *Log) write(lines []byte) error {
	_, err := l.file.Write(lines)
	if err == nil {
		err = l.file.Sync()
	}
	if err != nil {
		l.fail(err)
	}
	return err
}

func (l *Log) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = err
	}
}

// Err is why nothing can be appended any more, nil while all is well.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Close waits for what is being appended, and lets the file go.
func (l *Log) Close() error {
	l.fail(errClosed)
	l.disk.Lock()
	defer l.disk.Unlock()
	if err := l.file.Close(); err != nil {
		return fmt.Errorf("closing a file of records: %w", err)
	}
	return nil
}
