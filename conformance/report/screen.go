package report

import (
	"io"
	"os"

	"golang.org/x/term"
)

const (
	defaultWidth = 100
	minWidth     = 60
	maxWidth     = 140
)

// Screen is what a place of output can show. The zero Screen is a plain file
// of 100 columns.
type Screen struct {
	Terminal bool // lines can be rewritten
	Color    bool
	// Columns returns the width now; nil is 100.
	Columns func() int
}

// ScreenOf finds out what w can show. NO_COLOR (any text) and TERM=dumb are
// honoured; lookup is os.Getenv.
func ScreenOf(w io.Writer, lookup func(string) string) Screen {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || lookup("TERM") == "dumb" {
		return Screen{}
	}
	return Screen{
		Terminal: true,
		Color:    lookup("NO_COLOR") == "",
		Columns: func() int {
			columns, _, err := term.GetSize(int(f.Fd()))
			if err != nil {
				return defaultWidth
			}
			return columns
		},
	}
}

// width is the number of columns to use.
func (s Screen) width() int {
	if s.Columns == nil {
		return defaultWidth
	}
	return min(max(s.Columns(), minWidth), maxWidth)
}

// style is how a piece of text is shown on a screen with colours.
type style string

const (
	plain  style = ""
	bold   style = "1"
	dim    style = "2"
	red    style = "1;31"
	green  style = "32"
	yellow style = "33"
	cyan   style = "36"
	pink   style = "1;35"
)

// paint gives text a style, if the screen has any.
func (s Screen) paint(as style, text string) string {
	if !s.Color || as == plain || text == "" {
		return text
	}
	return "\x1b[" + string(as) + "m" + text + "\x1b[0m"
}
