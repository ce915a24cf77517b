package tap

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"plumbline.dev/plumbline/conformance/lint"
	"plumbline.dev/plumbline/conformance/wire"
)

// Keeper keeps the last streams that break a row as files that lint reads.
type Keeper struct {
	folder string
	most   int
	bodies bool

	mu    sync.Mutex
	next  int
	files []string // that were written, the oldest first
}

// NewKeeper keeps the last most streams in a folder, which it makes. Without
// bodies it keeps what was found and nothing of what was said.
func NewKeeper(folder string, most int, bodies bool) (*Keeper, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of kept streams: %w", err)
	}
	return &Keeper{folder: folder, most: most, bodies: bodies}, nil
}

// keptLimit bounds what is kept of one body, in bytes.
const keptLimit = 1 << 20

// kept is a body that may be kept.
type kept struct {
	keeper *Keeper
	body   []byte
	reads  []wire.Read
	cut    bool
}

func (k *Keeper) begin() *kept { return &kept{keeper: k} }

// add adds a piece, as long as there is room.
func (k *kept) add(p piece) {
	if k.keeper == nil || !k.keeper.bodies || k.cut {
		return
	}
	if k.cut = len(k.body)+len(p.bytes) > keptLimit; k.cut {
		return
	}
	k.body = append(k.body, p.bytes...)
	k.reads = append(k.reads, wire.Read{End: len(k.body), At: p.at})
}

// record is a kept file: a transcript, and what was found in it.
type record struct {
	lint.File
	Report *lint.Report `json:"report"`
}

// keep writes the file of a stream, and removes the oldest one.
func (k *kept) keep(j *judgement, report *lint.Report) error {
	if k.keeper == nil {
		return nil
	}
	t := wire.Redact(j.head)
	t.Request.Body = lint.Asked(j.head.Request.Body)
	t.End, t.EndAt, t.EndError = j.ending.end, j.ending.at, j.ending.words
	if k.keeper.bodies {
		t.Body, t.Reads = k.body, k.reads
		if k.cut {
			t.End = wire.EndLeft // what is kept of it is not all of it
		}
	} else {
		report = report.WithoutBodies()
	}
	text, err := json.Marshal(record{File: lint.File{SchemaVersion: lint.FileVersion, SentAt: j.began, Transcript: t}, Report: report})
	if err != nil {
		return fmt.Errorf("write down a stream: %w", err)
	}
	return k.keeper.write(report.Findings[0].Requirement, text)
}

func (k *Keeper) write(row string, text []byte) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.next++
	file := filepath.Join(k.folder, fmt.Sprintf("%06d-%s.json", k.next, row))
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return fmt.Errorf("keep a stream: %w", err)
	}
	k.files = append(k.files, file)
	for len(k.files) > k.most {
		if err := os.Remove(k.files[0]); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("remove the oldest kept stream: %w", err)
		}
		k.files = k.files[1:]
	}
	return nil
}
