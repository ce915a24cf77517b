package generation

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/bus"
	"plumbline.dev/plumbline/reference/completion"
)

// endless is a backend that ends with its context only: each of its events is a
// megabyte of text.
type endless struct {
	text []byte
	ctx  context.Context
}

func (e endless) Open(ctx context.Context, _ *completion.Request) (Source, error) {
	return endless{e.text, ctx}, nil
}
func (e endless) Server() string { return "endless" }
func (e endless) Close()         {}
func (e endless) Next(b *completion.Batch) error {
	b.Reset()
	if err := context.Cause(e.ctx); err != nil {
		return err
	}
	b.Add(completion.Event{Kind: completion.KindText, Text: e.text, Tokens: 1})
	return nil
}

// keeping is the encoder of a format that holds its reply; it writes before the
// end only when it streams.
type keeping struct{ stream bool }

func (k keeping) Event(buf []byte, _ *completion.Event) []byte {
	if k.stream {
		buf = append(buf, 'e')
	}
	return buf
}
func (keeping) Finish(buf []byte, _ int, _ completion.FinishReason) []byte { return buf }
func (keeping) Usage(buf []byte, _ completion.Usage) []byte                { return buf }
func (keeping) End(buf []byte) []byte                                      { return append(buf, "END"...) }
func (keeping) Fail(buf []byte, _ *apierror.Error) []byte                  { return append(buf, "FAIL"...) }
func (keeping) Ping(buf []byte) []byte                                     { return buf }

// lastSettlement keeps the settlement.
type lastSettlement struct {
	Observers
	ending Ending
}

func (l *lastSettlement) Settled(s Settlement) { l.ending = s.Ending }

func TestAReplyThatIsKeptIsBounded(t *testing.T) {
	for name, stream := range map[string]bool{"streamed": true, "not streamed": false} {
		t.Run(name, func(t *testing.T) {
			observer := new(lastSettlement)
			g := &Generation{
				Info:         Info{ID: "resp_1", Org: "org", Stream: stream},
				Request:      &completion.Request{Stream: stream, Choices: 1},
				Backend:      endless{text: []byte(`"` + strings.Repeat("x", 1<<20) + `"`)},
				Encoder:      keeping{stream},
				Keeps:        true,
				WriteError:   func(w http.ResponseWriter, e *apierror.Error) { w.WriteHeader(e.Status) },
				Bus:          new(bus.Local),
				Observer:     observer,
				PromptTokens: func() int64 { return 1 },
				Ping:         time.Minute,
				Grace:        time.Minute,
			}
			w := httptest.NewRecorder()
			assert.False(t, g.Serve(t.Context(), w))
			assert.Equal(t, Failed, observer.ending)
			if stream {
				assert.True(t, strings.HasSuffix(w.Body.String(), "eFAIL"))
			} else {
				assert.Equal(t, http.StatusBadGateway, w.Code)
			}
		})
	}
}
