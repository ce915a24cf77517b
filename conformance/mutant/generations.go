package mutant

import (
	"context"
	"net/http"
	"strings"
	"sync"
)

// generations are the streams that run through a mutant.
type generations struct {
	mu   sync.Mutex
	byID map[string]*generation
}

// generation is one stream that runs.
type generation struct {
	id, key string
	x       *exchange
	stream  *stream
}

// tracking is a mutant that knows which generations run.
func tracking(build func(live *generations) relay) wrap {
	return stateful(func(Upstream) relay {
		live := &generations{byID: map[string]*generation{}}
		g := build(live)
		inner := g.events
		g.events = func(x *exchange, s *stream) func(event) {
			live.add(x, s)
			if inner == nil {
				return s.send
			}
			return inner(x, s)
		}
		return g
	})
}

// stateful is a mutant that keeps something between two requests.
func stateful(build func(up Upstream) relay) wrap {
	return func(ctx context.Context, up Upstream) http.Handler { return build(up).on(ctx, up) }
}

func (l *generations) add(x *exchange, s *stream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id := x.id
	l.byID[id] = &generation{id: id, key: x.key(), x: x, stream: s}
	x.onClose(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.byID, id)
	})
}

// get returns the generation with this id, nil if none runs.
func (l *generations) get(id string) *generation {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.byID[id]
}

// find returns a generation that runs and matches, nil if there is none.
func (l *generations) find(match func(*generation) bool) *generation {
	for _, one := range l.all() {
		if match(one) {
			return one
		}
	}
	return nil
}

func (l *generations) all() []*generation {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []*generation
	for _, one := range l.byID {
		all = append(all, one)
	}
	return all
}

const (
	stopPrefix = "/v1/generations/"
	stopSuffix = "/stop"
)

// stops tells whether a request is a stop, and of which id, as it was escaped.
func (x *exchange) stops() (id string, ok bool) {
	rest, ok := strings.CutPrefix(x.path, stopPrefix)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(rest, stopSuffix)
}

// stopInstead makes the request a stop of another id.
func (x *exchange) stopInstead(id string) { x.path = stopPrefix + id + stopSuffix }

// stopped answers a stop as if the generation had been stopped.
func stopped(w http.ResponseWriter, id string) bool {
	r := &reply{Status: http.StatusOK, Header: http.Header{}}
	r.json(object{"id": id, "object": "generation", "status": "stopped"})
	r.write(w)
	return true
}

// refused answers a stop with an error.
func refused(w http.ResponseWriter, status int, code string) bool {
	r := &reply{Status: status, Header: http.Header{}}
	r.json(object{"error": object{"message": "The generation cannot be stopped.", "type": "invalid_request_error", "param": nil, "code": code}})
	r.write(w)
	return true
}

// onStop is a mutant that answers some stops by itself: serve is true when it did.
func onStop(serve func(live *generations, x *exchange, w http.ResponseWriter, id string) bool) wrap {
	return tracking(func(live *generations) relay {
		return relay{serve: func(x *exchange, w http.ResponseWriter) bool {
			id, ok := x.stops()
			return ok && serve(live, x, w, id)
		}}
	})
}

// instead is a mutant that takes a stop of what match finds for a stop of that
// generation, if no generation has the very id.
func instead(match func(id string, one *generation) bool) wrap {
	return onStop(func(live *generations, x *exchange, _ http.ResponseWriter, id string) bool {
		if live.get(id) == nil {
			if one := live.find(func(one *generation) bool { return one.key == x.key() && match(id, one) }); one != nil {
				x.stopInstead(one.id)
			}
		}
		return false
	})
}
