package check

import (
	"slices"
	"time"

	"plumbline.dev/plumbline/conformance/wire"
)

// ChatJudge judges a streamed chat completion while it comes, in memory that
// does not grow with the length of an ordinary reply. It finds what [Judge]
// finds in the whole body, byte for byte.
//
// It owes both to one observation: a reply is thousands of chunks that differ in
// their text alone. The rules say of one such chunk what they said of the one
// before, and of what a rule says only its first findings are kept. So the judge
// reads what is new in the stream, keeps a few of what is repeated, forgets the
// rest, and lets the rules run on what it kept.
type ChatJudge struct {
	head Head
	ask  Ask
	thin thinner
}

// Head is what is known of an answer before its body: a transcript without one.
type Head = wire.Transcript

// NewChatJudge begins to judge the answer with this head. It keeps all of a
// body that is packed, and of one whose every byte counts: with stop sequences
// or logprobs.
func NewChatJudge(head Head, ask Ask) *ChatJudge {
	head.Body, head.Reads = nil, nil
	every := head.Encoding != "" || len(ask.Stop) > 0 || ask.Logprobs
	return &ChatJudge{head: head, ask: ask, thin: thinner{choices: ask.choices(), off: every}}
}

// Feed takes the next piece of the body and the time at which it was read.
func (j *ChatJudge) Feed(piece []byte, at time.Duration) { j.thin.feed(piece, at) }

// Kept is how many bytes the judge holds.
func (j *ChatJudge) Kept() int { return len(j.thin.kept) + len(j.thin.rest) + len(j.thin.joint.text) }

// Finish says how the body ended; words are those of [wire.Transcript.EndError].
func (j *ChatJudge) Finish(end wire.End, at time.Duration, words string) *Judged {
	j.thin.finish()
	t := j.head
	t.Body, t.Reads = j.thin.kept, j.thin.reads
	t.End, t.EndAt, t.EndError = end, at, words
	return &Judged{Chat: ParseChat(&t, j.ask), thin: &j.thin}
}

// Judged is a reply that has come to its end.
type Judged struct {
	// Chat is what the judge kept of the reply. Its text has gaps, and its
	// offsets and lines are those of what was kept.
	Chat *Chat
	thin *thinner
}

// Judge runs rules over the reply. Offsets and lines of the findings are those
// of the whole body.
func (j *Judged) Judge(rules []Rule) []Finding {
	found := Judge(j.Chat, rules)
	for i := range found {
		j.thin.place(&found[i])
	}
	return found
}

// JudgeTranscript is [ParseChat] and [Judge] in one, much faster on long replies.
func JudgeTranscript(t *wire.Transcript, ask Ask) *Judged {
	t = t.Decoded()
	head := *t
	head.Encoding = ""
	j := NewChatJudge(head, ask)
	j.head.Encoding = t.Encoding
	if !j.thin.off {
		// It will hardly keep more of it than this.
		j.thin.kept = make([]byte, 0, min(len(t.Body), 64<<10))
	}
	from := 0
	for _, r := range t.Reads {
		if to := min(r.End, len(t.Body)); to > from {
			j.Feed(t.Body[from:to], r.At)
			from = to
		}
	}
	if from < len(t.Body) {
		j.Feed(t.Body[from:], t.EndAt)
	}
	return j.Finish(t.End, t.EndAt, t.EndError)
}

// Rules chooses the rules for a reply by how it ended: one with an error event
// failed, and any other is to be complete.
func (c *Chat) Rules() []Rule {
	if len(c.Errors) > 0 {
		return FailedRules()
	}
	return ChatRules()
}

// RowsIn returns those of the rule's rows that are in a profile.
func (r Rule) RowsIn(inProfile func(row string) bool) []string {
	return slices.DeleteFunc(slices.Clone(r.Rows), func(row string) bool { return !inProfile(row) })
}
