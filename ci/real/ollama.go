package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

//go:embed Modelfile
var ollamaModelfile []byte

// modelName is how the tiny model is called in Ollama.
const modelName = "tiny"

// Limits of one exchange with Ollama.
const (
	startLimit  = time.Minute
	answerLimit = 2 * time.Minute // the first answer loads the model
	unloadLimit = 30 * time.Second
)

// ollama is a running Ollama.
type ollama struct {
	*server
	url string
}

// startOllama starts the program on a free port of the loopback interface and
// gives it the tiny model.
func startOllama(ctx context.Context, w workplace, program, modelfile string) (*ollama, error) {
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	env := []string{
		"HOME=" + filepath.Join(w.cache, "home"), // it writes a key pair there
		"OLLAMA_MODELS=" + filepath.Join(w.cache, "models"),
		"OLLAMA_HOST=" + address,
		"OLLAMA_NO_CLOUD=1",
		"OLLAMA_NUM_PARALLEL=4",
		"OLLAMA_KEEP_ALIVE=-1",
	}
	process, err := serve(ctx, filepath.Join(w.out, "ollama.log"), env, program, "serve")
	if err != nil {
		return nil, err
	}
	o := &ollama{server: process, url: "http://" + address}
	if err := awaitOK(ctx, process, o.url+"/api/version"); err != nil {
		o.stop()
		return nil, err
	}
	create := command(ctx, program, "create", modelName, "-f", modelfile)
	create.Env = append(os.Environ(), env...)
	var said bytes.Buffer
	if err := run(create, &said); err != nil {
		o.stop()
		return nil, fmt.Errorf("giving Ollama the tiny model: %w: %s", err, bytes.TrimSpace(said.Bytes()))
	}
	return o, nil
}

// freeAddress is an address of the loopback interface at which nobody listens.
func freeAddress(ctx context.Context) (string, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("looking for a free port: %w", err)
	}
	return l.Addr().String(), l.Close()
}

// awaitOK waits until url answers with 200 or the server is gone.
func awaitOK(ctx context.Context, s *server, url string) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		if err := exchange(ctx, http.MethodGet, url, "", nil, io.Discard); err == nil {
			return nil
		}
		select {
		case <-again.C:
		case <-s.exited:
			return fmt.Errorf("%s ended before it served: %w", s.name, s.err)
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", url, ctx.Err())
		}
	}
}

// exchange sends body as JSON, with the bearer key if there is one, and copies
// the response's body to answer. Any status but 200 is an error.
func exchange(ctx context.Context, method, url, key string, body any, answer io.Writer) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encoding the request to %s: %w", url, err)
	}
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(encoded))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(response.Body, 1<<10))
		return fmt.Errorf("%s %s answered %s: %s", method, url, response.Status, bytes.TrimSpace(said))
	}
	_, err = io.Copy(answer, response.Body)
	return err
}

// unload makes Ollama forget the loaded model. It is the one cure for an Ollama
// that answers no request any more after a client has left in the middle of a
// reply; the next request loads the model again.
func (o *ollama) unload(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, unloadLimit)
	defer cancel()
	body := map[string]any{"model": modelName, "keep_alive": 0}
	if err := exchange(ctx, http.MethodPost, o.url+"/api/generate", "", body, io.Discard); err != nil {
		return fmt.Errorf("unloading the model: %w", err)
	}
	return nil
}
