//go:build !unix

package appendlog

import (
	"errors"
	"os"
)

func lock(*os.File) error {
	return errors.New("files of records need a system with file locks, such as Linux or macOS")
}
