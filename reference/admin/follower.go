package admin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Follower sees the decisions of others as they are made. One goroutine at a
// time uses it.
type Follower struct {
	path  string
	state *State
	size  int64 // of the file when it was last read
}

// Follow begins to follow the decisions in a file, which may come later.
func Follow(path string) (*Follower, error) {
	f := &Follower{path: path, state: new(State)}
	if _, err := f.Refresh(); err != nil {
		return nil, err
	}
	return f, nil
}

// State is what the decisions add up to, as of the last Refresh. It changes
// with the next one.
func (f *Follower) State() *State { return f.state }

// Refresh takes in new decisions, and tells whether there were any. It costs no
// more than asking for the size of a file when there are none. After an error,
// which is told once, the decisions before it hold.
func (f *Follower) Refresh() (changed bool, err error) {
	info, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("following the administrator's decisions: %w", err)
	}
	if info.Size() == f.size {
		return false, nil
	}
	f.size = info.Size()
	before := f.state.end
	if err := f.state.read(f.path); err != nil {
		return f.state.end > before, fmt.Errorf("following the administrator's decisions: %w", err)
	}
	return f.state.end > before, nil
}
