package wire

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"syscall"
)

// endOfHead tells how an exchange ended that had no response.
func endOfHead(ctx context.Context, err error) End {
	if end, ours := ourEnd(ctx); ours {
		return end
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return EndRefused
	}
	var late net.Error
	if errors.As(err, &late) && late.Timeout() {
		return EndTimeout
	}
	return EndRefused
}

// endOfBody tells how a body ended whose last read returned err.
func endOfBody(ctx context.Context, err error) End {
	if errors.Is(err, io.EOF) {
		return EndClean
	}
	if end, ours := ourEnd(ctx); ours {
		return end
	}
	var late net.Error
	var stream streamReset
	switch {
	case errors.Is(err, syscall.ECONNRESET), errors.As(err, &stream):
		return EndReset
	case errors.As(err, &late) && late.Timeout():
		return EndTimeout
	default:
		return EndCut
	}
}

// ourEnd tells whether we ended the exchange, and how.
func ourEnd(ctx context.Context) (End, bool) {
	switch {
	case ctx.Err() == nil:
		return "", false
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return EndTimeout, true
	default:
		return EndLeft, true
	}
}

// streamReset is a reset of one HTTP/2 stream. Its fields are those
// that the errors of net/http convert themselves to for errors.As.
type streamReset struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (e streamReset) Error() string { return "HTTP/2 stream reset" }

// words returns the transport's own words for err, without the URL, which
// could hold a key.
func words(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return err.Error()
}
