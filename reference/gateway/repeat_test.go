package gateway

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/fakegpu/control"
	"plumbline.dev/plumbline/reference/generation"
	"plumbline.dev/plumbline/reference/idempotency"
	"plumbline.dev/plumbline/reference/price"
)

// generated counts how often the model server was asked for a script.
func (r *rig) generated(nonce string) int {
	r.Helper()
	j, err := r.gpu.Journal(r.Context(), nonce)
	require.NoError(r, err)
	return len(j.Requests)
}

func TestARepeatedRequestIsNeitherGeneratedNorChargedTwice(t *testing.T) {
	r := newNotholyRig(t, withCredits("10"))
	for _, f := range formatCases {
		for _, stream := range []string{"true", "false"} {
			t.Run(f.name+", stream "+stream, func(t *testing.T) {
				nonce, key := r.script(hello), "retry "+f.name+stream
				before := r.credits(key1).Get("balanceUsd").Raw
				first := f.askAs(r, key1, nonce, stream, idempotency.Header, key)
				want, err := read(first)
				require.NoError(t, err)
				for range 2 {
					again := f.askAs(r, key1, nonce, stream, idempotency.Header, key)
					got, err := read(again)
					require.NoError(t, err)
					assert.Equal(t, want, got, "byte for byte")
					assert.Equal(t, first.StatusCode, again.StatusCode)
					assert.Equal(t, "true", again.Header.Get(idempotency.ReplayedHeader))
					for _, name := range []string{"Content-Type", "Cache-Control", generation.RequestIDHeader, "Request-Id"} {
						assert.Equal(t, first.Header.Get(name), again.Header.Get(name), name)
					}
				}
				assert.Equal(t, 1, r.generated(nonce))
				after := r.credits(key1).Get("balanceUsd").Raw
				assert.Equal(t, wholeUSD, price.MustParseMoney(before).Sub(price.MustParseMoney(after)).String())

				other := f.askAs(r, key1, r.script(hello), stream, idempotency.Header, key)
				reply, err := read(other)
				require.NoError(t, err)
				assert.Equal(t, http.StatusUnprocessableEntity, other.StatusCode, "the same key with another request")
				assert.NotEmpty(t, gjson.Get(reply, "error.message").Str)
				_, err = read(f.askAs(r, keyOrg, nonce, stream, idempotency.Header, key))
				require.NoError(t, err)
				assert.Equal(t, 2, r.generated(nonce), "another organization's key is another key")
			})
		}
	}
}

func TestARepeatedRequestJoinsTheRunningOne(t *testing.T) {
	r := newNotholyRig(t, withCredits("10"))
	f := formatCases[0]
	nonce := r.script(control.Script{}.Tokens("a").Gate("g").Tokens("b"))
	ask := func() *http.Response { return f.askAs(r, key1, nonce, "true", idempotency.Header, "k") }
	first := ask()
	head := until(t, first.Body, `"a"`)
	second, third := ask(), ask()
	assert.Equal(t, head, until(t, second.Body, `"a"`), "what the first was told")
	until(t, third.Body, `"a"`)
	require.NoError(t, third.Body.Close()) // who leaves again ends nothing
	require.NoError(t, first.Body.Close()) // nor does the first, as long as one stays
	require.NoError(t, r.gpu.Release(r.Context(), nonce, "g"))
	rest, err := read(second)
	require.NoError(t, err)
	assert.Contains(t, rest, "[DONE]")
	assert.Equal(t, generation.Finished, (<-r.settled).Ending)
	assert.Len(t, r.credits(key1).Get("charges").Array(), 1)
	assert.Equal(t, 1, r.generated(nonce))
}

// A reply that did not end as it should is no reply: whoever repeats the request
// wants another.
func TestAfterABreakARepeatedRequestIsMadeAnew(t *testing.T) {
	f := formatCases[0]
	for name, c := range map[string]struct {
		script control.Script
		meet   func(*rig, string, *http.Response)
		ending generation.Ending
	}{
		"the model server failed": {
			control.Script{}.Tokens("a").Then(control.Step{Reset: true}),
			func(r *rig, _ string, resp *http.Response) {
				_, err := read(resp)
				require.NoError(r, err)
			}, generation.Failed,
		},
		"the model server refused": {
			control.Script{HTTP: &control.HTTPAnswer{Status: 500}},
			func(r *rig, _ string, resp *http.Response) {
				_, err := read(resp)
				require.NoError(r, err)
			}, generation.Failed,
		},
		"the only client left": {
			control.Script{}.Tokens("a").Gate("g").Tokens("b"),
			func(r *rig, nonce string, resp *http.Response) {
				until(r.T, resp.Body, `"a"`)
				require.NoError(r, resp.Body.Close())
				assert.Equal(r, control.EndingAborted, r.ended(nonce).Ending, "leaving stops it, with a key as well")
			}, generation.Disconnected,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newNotholyRig(t, withCredits("10"))
			nonce := r.script(c.script)
			for n := range 2 {
				c.meet(r, nonce, f.askAs(r, key1, nonce, "true", idempotency.Header, "k"))
				assert.Equal(t, c.ending, (<-r.settled).Ending)
				assert.Equal(t, n+1, r.generated(nonce))
			}
		})
	}
}

func TestARefusedRequestMayBeRepeated(t *testing.T) {
	r := newNotholyRig(t, withCredits("10"))
	f := formatCases[0]
	nonce := r.script(hello)
	for range 2 {
		resp := f.askAs(r, keyPoor, nonce, "true", idempotency.Header, "k")
		assert.Equal(t, http.StatusPaymentRequired, resp.StatusCode)
		assert.Empty(t, resp.Header.Get(idempotency.ReplayedHeader))
	}
	resp := f.askAs(r, key1, nonce, "true", idempotency.Header, "two\tparts")
	assert.Equal(t, http.StatusBadRequest, resp.StatusCode)
	assert.Zero(t, r.generated(nonce))
}

func TestTheAddressIsPartOfTheRequest(t *testing.T) {
	r := newRig(t, nil)
	ask := func(path string) int {
		const request = `{"model":"Qwen/Qwen2.5-7B-Instruct","max_tokens":3,"messages":[{"role":"user","content":"x"}]}`
		resp := r.send(r.Context(), http.MethodPost, path, key1, request, idempotency.Header, "k", "anthropic-version", "2023-06-01")
		_, err := read(resp)
		require.NoError(t, err)
		return resp.StatusCode
	}
	assert.Equal(t, http.StatusOK, ask("/v1/chat/completions"))
	assert.Equal(t, http.StatusUnprocessableEntity, ask("/v1/messages"))
}
