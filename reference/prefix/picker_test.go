package prefix

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"plumbline.dev/plumbline/reference/modelserver"
)

func servers(running ...int) []modelserver.Candidate {
	var all []modelserver.Candidate
	for i, n := range running {
		all = append(all, modelserver.Candidate{Name: string(rune('a' + i)), Running: n})
	}
	return all
}

func TestDecisions(t *testing.T) {
	long := prompt("long", "", 63) // about 1,000 tokens
	const tokens = (63*blockBytes + 6 + 3) / 4
	for name, tc := range map[string]struct {
		prompt  string
		running []int
		attempt int
		holders string // who was given the long prompt before
		want    modelserver.Choice
	}{
		"nobody has it":                 {long, []int{2, 0, 1}, 0, "", modelserver.Choice{Index: 1, Reason: ReasonLeastLoaded}},
		"one has it":                    {long, []int{0, 0, 0}, 0, "c", modelserver.Choice{Index: 2, Reason: ReasonAffinity, ExpectedReuse: tokens}},
		"one has it and a little to do": {long, []int{0, 0, 3}, 0, "c", modelserver.Choice{Index: 2, Reason: ReasonAffinity, ExpectedReuse: tokens}},
		"one has it and too much to do": {long, []int{1, 0, 4}, 0, "c", modelserver.Choice{Index: 1, Reason: ReasonLeastLoaded}},
		"two have it":                   {long, []int{2, 0, 1}, 0, "ac", modelserver.Choice{Index: 2, Reason: ReasonAffinity, ExpectedReuse: tokens}},
		"all have it":                   {long, []int{2, 1, 0}, 0, "abc", modelserver.Choice{Index: 2, Reason: ReasonLeastLoaded, ExpectedReuse: tokens}},
		"another prompt":                {prompt("other", "", 63), []int{0, 1, 1}, 0, "c", modelserver.Choice{Index: 0, Reason: ReasonLeastLoaded}},
		"there is only one":             {long, []int{9}, 0, "", modelserver.Choice{Reason: ReasonOnlyServer}},
		"only one, and it has it":       {long, []int{9}, 0, "a", modelserver.Choice{Reason: ReasonOnlyServer, ExpectedReuse: tokens}},
		"a second attempt":              {long, []int{1, 0}, 1, "", modelserver.Choice{Index: 1, Reason: ReasonRetry}},
		"the last attempt":              {long, []int{9}, 2, "a", modelserver.Choice{Reason: ReasonRetry, ExpectedReuse: tokens}},
	} {
		t.Run(name, func(t *testing.T) {
			index := NewIndex(IndexOptions{})
			for _, holder := range tc.holders {
				index.Add(string(holder), chain(long))
			}
			p := NewPicker(index)
			got := p.Pick(ask(tc.prompt), servers(tc.running...), tc.attempt)
			assert.Equal(t, tc.want, got)
			again := p.Pick(ask(tc.prompt), servers(make([]int, len(tc.running))...), 0)
			if tc.holders == "" {
				assert.Equal(t, got.Index, again.Index, "it is given the prompt now")
			}
			assert.Positive(t, again.ExpectedReuse)
		})
	}
}

func TestOrganizationsDoNotSeeEachOther(t *testing.T) {
	p := NewPicker(NewIndex(IndexOptions{}))
	mine, theirs := ask(prompt("long", "", 63)), ask(prompt("long", "", 63))
	theirs.Org = "globex"
	p.Pick(mine, servers(0, 0, 0), 0)
	assert.Zero(t, p.Pick(theirs, servers(0, 0, 0), 0).ExpectedReuse)
	assert.Positive(t, p.Pick(mine, servers(0, 0, 0), 0).ExpectedReuse)
}

// Idle servers share prompts that begin differently, and those that begin
// alike meet, whoever decides.
func TestTiesAreSharedOut(t *testing.T) {
	chosen := map[int]int{}
	for n := range 300 {
		req := ask(prompt(fmt.Sprint("topic ", n), "", 2))
		first := NewPicker(NewIndex(IndexOptions{})).Pick(req, servers(0, 0, 0), 0).Index
		chosen[first]++
		longer := ask(req.Messages[0].Text + strings.Repeat("and more ", n))
		assert.Equal(t, first, NewPicker(NewIndex(IndexOptions{})).Pick(longer, servers(0, 0, 0), 0).Index)
	}
	for i := range 3 {
		assert.InDelta(t, 100, chosen[i], 35, "server %d", i)
	}
}

func TestPickingIsConcurrent(t *testing.T) {
	p := NewPicker(NewIndex(IndexOptions{Blocks: 200}))
	var users sync.WaitGroup
	for range 8 {
		users.Go(func() {
			for n := range 100 {
				got := p.Pick(ask(prompt(fmt.Sprint(n%20), "", 5)), servers(n%3, n%5, n%7), 0)
				assert.Less(t, got.Index, 3)
			}
		})
	}
	users.Wait()
}

func BenchmarkPick(b *testing.B) {
	p := NewPicker(NewIndex(IndexOptions{}))
	req, candidates := ask(prompt("a", "", 64)), servers(1, 2, 3, 4) // 4 KiB
	for b.Loop() {
		p.Pick(req, candidates, 0)
	}
}
