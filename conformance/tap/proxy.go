package tap

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"plumbline.dev/plumbline/conformance/lint"
)

// Options are the choices of New.
type Options struct {
	Upstream *url.URL // of the gateway, without /v1
	Lint     lint.Options
	// Found is called for each stream that breaks a row, from many goroutines;
	// nil for none.
	Found func(*lint.Report)
	// Keep keeps the last streams that break a row; nil keeps none.
	Keep *Keeper
	// Transport reaches the upstream; nil for one of our own.
	Transport http.RoundTripper
}

// Proxy is the handler that passes traffic on.
type Proxy struct {
	options   Options
	linter    *lint.Linter
	transport http.RoundTripper
	counts    *counts
	pieces    sync.Pool
	judging   sync.WaitGroup
}

// New returns a proxy. The error of wrong lint options is a *lint.UsageError.
func New(o Options) (*Proxy, error) {
	if o.Upstream == nil || o.Upstream.Host == "" {
		return nil, errors.New("the upstream has no host")
	}
	linter, err := lint.NewLinter(o.Lint)
	if err != nil {
		return nil, err
	}
	p := &Proxy{options: o, linter: linter, transport: o.Transport, counts: newCounts()}
	if p.transport == nil {
		p.transport = &http.Transport{
			DisableCompression: true, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 256, IdleConnTimeout: 90 * time.Second,
		}
	}
	p.pieces.New = func() any { return new([pieceSize]byte) }
	return p, nil
}

// Sizes, in bytes.
const (
	pieceSize = 32 << 10 // of one read
	// memoryLimit is how much of a request is held. A transport that reads from
	// memory breaks no stream (golang/go#40747); only a longer request is passed
	// on while it comes.
	memoryLimit = 8 << 20
)

// Wait waits until every judgement has ended.
func (p *Proxy) Wait() { p.judging.Wait() }

// ServeHTTP passes a request and its answer on.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	body, err := p.forward(ctx, r)
	if err != nil {
		p.counts.requests.WithLabelValues("bad request").Inc()
		http.Error(w, "plumbline tap: the request cannot be read", http.StatusBadRequest)
		return
	}
	response, err := p.transport.RoundTrip(body.request)
	if err != nil {
		p.counts.requests.WithLabelValues("no answer").Inc()
		if r.Context().Err() == nil {
			http.Error(w, "plumbline tap: the upstream does not answer", http.StatusBadGateway)
		}
		return
	}
	defer response.Body.Close()
	p.counts.requests.WithLabelValues(fmt.Sprint(response.StatusCode)).Inc()
	judged := p.judge(body, response, began)
	end := p.answer(w, response, judged)
	judged.close(end, r.Context().Err() != nil, began)
	if end != nil {
		// The client must see that the answer broke, as it would without us.
		panic(http.ErrAbortHandler)
	}
}

// forwarded is a request on its way to the upstream.
type forwarded struct {
	request *http.Request
	body    []byte // nil if it was too long to be held
}

// forward makes the request that goes to the upstream.
func (p *Proxy) forward(ctx context.Context, r *http.Request) (*forwarded, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, memoryLimit+1))
	if err != nil {
		return nil, err
	}
	target := *p.options.Upstream
	target.RawPath = strings.TrimSuffix(target.EscapedPath(), "/") + r.URL.EscapedPath()
	target.Path = strings.TrimSuffix(target.Path, "/") + r.URL.Path
	target.RawQuery, target.ForceQuery = r.URL.RawQuery, r.URL.ForceQuery
	out := &http.Request{Method: r.Method, URL: &target, Host: target.Host, Header: endToEnd(r.Header), ContentLength: r.ContentLength}
	out.Header.Del("Expect") // the whole request is here already
	if _, ok := out.Header["User-Agent"]; !ok {
		out.Header["User-Agent"] = nil // else net/http would add its own
	}
	f := &forwarded{}
	switch {
	case len(body) > memoryLimit:
		out.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), r.Body))
	case len(body) == 0:
		out.Body, out.ContentLength, f.body = http.NoBody, 0, body
	default:
		out.Body, out.ContentLength, f.body = io.NopCloser(bytes.NewReader(body)), int64(len(body)), body
		out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	}
	f.request = out.WithContext(ctx)
	return f, nil
}

// answer passes an answer on, each read at once. The error says that it broke.
func (p *Proxy) answer(w http.ResponseWriter, response *http.Response, judged *judgement) error {
	header := w.Header()
	for name, values := range endToEnd(response.Header) {
		header[name] = values
	}
	for _, name := range []string{"Content-Type", "Date"} {
		if _, ok := header[name]; !ok {
			header[name] = nil // else net/http would add its own
		}
	}
	announced := len(response.Trailer)
	for name := range response.Trailer {
		header.Add("Trailer", name)
	}
	w.WriteHeader(response.StatusCode)
	flusher := http.NewResponseController(w)
	if response.ContentLength != 0 {
		if err := flusher.Flush(); err != nil {
			return &brokenOff{toClient, err}
		}
	}
	piece := p.pieces.Get().(*[pieceSize]byte)
	defer p.pieces.Put(piece)
	for {
		n, err := response.Body.Read(piece[:])
		if n > 0 {
			judged.offer(piece[:n])
			if _, err := w.Write(piece[:n]); err != nil {
				return &brokenOff{toClient, err}
			}
			if err := flusher.Flush(); err != nil {
				return &brokenOff{toClient, err}
			}
		}
		switch {
		case err == io.EOF:
			for name, values := range response.Trailer {
				if announced == 0 {
					name = http.TrailerPrefix + name
				}
				header[name] = values
			}
			return nil
		case err != nil:
			return &brokenOff{fromUpstream, err}
		}
	}
}

// brokenOff says that an answer broke off on its way.
type brokenOff struct {
	where string
	err   error
}

// Where an answer can break off.
const (
	fromUpstream = "read from the upstream"
	toClient     = "write to the client"
)

func (e *brokenOff) Error() string { return e.where + ": " + e.err.Error() }

func (e *brokenOff) Unwrap() error { return e.err }

// hopByHop are the headers that belong to one connection.
var hopByHop = []string{"Connection", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// endToEnd returns a copy of a header less what belongs to the connection.
func endToEnd(h http.Header) http.Header {
	out := h.Clone()
	for _, list := range h["Connection"] {
		for name := range strings.SplitSeq(list, ",") {
			out.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range hopByHop {
		out.Del(name)
	}
	return out
}
