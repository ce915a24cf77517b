// Package bus connects the replicas of a gateway: what one of them must be able
// to tell the others. So far that is the stopping of a generation by its id,
// wherever it runs. [Local] serves a gateway that is one process.
package bus

import (
	"context"
	"fmt"
	"sync"
)

// Bus is what replicas share. It is safe for concurrent use.
type Bus interface {
	// Register makes a running generation stoppable by its exact id, within its
	// organization. The stop function is called at most once, from any
	// goroutine; it reports whether the generation was still running and is now
	// stopped. The generation must be registered before its id is told to
	// anybody, and release called when it is over.
	Register(ctx context.Context, id, org string, stop func() bool) (release func(), err error)
	// Stop stops a generation of the organization and reports whether it did:
	// an id that is unknown, over, already stopped or another organization's is
	// all the same.
	Stop(ctx context.Context, id, org string) (bool, error)
}

// Local is a Bus of one process. Its zero value is ready.
type Local struct {
	mu      sync.Mutex
	running map[string]generation
}

type generation struct {
	org  string
	stop func() bool
}

var _ Bus = (*Local)(nil)

// Register implements [Bus].
func (l *Local) Register(_ context.Context, id, org string, stop func() bool) (func(), error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, taken := l.running[id]; taken {
		return nil, fmt.Errorf("registering generation %s: the id is taken", id)
	}
	if l.running == nil {
		l.running = make(map[string]generation)
	}
	l.running[id] = generation{org, stop}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.running, id)
	}, nil
}

// Stop implements [Bus].
func (l *Local) Stop(_ context.Context, id, org string) (bool, error) {
	l.mu.Lock()
	g, ok := l.running[id]
	ok = ok && g.org == org
	if ok {
		delete(l.running, id)
	}
	l.mu.Unlock()
	return ok && g.stop(), nil
}
