package tap

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"plumbline.dev/plumbline/conformance/lint"
	"plumbline.dev/plumbline/conformance/wire"
)

// Bounds of one judgement.
const (
	queueLength = 1024    // pieces that wait
	queueLimit  = 4 << 20 // bytes that wait
	holdLimit   = 4 << 20 // bytes that the judge holds of a stream
)

// judgement is one stream that is judged while it passes. A nil one is none.
type judgement struct {
	proxy  *Proxy
	began  time.Time
	stream *lint.Stream
	head   wire.Transcript
	name   string

	queue  chan piece
	queued atomic.Int64
	behind bool // the queue was full once
	ending ending
}

// piece is what one read brought.
type piece struct {
	bytes []byte
	at    time.Duration
}

// ending says how the body ended.
type ending struct {
	end   wire.End
	at    time.Duration
	words string
}

// judge begins to judge an answer, if its path is one of those that are judged
// and it is a stream or was to be one.
func (p *Proxy) judge(f *forwarded, response *http.Response, began time.Time) *judgement {
	path := f.request.URL.Path
	streams := strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream")
	if !lint.Judges(path) || !streams && !lint.AsksForStream(f.body) {
		return nil
	}
	if f.body == nil {
		p.counts.unjudged.WithLabelValues("long request").Inc()
		return nil
	}
	j := &judgement{proxy: p, began: began, queue: make(chan piece, queueLength),
		head: headOf(f, response, time.Since(began)), name: f.request.Method + " " + path}
	_, key, _ := strings.Cut(f.request.Header.Get("Authorization"), " ")
	stream, err := p.linter.Stream(j.head, began, holdLimit, key, f.request.Header.Get("X-Api-Key"))
	if err != nil {
		p.counts.unjudged.WithLabelValues("format").Inc()
		return nil
	}
	j.stream = stream
	p.judging.Go(j.run)
	return j
}

func headOf(f *forwarded, response *http.Response, at time.Duration) wire.Transcript {
	return wire.Transcript{
		Request: wire.Request{Method: f.request.Method, URL: f.request.URL.Path, Body: f.body},
		Status:  response.StatusCode, Proto: response.Proto, Header: response.Header, HeaderAt: at,
		ContentLength: response.ContentLength, Encoding: response.Header.Get("Content-Encoding"),
	}
}

// offer shows a piece to the judge. It never waits.
func (j *judgement) offer(b []byte) {
	if j == nil || j.behind {
		return
	}
	if j.queued.Add(int64(len(b))) > queueLimit {
		j.behind = true
		return
	}
	select {
	case j.queue <- piece{bytes.Clone(b), time.Since(j.began)}:
	default:
		j.behind = true
	}
}

// close says that the body has ended, how, and that no piece will come.
func (j *judgement) close(err error, clientLeft bool, began time.Time) {
	if j == nil {
		return
	}
	j.ending = ending{end: endOf(err, clientLeft), at: time.Since(began)}
	if err != nil {
		j.ending.words = errors.Unwrap(err).Error()
	}
	close(j.queue)
}

// endOf says how a body ended whose relay returned err.
func endOf(err error, clientLeft bool) wire.End {
	var broken *brokenOff
	switch {
	case err == nil:
		return wire.EndClean
	case clientLeft, errors.As(err, &broken) && broken.where == toClient:
		return wire.EndLeft
	case errors.Is(err, syscall.ECONNRESET):
		return wire.EndReset
	default:
		return wire.EndCut
	}
}

// run judges until the stream ends. Whatever happens here, the traffic passes.
func (j *judgement) run() {
	counts := j.proxy.counts
	counts.judging.Inc()
	defer counts.judging.Dec()
	defer func() {
		if recover() != nil {
			counts.unjudged.WithLabelValues("panic").Inc()
			for range j.queue { // what still comes is not waited for by anybody
			}
		}
	}()
	var problem string
	kept := j.proxy.options.Keep.begin()
	for p := range j.queue {
		j.queued.Add(-int64(len(p.bytes)))
		if problem != "" {
			continue
		}
		kept.add(p)
		if j.stream.Feed(p.bytes, p.at) != nil {
			problem = "long stream"
		}
	}
	if j.behind {
		problem = "fell behind"
	}
	if problem != "" {
		counts.unjudged.WithLabelValues(problem).Inc()
		return
	}
	report := j.stream.Finish(j.name, j.ending.end, j.ending.at, j.ending.words)
	counts.report(report)
	if len(report.Findings) == 0 {
		return
	}
	if err := kept.keep(j, report); err != nil {
		counts.unkept.Inc()
	}
	if found := j.proxy.options.Found; found != nil {
		found(report)
	}
}
