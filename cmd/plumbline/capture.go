package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"plumbline.dev/plumbline/conformance"
	"plumbline.dev/plumbline/conformance/lint"
	"plumbline.dev/plumbline/conformance/report"
)

// captures keeps the streams of a run as files that lint reads. A nil one keeps
// none.
type captures struct {
	folder   string
	redactor *report.Redactor

	mu     sync.Mutex
	number int
	failed error // the first failure
}

// newCaptures makes the folder; without a name there are no captures.
func newCaptures(folder string, redactor *report.Redactor) (*captures, error) {
	if folder == "" {
		return nil, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of captures: %w", err)
	}
	return &captures{folder: folder, redactor: redactor}, nil
}

// keep writes one stream.
func (c *captures) keep(stream conformance.Captured) {
	file := lint.File{SchemaVersion: lint.FileVersion, Scenario: stream.Scenario, SentAt: stream.SentAt, Transcript: *stream.Transcript}
	if stream.Stopped {
		file.Ending = lint.Stopped
	}
	file.Transcript.Body = []byte(c.redactor.Text(string(file.Transcript.Body)))
	text, err := json.Marshal(file)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.number++
	if err == nil {
		name := fmt.Sprintf("%04d-%s.json", c.number, slug(stream.Scenario))
		err = os.WriteFile(filepath.Join(c.folder, name), text, 0o644)
	}
	c.failed = errors.Join(c.failed, err)
}

// close says what went wrong.
func (c *captures) close() error {
	if c == nil || c.failed == nil {
		return nil
	}
	return fmt.Errorf("keep the streams in %s: %w", c.folder, c.failed)
}

// slug makes a name of a file of any text.
func slug(text string) string {
	const most = 60
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	s := strings.Join(words, "-")
	return s[:min(len(s), most)]
}
