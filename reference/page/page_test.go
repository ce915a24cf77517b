package page

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestServe(t *testing.T) {
	for path, media := range map[string]string{
		"/": "text/html; charset=utf-8", "/page.css": "text/css; charset=utf-8", "/page.js": "text/javascript; charset=utf-8",
	} {
		t.Run(path, func(t *testing.T) {
			w := httptest.NewRecorder()
			Serve(w, httptest.NewRequest(http.MethodGet, path, nil))
			require.Equal(t, http.StatusOK, w.Code)
			assert.Equal(t, media, w.Header().Get("Content-Type"))
			assert.Contains(t, w.Header().Get("Content-Security-Policy"), "default-src 'none'")
			assert.NotContains(t, w.Header().Get("Content-Security-Policy"), "unsafe")

			req := httptest.NewRequest(http.MethodGet, path, nil)
			req.Header.Set("If-None-Match", w.Header().Get("ETag"))
			again := httptest.NewRecorder()
			Serve(again, req)
			assert.Equal(t, http.StatusNotModified, again.Code)
		})
	}
}

// What the policy would block must not be there: nothing from elsewhere, no
// script or style within the HTML, no markup made from text.
func TestNothingFromElsewhere(t *testing.T) {
	for name, content := range map[string]string{"index.html": string(html), "page.css": string(css), "page.js": string(js)} {
		for _, address := range regexp.MustCompile(`https?://[^\s"'<)]+`).FindAllString(content, -1) {
			assert.Equal(t, "http://www.w3.org/2000/svg", address, name)
		}
		assert.NotRegexp(t, `innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|localStorage|sessionStorage`, content, name)
	}
	assert.NotRegexp(t, `<style|\sstyle=|\son[a-z]+=|<script>`, string(html))
}
