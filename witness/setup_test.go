package witness

import (
	"crypto/rand"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/fakegpu/control"
	"plumbline.dev/plumbline/fakegpu/server"
)

// model is the one model of the gateway under test.
const model = "witness-model"

// Keys of the gateway under test: two of one organization, one of another.
const (
	key      = "witness-key"
	key2     = "witness-key-2"
	otherKey = "witness-key-other"
)

// peers are a gateway and the fake GPU behind it.
type peers struct {
	base string // of the gateway's API, with /v1
	gpu  *control.Client
}

func start(t *testing.T) peers {
	t.Helper()
	gpu, err := server.Listen(t.Context(), "127.0.0.1:0", server.Options{Model: model})
	require.NoError(t, err)
	t.Cleanup(gpu.Close)
	return peers{
		base: startGateway(t, gpu.URL()) + "/v1",
		gpu:  control.NewClient(gpu.URL(), http.DefaultClient),
	}
}

// client is an SDK as a user sets it up, but for the retries, which would hide a
// failure.
func (p peers) client(key string) openai.Client {
	return openai.NewClient(
		option.WithBaseURL(p.base),
		option.WithAPIKey(key),
		option.WithMaxRetries(0),
	)
}

// script registers a script and returns its nonce and the request that has it
// played.
func (p peers) script(t *testing.T, build func(control.Script) control.Script) (string, openai.ChatCompletionNewParams) {
	t.Helper()
	nonce := strings.ToLower(rand.Text())
	require.NoError(t, p.gpu.Register(t.Context(), build(control.Script{Nonce: nonce})))
	return nonce, openai.ChatCompletionNewParams{
		Model:    model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Say it. " + control.Marker(nonce))},
	}
}

func withUsage(params openai.ChatCompletionNewParams) openai.ChatCompletionNewParams {
	params.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}
	return params
}
