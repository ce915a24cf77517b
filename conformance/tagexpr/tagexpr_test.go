package tagexpr_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance/tagexpr"
)

func set(tags ...string) map[string]bool {
	m := make(map[string]bool)
	for _, tag := range tags {
		m[tag] = true
	}
	return m
}

func TestMatch(t *testing.T) {
	tests := []struct {
		name string
		expr string
		tags []string
		want bool
	}{
		{"empty selects all", "", nil, true},
		{"blanks select all", " \t ", []string{"a"}, true},
		{"one tag", "@a", []string{"a"}, true},
		{"one tag without @", "a", []string{"a"}, true},
		{"tags of the scenario with @", "a", []string{"@a"}, true},
		{"another tag", "@a", []string{"b"}, false},
		{"no part of a name", "@mortar-stream-1", []string{"mortar-stream-11"}, false},
		{"not", "not @a", []string{"a"}, false},
		{"not not", "not not @a", []string{"a"}, true},
		{"and", "@a and @b", []string{"a"}, false},
		{"or", "@a or @b", []string{"b"}, true},
		{"and binds before or", "@a or @b and @c", []string{"a"}, true},
		{"and binds before or, from the left", "@a and @b or @c", []string{"c"}, true},
		{"not binds before and", "not @a and @b", []string{"b"}, true},
		{"parentheses bind first", "(@a or @b) and @c", []string{"a"}, false},
		{"not of a parenthesis", "not (@a or @b)", []string{"b"}, false},
		{"no blanks around parentheses", "not(a or b)and(c)", []string{"c"}, true},
		{"a tag that begins like a word of the language", "order and android and notes", []string{"order", "android", "notes"}, true},
		{"a tag with a colon and a dot", "@time:25 or @v1.2", []string{"v1.2"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, err := tagexpr.Parse(tt.expr)
			require.NoError(t, err)
			assert.Equal(t, tt.want, e.Match(set(tt.tags...)))
		})
	}
}

func TestZeroMatchesAll(t *testing.T) {
	assert.True(t, tagexpr.Expr{}.Match(nil))
	assert.Empty(t, tagexpr.Expr{}.String())
}

func TestTags(t *testing.T) {
	e, err := tagexpr.Parse("@b and (a or not @b) and c")
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b", "c"}, e.Tags())
	assert.Equal(t, "(@b and (@a or not @b) and @c)", e.String())

	e.Tags()[0] = "changed"
	assert.Equal(t, "a", e.Tags()[0], "a caller cannot change the expression")
}

func TestErrors(t *testing.T) {
	tests := []struct {
		name string
		expr string
		want string
	}{
		{"comma", "@a,@b", `column 3: unexpected ',': write @a or @b`},
		{"and-and", "@a && @b", `column 4: unexpected '&': write @a and @b`},
		{"tilde", "~@a", `column 1: unexpected '~': write not @a`},
		{"the older precedence", "@a,@b && ~@c", `column 3: unexpected ',': write (@a or @b) and not @c`},
		{"or-or", "@a || @b", `column 4: unexpected '|': write @a or @b`},
		{"exclamation mark", "!@a", `column 1: unexpected '!': write not @a`},
		{"beyond rewriting", "@a & @b", `column 4: unexpected '&': tags are joined with and, or, not and parentheses`},
		{"a trailing comma", "@a,", `column 3: unexpected ',': tags are joined with and, or, not and parentheses`},
		{"quotes", `"@a"`, `column 1: unexpected '"': tags are written bare`},
		{"two tags side by side", "@a @b", "column 4: expected and, or or the end but found the tag @b"},
		{"two tags in one word", "@a@b", `column 1: "@a@b" holds two tags`},
		{"nothing after and", "@a and", "column 7: expected a tag, not or ( but found the end"},
		{"and first", "and @a", `column 1: expected a tag, not or ( but found "and"`},
		{"not alone", "not", "column 4: expected a tag, not or ( but found the end"},
		{"upper case", "@a AND @b", `column 4: "AND" is written in lower case: and`},
		{"open parenthesis", "(@a or @b", "column 10: the parenthesis opened at column 1 is not closed"},
		{"close parenthesis", "@a)", "column 3: this ) closes nothing"},
		{"empty parentheses", "()", `column 2: expected a tag, not or ( but found ")"`},
		{"@ alone", "@ and b", "column 1: a name must follow @"},
		{"control character", "@a\x00", "column 3: a tag holds no control character"},
		{"columns count characters", "äö ,", "column 4"},
		{"too deep", strings.Repeat("(", 200) + "a" + strings.Repeat(")", 200), "nested more than 100 deep"},
		{"too many nots", strings.Repeat("not ", 200) + "a", "nested more than 100 deep"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tagexpr.Parse(tt.expr)
			require.ErrorContains(t, err, tt.want)
			var at *tagexpr.Error
			require.ErrorAs(t, err, &at)
			assert.Positive(t, at.Column)
		})
	}
}

// Whatever is read is printed so that it means the same again, and whatever
// is refused is refused at a column inside the expression.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "@a", "not (a or b) and c", "a,b", "~@a && b", "((a)", "AND", "@", "a @b", "not not a", "é or ü"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, expr string) {
		e, err := tagexpr.Parse(expr)
		if err != nil {
			var at *tagexpr.Error
			require.ErrorAs(t, err, &at)
			require.LessOrEqual(t, at.Column, len([]rune(expr))+1)
			require.Positive(t, at.Column)
			return
		}
		again, err := tagexpr.Parse(e.String())
		require.NoError(t, err)
		require.Equal(t, e.String(), again.String())
		tags := e.Tags()
		for i := range tags {
			some := set(tags[:i]...)
			require.Equal(t, e.Match(some), again.Match(some))
		}
	})
}
