package generation

import (
	"errors"
	"net/http"

	"plumbline.dev/plumbline/reference/apierror"
)

// finish ends a reply that is complete, unless something else ended it first.
func (r *run) finish(ending Ending) (abort bool) {
	if ending == Finished && !r.fate.settle(Finished) {
		return r.fail(nil)
	}
	if r.fate.is() != ending { // an overrun that came too late
		return r.fail(nil)
	}
	usage := r.settle(ending, nil)
	buf := r.order.finish(r.out.buf[:0], len(r.g.Request.Stop) > 0)
	if r.g.Request.IncludeUsage || !r.g.Request.Stream {
		buf = r.g.Encoder.Usage(buf, usage)
	}
	return r.last(r.g.Encoder.End(buf))
}

// stopped ends a reply that was stopped by its id: no finish, but usage if it
// was asked for, and the proper end ("Stream responses, Cancel a generation").
func (r *run) stopped() (abort bool) {
	usage := r.settle(Stopped, nil)
	buf := r.out.buf[:0]
	if r.g.Request.IncludeUsage || !r.g.Request.Stream {
		buf = r.g.Encoder.Usage(buf, usage)
	}
	return r.last(r.g.Encoder.End(buf))
}

// fail ends a reply that is not complete. When the ending had been decided
// before, err is only its echo from the backend.
func (r *run) fail(err error) (abort bool) {
	r.fate.settle(Failed)
	switch ending := r.fate.is(); ending {
	case Stopped:
		return r.stopped()
	case Disconnected:
		r.settle(Disconnected, nil)
		return true
	case ShutDown:
		return r.report(ShutDown, nil, apierror.ShuttingDown())
	case Exhausted:
		return r.report(Exhausted, nil, apierror.InsufficientQuota())
	default:
		return r.report(Failed, err, r.public(err))
	}
}

// report tells the client of a failure: by the HTTP status when nothing has
// been sent, else by one event after the text so far.
func (r *run) report(ending Ending, err error, e *apierror.Error) (abort bool) {
	if r.out.status == 0 {
		r.out.status = e.Status
		r.settle(ending, err)
		r.out.w.Header().Set(RequestIDHeader, r.g.ID)
		r.g.WriteError(r.out.w, e)
		return false
	}
	r.settle(ending, err)
	return !r.out.put(r.g.Encoder.Fail(r.out.buf[:0], e))
}

// last writes the end of a reply, with its head if that was not sent yet.
func (r *run) last(buf []byte) (abort bool) {
	if r.out.status == 0 {
		r.out.head(http.StatusOK)
	}
	return !r.out.put(buf)
}

// public is what the client is told of a backend's failure. Within a stream its
// type is always upstream_error ("Stream responses, Know when a reply is
// complete").
func (r *run) public(err error) *apierror.Error {
	var own *apierror.Error
	var told interface{ API() *apierror.Error }
	switch {
	case errors.As(err, &own):
	case errors.As(err, &told):
		own = told.API()
	default:
		own = apierror.UpstreamError("The model server failed.")
	}
	if r.out.status == 0 || own.Type == apierror.TypeUpstream {
		return own
	}
	inStream := *own
	inStream.Type = apierror.TypeUpstream
	return &inStream
}
