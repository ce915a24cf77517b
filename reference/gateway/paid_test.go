package gateway

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/fakegpu/control"
	"plumbline.dev/plumbline/reference/config"
	"plumbline.dev/plumbline/reference/generation"
	"plumbline.dev/plumbline/reference/limit"
	"plumbline.dev/plumbline/reference/price"
)

const (
	keyPoor    = "sk-secret-poor"
	keyLimited = "sk-secret-limited"
)

// withCredits gives the first organization a balance, and adds one without.
func withCredits(balance string) func(*config.Config) {
	return func(cfg *config.Config) {
		amount, none, nothing := price.MustParseMoney(balance), price.Money{}, int64(0)
		cfg.Organizations[0].Credits = &amount
		limited := config.KeyFrom("limited", keyLimited)
		limited.Limits = limit.Limits{RequestsPerMinute: &nothing}
		cfg.Organizations[0].Keys = append(cfg.Organizations[0].Keys, limited)
		cfg.Organizations = append(cfg.Organizations, config.Organization{ID: "poor", Credits: &none, Keys: []config.Key{config.KeyFrom("poor", keyPoor)}})
	}
}

// credits reads what GET /v1/credits says to the owner of a key.
func (r *rig) credits(key string) gjson.Result {
	r.Helper()
	resp := r.send(r.Context(), http.MethodGet, "/v1/credits", key, "")
	reply, err := read(resp)
	require.NoError(r, err)
	require.Equal(r, http.StatusOK, resp.StatusCode)
	require.True(r, gjson.Valid(reply))
	return gjson.Parse(reply)
}

// whole are the 12 prompt tokens and 2 generated ones of hello, at notholy's
// prices: 12 × 0.3 (written to the cache) + 2 × 0.96, per million.
const wholeUSD = "0.00000552"

var hello = control.Script{PromptTokens: 12}.Tokens("Hé", "llo")

func TestEachEndingIsChargedOnceInEachFormat(t *testing.T) {
	r := newNotholyRig(t, withCredits("1000"))
	charged := func(resp *http.Response, kind, usd string) {
		t.Helper()
		<-r.settled // all is told before the client is
		id := resp.Header.Get(generation.RequestIDHeader)
		list := r.credits(key1)
		of := list.Get(`charges.#(id=="` + id + `")#`).Array()
		require.Len(t, of, 1)
		assert.Equal(t, kind, of[0].Get("kind").Str)
		assert.Equal(t, usd, of[0].Get("usd").Raw, "exact, a JSON number")
		assert.Equal(t, "notholy-specter", of[0].Get("model").Str)
		assert.Positive(t, of[0].Get("at").Int())
		sum := price.Money{}
		for _, c := range list.Get("charges").Array() {
			sum = sum.Add(price.MustParseMoney(c.Get("usd").Raw))
		}
		assert.Equal(t, price.MustParseMoney("1000").Sub(sum).String(), list.Get("balanceUsd").Raw, "the balance is what the charges left")
	}
	for _, f := range formatCases {
		for _, stream := range []string{"true", "false"} {
			t.Run(f.name+", stream "+stream, func(t *testing.T) {
				resp := f.ask(r, r.script(hello), stream)
				_, err := read(resp)
				require.NoError(t, err)
				charged(resp, "finish", wholeUSD)

				resp = f.ask(r, r.script(hello.Then(control.Step{Reset: true})), stream)
				_, err = read(resp)
				require.NoError(t, err)
				charged(resp, "break", "0.00000192") // 2 × 0.96: the generated tokens alone

				resp = f.ask(r, r.script(control.Script{HTTP: &control.HTTPAnswer{Status: 500}}), stream)
				_, err = read(resp)
				require.NoError(t, err)
				charged(resp, "break", "0")
			})
		}
		t.Run(f.name+", stopped", func(t *testing.T) {
			resp := f.ask(r, r.script(hello.Gate("g")), "true")
			first := until(t, resp.Body, "llo")
			require.NotEmpty(t, first)
			require.Equal(t, http.StatusOK, r.stop(resp.Header.Get(generation.RequestIDHeader), key1).StatusCode)
			_, err := read(resp)
			require.NoError(t, err)
			<-r.settled
			assert.Equal(t, "stop", r.credits(key1).Get("charges.0.kind").Str)
		})
		t.Run(f.name+", client gone", func(t *testing.T) {
			nonce := r.script(hello.Gate("g"))
			resp := f.ask(r, nonce, "true")
			until(t, resp.Body, "llo")
			require.NoError(t, resp.Body.Close())
			assert.Equal(t, control.EndingAborted, r.ended(nonce).Ending)
			charged(resp, "break", "0.00000192")
		})
	}
}

func TestMortarChargesWhatCostUpdateSays(t *testing.T) {
	r := newRig(t, withCredits("10"))
	// Break or not: 12 × 0.039125 + 2 × 0.2373, per million.
	for _, script := range []control.Script{hello, hello.Then(control.Step{Reset: true})} {
		_, err := read(r.complete(body(r.script(script), "")))
		require.NoError(t, err)
		s := <-r.settled
		want := "0.0000009441"
		if s.Ending == generation.Failed { // the gateway counted the prompt itself
			want = price.MustParse("0.039125").Amount(s.Usage.PromptTokens).Add(price.MustParseMoney("0.0000004746")).String()
		}
		assert.Equal(t, want, r.credits(key1).Get("charges.0.usd").Raw)
	}
}

func TestRefusalsCostNothing(t *testing.T) {
	r := newNotholyRig(t, withCredits("10"))
	for _, f := range formatCases {
		nonce := r.script(hello)
		for name, c := range map[string]struct {
			key, kind string
			status    int
		}{
			"no credits":      {keyPoor, "insufficient_quota billing_error", http.StatusPaymentRequired},
			"a limit reached": {keyLimited, "requests rate_limit_error", http.StatusTooManyRequests},
			"an unknown key":  {"sk-wrong", "invalid_request_error authentication_error", http.StatusUnauthorized},
		} {
			for _, stream := range []string{"true", "false"} {
				t.Run(f.name+"/"+name+", stream "+stream, func(t *testing.T) {
					resp := f.askAs(r, c.key, nonce, stream)
					reply, err := read(resp)
					require.NoError(t, err)
					assert.Equal(t, c.status, resp.StatusCode)
					assert.Equal(t, "application/json", resp.Header.Get("Content-Type"))
					kinds := strings.Fields(c.kind)
					want := kinds[0]
					if f.name == "messages" {
						want = kinds[1]
						assert.Equal(t, "error", gjson.Get(reply, "type").Str)
					}
					assert.Equal(t, want, gjson.Get(reply, "error.type").Str, reply)
					if c.status == http.StatusTooManyRequests {
						assert.Regexp(t, "^[1-9][0-9]?$", resp.Header.Get("Retry-After"))
						assert.Equal(t, "0", resp.Header.Get("x-ratelimit-limit-requests"))
						assert.Equal(t, "0", resp.Header.Get("x-ratelimit-remaining-requests"))
						assert.NotEmpty(t, resp.Header.Get("x-ratelimit-reset-requests"))
					}
				})
			}
		}
	}
	for key, balance := range map[string]string{key1: "10", keyPoor: "0"} {
		assert.Equal(t, `{"object":"credits","balanceUsd":`+balance+`,"charges":[]}`+"\n", r.credits(key).Raw)
	}
	assert.Equal(t, "null", r.credits(keyOrg).Get("balanceUsd").Raw, "no balance is kept")
	assert.Equal(t, http.StatusUnauthorized, r.send(r.Context(), http.MethodGet, "/v1/credits", "", "").StatusCode)
}

func TestAStreamThatUsesUpTheBalanceFails(t *testing.T) {
	for _, f := range formatCases {
		t.Run(f.name, func(t *testing.T) {
			r := newNotholyRig(t, withCredits("0.00000288")) // three tokens
			nonce := r.script(control.Script{}.Tokens("a", "b", "c").Gate("paid").Tokens("d").Gate("unpaid"))
			resp := f.ask(r, nonce, "true")
			r.atGate(nonce, "paid")
			first := until(t, resp.Body, `"c"`)
			require.NoError(t, r.gpu.Release(r.Context(), nonce, "paid"))
			rest, err := read(resp)
			require.NoError(t, err)
			assert.Equal(t, 1, strings.Count(first+rest, f.failure), rest)
			for _, sign := range f.success {
				assert.NotContains(t, first+rest, sign)
			}
			assert.Equal(t, control.EndingAborted, r.ended(nonce).Ending, "the model server stops")
			s := <-r.settled
			assert.Equal(t, generation.Exhausted, s.Ending)
			list := r.credits(key1)
			assert.Equal(t, "0.00000384", list.Get("charges.0.usd").Raw, "for the four that it generated")
			assert.Equal(t, "-0.00000096", list.Get("balanceUsd").Raw)
			assert.Equal(t, http.StatusPaymentRequired, f.ask(r, r.script(hello), "true").StatusCode)
		})
	}
}

func TestLimitsCountRequestsAndTokens(t *testing.T) {
	two, twenty := int64(2), int64(20)
	r := newRig(t, func(cfg *config.Config) {
		cfg.Organizations[0].Keys[0].Limits = limit.Limits{RequestsPerMinute: &two}
		cfg.Organizations[0].Keys[1].Limits = limit.Limits{TokensPerMinute: &twenty}
	})
	ask := func(key string) *http.Response {
		resp := r.send(r.Context(), http.MethodPost, "/v1/chat/completions", key, body(r.script(hello), ""))
		_, err := read(resp)
		require.NoError(t, err)
		return resp
	}
	for i, remaining := range []string{"1", "0", "0"} {
		resp := ask(key1)
		assert.Equal(t, i == 2, resp.StatusCode == http.StatusTooManyRequests)
		assert.Equal(t, remaining, resp.Header.Get("x-ratelimit-remaining-requests"))
	}
	for i, remaining := range []string{"20", "6", "0"} { // 12 + 2 tokens each
		resp := ask(key2)
		assert.Equal(t, i == 2, resp.StatusCode == http.StatusTooManyRequests)
		assert.Equal(t, remaining, resp.Header.Get("x-ratelimit-remaining-tokens"))
	}
	assert.Equal(t, http.StatusOK, ask(keyOrg).StatusCode)
}

// The prices of replies that run at once come off one balance, each once.
func TestManyAtOnce(t *testing.T) {
	r := newNotholyRig(t, withCredits("1"))
	const n = 50
	nonce := r.script(hello)
	over := make(chan error, n)
	for range n {
		go func() {
			req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, r.base+"/v1/chat/completions", strings.NewReader(body(nonce, "")))
			if err == nil {
				req.Header.Set("Authorization", "Bearer "+key1)
				var resp *http.Response
				if resp, err = r.client.Do(req); err == nil {
					_, err = read(resp)
				}
			}
			over <- err
		}()
	}
	for range n {
		require.NoError(t, <-over)
	}
	assert.Equal(t, "0.999724", r.credits(key1).Get("balanceUsd").Raw) // 1 - 50 × 0.00000552
}
