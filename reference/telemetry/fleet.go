package telemetry

import (
	"math"
	"time"
)

// fleetTick is a set of sample figures. Nothing of the gateway's traffic is in
// it: it is made from the time alone, so all replicas and all reconnecting
// clients see one fleet.
type fleetTick struct {
	requests, tokens int64
	medianTTFT       int64   // milliseconds
	blendedCost      float64 // USD per million tokens
	cacheHitRate     float64 // 0 to 1
	perSecond        int64
	replicas         int64
}

// The sample fleet stood at these figures at fleetEpoch (Unix seconds), as in
// the documents' example.
const (
	fleetEpoch       = 1767225600
	fleetRequests    = 4820148
	fleetTokens      = 1900081374
	fleetPerSecond   = 148.0
	tokensPerRequest = 394.2
)

// waves are the ups and downs of the traffic: amplitude in requests a second,
// period in seconds. Their sum stays far below fleetPerSecond, so the counters
// never go back.
var waves = [...]struct{ amplitude, period float64 }{{21, 3600}, {9, 311}, {6, 47}, {3, 13}}

// load returns how far the traffic is from its mean, in requests a second, and
// how many requests that has added since the epoch.
func load(seconds float64) (rate, sum float64) {
	for _, w := range waves {
		turn := 2 * math.Pi / w.period
		rate += w.amplitude * math.Sin(turn*seconds)
		sum += w.amplitude * (1 - math.Cos(turn*seconds)) / turn
	}
	return rate, sum
}

// fleetAt returns the sample figures of a moment.
func fleetAt(t time.Time) fleetTick {
	seconds := max(0, float64(t.UnixMilli())/1000-fleetEpoch)
	rate, sum := load(seconds)
	served := math.Floor(fleetPerSecond*seconds + sum)
	stress := rate / fleetPerSecond // about -0.25 to 0.25
	sway := math.Sin(2 * math.Pi * seconds / 97)
	return fleetTick{
		requests:     fleetRequests + int64(served),
		tokens:       fleetTokens + int64(served*tokensPerRequest),
		medianTTFT:   int64(math.Round(210 + 140*stress + 8*sway)),
		blendedCost:  math.Round(100*(1.53-0.2*stress+0.02*sway)) / 100,
		cacheHitRate: math.Round(1000*(0.62+0.12*stress-0.015*sway)) / 1000,
		perSecond:    int64(math.Round(fleetPerSecond + rate)),
		replicas:     int64(math.Round(6 + 6*stress)),
	}
}

func (fleetTick) name() string { return "metrics.tick" }

func (f fleetTick) fields(o *object, at int64) {
	o.integer("requests", f.requests)
	o.integer("tokensProcessed", f.tokens)
	o.integer("medianTtftMs", f.medianTTFT)
	o.float("blendedCostPerMillion", f.blendedCost)
	o.float("cacheHitRate", f.cacheHitRate)
	o.integer("requestsPerSecond", f.perSecond)
	o.integer("activeReplicas", f.replicas)
	o.integer("at", at)
}
