package browser

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/fakegpu/control"
	"plumbline.dev/plumbline/fakegpu/server"
	"plumbline.dev/plumbline/reference/config"
	"plumbline.dev/plumbline/reference/gateway"
)

const key = "browser-test-key"

// patience is how long a page may take to show what it was told.
const patience = 30 * time.Second

// chromium finds a browser, or skips the test.
func chromium(t *testing.T) string {
	t.Helper()
	if named := os.Getenv("PLUMBLINE_CHROMIUM"); named != "" {
		return named
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless-shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("NOT TESTED: the live page, because there is no Chromium in the PATH; PLUMBLINE_CHROMIUM can name one")
	return ""
}

// site is a gateway in front of a fake GPU, that can lose its connections.
type site struct {
	*testing.T
	gpu   *control.Client
	front *httptest.Server // for the page
	api   *httptest.Server // for the requests, so that the page alone can lose its connections
	nonce string           // of the last request
}

func newSite(t *testing.T) *site {
	t.Helper()
	gpu, err := server.Listen(t.Context(), "127.0.0.1:0", server.Options{})
	require.NoError(t, err)
	t.Cleanup(gpu.Close)
	cfg := config.Default(config.ProfileMortar)
	model := config.DefaultModel(config.ProfileMortar)
	model.ModelServers = []config.ModelServer{{Name: "gpu-h200-0", URL: gpu.URL(), Dialect: config.DefaultDialect()}}
	cfg.Models = []config.Model{model}
	cfg.Organizations = []config.Organization{{ID: "org", Keys: []config.Key{config.KeyFrom("one", key)}}}
	require.NoError(t, cfg.Complete())
	g, err := gateway.New(cfg, gateway.Deps{})
	require.NoError(t, err)
	s := &site{T: t, gpu: control.NewClient(gpu.URL(), http.DefaultClient), front: httptest.NewServer(g.Handler(0)), api: httptest.NewServer(g.Handler(0))}
	t.Cleanup(func() {
		for _, each := range []*httptest.Server{s.front, s.api} {
			each.CloseClientConnections()
			each.Close()
		}
	})
	return s
}

// complete sends a request in a session and waits for its end.
func (s *site) complete(session string, script control.Script) {
	s.Helper()
	s.start(session, script)()
}

// start sends a request; what it returns waits for the end.
func (s *site) start(session string, script control.Script) (wait func()) {
	s.Helper()
	s.nonce = strings.ToLower(rand.Text())
	script.Nonce = s.nonce
	require.NoError(s, s.gpu.Register(s.Context(), script))
	body := `{"stream":true,"messages":[{"role":"user","content":"` + control.Marker(script.Nonce) + `"}]}`
	req, err := http.NewRequestWithContext(s.Context(), http.MethodPost, s.api.URL+"/v1/chat/completions", strings.NewReader(body))
	require.NoError(s, err)
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Mortar-Session-Id", session)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(s, err)
	require.Equal(s, http.StatusOK, resp.StatusCode)
	return func() {
		buf := make([]byte, 4096)
		for err == nil {
			_, err = resp.Body.Read(buf)
		}
		_ = resp.Body.Close()
	}
}

// tab is a tab of a browser of its own.
type tab struct {
	*testing.T
	ctx context.Context

	mu       sync.Mutex
	messages []string // errors and warnings on the console, the policy's among them
}

func newTab(t *testing.T) *tab {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)), chromedp.NoSandbox)
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	p := &tab{T: t, ctx: ctx}
	console := chromedp.Console(ctx)
	go func() {
		for m, err := range console {
			if err != nil {
				return
			}
			if m.Type != chromedp.ConsoleLog && m.Type != chromedp.ConsoleDebug && m.Type != chromedp.ConsoleInfo {
				p.mu.Lock()
				p.messages = append(p.messages, m.String())
				p.mu.Unlock()
			}
		}
	}()
	return p
}

// complaints returns what the browser had to say so far.
func (p *tab) complaints() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.messages
}

func (p *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	require.NoError(p, chromedp.Do(ctx, actions...))
}

// shows waits until JavaScript expressions are true, each on the next frame if
// not on this one.
func (p *tab) shows(expressions ...string) {
	p.Helper()
	for _, expression := range expressions {
		_, err := evaluate[bool](p, `new Promise((done) => {
			const look = () => { let ok; try { ok = (`+expression+`); } catch {} ok ? done(true) : requestAnimationFrame(look); };
			look();
		})`)
		if err != nil {
			text, _ := evaluate[string](p, `document.body.innerText`)
			p.picture("failed-" + p.Name())
			require.NoError(p, err, "%s never came true; the console: %q; the page:\n%s", expression, p.complaints(), text)
		}
	}
}

func evaluate[T any](p *tab, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// picture takes a screenshot, if somebody wants to look at it.
func (p *tab) picture(name string) {
	p.Helper()
	folder := os.Getenv("PLUMBLINE_SCREENSHOTS")
	if folder == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
	require.NoError(p, err)
	require.NoError(p, os.WriteFile(filepath.Join(folder, name+".png"), png, 0o644))
}
