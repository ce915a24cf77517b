package prefix

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// prompt is a prompt of about that many blocks; its beginning is common to all
// of one topic.
func prompt(topic, rest string, blocks int) string {
	return strings.Repeat(topic+strings.Repeat(".", blockBytes-len(topic)), blocks) + rest
}

func TestBest(t *testing.T) {
	x := NewIndex(IndexOptions{})
	assert.Empty(t, x.Best(chain("hello")))
	x.Add("a", chain(prompt("one", "first", 9)))
	x.Add("b", chain(prompt("one", "second", 4)))
	best := x.Best(chain(prompt("one", "third", 9)))
	assert.InDelta(t, 9.0/10, best["a"], 0.1)
	assert.InDelta(t, 4.0/10, best["b"], 0.1)
	assert.InDelta(t, 1, x.Best(chain(prompt("one", "first", 9)))["a"], 0, "the same prompt to its end")
	assert.Empty(t, x.Best(chain(prompt("two", "first", 9))))
	assert.Empty(t, x.Best(NewChain("globex", ask(prompt("one", "first", 9)))), "another organization finds nothing")
	x.Forget("a")
	assert.NotContains(t, x.Best(chain(prompt("one", "first", 9))), "a")
	assert.Contains(t, x.Best(chain(prompt("one", "first", 9))), "b")
}

func TestExpectationsExpire(t *testing.T) {
	now := time.Unix(0, 0)
	x := NewIndex(IndexOptions{Expiry: time.Minute, Now: func() time.Time { return now }})
	x.Add("a", chain("hello"))
	now = now.Add(time.Minute)
	assert.Contains(t, x.Best(chain("hello")), "a")
	x.Add("b", chain("hello"))
	now = now.Add(time.Second)
	assert.NotContains(t, x.Best(chain("hello")), "a")
	assert.Contains(t, x.Best(chain("hello")), "b")
}

func TestTheIndexIsBounded(t *testing.T) {
	x := NewIndex(IndexOptions{Blocks: 20})
	for n := range 50 {
		x.Add("a", chain(prompt(fmt.Sprint(n), "", 7)))
		assert.LessOrEqual(t, x.Len(), 20)
		assert.Len(t, x.blocks, x.Len())
	}
	assert.Contains(t, x.Best(chain(prompt("49", "", 7))), "a")
	assert.Empty(t, x.Best(chain(prompt("1", "", 7))), "the longest unused have gone")
	x.Add("a", chain(prompt("long", "", 100)))
	assert.InDelta(t, 0.2, x.Best(chain(prompt("long", "", 100)))["a"], 0.01, "of a prompt that is too long the beginning stays")
}

func TestTheIndexIsConcurrent(t *testing.T) {
	x := NewIndex(IndexOptions{Blocks: 100})
	var users sync.WaitGroup
	for u := range 8 {
		users.Go(func() {
			for n := range 200 {
				c := chain(prompt(fmt.Sprint(n%30), "", 5))
				x.Add(fmt.Sprint(u), c)
				for _, share := range x.Best(c) {
					assert.Greater(t, share, 0.0)
					assert.LessOrEqual(t, share, 1.0)
				}
				if n%50 == 0 {
					x.Forget(fmt.Sprint(u))
				}
			}
		})
	}
	users.Wait()
	assert.LessOrEqual(t, x.Len(), 100)
}
