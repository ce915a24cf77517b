package block

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/format"
	"plumbline.dev/plumbline/reference/format/internal/replies"
)

// script writes blocks as readable text and holds them to their order.
type script struct {
	testing.TB
	open *Block
	next int
}

func (s *script) Open(buf []byte, b *Block) []byte {
	require.Nil(s, s.open)
	require.Equal(s, s.next, b.Index)
	s.open = b
	s.next++
	return append(append(append(buf, '['), b.Name...), ' ')
}

func (s *script) Delta(buf []byte, b *Block, inside []byte, _ [][]byte) []byte {
	require.Same(s, s.open, b)
	return append(append(buf, inside...), '|')
}

func (s *script) Close(buf []byte, b *Block) []byte {
	require.Same(s, s.open, b)
	s.open = nil
	return append(buf, ']')
}

func TestSequence(t *testing.T) {
	begin := func(index, name string) string {
		return `{"index":` + index + `,"id":"c","function":{"name":"` + name + `","arguments":""}}`
	}
	more := func(index, arguments string) string {
		return `{"index":` + index + `,"function":{"arguments":"` + arguments + `"}}`
	}
	for name, c := range map[string]struct {
		events []completion.Event
		want   []string // what each event writes, and the end
	}{
		"nothing":        {nil, []string{""}},
		"text":           {[]completion.Event{replies.Text(0, `"a"`), replies.Text(0, `"b"`)}, []string{"[ a|", "b|", "]"}},
		"empty text":     {[]completion.Event{replies.Text(0, `""`)}, []string{"", ""}},
		"then reasoning": {[]completion.Event{replies.Text(0, `"a"`), replies.Reasoning(`"b"`)}, []string{"[ a|", "][ b|", "]"}},
		"a call":         {[]completion.Event{replies.Calls(begin("0", "f")), replies.Calls(more("0", "{}"))}, []string{"[f ", "{}|", "]"}},
		"a name that is late": {[]completion.Event{replies.Calls(more("0", "{")), replies.Calls(begin("0", "f")), replies.Calls(more("0", "}"))},
			[]string{"", "[f {|", "}|", "]"}},
		"no name at all": {[]completion.Event{replies.Calls(more("0", "{}"))}, []string{"", "[ {}|]"}},
		"calls one after the other": {[]completion.Event{replies.Calls(begin("0", "f") + "," + more("0", "{}")), replies.Calls(begin("1", "g")), replies.Calls(more("1", "{"))},
			[]string{"[f {}|", "][g ", "{|", "]"}},
		"calls in one another": {[]completion.Event{
			replies.Calls(begin("0", "f") + "," + begin("1", "g")), replies.Calls(more("1", "{")), replies.Calls(more("0", "{}")), replies.Calls(more("1", "}")),
		}, []string{"[f ", "", "{}|][g {|", "}|", "]"}},
		"a call without arguments before another": {[]completion.Event{replies.Calls(begin("0", "f")), replies.Calls(begin("1", "g") + "," + more("1", "{}"))},
			[]string{"[f ", "", "][g {}|]"}},
		"text inside a call": {[]completion.Event{replies.Calls(begin("0", "f") + "," + more("0", "{")), replies.Text(0, `"a"`), replies.Text(0, `"b"`), replies.Calls(more("0", "}"))},
			[]string{"[f {|", "", "", "}|][ ab|", "]"}},
		"brackets in strings": {[]completion.Event{
			replies.Calls(begin("0", "f") + "," + more("0", `{\"}\":\"\\\"}\"`)), replies.Text(0, `"a"`), replies.Calls(more("0", `,\u0022b\u0022:[1]}`)),
		}, []string{`[f {\"}\":\"\\\"}\"|`, "", `,\u0022b\u0022:[1]}|][ a|`, "]"}},
		"more than whole": {[]completion.Event{replies.Calls(begin("0", "f") + "," + more("0", "{}")), replies.Text(0, `"a"`), replies.Calls(more("0", " "))},
			[]string{"[f {}|", "][ a|", "", "]"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewSequence(&script{TB: t}, false)
			var got []string
			for i := range c.events {
				got = append(got, string(s.Event(nil, &c.events[i])))
			}
			assert.Equal(t, c.want, append(got, string(s.End(nil))))
		})
	}
}

// Nothing of a reply is lost, whatever the order in which it came.
func TestSequenceKeepsEverything(t *testing.T) {
	for seed := range uint64(1000) {
		r := replies.Random(seed)
		s := NewSequence(Discard, true)
		var want [Call + 1]strings.Builder
		arguments := make(map[int]string)
		for i := range r.Events {
			e := &r.Events[i]
			_ = s.Event(nil, e)
			switch e.Kind {
			case completion.KindText:
				want[Text].Write(format.Inside(e.Text))
			case completion.KindRefusal:
				want[Refusal].Write(format.Inside(e.Text))
			case completion.KindReasoning:
				want[Reasoning].Write(format.Inside(e.Text))
			case completion.KindToolCall:
				for p := range completion.ToolPieces(e.ToolCalls) {
					arguments[p.Index] += p.Arguments[1 : len(p.Arguments)-1]
				}
			}
		}
		_ = s.End(nil)
		var got [Call + 1]strings.Builder
		calls := 0
		for _, b := range s.Blocks() {
			if b.Kind == Call {
				assert.Equal(t, arguments[b.call], string(b.Text), r.Name)
				calls++
				continue
			}
			got[b.Kind].Write(b.Text)
		}
		assert.Len(t, arguments, calls)
		for kind := range got {
			assert.Equal(t, want[kind].String(), got[kind].String(), r.Name)
		}
	}
}
