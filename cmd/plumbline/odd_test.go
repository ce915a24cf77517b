package main

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance"
	"plumbline.dev/plumbline/conformance/lint"
	"plumbline.dev/plumbline/conformance/tap"
	"plumbline.dev/plumbline/conformance/target"
)

// oddTransport reaches a right gateway and makes its streams odd.
type oddTransport struct {
	http.RoundTripper
	change func(*http.Response)
}

func (t oddTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.RoundTripper.RoundTrip(r)
	if err == nil && isStream(r, response.Header) {
		t.change(response)
	}
	return response, err
}

// isStream tells whether an answer is a streamed reply.
func isStream(r *http.Request, answer http.Header) bool {
	return r.Method == http.MethodPost && strings.HasPrefix(answer.Get("Content-Type"), "text/event-stream")
}

// odd is a gateway that is unusual in a way that no document rules out: in what
// its streams are, or in how it serves.
type odd struct {
	change func(*http.Response)
	front  front
}

// oddities are named for the profile by which each is judged. Framing is the same
// in both, so that those of the second one are odd in two ways at once.
func oddities() map[string]map[string]odd {
	bytes := func(r *http.Response) { r.Body = &bytewise{r.Body, 4 << 10} }
	drips := func(r *http.Response) { r.Body = &dripping{ReadCloser: r.Body} }
	pairs := func(r *http.Response) { r.Body = newPaired(r.Body) }
	comments := func(r *http.Response) { r.Body = &edited{ReadCloser: r.Body, edit: commented} }
	fields := func(r *http.Response) {
		if strings.HasSuffix(r.Request.URL.Path, "/chat/completions") {
			r.Body = &edited{ReadCloser: r.Body, edit: furnished}
		}
	}
	return map[string]map[string]odd{
		"mortar": {
			"as it is": {}, "HTTP/2": {front: http2}, "extended chunks": {front: extended},
			"byte by byte": {change: bytes}, "slow but steady": {change: drips}, "two by two": {change: pairs},
			"comments between events": {change: comments}, "more fields": {change: fields}, "more headers": {change: moreHeaders},
		},
		"notholy": {
			"HTTP/2 with comments": {comments, http2}, "extended chunks, slow but steady": {drips, extended},
			"two by two": {change: pairs}, "more fields": {change: fields},
		},
	}
}

func moreHeaders(r *http.Response) {
	r.Header.Add("Set-Cookie", "a=b; HttpOnly")
	r.Header.Set("Server", "odd/1.0")
	r.Header.Set("Vary", "Origin, Accept-Encoding")
	r.Header.Set("Strict-Transport-Security", "max-age=1")
	r.Header.Set("X-Ratelimit-Remaining-Requests", "59")
	r.Header.Set("Content-Type", "text/event-stream")
	r.Header["Cache-Control"] = []string{"no-transform", "No-Cache"}
	r.Header.Set("X-Accel-Buffering", "NO")
}

// A right gateway stays right behind the tap, which changes nothing, and when it
// is odd in ways that are legal. The tap finds nothing in its streams.
func TestOddGatewaysThatAreRight(t *testing.T) {
	for profile, groups := range map[string][]string{
		"mortar":  {"mortar-stream", "mortar-cancel", "openai-chat"},
		"notholy": {"notholy-stream", "notholy-errors", "openai-chat", "openai-text", "openai-responses", "anthropic-messages"},
	} {
		reference := conformance.Target{Profile: profile}
		intervals := shortened
		intervals.Ping = time.Second // a head waits no longer for a model server that refuses, and many run at once
		stop, err := startReference(t.Context(), target.Config{Intervals: intervals}, &reference)
		require.NoError(t, err)
		t.Cleanup(stop)
		reference.Intervals = conformance.Intervals{Ping: intervals.Ping, Silence: intervals.Silence}
		for name, o := range oddities()[profile] {
			tags := "(" + quickTags(t, profile, groups...) + ")"
			if o.front == nil || o.change != nil { // how HTTP carries a pause is judged where nothing else is odd
				tags += pauses
			}
			t.Run(profile+", "+name, func(t *testing.T) {
				t.Parallel() // most of a run is waiting
				judgeOdd(t, reference, o, tags)
			})
		}
	}
}

// pauses are the rows whose scenarios pause for seconds, to be left out.
const pauses = " and not (@mortar-stream-03 or @openai-chat-05 or @notholy-stream-02 or @notholy-stream-09 or @openai-responses-04" +
	" or @anthropic-messages-02 or @anthropic-messages-03)"

// judgeOdd judges a right gateway that is odd.
func judgeOdd(t *testing.T, judged conformance.Target, o odd, tags string) {
	upstream, err := url.Parse(judged.BaseURL)
	require.NoError(t, err)
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	options := tap.Options{Upstream: upstream, Transport: transport, Lint: lint.Options{Profile: judged.Profile}}
	if o.change != nil {
		options.Transport = oddTransport{transport, o.change}
	}
	var mu sync.Mutex
	var found []string
	options.Found = func(r *lint.Report) {
		mu.Lock()
		defer mu.Unlock()
		for _, f := range r.Findings {
			found = append(found, f.Requirement+": "+f.Seen)
		}
	}
	proxy, err := tap.New(options)
	require.NoError(t, err)
	if o.front == nil {
		o.front = plain
	}
	o.front(t, proxy, &judged)
	result, err := conformance.Run(t.Context(), conformance.Options{Target: judged, Tags: tags})
	require.NoError(t, err)
	assert.Empty(t, result.Errors)
	for _, row := range result.Requirements {
		assert.NotContains(t, []conformance.Verdict{conformance.Fail, conformance.HarnessError}, row.Verdict, "%s: %s", row.ID, row.Reason)
	}
	assert.Greater(t, 4*result.Totals[conformance.Pass], 3*len(result.Requirements), "it is judged, and not excused: %v", result.Totals)
	proxy.Wait()
	mu.Lock()
	defer mu.Unlock()
	// A stream that was stopped by its id has no finish chunk, of which the tap,
	// which sees no stop, cannot know.
	for _, f := range found {
		assert.True(t, strings.HasPrefix(f, "mortar-stream-12") || strings.HasPrefix(f, "mortar-stream-31"), f)
	}
}
