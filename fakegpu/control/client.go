package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Prefix is the path under which the fake GPU serves its control API.
const Prefix = "/control/v1"

// maxAnswer bounds what the client reads of one answer: a journal with the
// bodies of many requests.
const maxAnswer = 256 << 20

// longPoll is how long one Await call asks the server to wait before the
// client asks again; it stays below the idle limit of common proxies.
const longPoll = 25 * time.Second

// Client speaks the control API of one fake GPU. It is safe for concurrent use.
type Client struct {
	base string
	http *http.Client
}

// Error is an answer by which the fake GPU refused a call.
type Error struct {
	Status  int    // the HTTP status
	Message string // the server's own words
}

// Error says what the server refused and why.
func (e *Error) Error() string {
	return fmt.Sprintf("the fake GPU answered %d: %s", e.Status, e.Message)
}

// IsUnknownNonce tells whether err says that the fake GPU knows no script and
// no request of the nonce: never registered, forgotten or expired.
func IsUnknownNonce(err error) bool {
	var refused *Error
	return errors.As(err, &refused) && refused.Status == http.StatusNotFound
}

// NewClient returns a client of the fake GPU at baseURL, such as
// "http://127.0.0.1:9000". A nil hc means http.DefaultClient. Its Timeout, if
// any, should exceed half a minute: Await polls long.
func NewClient(baseURL string, hc *http.Client) *Client {
	if hc == nil {
		hc = http.DefaultClient
	}
	return &Client{base: strings.TrimRight(baseURL, "/") + Prefix, http: hc}
}

// Register stores the script under its nonce, replacing an older one; the
// nonce's journal stays.
func (c *Client) Register(ctx context.Context, s Script) error {
	if err := s.Validate(); err != nil {
		return fmt.Errorf("registering a script: %w", err)
	}
	if err := c.call(ctx, http.MethodPost, "/scripts", s, nil); err != nil {
		return fmt.Errorf("registering script %s: %w", s.Nonce, err)
	}
	return nil
}

// Release opens a gate for every request of the nonce, those to come included.
// It may be called before a request reaches the gate.
func (c *Client) Release(ctx context.Context, nonce, gate string) error {
	path := "/gates/" + url.PathEscape(nonce) + "/" + url.PathEscape(gate) + "/release"
	if err := c.call(ctx, http.MethodPost, path, nil, nil); err != nil {
		return fmt.Errorf("releasing gate %q of %s: %w", gate, nonce, err)
	}
	return nil
}

// Journal returns what happened to the requests of the nonce until now. A
// nonce without script and request is an error (see [IsUnknownNonce]).
func (c *Client) Journal(ctx context.Context, nonce string) (Journal, error) {
	var j Journal
	if err := c.call(ctx, http.MethodGet, "/journals/"+url.PathEscape(nonce), nil, &j); err != nil {
		return Journal{}, fmt.Errorf("reading the journal of %s: %w", nonce, err)
	}
	return j, nil
}

// Await returns the journal as soon as the condition holds. It waits as long
// as ctx lives; the server wakes it, nothing is polled in between.
func (c *Client) Await(ctx context.Context, nonce string, until Condition) (Journal, error) {
	path := "/journals/" + url.PathEscape(nonce) + "/await"
	question := AwaitRequest{Condition: until, WaitMS: int(longPoll / time.Millisecond)}
	for {
		var answer AwaitAnswer
		if err := c.call(ctx, http.MethodPost, path, question, &answer); err != nil {
			return Journal{}, fmt.Errorf("awaiting %s of %s: %w", until, nonce, err)
		}
		if answer.Met {
			return answer.Journal, nil
		}
	}
}

// Forget drops the script, the gates and the journal of a nonce. A request
// that still runs goes on unseen.
func (c *Client) Forget(ctx context.Context, nonce string) error {
	if err := c.call(ctx, http.MethodDelete, "/journals/"+url.PathEscape(nonce), nil, nil); err != nil {
		return fmt.Errorf("forgetting %s: %w", nonce, err)
	}
	return nil
}

// call sends one request and decodes the answer into out unless that is nil.
func (c *Client) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("encoding: %w", err)
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return err
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode >= 300 {
		return refusal(res)
	}
	if out == nil {
		return nil
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(out); err != nil {
		return fmt.Errorf("decoding the answer to %s %s (is a fake GPU at this address?): %w", method, path, err)
	}
	return nil
}

// refusal reads the error answer of the control API, or quotes another server's.
func refusal(res *http.Response) error {
	text, _ := io.ReadAll(io.LimitReader(res.Body, 4096))
	var answer struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(text, &answer) == nil && answer.Error != "" {
		return &Error{Status: res.StatusCode, Message: answer.Error}
	}
	return fmt.Errorf("HTTP %d that is no control API's answer; is a fake GPU at this address?", res.StatusCode)
}
