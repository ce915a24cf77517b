package gateway

import (
	"encoding/json"
	"net/http"

	"plumbline.dev/plumbline/reference/apierror"
)

// appendModelList appends OpenAI's list of models, each with its prices in USD
// per million tokens ("Serving telemetry, Reading cache and cost events"). The
// prices are JSON numbers with the very digits that were configured.
func appendModelList(buf []byte, models []*model) []byte {
	buf = append(buf, `{"object":"list","data":[`...)
	for i, m := range models {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = appendModel(buf, m)
	}
	return append(buf, "]}\n"...)
}

func appendModel(buf []byte, m *model) []byte {
	buf = append(buf, `{"id":`...)
	buf = appendJSON(buf, m.ID)
	// OpenAI's object says when a model was made; nobody knows for these.
	buf = append(buf, `,"object":"model","created":0,"owned_by":"plumbline"`...)
	for _, price := range []struct {
		name  string
		value json.Marshaler
	}{
		{"costPerMillionInput", m.Prices.Input},
		{"costPerMillionOutput", m.Prices.Output},
		{"costPerMillionCacheRead", m.Prices.CacheRead},
		{"costPerMillionCacheWrite", m.Prices.CacheWrite},
	} {
		buf = append(append(append(buf, `,"`...), price.name...), `":`...)
		buf = appendJSON(buf, price.value)
	}
	return append(buf, '}')
}

func appendJSON(buf []byte, v any) []byte {
	encoded, err := json.Marshal(v)
	if err != nil { // strings and checked prices always marshal
		return append(buf, "null"...)
	}
	return append(buf, encoded...)
}

func (f *face) listModels(w http.ResponseWriter, r *http.Request) {
	if _, e := f.authenticate(r); e != nil {
		f.refuse(w, r, e)
		return
	}
	if speaksAnthropic(r) {
		writeJSON(w, http.StatusOK, appendAnthropicList(nil, f.models))
		return
	}
	writeJSON(w, http.StatusOK, f.list)
}

func (f *face) showModel(w http.ResponseWriter, r *http.Request, name string) {
	if _, e := f.authenticate(r); e != nil {
		f.refuse(w, r, e)
		return
	}
	m, ok := f.names[name]
	if !ok {
		f.refuse(w, r, apierror.ModelNotFound(name))
		return
	}
	if speaksAnthropic(r) {
		writeJSON(w, http.StatusOK, append(appendAnthropicModel(nil, m), '\n'))
		return
	}
	writeJSON(w, http.StatusOK, append(appendModel(nil, m), '\n'))
}

func writeStatus(w http.ResponseWriter, status int, text string) {
	writeJSON(w, status, append(appendJSON(nil, map[string]string{"status": text}), '\n'))
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// The client may be gone; there is nobody else to tell.
	_, _ = w.Write(body)
}
