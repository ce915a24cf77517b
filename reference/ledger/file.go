package ledger

import (
	"context"
	"fmt"
	"iter"

	"plumbline.dev/plumbline/reference/appendlog"
)

// FileName is the name of the ledger in a data directory.
const FileName = "ledger.log"

// File is a Ledger in a file of JSON lines with checksums (package appendlog).
// An entry that Write has returned survives the end of the process and of the
// machine.
type File struct {
	path string
	log  *appendlog.Log
	ids  ids
}

var _ Ledger = (*File)(nil)

// Open opens the ledger at a path, and makes it if it is missing. One process
// at a time may have it open.
func Open(path string) (*File, error) {
	log, err := appendlog.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the ledger: %w", err)
	}
	f := &File{path: path, log: log}
	for e, err := range Read(path) {
		if err != nil {
			_ = log.Close() // nothing was written
			return nil, fmt.Errorf("opening the ledger: %w", err)
		}
		f.ids.add(e.ID)
	}
	return f, nil
}

// Read yields the entries of the ledger at a path, which another process may be
// writing to; without the file there are none. An error is the last thing that
// it yields.
func Read(path string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		var seen ids // files put together by hand may repeat entries
		for record, err := range appendlog.Read(path, 0) {
			if err != nil {
				yield(Entry{}, err)
				return
			}
			e, err := decode(record.Data)
			if err != nil {
				yield(Entry{}, fmt.Errorf("reading the ledger %s: before byte %d: %w", path, record.End, err))
				return
			}
			if seen.add(e.ID) && !yield(e, nil) {
				return
			}
		}
	}
}

// Torn is how many bytes of an unfinished write were cut off by Open.
func (f *File) Torn() int64 { return f.log.Torn() }

// Write implements [Ledger]. The context does not end it: a write that has
// begun cannot be taken back.
func (f *File) Write(_ context.Context, e Entry) (bool, error) {
	record, err := e.encode()
	if err != nil {
		return false, fmt.Errorf("writing to the ledger: %w", err)
	}
	if !f.ids.add(e.ID) {
		return false, nil
	}
	if err := f.log.Append(record); err != nil {
		return false, fmt.Errorf("writing %s to the ledger: %w", e.ID, err)
	}
	return true, nil
}

// Entries implements [Ledger].
func (f *File) Entries() iter.Seq2[Entry, error] { return Read(f.path) }

// Err implements [Ledger].
func (f *File) Err() error { return f.log.Err() }

// Close implements [Ledger].
func (f *File) Close() error { return f.log.Close() }
