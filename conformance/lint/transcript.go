package lint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"plumbline.dev/plumbline/conformance/wire"
)

// File is a transcript as plumbline writes it: one JSON object. Offsets of
// findings in it count from the beginning of its body.
type File struct {
	SchemaVersion int       `json:"schemaVersion"`
	Scenario      string    `json:"scenario,omitempty"` // that sent the request
	SentAt        time.Time `json:"sentAt"`
	// Ending is how the reply was to end, "" where the stream itself tells.
	Ending     Ending          `json:"ending,omitempty"`
	Transcript wire.Transcript `json:"transcript"`
}

// FileVersion is the version of [File].
const FileVersion = 1

// isTranscript tells whether a file is a JSON object with a transcript in it.
func isTranscript(file []byte) bool {
	text := bytes.TrimLeft(file, " \t\r\n")
	return bytes.HasPrefix(text, []byte("{")) && bytes.Contains(text[:min(len(text), 4<<10)], []byte(`"transcript"`))
}

func (c *Capture) readTranscript(file []byte) error {
	var f File
	if err := json.Unmarshal(file, &f); err != nil {
		return fmt.Errorf("read the transcript: %w", err)
	}
	if f.SchemaVersion != FileVersion {
		return fmt.Errorf("read the transcript: its schemaVersion is %d, this plumbline reads %d", f.SchemaVersion, FileVersion)
	}
	c.Form, c.Transcript, c.ending = formTranscript, f.Transcript, f.Ending
	c.asked = len(f.Transcript.Request.Body) > 0
	c.sentAt = f.SentAt
	c.file = f.Transcript.Body
	return nil
}
