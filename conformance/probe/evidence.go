package probe

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/verdict"
	"plumbline.dev/plumbline/conformance/wire"
	"plumbline.dev/plumbline/fakegpu/control"
)

// timelineLength is how many of the last moments evidence keeps.
const timelineLength = 16

// Termination says how the latest stream ended, "" if there was none.
func (s *Session) Termination() string {
	if len(s.streams) == 0 {
		return ""
	}
	stream := s.streams[len(s.streams)-1]
	t := stream.Transcript()
	switch says := check.Say(stream.format, t, stream.ask); {
	case t.Status != 0 && t.Status/100 != 2:
		return "HTTP error"
	case says.Failed:
		return "error event"
	case says.Complete && t.End == wire.EndClean:
		return "complete"
	case t.End == "":
		return "still open"
	default:
		return string(t.End)
	}
}

// Evidence gathers what shows what happened: the request, the head of the
// answer, and the last moments of both sides. Keys and whole bodies stay out.
func (s *Session) Evidence(ctx context.Context) *verdict.Evidence {
	e := &verdict.Evidence{}
	var moments []verdict.Moment
	t := s.answer
	if len(s.streams) > 0 {
		stream := s.streams[len(s.streams)-1]
		moments = append(clientMoments(stream.exchange.Transcript()), s.serverMoments(ctx, stream)...)
		if t == nil {
			t = stream.exchange.Transcript()
		}
	} else if t != nil {
		moments = bodyMoments(t)
	}
	if len(s.feeds) > 0 {
		feed := s.feeds[len(s.feeds)-1]
		moments = append(moments, s.feedMoments(feed)...)
		if t == nil {
			t = feed.Transcript()
		}
	}
	if t != nil {
		e.Curl = t.Request.Curl()
		e.Response = head(t)
	}
	slices.SortStableFunc(moments, func(a, b verdict.Moment) int {
		return int(1000*a.AtMS) - int(1000*b.AtMS)
	})
	e.Timeline = moments[max(0, len(moments)-timelineLength):]
	return e
}

// heads are the headers that evidence shows.
var heads = []string{"Content-Type", "Cache-Control", "X-Accel-Buffering", "X-Mortar-Request-Id", "Content-Length",
	"Content-Encoding", "Retry-After", "Location"}

func head(t *wire.Transcript) string {
	if t.Status == 0 {
		return "no answer: " + t.EndError
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d", t.Proto, t.Status)
	for _, name := range heads {
		for _, value := range t.Header.Values(name) {
			fmt.Fprintf(&b, "\n%s: %s", name, excerpt(value))
		}
	}
	return b.String()
}

func clientMoments(t *wire.Transcript) []verdict.Moment {
	if t.Status == 0 {
		return []verdict.Moment{at(t.EndAt, "client", "no answer: "+t.EndError)}
	}
	moments := []verdict.Moment{at(t.HeaderAt, "client", fmt.Sprintf("response headers, status %d", t.Status))}
	if !strings.HasPrefix(t.Header.Get("Content-Type"), "text/event-stream") {
		return append(moments, bodyMoments(t)...)
	}
	stream := wire.Parse(t.Body)
	for _, event := range stream.Events {
		text := excerpt(string(t.Body[event.Offset:event.End]))
		if !event.Terminated {
			text += " (no blank line ends it)"
		}
		moments = append(moments, at(t.At(event.End-1), "client", text))
	}
	for _, comment := range stream.Comments {
		moments = append(moments, at(t.At(comment.Offset), "client", ": "+excerpt(comment.Text)))
	}
	if t.End == "" {
		return append(moments, at(t.HeaderAt, "client", "the body is still open"))
	}
	ended := "the body ends: " + string(t.End)
	if t.EndError != "" {
		ended += " (" + t.EndError + ")"
	}
	return append(moments, at(t.EndAt, "client", ended))
}

// feedMoments are what an event stream that is no completion told, on the clock
// of the latest completion if there is one.
func (s *Session) feedMoments(feed *Feed) []verdict.Moment {
	moments := clientMoments(feed.Transcript())
	shift := 0.0
	if len(s.streams) > 0 {
		shift = float64(feed.began.Sub(s.streams[len(s.streams)-1].began).Microseconds()) / 1000
	}
	for i := range moments {
		moments[i].AtMS += shift
		moments[i].Text = "event stream: " + moments[i].Text
	}
	return moments
}

func bodyMoments(t *wire.Transcript) []verdict.Moment {
	return []verdict.Moment{at(t.EndAt, "client", excerpt(string(t.Body)))}
}

// serverMoments reads the journal; without one there is only the client's side.
func (s *Session) serverMoments(ctx context.Context, stream *Stream) []verdict.Moment {
	if s.nonce == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	journal, err := s.env.gpu.Journal(ctx, s.nonce)
	if err != nil || len(journal.Requests) == 0 {
		return []verdict.Moment{at(0, "model server", "no request arrived")}
	}
	since := func(nanos int64) time.Duration {
		return time.Unix(0, nanos).Add(-s.env.offset).Sub(stream.began)
	}
	var moments []verdict.Moment
	for _, record := range journal.Requests {
		moments = append(moments, at(since(record.ReceivedAt), "model server", "the request arrives"))
		for i, when := range record.TokenTimes {
			moments = append(moments, at(since(when), "model server", fmt.Sprintf("token %d is sent", i+1)))
		}
		switch {
		case record.Ending != control.EndingRunning:
			moments = append(moments, at(since(record.EndedAt), "model server", fmt.Sprintf("the reply is %s", record.Ending)))
		case record.AtGate != "":
			moments = append(moments, at(time.Since(stream.began), "model server", "waits at the gate "+record.AtGate))
		}
	}
	return moments
}

func at(t time.Duration, side, text string) verdict.Moment {
	return verdict.Moment{AtMS: float64(t.Microseconds()) / 1000, Side: side, Text: text}
}

// excerpt makes bytes fit for one line of a report.
func excerpt(text string) string {
	text = short(strings.TrimRight(text, "\r\n"))
	if strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) {
		text = strings.ReplaceAll(strings.Trim(strconv.Quote(text), `"`), `\"`, `"`)
	}
	return text
}
