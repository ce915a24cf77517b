package mutant

import (
	"encoding/json"
	"math/big"
)

// outcomes are mutants of the prefix-cache outcome.
func outcomes() []Mutant {
	row := []string{"mortar-telemetry-10"}
	ratio := []string{"mortar-telemetry-10", "mortar-cost-13"}
	hit := func(change func(o object)) wrap {
		return onTold(tellsCache, func(o object) {
			if o["tier"] != nil {
				change(o)
			}
		})
	}
	share := func(change func(share float64) float64) wrap {
		return onTold(tellsCache, func(o object) {
			share, _ := exactly(o["reuseRatio"]).Float64()
			o["reuseRatio"] = change(share)
		})
	}
	return []Mutant{
		{Name: "tier-of-other-words", Summary: "the tier is called L1",
			Breaks: row, Wrap: hit(with("tier", "L1"))},
		{Name: "tier-in-upper-case", Summary: "the tier is written in upper case",
			Breaks: row, Wrap: hit(with("tier", "GPU-HBM"))},
		{Name: "tier-null-on-hit", Summary: "a hit has no tier",
			Breaks: row, Wrap: hit(with("tier", nil))},
		{Name: "tier-on-miss", Summary: "a miss has the tier in which was looked",
			Breaks: row, Wrap: onTold(tellsCache, with("tier", "gpu-hbm"))},
		{Name: "tier-none-on-miss", Summary: "a miss has the tier none",
			Breaks: row, Wrap: onTold(tellsCache, func(o object) {
				if o["tier"] == nil {
					o["tier"] = "none"
				}
			})},
		{Name: "tier-missing", Summary: "a miss leaves the tier out",
			Breaks: row, May: []string{"mortar-telemetry-09"}, Wrap: onTold(tellsCache, func(o object) {
				if o["tier"] == nil {
					delete(o, "tier")
				}
			})},
		{Name: "ratio-in-percent", Summary: "reuseRatio is in per cent",
			Breaks: ratio, Wrap: share(func(share float64) float64 { return 100 * share })},
		{Name: "ratio-of-the-rest", Summary: "reuseRatio is the share that was not found",
			Breaks: ratio, Wrap: share(func(share float64) float64 { return 1 - share })},
		{Name: "ratio-of-read-to-rest", Summary: "reuseRatio is what was found in proportion to what was not",
			Breaks: ratio, Wrap: onTold(tellsCache, func(o object) {
				if rest := o.number("promptTokens") - o.number("cacheReadTokens"); rest > 0 {
					o["reuseRatio"] = digits(big.NewRat(int64(o.number("cacheReadTokens")), int64(rest)), 12)
				}
			})},
		{Name: "ratio-all-or-nothing", Summary: "reuseRatio is 1 on every hit",
			Breaks: row, May: ratio, Wrap: hit(with("reuseRatio", 1))},
		{Name: "ratio-as-text", Summary: "reuseRatio is a text",
			Breaks: ratio, Wrap: onTold(tellsCache, func(o object) { o["reuseRatio"] = encode(o["reuseRatio"]) })},
		{Name: "ratio-null-on-miss", Summary: "a miss has no reuseRatio",
			Breaks: row, Wrap: onTold(tellsCache, func(o object) {
				if o["reuseRatio"] == json.Number("0") {
					o["reuseRatio"] = nil
				}
			})},
		{Name: "ratio-negative", Summary: "a miss has the reuseRatio -1",
			Breaks: row, Wrap: onTold(tellsCache, func(o object) {
				if o["reuseRatio"] == json.Number("0") {
					o["reuseRatio"] = -1
				}
			})},
	}
}
