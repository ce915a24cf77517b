package gateway

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/fakegpu/server"
	"plumbline.dev/plumbline/reference/config"
	"plumbline.dev/plumbline/reference/prefix"
	"plumbline.dev/plumbline/reference/telemetry"
)

// question is a request of some hundred prompt tokens, most of which all
// questions about one topic begin with.
func question(topic, rest string) string {
	return fmt.Sprintf(`{"stream":true,"stream_options":{"include_usage":true},"max_tokens":2,"messages":[{"role":"system","content":%q},{"role":"user","content":%q}]}`,
		strings.Repeat(topic+" stands true. ", 80), rest)
}

// ask sends a request in session s and returns what telemetry tells of its
// routing, its cache and its cost, and the reply.
func (w *watcher) ask(key, request string) (route, lookup, cost told, reply string) {
	w.Helper()
	resp := w.send(w.Context(), http.MethodPost, "/v1/chat/completions", key, request, telemetry.SessionHeader, "s")
	reply, err := read(resp)
	require.NoError(w, err)
	require.Equal(w, http.StatusOK, resp.StatusCode, reply)
	events := map[string]told{}
	for events["session.metrics"].name == "" {
		e := w.next()
		events[e.name] = e
	}
	return events["route.decision"], events["cache.lookup"], events["cost.update"], reply
}

func TestTheSampleModelHasAPrefixCache(t *testing.T) {
	r := newRig(t, func(c *config.Config) { c.Models[0].ModelServers = nil })
	mine, theirs := r.watch("s", key1), r.watch("s", keyOrg)

	route, lookup, cost, _ := mine.ask(key1, question("a wall", "why?"))
	assert.Equal(t, prefix.ReasonOnlyServer, route.Reason)
	assert.Nil(t, lookup.Tier)
	assert.Zero(t, lookup.ReuseRatio)
	assert.Zero(t, cost.CacheReadTokens)
	assert.Equal(t, cost.PromptTokens, cost.CacheWriteTokens, "a cold request writes all of it")

	route, lookup, warm, reply := mine.ask(key2, question("a wall", "why?"))
	assert.Equal(t, cost.PromptTokens-1, warm.CacheReadTokens)
	assert.EqualValues(t, 1, warm.CacheWriteTokens)
	assert.Equal(t, warm.CacheReadTokens, route.ExpectedReuse)
	require.NotNil(t, lookup.Tier)
	assert.Equal(t, "gpu-hbm", *lookup.Tier)
	assert.InDelta(t, float64(warm.CacheReadTokens)/float64(warm.PromptTokens), lookup.ReuseRatio, 1e-9)
	assert.Contains(t, reply, fmt.Sprintf(`"cached_tokens":%d`, warm.CacheReadTokens), "the usage chunk says the same")
	assert.Less(t, warm.TotalUSD, cost.TotalUSD)

	_, _, shared, _ := mine.ask(key1, question("a wall", "how?"))
	assert.Greater(t, shared.CacheReadTokens, warm.PromptTokens/2, "the system prompt")
	assert.Less(t, shared.CacheReadTokens, warm.CacheReadTokens)

	_, _, other, _ := theirs.ask(keyOrg, question("a wall", "why?"))
	assert.Zero(t, other.CacheReadTokens, "another organization finds nothing")
}

func TestRequestsFollowTheirPrefix(t *testing.T) {
	// The second tier of each server has room for one prompt, the first as well.
	options := server.Options{KVBlocks: 28, HostBlocks: 28, StorageBlocks: -1}
	r := newRig(t, func(c *config.Config) {
		c.Models[0].ModelServers = nil
		for i := range 3 {
			gpu, err := server.Listen(context.Background(), "127.0.0.1:0", options)
			require.NoError(t, err)
			t.Cleanup(gpu.Close)
			c.Models[0].ModelServers = append(c.Models[0].ModelServers, config.ModelServer{Name: fmt.Sprintf("gpu-%d", i), URL: gpu.URL()})
		}
	})
	w := r.watch("s", key1)
	first, lookup, _, _ := w.ask(key1, question("a wall", "why?"))
	assert.Equal(t, prefix.ReasonLeastLoaded, first.Reason)
	assert.Zero(t, first.ExpectedReuse)
	assert.Nil(t, lookup.Tier)

	again, lookup, cost, _ := w.ask(key1, question("a wall", "how?"))
	assert.Equal(t, first.Server, again.Server)
	assert.Equal(t, prefix.ReasonAffinity, again.Reason)
	require.NotNil(t, lookup.Tier)
	assert.Equal(t, "gpu-hbm", *lookup.Tier)
	assert.Positive(t, cost.CacheReadTokens)
	assert.Equal(t, "upstream", cost.UsageSource)
	assert.InDelta(t, cost.CacheReadTokens, again.ExpectedReuse, 32, "what was expected is what was found, but for the rounding to blocks")

	// Another prompt that goes to the same server moves this one down.
	for n := 0; ; n++ {
		other, _, _, _ := w.ask(key1, question(fmt.Sprint("wall ", n), "why?"))
		if other.Server == first.Server {
			break
		}
	}
	_, lookup, _, _ = w.ask(key1, question("a wall", "who?"))
	require.NotNil(t, lookup.Tier)
	assert.Equal(t, "host-memory", *lookup.Tier, "the model server told it")
}
