// Package page is the gateway's live page: the fleet's sample figures, and the
// requests of a session as they happen. It is one HTML, one CSS and one JS file,
// with nothing from elsewhere, and it knows the gateway through its two event
// streams alone: /v1/metrics/stream and /v1/telemetry/stream.
//
// The session that is followed stands in the address, behind the #, so that it
// can be bookmarked and never reaches a server's log. A key is typed into the
// page, is kept in the page's memory alone, and travels in the Authorization
// header of a fetch. Without a key the page uses EventSource, and the stream
// stays empty, as documented.
package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"net/http"
	"time"
)

//go:embed index.html
var html []byte

//go:embed page.css
var css []byte

//go:embed page.js
var js []byte

// policy lets the page use its own files and streams, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Serve serves the page at / and its files at /page.css and /page.js.
func Serve(w http.ResponseWriter, r *http.Request) {
	media, content := "text/html; charset=utf-8", html
	switch r.URL.Path {
	case "/page.css":
		media, content = "text/css; charset=utf-8", css
	case "/page.js":
		media, content = "text/javascript; charset=utf-8", js
	}
	digest := sha256.Sum256(content)
	h := w.Header()
	h.Set("Content-Type", media)
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	// A newer gateway's files must not meet an older one's.
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", `"`+hex.EncodeToString(digest[:8])+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}
