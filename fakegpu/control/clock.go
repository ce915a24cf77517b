package control

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// clockTrips is how many round trips ClockOffset measures.
const clockTrips = 9

// Clock is the fake GPU's reading of its own clock.
type Clock struct {
	Now int64 `json:"now"` // nanoseconds of Unix time, as in a [Record]
}

// ClockOffset measures how far the fake GPU's clock is ahead of this process's
// (time.Now): server time minus local time. The true offset lies within bound
// of it, half the shortest round trip of a few.
func (c *Client) ClockOffset(ctx context.Context) (offset, bound time.Duration, err error) {
	best := time.Duration(-1)
	for range clockTrips {
		var server Clock
		sent := time.Now()
		if err := c.call(ctx, http.MethodGet, "/clock", nil, &server); err != nil {
			return 0, 0, fmt.Errorf("reading the fake GPU's clock: %w", err)
		}
		trip := time.Since(sent)
		if best < 0 || trip < best {
			best = trip
			offset = time.Duration(server.Now - sent.Add(trip/2).UnixNano())
		}
	}
	return offset, best/2 + 1, nil
}
