package steps

import (
	"context"
	"errors"
	"slices"
	"strings"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/probe"
)

// watch is who follows the scenario's requests on telemetry.
type watch struct {
	feed *probe.Feed // follows the scenario's session
	ids  []string    // the completions that it has been told of

	other    *probe.Feed    // follows another session, or this one with another key
	outsider *probe.Session // whose requests the other feed tells
	otherIDs []string

	keyless []*probe.Feed
	stalled *probe.Stalled
	later   []*probe.Session // of requests that came later
	crowd   *probe.Crowd
	replies []*probe.Reply // of a crowd; nil for the scenario's own
	batches []int          // how many costs had come after each part of a crowd
}

func (w *watch) close() {
	if w.outsider != nil {
		w.outsider.Close()
	}
	for _, s := range w.later {
		s.Close()
	}
}

// watchSentences are about who subscribes, and what has happened in the session.
var watchSentences = []sentence{
	say(`a subscriber to the session`, func(w *World) any { return w.subscribes }),
	say(`another subscriber to the session`, func(w *World) any { return w.subscribesToo(probe.OwnKey) }),
	say(`another subscriber to the session, with another key of the same organization`, func(w *World) any { return w.subscribesToo(probe.SameOrg) }),
	say(`(?:a|another) subscriber to the session without a key`, func(w *World) any { return w.subscribesKeyless }),
	say(`a subscriber to the session that stops reading`, func(w *World) any { return w.subscribesStalled }),
	say(`a subscriber of another organization to a session of the same name`, func(w *World) any { return w.foreignSubscriber }),
	say(`a subscriber to another session`, func(w *World) any { return w.subscribesElsewhere }),
	say(`a subscriber with a wrong key asks for the session`, func(w *World) any { return w.subscribesWrongly }),
	say(`the request has been accounted for`, func(w *World) any { return w.accounted }),
	say(`a later request of the session has been accounted for`, func(w *World) any { return w.laterAccounted }),
	say(`a request (?:of the other organization|in the other session) has been accounted for`, func(w *World) any { return w.otherAccounted }),
	say(`a request in the other session has been cancelled and accounted for`, func(w *World) any { return w.otherCancelled }),
	say(`the subscriber without a key has received a later ping`, func(w *World) any { return w.keylessPinged }),
	say(`(\d+) requests of the session have been accounted for`, func(w *World) any { return w.manyAccounted }),
	say(`(\d+) requests of the session have been answered`, func(w *World) any { return w.manyAnswered }),
	say(`(\d+) requests of the session have been accounted for, (\d+) at a time`, func(w *World) any { return w.crowdAccounted }),
	say(`requests of which every second saves what the one before has lost`, func(w *World) any { return w.balancedRequests }),
}

// open subscribes to the telemetry of the scenario's session and waits for
// stream.open, so that no event of a later request is missed.
func (w *World) open(ctx context.Context, s *probe.Session, key probe.Key) (*probe.Feed, error) {
	if s.Name == "" {
		s.Name = probe.NewName()
	}
	feed, err := s.Subscribe(ctx, key)
	if err != nil {
		return nil, err
	}
	return feed, feed.WaitOpen(ctx)
}

func (w *World) subscribes(ctx context.Context) (err error) {
	w.watch.feed, err = w.open(ctx, w.session, probe.OwnKey)
	return err
}

func (w *World) subscribesToo(key probe.Key) func(context.Context) error {
	return func(ctx context.Context) (err error) {
		w.watch.other, err = w.open(ctx, w.session, key)
		return err
	}
}

func (w *World) subscribesKeyless(ctx context.Context) error {
	feed, err := w.open(ctx, w.session, probe.NoKey)
	w.watch.keyless = append(w.watch.keyless, feed)
	return err
}

func (w *World) subscribesStalled(ctx context.Context) (err error) {
	w.watch.stalled, err = w.session.SubscribeStalled(ctx)
	return err
}

func (w *World) foreignSubscriber(ctx context.Context) error {
	return w.outside(ctx, w.session.Name, probe.OtherOrg)
}

func (w *World) subscribesElsewhere(ctx context.Context) error {
	return w.outside(ctx, probe.NewName(), probe.OwnKey)
}

// outside makes another client, in a session of its own.
func (w *World) outside(ctx context.Context, name string, key probe.Key) (err error) {
	w.watch.outsider = w.session.Sibling()
	w.watch.outsider.Name = name
	w.watch.outsider.Reply = w.session.Reply
	w.watch.other, err = w.open(ctx, w.watch.outsider, key)
	w.watch.outsider.Key = key
	return err
}

func (w *World) subscribesWrongly(ctx context.Context) (err error) {
	w.session.Name = probe.NewName()
	if w.watch.feed, err = w.session.Subscribe(ctx, probe.WrongKey); err != nil {
		return err
	}
	return w.watch.feed.WaitHead(ctx)
}

// feed is the subscriber to the scenario's session.
func (w *World) feed() (*probe.Feed, error) {
	if w.watch.feed == nil {
		return nil, errors.New("the scenario judges telemetry before anybody subscribes to it")
	}
	return w.watch.feed, nil
}

// completionID is the id of the latest stream.
func (w *World) completionID(ctx context.Context) (string, error) {
	stream, err := w.session.Stream()
	if err != nil {
		return "", err
	}
	feed, err := w.feed()
	if err != nil {
		return "", err
	}
	return idOf(ctx, feed, stream)
}

// idOf is the id of a completion. Where its header and its chunks do not agree,
// which is for other rows to judge, it is the one that telemetry knows.
func idOf(ctx context.Context, feed *probe.Feed, stream *probe.Stream) (string, error) {
	ids, err := stream.CompletionIDs(ctx)
	if err != nil || len(ids) == 1 {
		return strings.Join(ids, ""), err
	}
	known := ""
	err = feed.WaitEvent(ctx, "an event of "+strings.Join(ids, " or "), 0, func(e check.TelemetryEvent) bool {
		if slices.Contains(ids, e.RequestID) {
			known = e.RequestID
		}
		return known != ""
	})
	return known, err
}

// accounted waits for the cost of the latest stream and the sums behind it.
func (w *World) accounted(ctx context.Context) error {
	feed, err := w.feed()
	if err != nil {
		return err
	}
	id, err := w.completionID(ctx)
	if err != nil {
		return err
	}
	w.watch.ids = append(w.watch.ids, id)
	return feed.WaitCost(ctx, id)
}

// laterAccounted makes one more request in the session. When it has been
// accounted for, what had to come of the requests before has come.
func (w *World) laterAccounted(ctx context.Context) error {
	feed, err := w.feed()
	if err != nil {
		return err
	}
	later := w.session.Sibling()
	later.Name, later.Reply = w.session.Name, probe.Replies(probe.Numbered(2)...)
	w.watch.later = append(w.watch.later, later)
	id, err := w.completed(ctx, feed, later)
	if err != nil {
		return err
	}
	w.watch.ids = append(w.watch.ids, id)
	return feed.WaitSums(ctx, id)
}

// completed streams one completion of another client to its end.
func (w *World) completed(ctx context.Context, feed *probe.Feed, s *probe.Session) (id string, err error) {
	r, err := w.request("")
	if err != nil {
		return "", err
	}
	r.Stream, r.Key = true, s.Key
	stream, err := s.Send(ctx, r)
	if err != nil {
		return "", err
	}
	if err := stream.WaitEnd(ctx); err != nil {
		return "", err
	}
	return idOf(ctx, feed, stream)
}

func (w *World) otherAccounted(ctx context.Context) error {
	id, err := w.completed(ctx, w.watch.other, w.watch.outsider)
	if err != nil {
		return err
	}
	w.watch.otherIDs = append(w.watch.otherIDs, id)
	return w.watch.other.WaitCost(ctx, id)
}

func (w *World) otherCancelled(ctx context.Context) error {
	stream, err := w.watch.outsider.Send(ctx, probe.Request{Stream: true, Key: w.watch.outsider.Key})
	if err != nil {
		return err
	}
	if err := w.watch.outsider.AtGate(ctx); err != nil {
		return err
	}
	id, err := idOf(ctx, w.watch.other, stream)
	if err != nil {
		return err
	}
	stream.Leave()
	w.watch.otherIDs = append(w.watch.otherIDs, id)
	return w.watch.other.WaitCost(ctx, id)
}

func (w *World) keylessPinged(ctx context.Context) error {
	for _, feed := range w.watch.keyless {
		if err := feed.WaitPings(ctx, 1); err != nil {
			return err
		}
	}
	return nil
}

// manyAccounted makes requests one after the other.
func (w *World) manyAccounted(ctx context.Context, n int) error {
	feed, err := w.feed()
	if err != nil {
		return err
	}
	for range n {
		id, err := w.completed(ctx, feed, w.session)
		if err != nil {
			return err
		}
		w.watch.ids = append(w.watch.ids, id)
		if err := feed.WaitSums(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

func (w *World) manyAnswered(ctx context.Context, n int) error {
	if err := w.gather(ctx); err != nil {
		return err
	}
	w.watch.batches = append(w.watch.batches, n)
	return w.watch.crowd.Send(ctx, n)
}

// gather makes the crowd of the scenario.
func (w *World) gather(ctx context.Context) error {
	r, err := w.request("")
	if err != nil {
		return err
	}
	replies := w.watch.replies
	if replies == nil {
		replies = []*probe.Reply{w.session.Reply}
	}
	w.watch.crowd, err = w.session.Crowd(ctx, r, replies...)
	return err
}

// balancedRequests are requests whose savings add up to almost nothing at prices
// near to each other, so that what is lost in an addition is all that remains.
func (w *World) balancedRequests() {
	cold, warm := probe.Replies(probe.Numbered(3)...), probe.Replies(probe.Numbered(4)...)
	cold.Counts(100, 0, -1)
	warm.Counts(200, 150, -1)
	w.watch.replies = []*probe.Reply{cold, warm}
}
