package wire

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"time"
)

// ClientOptions are the choices of NewClient.
type ClientOptions struct {
	// DialTimeout bounds the connection and its TLS handshake each; 10 s if 0.
	DialTimeout time.Duration
	// HeaderTimeout bounds the wait for the response head; 0 is no bound but
	// that of the context.
	HeaderTimeout time.Duration
	// RootCAs verify the server; nil takes those of the system.
	RootCAs *x509.CertPool
}

// NewClient returns an HTTP client that shows what is on the wire and no more:
// it follows no redirect, uses no proxy, and neither asks for compression nor
// undoes it. Over TLS it speaks HTTP/2 where the server does, else HTTP/1.1.
// Certificates are always verified.
func NewClient(opts ClientOptions) *http.Client {
	if opts.DialTimeout <= 0 {
		opts.DialTimeout = 10 * time.Second
	}
	return &http.Client{
		Transport: &http.Transport{
			DialContext:           (&net.Dialer{Timeout: opts.DialTimeout}).DialContext,
			TLSClientConfig:       &tls.Config{RootCAs: opts.RootCAs, MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:   opts.DialTimeout,
			ResponseHeaderTimeout: opts.HeaderTimeout,
			DisableCompression:    true,
			ForceAttemptHTTP2:     true,
			MaxIdleConnsPerHost:   32,
			IdleConnTimeout:       30 * time.Second,
			// A head is a few headers; more is an attack on our memory.
			MaxResponseHeaderBytes: 1 << 20,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
