//go:build unix

package appendlog

import (
	"errors"
	"os"
	"syscall"
)

// lock makes this process the only one that appends. The system gives the lock
// back when the process ends, however that happens.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrInUse
	}
	return err
}
