package engine

import (
	"container/heap"
	"iter"
	"math/rand/v2"
	"time"

	"plumbline.dev/plumbline/fakegpu/kv"
)

// Traffic is made-up conversations: each begins with one of a few system
// prompts, and each of its requests repeats everything that was said before.
type Traffic struct {
	Seed          uint64
	Duration      time.Duration // in which requests arrive
	Conversations float64       // that begin in a second, on average
	BlockSize     int           // tokens
	SystemPrompts int           // how many different ones there are
	SystemTokens  int           // tokens of each of them
}

// What people do in such a conversation, on average or at most.
const (
	turns       = 6                // at most
	thinkTime   = 20 * time.Second // between two requests, on average
	userTokens  = 120              // of one message, at most
	replyTokens = 200              // at most
)

// Arrivals yields the requests in the order of their times.
func (t Traffic) Arrivals() iter.Seq[Arrival] {
	return func(yield func(Arrival) bool) {
		random := rand.New(rand.NewPCG(t.Seed, 0))
		var open conversations
		begins := t.interval(random, t.Conversations)
		for {
			if begins <= t.Duration && (len(open) == 0 || begins <= open[0].next) {
				heap.Push(&open, t.begin(random, begins))
				begins += t.interval(random, t.Conversations)
				continue
			}
			if len(open) == 0 {
				return
			}
			c := open[0]
			if c.next > t.Duration {
				return
			}
			a := c.ask(random, t.BlockSize)
			if !yield(a) {
				return
			}
			c.next += t.interval(random, 1/thinkTime.Seconds())
			if c.left == 0 {
				heap.Pop(&open)
			} else {
				heap.Fix(&open, 0)
			}
		}
	}
}

// interval is a random time between events of which so many come in a second.
func (t Traffic) interval(random *rand.Rand, rate float64) time.Duration {
	return time.Duration(random.ExpFloat64() / rate * float64(time.Second))
}

// conversation is one that goes on.
type conversation struct {
	next   time.Duration // of its next request
	left   int           // requests to come
	tokens []kv.Token    // said up to now
}

func (t Traffic) begin(random *rand.Rand, at time.Duration) *conversation {
	c := &conversation{next: at, left: 1 + random.IntN(turns)}
	system := rand.New(rand.NewPCG(t.Seed, 1+random.Uint64N(uint64(max(t.SystemPrompts, 1)))))
	c.say(system, t.SystemTokens)
	return c
}

func (c *conversation) say(random *rand.Rand, tokens int) {
	for range tokens {
		c.tokens = append(c.tokens, random.Uint32())
	}
}

func (c *conversation) ask(random *rand.Rand, blockSize int) Arrival {
	c.say(random, 1+random.IntN(userTokens))
	reply := 1 + random.IntN(replyTokens)
	a := Arrival{
		At: c.next, Reply: reply,
		Prompt: kv.Prompt{Names: kv.Chain("", c.tokens, blockSize), Tokens: len(c.tokens)},
	}
	c.say(random, reply)
	c.left--
	return a
}

// conversations is a heap, the next request first.
type conversations []*conversation

func (c conversations) Len() int           { return len(c) }
func (c conversations) Less(i, j int) bool { return c[i].next < c[j].next }
func (c conversations) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }

// Push implements [heap.Interface].
func (c *conversations) Push(x any) { *c = append(*c, x.(*conversation)) }

// Pop implements [heap.Interface].
func (c *conversations) Pop() any {
	last := len(*c) - 1
	x := (*c)[last]
	*c = (*c)[:last]
	return x
}
