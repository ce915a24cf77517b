package wire

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sample has one of everything that a body may hold.
const sample = "\xef\xbb\xbf: hello\n\ndata: {\"a\":\"é🦙\"}\r\nid: 7\r\n\r\nevent: x\n: in\ndata:one\rdata:  two\n\n\ndata\nretry: 5\n\nevent: only\n\n: ping\r\rdata: cut"

func TestParse(t *testing.T) {
	tests := map[string]struct {
		body     string
		data     []string // of the events that an EventSource dispatches
		events   int
		comments []string
		tail     string
	}{
		"nothing":                     {},
		"one event":                   {body: "data: a\n\n", data: []string{"a"}, events: 1},
		"CRLF":                        {body: "data: a\r\n\r\n", data: []string{"a"}, events: 1},
		"CR":                          {body: "data: a\r\rdata: b\r\r", data: []string{"a", "b"}, events: 2},
		"mixed line ends":             {body: "data: a\r\n\ndata: b\n\r\ndata: c\r\n\r", data: []string{"a", "b", "c"}, events: 3},
		"several data lines":          {body: "data: a\ndata: b\n\n", data: []string{"a\nb"}, events: 1},
		"one space is dropped":        {body: "data:a\ndata: b\ndata:  c\n\n", data: []string{"a\nb\n c"}, events: 1},
		"a bare data line":            {body: "data\n\n", data: []string{""}, events: 1},
		"empty data":                  {body: "data:\n\n", data: []string{""}, events: 1},
		"colons in the value":         {body: "data: a: b\n\n", data: []string{"a: b"}, events: 1},
		"name without data":           {body: "event: x\n\n", events: 1},
		"comment alone":               {body: ": ping\n\n", comments: []string{"ping"}},
		"comment without space":       {body: ":ping\n", comments: []string{"ping"}},
		"blank lines":                 {body: "\n\n\ndata: a\n\n\n\n", data: []string{"a"}, events: 1},
		"byte order mark":             {body: "\xef\xbb\xbfdata: a\n\n", data: []string{"a"}, events: 1},
		"a second byte order mark":    {body: "\xef\xbb\xbf\xef\xbb\xbfdata: a\n\n", events: 1},
		"half a byte order mark":      {body: "\xef\xbb", events: 1, tail: "\xef\xbb"},
		"no blank line":               {body: "data: a\n\ndata: b\n", data: []string{"a"}, events: 2, tail: "data: b\n"},
		"half a line":                 {body: "data: a\n\ndata: b", data: []string{"a"}, events: 2, tail: "data: b"},
		"half a line behind others":   {body: "data: a\nid: 1\nda", events: 1, tail: "data: a\nid: 1\nda"},
		"half a comment":              {body: "data: a\n\n: pi", data: []string{"a"}, events: 1, comments: []string{"pi"}, tail: ": pi"},
		"a comment without its blank": {body: ": ping\n", comments: []string{"ping"}},
		"ends with CR":                {body: "data: a\n\r", data: []string{"a"}, events: 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := Parse([]byte(tt.body))
			var data, comments []string
			for _, e := range s.Events {
				if e.Dispatched {
					data = append(data, string(e.Data))
				}
			}
			for _, c := range s.Comments {
				comments = append(comments, c.Text)
			}
			assert.Equal(t, tt.data, data)
			assert.Len(t, s.Events, tt.events)
			assert.Equal(t, tt.comments, comments)
			assert.Equal(t, tt.tail, string(s.Tail))
		})
	}
}

func TestParseKeepsEverything(t *testing.T) {
	s := Parse([]byte(sample))

	assert.True(t, s.BOM)
	first := s.Lines[0]
	assert.Equal(t, Line{Number: 1, Offset: 3, End: 11, Text: []byte(": hello"), Ending: "\n"}, first)
	require.Len(t, s.Events, 5)

	second := s.Events[1]
	assert.Equal(t, "x", second.Name)
	assert.Equal(t, "one\n two", string(second.Data))
	assert.Equal(t, 6, second.Line)
	assert.Equal(t, []Field{
		{Name: "event", Value: []byte("x"), Line: 6, Colon: true, Space: true},
		{Name: "data", Value: []byte("one"), Line: 8, Colon: true},
		{Name: "data", Value: []byte(" two"), Line: 9, Colon: true, Space: true},
	}, second.Fields)
	assert.Equal(t, "event: x\n: in\ndata:one\rdata:  two\n\n", sample[second.Offset:second.End])

	assert.Equal(t, []Field{
		{Name: "data", Value: []byte{}, Line: 12}, {Name: "retry", Value: []byte("5"), Line: 13, Colon: true, Space: true},
	}, normal(s.Events[2].Fields))
	assert.False(t, s.Events[3].Dispatched, "an event without data")
	assert.False(t, s.Events[4].Terminated)
	assert.Equal(t, "data: cut", string(s.Tail))

	var inside []bool
	for _, c := range s.Comments {
		inside = append(inside, c.InsideEvent)
	}
	assert.Equal(t, []bool{false, true, false}, inside)
}

// normal makes no difference between nil and empty values.
func normal(fields []Field) []Field {
	for i := range fields {
		if fields[i].Value == nil {
			fields[i].Value = []byte{}
		}
	}
	return fields
}

func TestParserReadsTheSameHoweverCut(t *testing.T) {
	want := Parse([]byte(sample))
	for cut := range len(sample) + 1 {
		assert.Equal(t, want, inPieces(sample, cut), "cut at %d", cut)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var cuts []int
		for at := 0; at < len(sample); at += 1 + rnd.IntN(9) {
			cuts = append(cuts, at)
		}
		require.Equal(t, want, inPieces(sample, cuts...), "cut at %v", cuts)
	}
}

// inPieces feeds body cut at these places, which ascend, and checks that the
// events come out one by one.
func inPieces(body string, cuts ...int) *Stream {
	var p Parser
	var events []Event
	from := 0
	for _, to := range append(cuts, len(body)) {
		events = append(events, p.Feed([]byte(body[from:to]))...)
		from = to
	}
	fed := len(events)
	p.Close()
	p.Close()
	s := p.Stream()
	if fed > 0 && !assert.ObjectsAreEqual(events, s.Events[:fed]) {
		return nil
	}
	return s
}

func TestParserStreamStaysAsItIs(t *testing.T) {
	var p Parser
	p.Feed([]byte("data: a\n\n: c\n"))
	before := p.Stream()
	p.Feed([]byte("data: b\n\n: d\ndata: c"))
	p.Close()

	assert.Len(t, before.Events, 1)
	assert.Len(t, before.Lines, 3)
	assert.Len(t, before.Comments, 1)
	assert.Empty(t, before.Tail)
	assert.Len(t, p.Stream().Events, 3)
}

// Each byte is looked at once: a body of the worst kind takes no more than a
// few times as long as the same length of an ordinary one. What is counted is
// the work, not the time.
func TestParserIsLinear(t *testing.T) {
	bodies := map[string]string{
		"CR alone":      strings.Repeat("data: a\r\r", 1<<15),
		"one long line": "data: " + strings.Repeat("x", 1<<20) + "\n\n",
		"no line end":   strings.Repeat("x", 1<<20),
	}
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			var p Parser
			looked := 0
			for piece := range slices.Chunk([]byte(body), 1<<8) {
				before := p.lf.at + p.cr.at
				p.Feed(piece)
				looked += p.lf.at + p.cr.at - before
			}
			assert.LessOrEqual(t, looked, 2*len(body))
			p.Close()
			assert.NotEmpty(t, p.Stream().Lines)
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(sample), uint16(7))
	f.Add([]byte("data: a\r\n\r\ndata: b\r\r"), uint16(1))
	f.Fuzz(func(t *testing.T, body []byte, cut uint16) {
		s := Parse(body)
		at := min(int(cut), len(body))
		require.Equal(t, s, inPieces(string(body), at))

		var again []byte
		if s.BOM {
			again = append(again, bom...)
		}
		for i, l := range s.Lines {
			require.Equal(t, i+1, l.Number)
			again = append(append(again, l.Text...), l.Ending...)
			require.NotContains(t, string(l.Text), "\n")
			require.NotContains(t, string(l.Text), "\r")
		}
		require.True(t, bytes.Equal(body, again), "the lines make up the body")
		end := 0
		for _, e := range s.Events {
			require.GreaterOrEqual(t, e.Offset, end)
			require.Greater(t, e.End, e.Offset)
			end = e.End
		}
		require.True(t, bytes.HasSuffix(body, s.Tail))
	})
}
