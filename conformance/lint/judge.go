package lint

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"plumbline.dev/plumbline/conformance/catalogue"
	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/nearest"
	"plumbline.dev/plumbline/conformance/wire"
	"plumbline.dev/plumbline/features"
)

// Ending says how a reply was to end, which decides what is right at its end.
type Ending string

// Endings of a reply.
const (
	Complete Ending = "complete" // the model finished
	Failed   Ending = "failed"   // the model server failed in its middle
	Stopped  Ending = "stopped"  // it was stopped by its id
)

// Options are the choices of Judge. What is not given is guessed.
type Options struct {
	Format  string // chat, …; see Formats
	Profile string // of the catalogue
	Ending  Ending
	// Partial says that the capture begins or ends in the middle of the stream,
	// so that what is missing there is nobody's fault.
	Partial bool
	// IncludeUsage says whether usage was asked for.
	IncludeUsage *bool
}

// allRows is the catalogue, which never changes.
var allRows = sync.OnceValues(func() (*catalogue.Catalogue, error) { return catalogue.Load(features.FS) })

// UsageError says that an option, or the file, is not right.
type UsageError struct{ Problem string }

func (e *UsageError) Error() string { return e.Problem }

// Judge judges the contents of a file. The error is a *UsageError, or says that
// there is no stream in the file.
func Judge(name string, file []byte, o Options) (*Report, error) {
	rows, err := allRows()
	if err != nil {
		return nil, err
	}
	if err := o.validate(rows); err != nil {
		return nil, err
	}
	c, err := Read(file)
	if err != nil {
		return nil, &UsageError{Problem: fmt.Sprintf("%s: %v", name, err)}
	}
	if o.Partial || c.Transcript.End == wire.EndLeft {
		o.Partial = true
		c.Transcript.End = wire.EndLeft
	}
	if o.Ending == "" {
		o.Ending = c.ending
	}
	f, err := c.format(o.Format)
	if err != nil {
		return nil, &UsageError{Problem: fmt.Sprintf("%s: %v", name, err)}
	}
	return report(name, f.name, c, o, rows, f.read(c, o)), nil
}

// report runs the judgements on the rows of the profile.
func report(name, format string, c *Capture, o Options, rows *catalogue.Catalogue, s subject) *Report {
	r := &Report{SchemaVersion: SchemaVersion, File: name, Format: format, Form: c.Form, Profile: o.Profile, Findings: []Finding{}}
	if r.Profile == "" {
		r.Profile, r.Guessed = s.profile, true
	}
	inProfile, _ := rows.InProfile(r.Profile)
	for _, j := range s.judgements {
		mine := slices.DeleteFunc(slices.Clone(j.rows), func(id string) bool {
			return !slices.ContainsFunc(inProfile, func(row catalogue.Row) bool { return row.ID == id })
		})
		if len(mine) == 0 || c.cannotJudge(j.rule, j.head) {
			continue
		}
		r.Judged = append(r.Judged, mine...)
		for _, found := range j.found() {
			if o.Partial && (found.Missing || s.open && slices.Contains(endRules, j.rule)) {
				continue
			}
			r.add(c, mine, found)
		}
	}
	r.settle(c, o)
	return r
}

// endRules judge the last chunk although the body ended without [DONE].
var endRules = []string{"UsageLast"}

// cannotJudge tells that a capture does not show what a rule judges.
func (c *Capture) cannotJudge(rule string, head bool) bool {
	switch {
	case head:
		return c.Transcript.Status == 0
	case c.headless && slices.Contains([]string{"RoleFirst", "ToolDeltas", "SDKReads", "NoBOM"}, rule):
		return true
	default:
		return c.lossy && slices.Contains([]string{"LFOnly", "EventsTerminated", "UTF8"}, rule)
	}
}

func (o Options) validate(rows *catalogue.Catalogue) error {
	for _, option := range []struct {
		name, value string
		known       []string
	}{
		{"format", o.Format, Formats()},
		{"profile", o.Profile, rows.Profiles()},
		{"ending", string(o.Ending), []string{string(Complete), string(Failed), string(Stopped)}},
	} {
		if option.value != "" && !slices.Contains(option.known, option.value) {
			return &UsageError{Problem: fmt.Sprintf("there is no %s %q: %s", option.name, option.value, nearest.Hint(option.value, option.known))}
		}
	}
	return nil
}

// subject is a stream that was read by the rules of its format.
type subject struct {
	profile    string // that its content suggests
	open       bool   // it has no end
	judgements []judgement
}

// judgement is one rule, ready to judge.
type judgement struct {
	rule  string
	rows  []string
	head  bool // it judges the head of the answer
	found func() []check.Finding
}

var errUnknownFormat = errors.New("what streams is none of the formats that plumbline judges: " + formatNames())
