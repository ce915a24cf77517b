package modelserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"plumbline.dev/plumbline/reference/completion"
)

// Server is one model server, as configured.
type Server struct {
	// Name stands for the server in logs, metrics and routing decisions.
	Name string
	// URL is its base, with or without the trailing /v1.
	URL string
	// Model is the name under which it knows the model; "" is the client's.
	Model string
	// Key is its own API key, "" for none. The client's key never goes there.
	Key string
	// IdleTimeout is the longest silence before its reply is given up; 0 waits
	// for ever.
	IdleTimeout time.Duration
	Dialect     Dialect
	// Native are the formats that the server speaks beside chat: a request in one
	// of them is passed on as it is.
	Native []completion.Format
}

// Dialect is where model servers differ. The zero value is OpenAI's API with
// the older name of the limit, which every model server knows.
type Dialect struct {
	// WithoutUsage leaves stream_options out, for servers that refuse them.
	WithoutUsage bool
	// MaxTokensField is the name of the limit; "" is max_tokens.
	MaxTokensField string
	// CachedBeside says that prompt_tokens does not include the cached tokens.
	CachedBeside bool
	// CachedField and CacheWriteField are paths within usage, with dots between
	// the keys; "" is prompt_tokens_details.cached_tokens and
	// prompt_tokens_details.cache_write_tokens.
	CachedField, CacheWriteField string
}

func (d Dialect) withDefaults() Dialect {
	if d.MaxTokensField == "" {
		d.MaxTokensField = "max_tokens"
	}
	if d.CachedField == "" {
		d.CachedField = "prompt_tokens_details.cached_tokens"
	}
	if d.CacheWriteField == "" {
		d.CacheWriteField = "prompt_tokens_details.cache_write_tokens"
	}
	return d
}

// poolServer is a server in a pool, with its state.
type poolServer struct {
	Server
	base    string // ends with /v1
	running atomic.Int64
	down    atomic.Bool
}

func newPoolServer(s Server) (*poolServer, error) {
	u, err := url.Parse(s.URL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		// The URL itself may hold a password: it is not repeated.
		return nil, fmt.Errorf("model server %q: its url must be like http://127.0.0.1:8000", s.Name)
	}
	base := strings.TrimSuffix(u.String(), "/")
	if !strings.HasSuffix(base, "/v1") {
		base += "/v1"
	}
	if s.Name == "" {
		s.Name = u.Host
	}
	s.Dialect = s.Dialect.withDefaults()
	return &poolServer{Server: s, base: base}, nil
}

// open sends the request and waits for the head of the answer.
func (s *poolServer) open(ctx context.Context, hc *http.Client, req *completion.Request, maxLine int) (*Reply, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	var idle *time.Timer
	if s.IdleTimeout > 0 {
		idle = time.AfterFunc(s.IdleTimeout, func() { cancel(errIdle) })
	}
	fail := func(err error) (*Reply, error) {
		if idle != nil {
			idle.Stop()
		}
		cancel(err)
		return nil, err
	}
	call := s.call(req)
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, s.base+call.path, bytes.NewReader(call.body))
	if err != nil {
		return fail(fmt.Errorf("building the request to model server %s: %w", s.Name, err))
	}
	post.Header.Set("Content-Type", "application/json")
	post.Header.Set("Accept", "text/event-stream")
	if call.version != "" {
		post.Header.Set("Anthropic-Version", call.version)
	}
	if s.Key != "" {
		post.Header.Set("Authorization", "Bearer "+s.Key)
	}
	// An empty value is not sent; it tells the transport that it may repeat the
	// request when a kept connection turns out to be closed.
	post.Header["Idempotency-Key"] = nil
	resp, err := hc.Do(post)
	if err != nil {
		return fail(transportError(ctx, s.Name, err))
	}
	tier := cacheTier(resp.Header)
	body, err := s.inspect(resp)
	if err != nil {
		_ = resp.Body.Close()
		return fail(err)
	}
	return &Reply{
		server: s, ctx: ctx, cancel: cancel, idle: idle, body: resp.Body,
		tier: tier, scan: scanner{r: body, max: maxLine}, decode: call.decode,
	}, nil
}

// inspect looks at the head of an answer, and returns the stream in its body.
func (s *poolServer) inspect(resp *http.Response) (io.Reader, error) {
	if resp.StatusCode != http.StatusOK {
		e := &Error{Kind: KindStatus, Server: s.Name, Status: resp.StatusCode, RetryAfter: retryAfter(resp.Header)}
		const enough = 16 << 10
		// What can be read of the body only helps to see the cause.
		said, _ := io.ReadAll(io.LimitReader(resp.Body, enough))
		e.ContextLength = resp.StatusCode >= 400 && saysContextLength(said)
		return nil, e
	}
	media, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) || media != "text/event-stream" {
		return nil, &Error{Kind: KindContentType, Server: s.Name}
	}
	body, err := decoded(resp)
	if err != nil {
		return nil, &Error{Kind: KindEncoding, Server: s.Name, cause: err}
	}
	return body, nil
}

// cacheTier is the tier in which a server found the prompt's beginning, for those
// that tell it in the header X-Cache-Tier; others do not tell it at all.
func cacheTier(h http.Header) completion.Tier {
	switch tier := completion.Tier(h.Get("X-Cache-Tier")); tier {
	case completion.TierGPU, completion.TierHost, completion.TierStorage:
		return tier
	}
	return completion.TierNone
}

// retryAfter reads the header's form in seconds; at most a minute is believed.
func retryAfter(h http.Header) time.Duration {
	seconds, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, time.Minute)
}
