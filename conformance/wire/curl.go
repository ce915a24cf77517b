package wire

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxCurlBody is how many bytes of a request's body a curl line shows.
const maxCurlBody = 2000

// Curl returns one line for a shell (bash, zsh) that repeats a request. A key
// in it is $PLUMBLINE_KEY. A body that is too long to paste is cut, and the
// line says so.
func (r Request) Curl() string {
	method, url, header, body := r.Method, r.URL, r.Header, r.Body
	words := []string{"curl", "-iN"}
	if strings.ContainsAny(url, "{}[]") {
		words = append(words, "-g")
	}
	if method != http.MethodGet && (method != http.MethodPost || len(body) == 0) {
		words = append(words, "-X", quote(method))
	}
	words = append(words, quote(url))
	names := make([]string, 0, len(header))
	for name := range header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, value := range header[name] {
			if line := headerLine(name, value); line != "" {
				words = append(words, "-H", line)
			}
		}
	}
	data, note := pasteable(body)
	if len(data) > 0 {
		if header.Get("Content-Type") == "" {
			words = append(words, "-H", quote("Content-Type:")) // else curl adds its own
		}
		words = append(words, "--data-raw", quote(data))
	}
	return strings.Join(words, " ") + note
}

// pasteable is the part of a body that a command line can carry, and a comment
// if that is not all of it.
func pasteable(body []byte) (data, note string) {
	data = string(body)
	if len(data) > maxCurlBody {
		data = data[:maxCurlBody]
		note = fmt.Sprintf("  # the body is cut here: it has %d bytes", len(body))
	}
	if before, _, found := strings.Cut(data, "\x00"); found {
		data = before
		note = "  # the body goes on with a NUL byte, which no shell can pass"
	}
	return data, note
}

// headerLine is one header as a word of the shell, "" for those that curl
// sets itself.
func headerLine(name, value string) string {
	switch http.CanonicalHeaderKey(name) {
	case "Content-Length", "Host", "User-Agent", "Connection", "Transfer-Encoding":
		return ""
	case "Authorization":
		scheme, _, _ := strings.Cut(value, " ")
		if !strings.EqualFold(scheme, "bearer") {
			return quote(name + ": " + Redacted)
		}
		return `"` + name + `: Bearer $PLUMBLINE_KEY"`
	case "X-Api-Key", "Api-Key":
		return `"` + name + `: $PLUMBLINE_KEY"`
	case "Cookie", "Proxy-Authorization":
		return quote(name + ": " + Redacted)
	}
	if value == "" {
		return quote(name + ";") // curl's way to send an empty header
	}
	return quote(name + ": " + value)
}

// quote makes text one word of a shell, on one line.
func quote(text string) string {
	special := func(r rune) bool { return !unicode.IsPrint(r) }
	if utf8.ValidString(text) && !strings.ContainsFunc(text, special) {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	var q strings.Builder
	q.WriteString("$'")
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '\'' || r == '\\':
			q.WriteByte('\\')
			q.WriteRune(r)
		case r == '\n':
			q.WriteString(`\n`)
		case unicode.IsPrint(r) && (r != utf8.RuneError || size > 1):
			q.WriteRune(r)
		default:
			for _, b := range []byte(text[i : i+size]) {
				fmt.Fprintf(&q, `\%03o`, b)
			}
		}
		i += size
	}
	q.WriteString("'")
	return q.String()
}
