package block

import (
	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/format"
)

// Kind tells what a block holds.
type Kind uint8

// Kinds of blocks.
const (
	Text Kind = iota + 1
	Refusal
	Reasoning
	Call
)

// Block is one part of a reply.
type Block struct {
	Kind  Kind
	Index int // its position in the reply, from 0
	// ID and Name are those of a tool call, as insides of JSON string literals.
	ID, Name string
	// Text is the text or the arguments so far, as the inside of a JSON string
	// literal, if the sequence keeps it.
	Text []byte
	// Logprobs are the logprobs of the events whose text is kept, in order.
	Logprobs [][]byte

	call      int // which call of the reply
	arguments nesting
	opened    bool
}

// Whole tells whether the arguments of a tool call are a complete JSON object.
func (b *Block) Whole() bool { return b.arguments.complete }

// Writer writes blocks in one format. For each block the calls are Open, Delta
// any number of times, Close; no two blocks overlap.
type Writer interface {
	Open(buf []byte, b *Block) []byte
	// Delta appends a piece of the block's text, the inside of a JSON string
	// literal; logprobs is nil if there are none.
	Delta(buf []byte, b *Block, inside []byte, logprobs [][]byte) []byte
	Close(buf []byte, b *Block) []byte
}

// Sequence is the blocks of one reply.
type Sequence struct {
	writer Writer
	keep   bool
	blocks []*Block
	// live is the block that is open or to be opened next. Those before it are
	// closed, those behind it are held back.
	live int
	one  [1][]byte // logprobs of one event, without an allocation
}

// NewSequence makes the sequence of one reply. With keep, the blocks remember
// their text after it has been written.
func NewSequence(w Writer, keep bool) *Sequence { return &Sequence{writer: w, keep: keep} }

// Blocks are the blocks so far.
func (s *Sequence) Blocks() []*Block { return s.blocks }

// Event appends what an event of the reply adds. Kinds of events that have no
// text add nothing.
func (s *Sequence) Event(buf []byte, e *completion.Event) []byte {
	switch e.Kind {
	case completion.KindText:
		return s.text(buf, Text, e)
	case completion.KindRefusal:
		return s.text(buf, Refusal, e)
	case completion.KindReasoning:
		return s.text(buf, Reasoning, e)
	case completion.KindToolCall:
		for piece := range completion.ToolPieces(e.ToolCalls) {
			buf = s.piece(buf, piece)
		}
	}
	return buf
}

// Blank adds a block of text without any text.
func (s *Sequence) Blank(buf []byte) []byte {
	return s.put(buf, s.add(&Block{Kind: Text}), nil, nil)
}

// End closes the block that is open, after it those that were held back.
func (s *Sequence) End(buf []byte) []byte { return s.progress(buf, true) }

func (s *Sequence) text(buf []byte, kind Kind, e *completion.Event) []byte {
	inside := format.Inside(e.Text)
	if len(inside) == 0 && e.Logprobs == nil {
		return buf
	}
	b := s.last()
	if b == nil || b.Kind != kind {
		b = s.add(&Block{Kind: kind})
	}
	if e.Logprobs == nil {
		return s.put(buf, b, inside, nil)
	}
	s.one[0] = e.Logprobs
	return s.put(buf, b, inside, s.one[:])
}

func (s *Sequence) piece(buf []byte, piece completion.ToolPiece) []byte {
	b := s.call(piece.Index)
	if b == nil {
		b = s.add(&Block{Kind: Call, call: piece.Index})
	}
	if !b.opened {
		b.ID += unquoted(piece.ID)
		b.Name += unquoted(piece.Name)
	}
	return s.put(buf, b, []byte(unquoted(piece.Arguments)), nil)
}

// call finds a call by its index. Most pieces belong to the latest.
func (s *Sequence) call(index int) *Block {
	for i := len(s.blocks) - 1; i >= 0; i-- {
		if b := s.blocks[i]; b.Kind == Call && b.call == index {
			return b
		}
	}
	return nil
}

func (s *Sequence) last() *Block {
	if len(s.blocks) == 0 {
		return nil
	}
	return s.blocks[len(s.blocks)-1]
}

func (s *Sequence) add(b *Block) *Block {
	b.Index = len(s.blocks)
	s.blocks = append(s.blocks, b)
	return b
}

// put adds text to a block. A block that is closed had all of its text: only a
// tool call gets more, and its arguments were complete.
func (s *Sequence) put(buf []byte, b *Block, inside []byte, logprobs [][]byte) []byte {
	if b.Index < s.live {
		return buf
	}
	if b.Kind == Call {
		b.arguments.read(inside)
	}
	if s.keep || !b.opened {
		b.Text = append(b.Text, inside...)
		for _, l := range logprobs {
			b.Logprobs = append(b.Logprobs, append([]byte(nil), l...))
		}
	}
	if b.opened && (len(inside) > 0 || logprobs != nil) {
		buf = s.writer.Delta(buf, b, inside, logprobs)
	}
	return s.progress(buf, false)
}

// progress opens and closes what can be. A block is closed when another follows
// and it can get no more; a tool call is opened when its name is known.
func (s *Sequence) progress(buf []byte, ending bool) []byte {
	for s.live < len(s.blocks) {
		b := s.blocks[s.live]
		if !b.opened {
			if b.Kind == Call && b.Name == "" && !ending {
				return buf
			}
			buf = s.open(buf, b)
		}
		followed := s.live < len(s.blocks)-1
		if !ending && (!followed || b.Kind == Call && !b.Whole()) {
			return buf
		}
		buf = s.writer.Close(buf, b)
		s.live++
	}
	return buf
}

// open opens a block and writes what it had to hold back.
func (s *Sequence) open(buf []byte, b *Block) []byte {
	b.opened = true
	buf = s.writer.Open(buf, b)
	if len(b.Text) > 0 || b.Logprobs != nil {
		buf = s.writer.Delta(buf, b, b.Text, b.Logprobs)
	}
	if !s.keep {
		b.Text, b.Logprobs = nil, nil
	}
	return buf
}

func unquoted(literal string) string {
	if len(literal) < 2 {
		return ""
	}
	return literal[1 : len(literal)-1]
}
