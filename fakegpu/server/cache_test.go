package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/fakegpu/control"
	"plumbline.dev/plumbline/fakegpu/server"
)

// cached is what a reply reports of the prefix cache.
type cached struct {
	prompt, cached, written int // tokens; -1 is not reported
	tier                    string
}

// cacheOf asks for a reply that is not streamed.
func (r *rig) cacheOf(body string) cached {
	r.t.Helper()
	res := r.post("/v1/chat/completions", body)
	require.Equal(r.t, 200, res.status, res.body)
	var reply struct {
		Usage struct {
			Prompt  int `json:"prompt_tokens"`
			Details *struct {
				Cached  *int `json:"cached_tokens"`
				Written *int `json:"cache_write_tokens"`
			} `json:"prompt_tokens_details"`
		}
	}
	require.NoError(r.t, json.Unmarshal([]byte(res.body), &reply))
	c := cached{prompt: reply.Usage.Prompt, cached: -1, written: -1, tier: res.header.Get("X-Cache-Tier")}
	if d := reply.Usage.Details; d != nil && d.Cached != nil {
		c.cached = *d.Cached
	}
	if d := reply.Usage.Details; d != nil && d.Written != nil {
		c.written = *d.Written
	}
	return c
}

// talk is a chat request: a system prompt, and a user message with the marker
// at its end.
func talk(system, user, extra string) string {
	return fmt.Sprintf(`{"model":"m","messages":[{"role":"system","content":%q},{"role":"user","content":%q}]%s}`, system, user, extra)
}

var long = strings.Repeat("Walls stand true. ", 40) // 180 tokens

func TestThePromptAgainIsCached(t *testing.T) {
	for _, options := range []server.Options{{}, {Card: "h100"}, {Dialect: "llamacpp"}, {Dialect: "sglang"}} {
		t.Run(options.Dialect+options.Card, func(t *testing.T) {
			r := newRig(t, options)
			cold := r.cacheOf(talk(long, "Hello", `,"max_tokens":1`))
			assert.Equal(t, cached{prompt: cold.prompt, cached: 0, written: -1}, cold)
			warm := r.cacheOf(talk(long, "Hello", `,"max_tokens":1`))
			assert.Equal(t, (cold.prompt-1)/16*16, warm.cached, "every block but that of the last token")
			assert.Equal(t, "gpu-hbm", warm.tier)
			shared := r.cacheOf(talk(long, "Good evening", `,"max_tokens":1`))
			assert.Equal(t, len("system\n"+long)/4/16*16, shared.cached, "the system prompt")
			_, body := r.get("/metrics")
			line := func(name string, value int) string {
				return fmt.Sprintf("%s{model_name=%q} %d\n", name, server.DefaultModel, value)
			}
			assert.Contains(t, body, line("vllm:prefix_cache_queries_total", cold.prompt+warm.prompt+shared.prompt))
			assert.Contains(t, body, line("vllm:prefix_cache_hits_total", warm.cached+shared.cached))
		})
	}
}

func TestScriptedPromptsAreCached(t *testing.T) {
	r := newRig(t, server.Options{})
	nonce := r.register(control.Script{}.Tokens("a"))
	ask := func(nonce string) cached {
		return r.cacheOf(talk(long, "Hello "+control.Marker(nonce)+", "+long[:90], ""))
	}
	cold := ask(nonce)
	assert.Zero(t, cold.cached)
	warm := ask(nonce)
	assert.Equal(t, (warm.prompt-1)/16*16, warm.cached)
	other := ask(r.register(control.Script{}.Tokens("a")))
	assert.Less(t, other.cached, warm.cached)
	assert.Greater(t, other.cached, other.prompt*3/4, "all before the nonce is shared")
	j, err := r.control.Await(r.ctx, nonce, control.Condition{Requests: 2, Request: 2, Ended: true})
	require.NoError(t, err)
	assert.Equal(t, [2]int{0, warm.cached}, [2]int{j.Requests[0].CachedTokens, j.Requests[1].CachedTokens})
	assert.Equal(t, [2]string{"", "gpu-hbm"}, [2]string{j.Requests[0].CacheTier, j.Requests[1].CacheTier})
}

func TestScriptsSetTheirCounts(t *testing.T) {
	count := func(n int) *int { return &n }
	for name, tc := range map[string]struct {
		script control.Script
		want   cached // of the second request
	}{
		"the prompt":        {control.Script{PromptTokens: 502}, cached{502, -1, -1, ""}},
		"none cached":       {control.Script{CachedTokens: count(0)}, cached{0, 0, -1, ""}},
		"cached":            {control.Script{CachedTokens: count(7)}, cached{0, 7, -1, "gpu-hbm"}},
		"prompt and cached": {control.Script{PromptTokens: 502, CachedTokens: count(400)}, cached{502, 400, -1, "gpu-hbm"}},
		"writes":            {control.Script{PromptTokens: 502, CachedTokens: count(400), CacheWriteTokens: count(50)}, cached{502, 400, 50, "gpu-hbm"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, server.Options{})
			nonce := r.register(tc.script.Tokens("a"))
			cold := r.cacheOf(talk(long, control.Marker(nonce), ""))
			warm := r.cacheOf(talk(long, control.Marker(nonce), ""))
			if tc.want.prompt == 0 {
				tc.want.prompt = cold.prompt
			}
			assert.Equal(t, tc.want, warm)
			assert.Equal(t, tc.want, cold, "what is cached changes nothing")
		})
	}
}

func TestPressureMovesPromptsDown(t *testing.T) {
	r := newRig(t, server.Options{KVBlocks: 12, HostBlocks: 11, StorageBlocks: 11})
	ask := func(first string) cached { return r.cacheOf(talk(first+long, "Hello", `,"max_tokens":1`)) }
	for _, first := range []string{"1", "2", "3", "4"} {
		assert.Zero(t, ask(first).cached)
	}
	assert.Equal(t, "gpu-hbm", ask("4").tier)
	assert.Equal(t, "host-memory", ask("3").tier)
	assert.Equal(t, "gpu-hbm", ask("3").tier, "a hit moves up")
	assert.Equal(t, "storage", ask("2").tier)
	assert.Zero(t, ask("1").cached, "it has left the last tier")
	_, body := r.get("/metrics")
	assert.Contains(t, body, `fakegpu:kv_blocks{model_name="`+server.DefaultModel+`",tier="storage"} 11`)
}

func TestCachesAreApart(t *testing.T) {
	r := newRig(t, server.Options{})
	with := func(extra string) cached { return r.cacheOf(talk(long, "Hello", extra)) }
	assert.Zero(t, with("").cached)
	assert.Zero(t, with(`,"cache_salt":"one"`).cached)
	assert.Zero(t, with(`,"cache_salt":"two"`).cached)
	assert.Positive(t, with(`,"cache_salt":"one"`).cached)
	other := strings.Replace(talk(long, "Hello", ""), `"model":"m"`, `"model":"n"`, 1)
	assert.Zero(t, r.cacheOf(other).cached, "another model")
	res := r.post("/v1/chat/completions", talk(long, "Hello", `,"cache_salt":5`))
	assert.Equal(t, 400, res.status)
	assert.Contains(t, res.body, "cache_salt is a number")
}

// A request that waits for its turn on the card is seen waiting, and may leave.
func TestLeavingTheQueue(t *testing.T) {
	r := newRig(t, server.Options{Card: "h100", MaxNumSeqs: 1, ITL: patience})
	r.open("/v1/chat/completions", plain(streamed+`,"max_tokens":5,"ignore_eos":true`))
	waiting := func(n int) func() bool {
		line := fmt.Sprintf("vllm:num_requests_waiting{model_name=%q} %d\n", server.DefaultModel, n)
		return func() bool {
			_, body := r.get("/metrics")
			return strings.Contains(body, line)
		}
	}
	running := fmt.Sprintf("vllm:num_requests_running{model_name=%q} 1\n", server.DefaultModel)
	require.Eventually(t, func() bool {
		_, body := r.get("/metrics")
		return strings.Contains(body, running)
	}, patience, 1e6)
	nonce := newNonce()
	conn := r.open("/v1/chat/completions", chat(nonce, streamed))
	require.Eventually(t, waiting(1), patience, 1e6)
	require.NoError(t, conn.Close())
	assert.Equal(t, control.EndingAborted, r.ended(nonce).Ending)
	assert.True(t, waiting(0)())
}
