package appendlog

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
)

// Record is one record of a file.
type Record struct {
	// Data is valid until the next record is read.
	Data []byte
	// End is the offset in the file behind the record, from which a later [Read]
	// goes on.
	End int64
}

// DamageError says that a file is damaged before its end.
type DamageError struct {
	Path   string
	Offset int64 // of the line that is not whole
}

// Error tells the place, and what can be done.
func (e *DamageError) Error() string {
	return fmt.Sprintf("%s is damaged: the line at byte %d fails its checksum and good lines follow it; restore the file from a backup, or take the line out after looking at it", e.Path, e.Offset)
}

// Read yields the records of a file from an offset on; without the file there
// are none. A torn end is left out, be it from a crash or because somebody is
// appending just now. An error is the last thing that it yields.
func Read(path string, from int64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err == nil {
			defer func() { _ = f.Close() }() // it was only read
			_, err = f.Seek(from, io.SeekStart)
		}
		if err != nil {
			yield(Record{}, fmt.Errorf("reading records: %w", err))
			return
		}
		records(bufio.NewReaderSize(f, maxLine), path, from, yield)
	}
}

func records(r *bufio.Reader, path string, at int64, yield func(Record, error) bool) {
	bad := int64(-1) // where the first bad line begins
	for {
		line, err := r.ReadSlice('\n')
		long := errors.Is(err, bufio.ErrBufferFull)
		switch {
		case errors.Is(err, io.EOF):
			return
		case err != nil && !long:
			yield(Record{}, fmt.Errorf("reading records of %s: %w", path, err))
			return
		}
		record, ok := parseLine(line)
		switch {
		case !ok && bad < 0:
			bad = at
		case ok && bad >= 0:
			yield(Record{}, &DamageError{path, bad})
			return
		}
		at += int64(len(line))
		if ok && !yield(Record{record, at}, nil) {
			return
		}
	}
}
