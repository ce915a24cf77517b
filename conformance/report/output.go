package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"plumbline.dev/plumbline/conformance"
)

// Output writes the reports of one run.
type Output struct {
	Stdout   io.Writer
	Screen   Screen    // what Stdout can show
	Redactor *Redactor // nil masks only what looks like a key
}

// Write writes every report asked for. One that cannot be written does not
// keep the others from being written; the error joins what went wrong, and
// means that the harness failed.
func (o Output) Write(rep *conformance.Report, specs []Spec) error {
	clean := o.Redactor.Report(rep)
	var problems []error
	for _, spec := range specs {
		if err := o.write(clean, spec); err != nil {
			problems = append(problems, fmt.Errorf("writing the %s report: %w", spec.Format, err))
		}
	}
	return errors.Join(problems...)
}

func (o Output) write(rep *conformance.Report, spec Spec) error {
	format, err := find(spec.Format)
	if err != nil {
		return err
	}
	screen := o.Screen
	if spec.Path != "" {
		screen = Screen{}
	}
	var text bytes.Buffer
	if err := format.encode(&text, rep, screen); err != nil {
		return err
	}
	if spec.Path == "" {
		_, err := o.Stdout.Write(text.Bytes())
		return err
	}
	return writeFile(spec.Path, text.Bytes())
}

// writeFile replaces the file at path as a whole and makes its folders.
func writeFile(path string, data []byte) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // else the rename would replace the link
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder: name a file in it", path)
	case err == nil && !info.Mode().IsRegular():
		return writeThrough(path, data) // a device or a pipe must not be replaced
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("making the folder of %s: %w", path, err)
	}
	temporary, err := os.CreateTemp(folder, "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	err = fill(temporary, data)
	if err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	return nil
}

// fill writes and closes f. It syncs, because some file systems report a full
// disk no sooner.
func fill(f *os.File, data []byte) error {
	_, err := f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = f.Chmod(0o644) // readable for the next step of a CI build
	}
	return errors.Join(err, f.Close())
}

func writeThrough(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
