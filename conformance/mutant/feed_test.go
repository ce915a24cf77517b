package mutant

import (
	"bufio"
	"context"
	"io"
	"math/big"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	openTold     = "event: stream.open\ndata: {\"sessionId\":\"s\"}\n\n"
	routeTold    = "event: route.decision\ndata: {\"model\":\"m\",\"requestId\":\"chatcmpl-1\"}\n\n"
	lateTold     = "event: latency.update\ndata: {\"ending\":\"stopped\",\"requestId\":\"chatcmpl-1\",\"ttftMs\":null}\n\n"
	costTold     = "event: cost.update\ndata: {\"cacheReadTokens\":400,\"cacheWriteTokens\":250,\"completionTokens\":7,\"promptTokens\":1000,\"requestId\":\"chatcmpl-1\"}\n\n"
	sumsTold     = "event: session.metrics\ndata: {\"at\":1}\n\n"
	listedPrices = `{"data":[{"id":"m","costPerMillionInput":0.0313,"costPerMillionOutput":0.2373,"costPerMillionCacheRead":0.00313,"costPerMillionCacheWrite":0.039125}]}`
)

// telling is a gateway that tells these events of a session, and streams one
// completion.
func telling(events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/telemetry/stream":
			w.Header().Set("X-Asked", r.URL.RawQuery)
			streaming(nil, events...)(w, r)
		case "/v1/models":
			_, _ = io.WriteString(w, listedPrices)
		default:
			streaming(nil, chunkOne, doneLine)(w, r)
		}
	}
}

func follow(t *testing.T, address, key string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/v1/telemetry/stream?session=a%2Fb", nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", key)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

func TestFeedRewrites(t *testing.T) {
	all := func() []string { return []string{openTold, ": ping\n\n", routeTold, lateTold, costTold, sumsTold} }
	without := func(lost string) string { return strings.Replace(strings.Join(all(), ""), lost, "", 1) }
	for _, tt := range []struct {
		name string
		wrap wrap
		want string
	}{
		{"nothing", fixed(relay{}), without("")},
		{"a mutant of replies", onStream(drop(func(event) bool { return true })), without("")},
		{"a change that changes nothing", onFeed(rewritten(func(object) {})), without("")},
		{"drop", onFeed(drop(named(tellsRoute))), without(routeTold)},
		{"one key less", onTold(tellsSums, func(o object) { delete(o, "at") }), strings.Replace(without(""), `{"at":1}`, "{}", 1)},
		{"a cost by its ending", onFeed(dropCosts(wasStop)), without(costTold)},
		{"a cost by another ending", onFeed(dropCosts(hasFailed)), without("")},
		{"two costs", onFeed(costsTwice(wasStop)), strings.Replace(without(""), costTold, costTold+costTold, 1)},
		{"held", onFeed(heldUntil(tellsRoute, tellsLatency)), strings.Replace(without(routeTold), lateTold, lateTold+routeTold, 1)},
		{"some", tellsSome(func(all []*follower, f *follower, e event) bool { return all[0] == f && e.name != tellsCost }), without(costTold)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			response := follow(t, serve(t, tt.wrap, telling(all()...)), "Bearer a")
			body, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			assert.Equal(t, tt.want, string(body))
			assert.Equal(t, "session=a%2Fb", response.Header.Get("X-Asked"))
		})
	}
}

func TestRepliesPassAMutantOfTelemetry(t *testing.T) {
	response := ask(t, t.Context(), serve(t, onFeed(drop(func(event) bool { return true })), telling()))
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	assert.Equal(t, chunkOne+doneLine, string(body))
}

func TestLeaks(t *testing.T) {
	leaving, second := make(chan struct{}), make(chan struct{})
	address := serve(t, leaks(tellsCost, func(from, to *follower) bool { return from.session == to.session && from.key != to.key }),
		func(w http.ResponseWriter, r *http.Request) {
			streaming(nil, openTold)(w, r)
			if r.Header.Get("Authorization") == "Bearer a" {
				<-second
				_, _ = io.WriteString(w, routeTold+costTold)
				return
			}
			<-leaving
		})
	one, other := follow(t, address, "Bearer a"), follow(t, address, "Bearer b")
	lines := bufio.NewReader(other.Body)
	_, err := lines.ReadString('}')
	require.NoError(t, err, "stream.open has come: it follows")
	close(second)
	body, err := io.ReadAll(one.Body)
	require.NoError(t, err)
	assert.Equal(t, openTold+routeTold+costTold, string(body))
	close(leaving)
	rest, err := io.ReadAll(lines)
	require.NoError(t, err)
	assert.Equal(t, "\n\n"+costTold, string(rest), "the cost alone leaks")
}

func TestFollowersAreForgotten(t *testing.T) {
	all := &followers{}
	x := &exchange{ctx: context.Background(), query: "session=s"}
	f := all.add(x, nil)
	assert.Equal(t, []*follower{f}, all.beside(f))
	assert.Equal(t, "s", f.session)
	x.close()
	assert.Empty(t, all.beside(f))
}

func TestBillsAreComputedAnew(t *testing.T) {
	response := follow(t, serve(t, onBill((*bill).redo), telling(routeTold, costTold)), "Bearer a")
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	s := newSplitter(strings.NewReader(string(body)))
	_, err = s.next()
	require.NoError(t, err)
	cost, err := s.next()
	require.NoError(t, err)
	for name, want := range map[string]string{
		"cacheReadUsd": "0.000001252", "cacheWriteUsd": "0.00000978125", "inputUsd": "0.00002198825", "outputUsd": "0.0000016611",
		"totalUsd": "0.00002364935", "baselineUsd": "0.0000329611", "savedUsd": "0.00000931175",
	} {
		exact, ok := new(big.Rat).SetString(want)
		require.True(t, ok)
		assert.Zero(t, exact.Cmp(exactly(cost.json()[name])), "%s: %v", name, cost.json()[name])
	}
}

func TestDigits(t *testing.T) {
	third := big.NewRat(2, 3)
	assert.Equal(t, "0.666666666667", digits(third, 12).String())
	assert.Equal(t, "0.66667", digits(third, 5).String())
	assert.Equal(t, "0.666666666666", cutOff(third).String())
	assert.Equal(t, "6.66666666666e-06", cutOff(new(big.Rat).Mul(third, big.NewRat(1, 100_000))).String())
	assert.Equal(t, "1000", digits(big.NewRat(1000, 1), 12).String())
	assert.Zero(t, exactly("no number").Sign())
}
