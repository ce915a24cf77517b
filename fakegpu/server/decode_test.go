package server_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// usage is the counts as a client reads them.
type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

// decoded is what a client makes of a stream.
type decoded struct {
	text   []string // by choice
	finish []string
	usage  usage
}

func decodeStream(t *testing.T, r *result) decoded {
	t.Helper()
	d := decoded{text: make([]string, 8), finish: make([]string, 8)}
	for _, e := range r.events() {
		if e == "[DONE]" {
			continue
		}
		var chunk struct {
			Choices []struct {
				Index  int
				Text   string
				Delta  struct{ Content string }
				Finish string `json:"finish_reason"`
			}
			Usage *usage
		}
		require.NoError(t, json.Unmarshal([]byte(e), &chunk), e)
		for _, c := range chunk.Choices {
			d.text[c.Index] += c.Text + c.Delta.Content
			if c.Finish != "" {
				d.finish[c.Index] = c.Finish
			}
		}
		if chunk.Usage != nil {
			d.usage = *chunk.Usage
		}
	}
	return d
}

func wholeText(t *testing.T, r *result) string {
	t.Helper()
	var reply struct {
		Choices []struct {
			Text    string
			Message struct{ Content string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(r.body), &reply), r.body)
	require.NotEmpty(t, reply.Choices)
	return reply.Choices[0].Text + reply.Choices[0].Message.Content
}
