package modelserver

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// decoded returns the body without its Content-Encoding. None was asked for,
// but a cache or a proxy on the way may compress all the same.
func decoded(resp *http.Response) (io.Reader, error) {
	switch encoding := strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding"))); encoding {
	case "", "identity":
		return resp.Body, nil
	case "gzip", "x-gzip":
		return &gunzip{body: resp.Body}, nil
	default:
		return nil, fmt.Errorf("Content-Encoding %.20q was not asked for and is not supported", encoding)
	}
}

// gunzip opens the stream at the first read, because a gzip header may arrive
// long after the HTTP head.
type gunzip struct {
	body io.Reader
	zip  *gzip.Reader
}

func (g *gunzip) Read(p []byte) (int, error) {
	if g.zip == nil {
		zip, err := gzip.NewReader(g.body)
		if err != nil {
			return 0, err
		}
		g.zip = zip
	}
	return g.zip.Read(p)
}
