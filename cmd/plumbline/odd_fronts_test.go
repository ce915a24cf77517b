package main

import (
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance"
	"plumbline.dev/plumbline/conformance/target"
)

// front serves a gateway in its own way at the address that it puts into the target.
type front func(t *testing.T, gateway http.Handler, judged *conformance.Target)

// plain serves HTTP/1.1 as everybody does.
func plain(t *testing.T, gateway http.Handler, judged *conformance.Target) {
	server := httptest.NewServer(gateway)
	t.Cleanup(server.Close)
	judged.BaseURL = server.URL
}

// http2 serves HTTP/2 over TLS, with a certificate for which a file vouches.
func http2(t *testing.T, gateway http.Handler, judged *conformance.Target) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, 2, r.ProtoMajor)
		gateway.ServeHTTP(w, r)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "ca.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	require.NoError(t, os.WriteFile(file, certificate, 0o600))
	config, err := target.Load(target.Sources{File: os.DevNull, Profiles: []string{"mortar"},
		Environ: []string{"PLUMBLINE_TARGET=" + server.URL, "PLUMBLINE_CA_FILE=" + file}})
	require.NoError(t, err)
	options, err := optionsOf(config)
	require.NoError(t, err)
	judged.BaseURL, judged.RootCAs = options.Target.BaseURL, options.Target.RootCAs
}

// extended serves HTTP/1.1 with everything that its chunks may have: extensions,
// leading zeros, and a trailer.
func extended(t *testing.T, gateway http.Handler, judged *conformance.Target) {
	plain(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		answer := &extendedWriter{ResponseWriter: w, request: r, left: cancel}
		defer answer.close()
		gateway.ServeHTTP(answer, r.WithContext(ctx))
		answer.end()
	}), judged)
}

// extendedWriter writes a stream to the bare connection, and all else as usual.
type extendedWriter struct {
	http.ResponseWriter
	request *http.Request
	left    func()             // called when the client leaves
	conn    io.ReadWriteCloser // nil for what is no stream
}

func (w *extendedWriter) WriteHeader(status int) {
	if !isStream(w.request, w.Header()) {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	conn, _, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	w.conn = conn
	go func() {
		_, _ = io.Copy(io.Discard, conn) // which it is until the client leaves, or we close it
		w.left()
	}()
	fmt.Fprintf(conn, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	_ = w.Header().Write(conn)
	_, _ = io.WriteString(conn, "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n")
}

func (w *extendedWriter) Write(p []byte) (int, error) {
	if w.conn == nil {
		return w.ResponseWriter.Write(p)
	}
	if _, err := fmt.Fprintf(w.conn, "000%X;odd;name=\"a value; and more\"\r\n%s\r\n", len(p), p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// FlushError implements what [http.ResponseController] asks for.
func (w *extendedWriter) FlushError() error {
	if w.conn == nil {
		return http.NewResponseController(w.ResponseWriter).Flush()
	}
	return nil
}

func (w *extendedWriter) end() {
	if w.conn != nil {
		_, _ = io.WriteString(w.conn, "0;last\r\nX-Checksum: abc\r\n\r\n")
	}
}

func (w *extendedWriter) close() {
	if w.conn != nil {
		_ = w.conn.Close()
	}
}
