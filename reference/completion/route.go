package completion

// Tier is where a prefix cache holds the prefix of a prompt ("Serving telemetry,
// Reading cache and cost events").
type Tier string

// Tiers, the fastest first. TierNone is a miss.
const (
	TierNone    Tier = ""
	TierGPU     Tier = "gpu-hbm"
	TierHost    Tier = "host-memory"
	TierStorage Tier = "storage"
)

// Route is a routing decision, as it was taken.
type Route struct {
	Server string // who generates
	Reason string // why that one, a word or two with hyphens; "" is not told
	// ExpectedReuse is how many prompt tokens the decision hoped to find in the
	// server's prefix cache.
	ExpectedReuse int64
	// Load is how many other requests of this gateway ran there.
	Load int
	// Cache is what the gateway's own bookkeeping found, nil if it keeps none.
	Cache *CacheLookup
}

// CacheLookup is what a prefix cache holds of one prompt.
type CacheLookup struct {
	Prompt int64 // tokens of the whole prompt
	Reused int64 // tokens of it that were found
	Tier   Tier
	// Final tells that nobody will know better: there is no model server. Else
	// the lookup is a guess that the server's own report replaces.
	Final bool
}
