package gateway

import (
	"net/http"

	"plumbline.dev/plumbline/reference/apierror"
)

// stop serves POST /v1/generations/{id}/stop. The id is what stood in the path,
// byte for byte and not decoded, so that only the whole id names a generation.
func (f *face) stop(w http.ResponseWriter, r *http.Request, id string) {
	who, e := f.authenticate(r)
	if e != nil {
		f.refuse(w, r, e)
		return
	}
	stopped, err := f.bus.Stop(r.Context(), id, who.Org)
	switch {
	case err != nil:
		f.log.ErrorContext(r.Context(), "stopping a generation failed", "org", who.Org, "error", err.Error())
		f.refuse(w, r, apierror.Internal())
	case !stopped:
		f.refuse(w, r, apierror.GenerationNotFound())
	default:
		body := append([]byte(`{"id":`), appendJSON(nil, id)...)
		writeJSON(w, http.StatusOK, append(body, `,"object":"generation","status":"stopped"}`+"\n"...))
	}
}
