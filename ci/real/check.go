package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"plumbline.dev/plumbline/ci/real/tinymodel"
)

// maxLine is the longest line of a stream that is read.
const maxLine = 1 << 20

// stream sends one streamed chat request to the server at base, with the key if
// there is one, and returns the text of the reply. It knows just enough of the format to read a server that
// keeps to it; judging is plumbline's business.
func stream(ctx context.Context, base, key string, maxTokens int) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	body := map[string]any{
		"model": modelName, "stream": true, "max_tokens": maxTokens,
		"messages": []map[string]string{{"role": "user", "content": "Please count."}},
	}
	reader, writer := io.Pipe()
	sent := make(chan error, 1)
	go func() {
		err := exchange(ctx, http.MethodPost, base+"/v1/chat/completions", key, body, writer)
		_ = writer.CloseWithError(err)
		sent <- err
	}()
	text, err := readText(reader)
	_ = reader.CloseWithError(errors.New("not read any further"))
	return text, errors.Join(err, <-sent)
}

func readText(r io.Reader) (string, error) {
	var text strings.Builder
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		data, isData := strings.CutPrefix(lines.Text(), "data: ")
		if !isData || data == "[DONE]" {
			continue
		}
		var chunk struct {
			Choices []struct {
				Delta struct{ Content string }
			}
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			return text.String(), fmt.Errorf("reading a chunk: %w", err)
		}
		for _, choice := range chunk.Choices {
			text.WriteString(choice.Delta.Content)
		}
	}
	return text.String(), lines.Err()
}

// saysKnownText asks the server at base for the reply that is known in advance.
func saysKnownText(ctx context.Context, base, key string) error {
	text, err := stream(ctx, base, key, 2*tinymodel.Tokens())
	if err != nil {
		return err
	}
	if text != tinymodel.Text() {
		return fmt.Errorf("the reply is %q, not the tiny model's %q", text, tinymodel.Text())
	}
	return nil
}
