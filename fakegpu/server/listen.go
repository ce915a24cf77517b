package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"
)

// headerTimeout bounds how long a peer may take to send a request head.
const headerTimeout = 30 * time.Second

// Running is a Server that listens.
type Running struct {
	server *Server
	http   *http.Server
	addr   net.Addr
	detach func() bool
	served chan struct{} // closed when Serve has returned
	err    error         // of Serve, set before served is closed
	once   sync.Once
}

// Listen starts a fake GPU at addr, such as "127.0.0.1:0" for a free port. It
// serves until Close is called or ctx ends.
func Listen(ctx context.Context, addr string, o Options) (*Running, error) {
	s, err := New(o)
	if err != nil {
		return nil, err
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("listening on %s: another process uses this address already; stop it or choose another one: %w", addr, err)
	}
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w", addr, err)
	}
	r := &Running{
		server: s,
		addr:   l.Addr(),
		served: make(chan struct{}),
		http: &http.Server{
			Handler:           s.Handler(),
			ReadHeaderTimeout: headerTimeout,
			ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		},
	}
	go func() {
		defer close(r.served)
		if err := r.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			r.err = fmt.Errorf("serving on %s: %w", addr, err)
		}
	}()
	r.detach = context.AfterFunc(ctx, r.end)
	return r, nil
}

// URL is the server's base URL, such as http://127.0.0.1:9000. A server that
// listens at every address is named by the loopback one.
func (r *Running) URL() string {
	if tcp, ok := r.addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://127.0.0.1:%d", tcp.Port)
	}
	return "http://" + r.addr.String()
}

// Addr is the address at which the server listens.
func (r *Running) Addr() net.Addr { return r.addr }

// Wait blocks until the server has ended and returns why, nil after Close.
func (r *Running) Wait() error {
	<-r.served
	return r.err
}

// Shutdown stops accepting and waits until running replies have ended or ctx
// ends, then closes the server.
func (r *Running) Shutdown(ctx context.Context) {
	// The error is ctx's own: what still runs is ended by Close.
	_ = r.http.Shutdown(ctx)
	r.Close()
}

// Close ends the server and every running reply, and returns when all is over.
func (r *Running) Close() {
	r.detach()
	r.end()
}

func (r *Running) end() {
	r.once.Do(func() {
		r.server.abort()
		// Only closing the listener can fail, and then it is closed already.
		_ = r.http.Close()
	})
	<-r.served
	r.server.Close()
}
