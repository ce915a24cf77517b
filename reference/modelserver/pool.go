package modelserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"plumbline.dev/plumbline/reference/completion"
)

// Options of a pool; the zero value of each is its default.
type Options struct {
	// MaxLine bounds one line of a stream, in bytes; 32 MiB by default.
	MaxLine int
	// HealthInterval is the time between two probes of a server; 5 s by default.
	HealthInterval time.Duration
	// Picker chooses among servers; the one with the fewest running by default.
	Picker Picker
}

// Picker chooses the server of a request. It must be safe for concurrent use.
type Picker interface {
	// Pick chooses one of the candidates, of which there is at least one.
	// Attempt is 0 at first, and one more for each server that could not be
	// reached before.
	Pick(req *completion.Request, candidates []Candidate, attempt int) Choice
}

// Choice is what a picker chose, and why.
type Choice struct {
	Index         int // of the candidate
	Reason        string
	ExpectedReuse int64 // prompt tokens that the server may have cached
}

// Candidate is a server that could take a request.
type Candidate struct {
	Name    string
	Running int // requests that the gateway has open there
}

// LeastLoaded picks the server with the fewest running requests.
type LeastLoaded struct{}

// Pick implements [Picker].
func (LeastLoaded) Pick(_ *completion.Request, candidates []Candidate, _ int) Choice {
	best := 0
	for i, c := range candidates {
		if c.Running < candidates[best].Running {
			best = i
		}
	}
	return Choice{Index: best, Reason: "least-loaded"}
}

// Pool is the servers of one model. It is safe for concurrent use.
type Pool struct {
	servers []*poolServer
	client  *http.Client
	opts    Options
	linger  sync.WaitGroup
}

const (
	defaultMaxLine        = 32 << 20
	defaultHealthInterval = 5 * time.Second
	lingerTime            = 250 * time.Millisecond
	// idleConnTimeout is shorter than the 5 s after which llama.cpp closes a
	// kept connection.
	idleConnTimeout = 4 * time.Second
	dialTimeout     = 10 * time.Second
)

// NewPool makes a pool of at least one server. It sends nothing yet.
func NewPool(servers []Server, opts Options) (*Pool, error) {
	if len(servers) == 0 {
		return nil, errors.New("a pool needs at least one model server")
	}
	if opts.MaxLine <= 0 {
		opts.MaxLine = defaultMaxLine
	}
	if opts.HealthInterval <= 0 {
		opts.HealthInterval = defaultHealthInterval
	}
	if opts.Picker == nil {
		opts.Picker = LeastLoaded{}
	}
	p := &Pool{opts: opts, client: &http.Client{
		Transport: newTransport(),
		// A redirect would send the prompt to an address that nobody configured.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	for _, s := range servers {
		server, err := newPoolServer(s)
		if err != nil {
			return nil, err
		}
		p.servers = append(p.servers, server)
	}
	return p, nil
}

// newTransport is HTTP/1.1 only: there, closing the connection is the one
// abort that every model server understands.
func newTransport() *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:                  nil, // model servers are neighbours
		DialContext:            (&net.Dialer{Timeout: dialTimeout, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout:    dialTimeout,
		Protocols:              &protocols,
		DisableCompression:     true,
		MaxIdleConnsPerHost:    512,
		IdleConnTimeout:        idleConnTimeout,
		MaxResponseHeaderBytes: 64 << 10,
		// Thousands of slow streams are open at once, each with both buffers.
		ReadBufferSize:  2 << 10,
		WriteBufferSize: 1 << 10,
	}
}

// Open sends the request to a server of the pool and waits for the head of its
// answer. When that fails before the first byte it tries the others, each once,
// those that are known to be down last. The context ends the whole reply, not
// only the opening. The error is an [*Error], or the cause of the context's end.
func (p *Pool) Open(ctx context.Context, req *completion.Request) (*Reply, error) {
	left := append([]*poolServer(nil), p.servers...)
	var last error = &Error{Kind: KindUnavailable}
	for len(left) > 0 {
		var server *poolServer
		var route completion.Route
		server, route, left = p.take(req, left)
		reply, err := server.open(ctx, p.client, req, p.opts.MaxLine)
		if err == nil {
			server.down.Store(false)
			reply.linger, reply.lingers, reply.route = &p.linger, lingerTime, route
			return reply, nil
		}
		server.running.Add(-1)
		last = err
		var failure *Error
		if !errors.As(err, &failure) || !failure.beforeFirstByte() {
			return nil, err
		}
		if failure.Kind != KindStatus {
			server.down.Store(true)
		}
	}
	return nil, last
}

// take picks a server, counts the request as running there, and returns the
// decision and the other servers.
func (p *Pool) take(req *completion.Request, left []*poolServer) (*poolServer, completion.Route, []*poolServer) {
	group := make([]int, 0, len(left))
	for _, down := range []bool{false, true} {
		for i, s := range left {
			if s.down.Load() == down {
				group = append(group, i)
			}
		}
		if len(group) > 0 {
			break
		}
	}
	if len(group) == 0 { // the states changed while they were read
		group = append(group, 0)
	}
	candidates := make([]Candidate, len(group))
	for i, at := range group {
		candidates[i] = Candidate{Name: left[at].Name, Running: int(left[at].running.Load())}
	}
	choice := p.opts.Picker.Pick(req, candidates, len(p.servers)-len(left))
	at := group[choice.Index]
	server := left[at]
	server.running.Add(1)
	route := completion.Route{
		Server: server.Name, Reason: choice.Reason, ExpectedReuse: choice.ExpectedReuse, Load: candidates[choice.Index].Running,
	}
	return server, route, append(left[:at], left[at+1:]...)
}

// Watch probes the servers until the context ends, so that one that went down
// is used again when it is back.
func (p *Pool) Watch(ctx context.Context) {
	ticker := time.NewTicker(p.opts.HealthInterval)
	defer ticker.Stop()
	for {
		var probes sync.WaitGroup
		for _, s := range p.servers {
			probes.Go(func() {
				err := p.probe(ctx, s)
				if ctx.Err() == nil {
					s.down.Store(err != nil)
				}
			})
		}
		probes.Wait()
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// probe asks a server whether it is well. Servers without /health are asked
// for their models.
func (p *Pool) probe(ctx context.Context, s *poolServer) error {
	ctx, cancel := context.WithTimeout(ctx, p.opts.HealthInterval)
	defer cancel()
	root := s.base[:len(s.base)-len("/v1")]
	status := 0
	for _, address := range []string{root + "/health", s.base + "/models"} {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return fmt.Errorf("building the probe of model server %s: %w", s.Name, err)
		}
		if s.Key != "" {
			req.Header.Set("Authorization", "Bearer "+s.Key)
		}
		resp, err := p.client.Do(req)
		if err != nil {
			return transportError(ctx, s.Name, err)
		}
		_ = resp.Body.Close()
		status = resp.StatusCode
		if status != http.StatusNotFound {
			break
		}
	}
	if status != http.StatusOK {
		return &Error{Kind: KindStatus, Server: s.Name, Status: status}
	}
	return nil
}

// Ready tells whether at least one server is not known to be down.
func (p *Pool) Ready() bool {
	for _, s := range p.servers {
		if !s.down.Load() {
			return true
		}
	}
	return false
}

// Close waits for what closed replies still have to do and closes the kept
// connections. Every reply must have been closed before.
func (p *Pool) Close() {
	p.linger.Wait()
	p.client.CloseIdleConnections()
}
