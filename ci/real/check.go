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

// reply is a streamed chat completion as far as it has been read.
type reply struct {
	id               string
	text             string
	finish           string
	completionTokens int // -1 until usage has come
	done             bool
}

// stream sends one streamed chat request to the server at base, with the key if
// there is one. It calls each, if not nil, after every chunk. It knows just
// enough of the format to read a server that keeps to it; judging is
// plumbline's business.
func stream(ctx context.Context, base, key string, maxTokens int, each func(reply) error) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	body := map[string]any{
		"model": modelName, "stream": true, "max_tokens": maxTokens,
		"stream_options": map[string]bool{"include_usage": true},
		"messages":       []map[string]string{{"role": "user", "content": "Please count."}},
	}
	reader, writer := io.Pipe()
	sent := make(chan error, 1)
	go func() {
		err := exchange(ctx, http.MethodPost, base+"/v1/chat/completions", key, body, writer)
		_ = writer.CloseWithError(err)
		sent <- err
	}()
	got, err := readReply(reader, each)
	if err != nil {
		_ = reader.CloseWithError(err) // ends the exchange
		<-sent
		return got, err
	}
	return got, <-sent
}

func readReply(r io.Reader, each func(reply) error) (reply, error) {
	got := reply{completionTokens: -1}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		data, isData := strings.CutPrefix(lines.Text(), "data: ")
		if !isData {
			continue
		}
		if data == "[DONE]" {
			got.done = true
			continue
		}
		if err := got.add(data); err != nil {
			return got, err
		}
		if each == nil {
			continue
		}
		if err := each(got); err != nil {
			return got, err
		}
	}
	return got, lines.Err()
}

func (g *reply) add(data string) error {
	var chunk struct {
		ID      string
		Choices []struct {
			Delta        struct{ Content string }
			FinishReason string `json:"finish_reason"`
		}
		Usage *struct {
			CompletionTokens int `json:"completion_tokens"`
		}
		Error json.RawMessage
	}
	if err := json.Unmarshal([]byte(data), &chunk); err != nil {
		return fmt.Errorf("reading a chunk: %w", err)
	}
	if chunk.Error != nil {
		return fmt.Errorf("the reply failed: %s", chunk.Error)
	}
	g.id = chunk.ID
	for _, choice := range chunk.Choices {
		g.text += choice.Delta.Content
		g.finish += choice.FinishReason
	}
	if chunk.Usage != nil {
		g.completionTokens = chunk.Usage.CompletionTokens
	}
	return nil
}

// saysKnownText asks the server at base for the reply that is known in advance.
func saysKnownText(ctx context.Context, base, key string) error {
	got, err := stream(ctx, base, key, 2*tinymodel.Tokens(), nil)
	switch {
	case err != nil:
		return err
	case got.text != tinymodel.Text():
		return fmt.Errorf("the reply is %q, not the tiny model's %q", got.text, tinymodel.Text())
	case got.finish != "stop" || !got.done:
		return fmt.Errorf("the reply ends with finish_reason %q and [DONE] %t", got.finish, got.done)
	case got.completionTokens < tinymodel.Tokens():
		return fmt.Errorf("completion_tokens is %d, the reply has %d", got.completionTokens, tinymodel.Tokens())
	}
	return nil
}

// stopsByID stops the known reply after its first words with the second key, as
// another process of the same organization would.
func stopsByID(ctx context.Context, base string, k keys) error {
	stopped := false
	got, err := stream(ctx, base, k.key, 2*tinymodel.Tokens(), func(sofar reply) error {
		if stopped || !strings.Contains(sofar.text, " 005") {
			return nil
		}
		stopped = true
		return exchange(ctx, http.MethodPost, base+"/v1/generations/"+sofar.id+"/stop", k.key2, nil, io.Discard)
	})
	switch {
	case err != nil:
		return err
	case !stopped:
		return errors.New("the reply ended before it could be stopped")
	case !strings.HasPrefix(tinymodel.Text(), got.text) || got.text == tinymodel.Text():
		return fmt.Errorf("the stopped reply is %q", got.text)
	case got.finish != "" || !got.done:
		return fmt.Errorf("the stopped reply ends with finish_reason %q and [DONE] %t, not with [DONE] alone", got.finish, got.done)
	case got.completionTokens <= 0 || got.completionTokens >= tinymodel.Tokens():
		return fmt.Errorf("completion_tokens is %d after a stop in the middle of %d", got.completionTokens, tinymodel.Tokens())
	}
	return nil
}
