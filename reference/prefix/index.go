package prefix

import (
	"container/list"
	"slices"
	"sync"
	"time"
)

// Defaults of IndexOptions.
const (
	defaultIndexBlocks = 1 << 18
	defaultExpiry      = 10 * time.Minute
)

// IndexOptions configure an Index; the zero value of each is its default.
type IndexOptions struct {
	// Blocks bounds how many blocks are remembered, the most recently given
	// ones; 262,144 by default, which is 16 MiB of text.
	Blocks int
	// Expiry is how long a server is expected to keep what it was given; 10
	// minutes by default.
	Expiry time.Duration
	// Now is the clock; time.Now by default.
	Now func() time.Time
}

// Index remembers which model server was given which prompts. It is safe for
// concurrent use.
type Index struct {
	options IndexOptions

	mu     sync.Mutex
	blocks map[name]*list.Element // of *given
	order  *list.List             // the most recently given first
}

// given is one block, and who has it.
type given struct {
	name    name
	holders []holder
}

type holder struct {
	server string
	at     time.Time
}

// NewIndex returns an empty index.
func NewIndex(o IndexOptions) *Index {
	if o.Blocks <= 0 {
		o.Blocks = defaultIndexBlocks
	}
	if o.Expiry <= 0 {
		o.Expiry = defaultExpiry
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Index{options: o, blocks: make(map[name]*list.Element), order: list.New()}
}

// Add notes that the server has been given the prompt.
func (x *Index) Add(server string, c Chain) {
	now := x.options.Now()
	x.mu.Lock()
	defer x.mu.Unlock()
	// From the end to the beginning: the beginning, which most prompts share, is
	// the most recent one then, and stays the longest.
	for _, n := range slices.Backward(c.names) {
		e := x.blocks[n]
		if e == nil {
			e = x.order.PushFront(&given{name: n})
			x.blocks[n] = e
		} else {
			x.order.MoveToFront(e)
		}
		g := e.Value.(*given)
		g.holders = slices.DeleteFunc(g.holders, func(h holder) bool { return h.server == server || x.expired(h, now) })
		g.holders = append(g.holders, holder{server, now})
		if x.order.Len() > x.options.Blocks {
			oldest := x.order.Back()
			delete(x.blocks, oldest.Value.(*given).name)
			x.order.Remove(oldest)
		}
	}
}

func (x *Index) expired(h holder, now time.Time) bool { return now.Sub(h.at) > x.options.Expiry }

// Best tells for each server what share of the prompt it is expected to have
// cached, above 0 and up to 1. Servers that are not in the answer have nothing
// of it.
func (x *Index) Best(c Chain) map[string]float64 {
	now := x.options.Now()
	x.mu.Lock()
	defer x.mu.Unlock()
	blocks := make(map[string]int)
	for i, n := range c.names {
		further := false
		if e := x.blocks[n]; e != nil {
			for _, h := range e.Value.(*given).holders {
				// A block is of use only after all of those before it.
				if blocks[h.server] == i && !x.expired(h, now) {
					blocks[h.server] = i + 1
					further = true
				}
			}
		}
		if !further {
			break
		}
	}
	shares := make(map[string]float64, len(blocks))
	for server, n := range blocks {
		if n > 0 {
			shares[server] = float64(c.upTo(n)) / float64(c.bytes)
		}
	}
	return shares
}

// Forget drops all that a server was given: it has lost its cache.
func (x *Index) Forget(server string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for e := x.order.Front(); e != nil; e = e.Next() {
		g := e.Value.(*given)
		g.holders = slices.DeleteFunc(g.holders, func(h holder) bool { return h.server == server })
	}
}

// Len is how many blocks are remembered.
func (x *Index) Len() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.order.Len()
}
