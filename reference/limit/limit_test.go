package limit

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/apierror"
)

type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func per(n int64) *int64 { return &n }

var key = Key{"org", "one"}

func TestRequests(t *testing.T) {
	c := &clock{time.UnixMilli(1_000_000)}
	l := New(c.Now)
	limits := Limits{RequestsPerMinute: per(2)}
	h := http.Header{}
	require.Nil(t, l.Take(key, limits, h))
	assert.Equal(t, http.Header{
		"X-Ratelimit-Limit-Requests": {"2"}, "X-Ratelimit-Remaining-Requests": {"1"}, "X-Ratelimit-Reset-Requests": {"1m0s"},
	}, h)
	c.now = c.now.Add(20 * time.Second)
	require.Nil(t, l.Take(key, limits, h))
	assert.Equal(t, "0", h.Get("x-ratelimit-remaining-requests"))
	for range 3 { // refusals do not move the window
		e := l.Take(key, limits, h)
		require.NotNil(t, e)
		assert.Equal(t, 429, e.Status)
		assert.Equal(t, apierror.TypeRateLimitRequests, e.Type)
		assert.Equal(t, "rate_limit_exceeded", *e.Code)
		assert.Equal(t, 40*time.Second, e.RetryAfter)
		assert.Equal(t, "40s", h.Get("x-ratelimit-reset-requests"))
	}
	require.Nil(t, l.Take(Key{"org", "two"}, limits, h), "another key has a window of its own")
	require.Nil(t, l.Take(Key{"other", "one"}, limits, h), "so has one of that name elsewhere")
	c.now = c.now.Add(40 * time.Second)
	require.Nil(t, l.Take(key, limits, h))
	assert.Equal(t, "1", h.Get("x-ratelimit-remaining-requests"))
}

func TestTokens(t *testing.T) {
	c := &clock{time.UnixMilli(1_000_000)}
	l := New(c.Now)
	limits := Limits{TokensPerMinute: per(100)}
	h := http.Header{}
	require.Nil(t, l.Take(key, limits, h))
	l.Spend(key, limits, 99)
	require.Nil(t, l.Take(key, limits, h), "one token is left")
	assert.Equal(t, "1", h.Get("x-ratelimit-remaining-tokens"))
	assert.NotContains(t, h, "X-Ratelimit-Limit-Requests")
	l.Spend(key, limits, 5)
	e := l.Take(key, limits, h)
	require.NotNil(t, e)
	assert.Equal(t, apierror.TypeRateLimitTokens, e.Type)
	assert.Equal(t, "0", h.Get("x-ratelimit-remaining-tokens"), "never below")
	c.now = c.now.Add(time.Minute)
	l.Spend(key, limits, 30) // of a reply that began in the window before
	require.Nil(t, l.Take(key, limits, h))
	assert.Equal(t, "70", h.Get("x-ratelimit-remaining-tokens"))
}

func TestWithoutLimitsNothingIsCounted(t *testing.T) {
	l := New(time.Now)
	h := http.Header{}
	for range 10 {
		require.Nil(t, l.Take(key, Limits{}, h))
		l.Spend(key, Limits{}, 1<<40)
	}
	assert.Empty(t, h)
	assert.Empty(t, l.keys)
}

func TestALimitOfNothingLetsNothingPass(t *testing.T) {
	for name, limits := range map[string]Limits{"requests": {RequestsPerMinute: per(0)}, "tokens": {TokensPerMinute: per(0)}} {
		t.Run(name, func(t *testing.T) {
			h := http.Header{}
			e := New(time.Now).Take(key, limits, h)
			require.NotNil(t, e)
			assert.Greater(t, e.RetryAfter, time.Duration(0))
			assert.Equal(t, "0", h.Get("x-ratelimit-limit-"+name))
		})
	}
}

func TestConcurrentRequestsPassTheLimitExactly(t *testing.T) {
	now := time.Now()
	l := New(func() time.Time { return now })
	limits := Limits{RequestsPerMinute: per(100)}
	passed := make(chan struct{}, 1000)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			for range 50 {
				if l.Take(key, limits, http.Header{}) == nil {
					passed <- struct{}{}
				}
			}
		})
	}
	all.Wait()
	assert.Len(t, passed, 100)
}
