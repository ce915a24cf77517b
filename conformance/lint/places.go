package lint

import (
	"bytes"
	"sort"
)

// places says where in the file a byte of the body stands: each mark holds from
// its place to the next one.
type places []mark

type mark struct{ body, file int }

// of returns the place in the file of a place in the body.
func (p places) of(offset int) int {
	i := sort.Search(len(p), func(i int) bool { return p[i].body > offset })
	if i == 0 {
		return offset
	}
	return p[i-1].file + offset - p[i-1].body
}

// lineOf is the number of the line in which a byte of the file stands, from 1.
func lineOf(file []byte, offset int) int {
	return 1 + bytes.Count(file[:min(offset, len(file))], []byte("\n"))
}
