package check

import (
	"bytes"
	"slices"
	"sort"
	"time"

	"plumbline.dev/plumbline/conformance/wire"
)

// thinner leaves out of a stream the chunks that the rules have nothing new to
// say of. What it keeps is a stream too, on which they find the same.
//
// It works on blocks: what stands before a blank line, with it. A block of a
// known pattern is left out if enough of its pattern were kept since the last block of
// no known pattern, unless it is the last chunk before such a block or the end:
// rules look at the last chunk too.
type thinner struct {
	choices int  // that were asked for
	off     bool // keep everything

	kept  []byte
	reads []wire.Read // of kept
	cuts  []cut
	out   cut // what is left out up to now, at the end of kept

	rest    []byte // fed, and not yet a whole block
	scanned int    // bytes of rest in which no blank line begins
	done    int    // bytes of the body that were kept or left out
	arrived []wire.Read

	patterns patterns
	last     []byte   // the latest chunk that was left out, if nothing was kept since
	lastOf   *pattern // its pattern
	joint    joint
	came     []wire.Read // when it came, in places of last
	after    cut         // what was left out behind it
	text     int         // bytes of the reply's text that were kept, or fewer
}

// joint holds what the chunks before the latest one said that were left out and
// joined: the arguments of a call are judged whole.
type joint struct {
	of   *pattern
	text []byte
}

// cut says how much of the body was left out before a place of what was kept.
type cut struct{ at, bytes, lines int }

// linesOfBlock is how many lines a block of a known pattern has: one and the
// blank one.
const linesOfBlock = 2

// leave adds a block of a known pattern: one line and the blank one.
func (c *cut) leave(bytes int) {
	c.bytes += bytes
	c.lines += linesOfBlock
}

// enoughText is how much of the text is kept in any case, in bytes: what a
// finding can show of it.
const enoughText = maxSeen + margin + 1

var blank = []byte("\n\n")

// feed takes the next piece of the body.
func (t *thinner) feed(piece []byte, at time.Duration) {
	t.arrived = append(t.arrived, wire.Read{End: t.done + len(t.rest) + len(piece), At: at})
	switch {
	case t.off:
		t.keep(piece)
	case len(t.rest) > 0:
		t.rest = append(t.rest, piece...)
		used := t.blocks(t.rest)
		t.rest = t.rest[:copy(t.rest, t.rest[used:])]
	default:
		used := t.blocks(piece)
		t.rest = append(t.rest, piece[used:]...)
	}
	gone := 0
	for gone < len(t.arrived) && t.arrived[gone].End <= t.done {
		gone++
	}
	t.arrived = t.arrived[:copy(t.arrived, t.arrived[gone:])]
}

// blocks takes the whole blocks at the beginning of b and returns how many bytes
// they have.
func (t *thinner) blocks(b []byte) (used int) {
	for used < len(b) {
		if k, size, text := t.patterns.match(b[used:]); k != nil {
			t.known(k, b[used:used+size], text)
			used += size
		} else {
			from := used + max(0, t.scanned-1)
			i := bytes.Index(b[from:], blank)
			if i < 0 {
				t.scanned = len(b) - used
				return used
			}
			end := from + i + len(blank)
			t.flush()
			t.keep(b[used:end])
			t.patterns.learn(b[used:end], t.choices)
			used = end
		}
		t.scanned = 0
	}
	return used
}

// known takes a block of a known pattern with so many bytes of text.
func (t *thinner) known(k *pattern, block []byte, text int) {
	switch {
	case k.kept < maxFindings || k.text && t.text < enoughText:
		t.flush()
		t.keep(block)
		k.kept++
		t.text += text
		return
	case k.comment && len(t.last) > 0:
		t.after.leave(len(block))
	case k.comment:
		t.out.leave(len(block))
	default:
		t.forget()
		t.last, t.lastOf = append(t.last[:0], block...), k
		t.came = t.readsOf(t.came[:0], len(block))
	}
	t.done += len(block)
}

// forget leaves out the latest chunk for good.
func (t *thinner) forget() {
	if len(t.last) == 0 {
		return
	}
	if k := t.lastOf; k.joins {
		if t.joint.of != k {
			t.join()
			t.joint.of = k
		}
		t.joint.text = append(t.joint.text, k.piece(t.last)...)
	}
	t.out.leave(len(t.last))
	t.out.bytes += t.after.bytes
	t.out.lines += t.after.lines
	t.after = cut{}
}

// join keeps what was joined, as one chunk. It stands in no place of the body.
func (t *thinner) join() {
	if k := t.joint.of; k != nil && len(t.joint.text) > 0 {
		chunk := slices.Concat(k.fixed[0], t.joint.text, k.fixed[1])
		t.put(chunk, []wire.Read{{End: len(chunk), At: t.came[len(t.came)-1].At}})
		t.out.leave(-len(chunk))
		t.out.lines -= 2 * linesOfBlock
	}
	t.joint.of, t.joint.text = nil, t.joint.text[:0]
}

// flush keeps the latest chunk after all.
func (t *thinner) flush() {
	t.join()
	if len(t.last) == 0 {
		return
	}
	t.put(t.last, t.came)
	t.out.bytes += t.after.bytes
	t.out.lines += t.after.lines
	t.after, t.last = cut{}, t.last[:0]
}

// finish keeps what no blank line ended.
func (t *thinner) finish() {
	t.flush()
	t.keep(t.rest)
	t.rest = nil
	t.mark()
}

// keep keeps the next bytes of the body.
func (t *thinner) keep(b []byte) {
	t.put(b, t.readsOf(nil, len(b)))
	t.done += len(b)
}

// put appends bytes that came at these times.
func (t *thinner) put(b []byte, came []wire.Read) {
	t.mark()
	from := len(t.kept)
	t.kept = append(t.kept, b...)
	for _, r := range came {
		r.End += from
		if n := len(t.reads); n > 0 && t.reads[n-1].At == r.At {
			t.reads[n-1].End = r.End
		} else {
			t.reads = append(t.reads, r)
		}
	}
}

// mark notes what was left out before the end of kept.
func (t *thinner) mark() {
	var latest cut
	if n := len(t.cuts); n > 0 {
		latest = t.cuts[n-1]
	}
	if latest.bytes != t.out.bytes || latest.lines != t.out.lines {
		t.out.at = len(t.kept)
		t.cuts = append(t.cuts, t.out)
	}
}

// readsOf appends when the next size bytes of the body came.
func (t *thinner) readsOf(to []wire.Read, size int) []wire.Read {
	for _, r := range t.arrived {
		if r.End <= t.done {
			continue
		}
		r.End = min(r.End-t.done, size)
		to = append(to, r)
		if r.End == size {
			break
		}
	}
	return to
}

// place moves a finding from its place in what was kept to that in the body.
func (t *thinner) place(f *Finding) {
	i := sort.Search(len(t.cuts), func(i int) bool { return t.cuts[i].at > f.Offset })
	if i == 0 {
		return
	}
	f.Offset += t.cuts[i-1].bytes
	if f.Line > 0 {
		f.Line += t.cuts[i-1].lines
	}
}
