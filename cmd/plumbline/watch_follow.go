package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"
)

const (
	// maxWatchedLine bounds a line of telemetry, in bytes.
	maxWatchedLine = 1 << 20
	// openingTime is how long a gateway may take to answer, and to say how often
	// its pings come.
	openingTime = 30 * time.Second
	// missedPings is how many pings may fail to come before the stream counts
	// as lost.
	missedPings = 2.5
)

// follower reads a telemetry stream, again and again until it is told to stop.
type follower struct {
	address, key   string
	print          func(name string, data []byte) error
	warnings       io.Writer
	first, longest time.Duration // between two attempts
}

// Why an attempt ended.
var (
	errSilence = errors.New("nothing has come for too long")
	errEnd     = errors.New("the gateway ended it")
)

// refusedError is an answer that will not get better by asking again.
type refusedError struct{ why string }

func (e *refusedError) Error() string { return "the gateway refuses the telemetry stream: " + e.why }

// printError is a failure of the output, not of the stream.
type printError struct{ error }

func (e printError) Unwrap() error { return e.error }

// run follows the stream until ctx ends, which is no error.
func (f *follower) run(ctx context.Context) error {
	wait := f.first
	for {
		connected, err := f.attempt(ctx)
		var refused *refusedError
		var output printError
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.As(err, &refused):
			return err
		case errors.As(err, &output):
			return harnessError{err}
		case connected:
			wait = f.first
		}
		fmt.Fprintf(f.warnings, "the stream is lost (%v); trying again in %v\n", err, wait)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
		wait = min(2*wait, f.longest)
	}
}

// attempt reads one stream to its end. There is always an error.
func (f *follower) attempt(ctx context.Context) (connected bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(openingTime, func() { cancel(errSilence) })
	defer silence.Stop()
	// The cause says more than "context canceled".
	defer func() {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
	}()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.address, nil)
	if err != nil {
		return false, fmt.Errorf("asking for the telemetry stream: %w", err)
	}
	req.Header.Set("Accept", "text/event-stream")
	if f.key != "" {
		req.Header.Set("Authorization", "Bearer "+f.key)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return false, err
	}
	defer func() { _ = resp.Body.Close() }()
	if err := accept(resp); err != nil {
		return false, err
	}
	patience := openingTime
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxWatchedLine)
	name := ""
	for lines.Scan() {
		silence.Reset(patience)
		line := lines.Bytes()
		if value, ok := bytes.CutPrefix(line, []byte("event: ")); ok {
			name = clean(string(value))
		}
		data, ok := bytes.CutPrefix(line, []byte("data: "))
		if !ok {
			continue
		}
		if name == "stream.open" {
			patience = patienceOf(data)
			silence.Reset(patience)
		}
		if err := f.print(name, data); err != nil {
			return true, err
		}
	}
	if err := lines.Err(); err != nil {
		return true, err
	}
	return true, errEnd
}

// patienceOf is how long a stream with such pings may be silent.
func patienceOf(open []byte) time.Duration {
	var says struct{ HeartbeatMs float64 }
	if json.Unmarshal(open, &says) != nil || says.HeartbeatMs <= 0 || says.HeartbeatMs > 1e8 {
		return openingTime
	}
	return time.Duration(says.HeartbeatMs * missedPings * float64(time.Millisecond))
}

// accept tells whether the answer is an event stream.
func accept(resp *http.Response) error {
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode == http.StatusOK && media == "text/event-stream" {
		return nil
	}
	if resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= http.StatusInternalServerError {
		return fmt.Errorf("it answers %s", resp.Status)
	}
	var envelope struct{ Error struct{ Message string } }
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 16<<10))
	if json.Unmarshal(body, &envelope) == nil && envelope.Error.Message != "" {
		return &refusedError{clean(envelope.Error.Message)}
	}
	return &refusedError{fmt.Sprintf("it answers %s with %q, not with an event stream", clean(resp.Status), media)}
}
