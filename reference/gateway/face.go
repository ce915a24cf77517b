package gateway

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/config"
	"plumbline.dev/plumbline/reference/format/chat"
	"plumbline.dev/plumbline/reference/format/messages"
	"plumbline.dev/plumbline/reference/page"
	"plumbline.dev/plumbline/reference/telemetry"
)

// face is what one listener serves: a profile and its models.
type face struct {
	*Gateway
	profile config.Profile
	models  []*model // the first is the default
	names   map[string]*model
	list    []byte // the answer of GET /v1/models
	streams *telemetry.Handler
}

func newFace(g *Gateway, l config.Listener) (*face, error) {
	f := &face{Gateway: g, profile: l.Profile, names: make(map[string]*model)}
	for _, id := range l.Models {
		m, ok := g.models[id]
		if !ok {
			return nil, fmt.Errorf("no model has the id %q", id)
		}
		f.models = append(f.models, m)
		f.names[m.ID] = m
		for _, alias := range m.Aliases {
			f.names[alias] = m
		}
	}
	if len(f.models) == 0 {
		return nil, fmt.Errorf("it offers no model")
	}
	f.list = appendModelList(nil, f.models)
	f.streams = &telemetry.Handler{
		Hub: g.hub, Authenticate: g.authenticate, Refuse: f.refuse, Log: g.log,
		Heartbeat: g.cfg.Intervals.TelemetryPing, Tick: g.cfg.Intervals.Tick,
	}
	return f, nil
}

// route is one address: what each method does there.
type route map[string]http.HandlerFunc

// The prefix and suffix of the addresses that hold an id.
const (
	modelsPath       = "/v1/models"
	modelPrefix      = modelsPath + "/"
	generationPrefix = "/v1/generations/"
	stopSuffix       = "/stop"
)

// find returns the route of a path as it was sent. Paths are compared byte for
// byte: a cleaned or decoded path could name another generation than the one
// that was meant.
func (f *face) find(path string) route {
	if api, ok := formatAt(path); ok {
		return route{http.MethodPost: func(w http.ResponseWriter, r *http.Request) { f.complete(w, r, api) }}
	}
	switch path {
	case modelsPath:
		return route{http.MethodGet: f.listModels}
	case "/v1/telemetry/stream":
		return route{http.MethodGet: f.streams.Telemetry}
	case "/v1/metrics/stream":
		return route{http.MethodGet: f.streams.Fleet}
	case "/", "/page.css", "/page.js":
		return route{http.MethodGet: page.Serve}
	case "/v1/credits":
		return route{http.MethodGet: f.showCredits}
	case "/healthz":
		return route{http.MethodGet: f.healthz}
	case "/readyz":
		return route{http.MethodGet: f.readyz}
	}
	if id, ok := strings.CutPrefix(path, generationPrefix); ok {
		if id, ok = strings.CutSuffix(id, stopSuffix); ok && !strings.Contains(id, "/") {
			return route{http.MethodPost: func(w http.ResponseWriter, r *http.Request) { f.stop(w, r, id) }}
		}
	}
	if name, ok := strings.CutPrefix(path, modelPrefix); ok && name != "" {
		// The names of models hold slashes, which clients may escape.
		if name, err := url.PathUnescape(name); err == nil {
			return route{http.MethodGet: func(w http.ResponseWriter, r *http.Request) { f.showModel(w, r, name) }}
		}
	}
	return nil
}

// ServeHTTP implements [http.Handler].
func (f *face) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	allowOrigins(w.Header())
	found := f.find(r.URL.EscapedPath())
	if found == nil {
		f.refuse(w, r, apierror.NotFound(r.Method, r.URL.Path))
		return
	}
	method := r.Method
	if method == http.MethodHead && found[http.MethodGet] != nil {
		method = http.MethodGet // net/http leaves the body out
	}
	switch serve := found[method]; {
	case serve != nil:
		serve(w, r)
	case method == http.MethodOptions:
		preflight(w, r, found.methods())
	default:
		w.Header().Set("Allow", strings.Join(found.methods(), ", "))
		f.refuse(w, r, apierror.MethodNotAllowed(r.Method, found.methods()...))
	}
}

func (r route) methods() []string {
	var methods []string
	for method := range r {
		methods = append(methods, method)
	}
	slices.Sort(methods)
	return methods
}

// refuse answers with an error before any reply has begun, and logs it. The
// path is not logged: it may hold what a client pasted there.
func (f *face) refuse(w http.ResponseWriter, r *http.Request, e *apierror.Error) {
	if speaksAnthropic(r) {
		messages.WriteError(w, e)
	} else {
		chat.WriteError(w, e)
	}
	f.log.LogAttrs(r.Context(), levelOf(e.Status), "refused", refusalAttrs(w, r, e)...)
}

// allowOrigins lets pages of any origin use the API: it is protected by its
// keys, not by cookies.
func allowOrigins(h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "X-Mortar-Request-Id, Retry-After")
}

// preflight answers a browser that asks what a page of another origin may send.
func preflight(w http.ResponseWriter, r *http.Request, methods []string) {
	h := w.Header()
	h.Set("Allow", strings.Join(methods, ", "))
	h.Set("Access-Control-Allow-Methods", strings.Join(methods, ", "))
	// A wildcard would not cover Authorization, and SDKs send headers of their own.
	if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
		h.Set("Access-Control-Allow-Headers", asked)
	}
	h.Set("Access-Control-Max-Age", "600")
	h.Add("Vary", "Access-Control-Request-Headers")
	w.WriteHeader(http.StatusNoContent)
}

func (f *face) healthz(w http.ResponseWriter, _ *http.Request) { writeStatus(w, http.StatusOK, "ok") }

func (f *face) readyz(w http.ResponseWriter, _ *http.Request) {
	if !f.ready() {
		writeStatus(w, http.StatusServiceUnavailable, "not ready")
		return
	}
	writeStatus(w, http.StatusOK, "ready")
}
