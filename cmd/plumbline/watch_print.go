package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
)

// telemetryEvent is what the events of a telemetry stream can hold. Amounts
// keep the text in which they were sent.
type telemetryEvent struct {
	At        int64
	RequestID string

	SessionID string // stream.open

	Server              string // route.decision
	Reason              string
	ExpectedReuseTokens int64
	Load                int64

	Tier         string // cache.lookup
	ReuseRatio   float64
	PromptTokens int64

	Ending       string // latency.update
	TTFTMs       *float64
	InterTokenMs *float64
	DurationMs   float64

	TotalUSD         json.Number // cost.update
	SavedUSD         json.Number
	CompletionTokens int64
	UsageSource      string

	Requests    int64 // session.metrics
	TotalTokens int64
}

// printTelemetry prints an event as a line for a person.
func printTelemetry(w io.Writer, name string, data []byte) error {
	var e telemetryEvent
	if err := json.Unmarshal(data, &e); err != nil {
		return fmt.Errorf("the event %s is not as it should be: %w", name, err)
	}
	what, who := "", e.RequestID
	switch name {
	case "stream.open":
		_, err := fmt.Fprintf(w, "following session %s\n", clean(e.SessionID))
		return printed(err)
	case "route.decision":
		what = "routed   " + e.route()
	case "cache.lookup":
		what = "cache    " + e.cache()
	case "latency.update":
		what = "latency  " + e.latency()
	case "cost.update":
		what = fmt.Sprintf("cost     %s, saved %s; %d + %d tokens (%s)", dollars(e.TotalUSD), dollars(e.SavedUSD), e.PromptTokens, e.CompletionTokens, e.UsageSource)
	case "session.metrics":
		who = "session"
		what = fmt.Sprintf("sums     %s, saved %s; %s, %d tokens, %.1f %% of the prompts from the cache (%s)",
			dollars(e.TotalUSD), dollars(e.SavedUSD), counted(e.Requests, "request"), e.TotalTokens, 100*e.ReuseRatio, e.UsageSource)
	default: // an event of a later version
		what = name
	}
	_, err := fmt.Fprintf(w, "%s  %-33s  %s\n", time.UnixMilli(e.At).Format("15:04:05.000"), clean(who), clean(what))
	return printed(err)
}

func (e *telemetryEvent) route() string {
	parts := []string{e.Server}
	if e.Reason != "" {
		parts = append(parts, e.Reason)
	}
	if e.ExpectedReuseTokens > 0 {
		parts = append(parts, fmt.Sprintf("expects %d cached tokens", e.ExpectedReuseTokens))
	}
	if e.Load > 0 {
		parts = append(parts, fmt.Sprintf("%d running there", e.Load))
	}
	return strings.Join(parts, ", ")
}

func (e *telemetryEvent) cache() string {
	if e.Tier == "" {
		return "miss"
	}
	return fmt.Sprintf("%s, %.1f %% of %s", e.Tier, 100*e.ReuseRatio, counted(e.PromptTokens, "prompt token"))
}

func (e *telemetryEvent) latency() string {
	text := fmt.Sprintf("%s after %s", e.Ending, spent(e.DurationMs))
	if e.TTFTMs != nil {
		text += "; first token after " + spent(*e.TTFTMs)
	}
	if e.InterTokenMs != nil {
		text += ", then one every " + spent(*e.InterTokenMs)
	}
	return text
}

// printRaw prints an event as a line of JSON, with its name as "event".
func printRaw(w io.Writer, name string, data []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return fmt.Errorf("the event %s is not as it should be: %w", name, err)
	}
	literal, err := json.Marshal(name)
	if err != nil {
		return fmt.Errorf("printing the event %s: %w", name, err)
	}
	fields["event"] = literal
	line, err := json.Marshal(fields)
	if err != nil {
		return fmt.Errorf("printing the event %s: %w", name, err)
	}
	_, err = w.Write(append(line, '\n'))
	return printed(err)
}

// printed marks a failure of the output.
func printed(err error) error {
	if err == nil {
		return nil
	}
	return printError{fmt.Errorf("printing telemetry: %w", err)}
}

func dollars(amount json.Number) string {
	if digits, negative := strings.CutPrefix(amount.String(), "-"); negative {
		return "-$" + digits
	}
	return "$" + amount.String()
}

func counted(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func spent(milliseconds float64) string {
	if milliseconds >= 1000 {
		return fmt.Sprintf("%.2f s", milliseconds/1000)
	}
	return fmt.Sprintf("%.1f ms", milliseconds)
}

// clean keeps what a gateway sends from steering the terminal.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf) {
			return '·'
		}
		return r
	}, s)
}
