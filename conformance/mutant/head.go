package mutant

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
)

// header sets a header of each stream, or deletes it where value is empty.
func header(name, value string) wrap {
	return onHead(func(_ *exchange, r *reply) {
		if r.Header.Del(name); value != "" {
			r.Header.Set(name, value)
		}
	})
}

func heads() []Mutant {
	opens := []string{"mortar-stream-01", "openai-chat-01", "mortar-stream-06"}
	return []Mutant{
		{Name: "content-type-json", Summary: "a stream is sent as application/json", Report: "openclaw/openclaw#97474",
			Breaks: opens, Wrap: header("Content-Type", "application/json")},
		{Name: "content-type-plain", Summary: "a stream is sent as text/plain",
			Breaks: opens, Wrap: header("Content-Type", "text/plain; charset=utf-8")},
		{Name: "status-created", Summary: "a stream is answered with 201",
			Breaks: opens, Wrap: onHead(func(_ *exchange, r *reply) { r.Status = http.StatusCreated })},
		{Name: "stream-answered-whole", Summary: "stream: true is answered with one JSON object", Report: "microsoft/foundry-dev-tools#195",
			Breaks: append(opens, "mortar-stream-02", "mortar-stream-11", "openai-chat-03", "mortar-stream-31"), May: []string{"mortar-*", "openai-chat-*"},
			Wrap: onRequest(func(_ *exchange, o object) { delete(o, "stream"); delete(o, "stream_options") })},
		{Name: "stream-from-cache-whole", Summary: "an equal request is answered from a cache with one JSON object", Report: "vllm-project/semantic-router#378",
			Breaks: []string{"mortar-stream-04", "openai-chat-04"}, May: []string{"mortar-stream-23"}, Wrap: stateful(func(Upstream) relay {
				seen := newSet()
				return relay{request: func(x *exchange) {
					if x.isChat() && x.asked()["stream"] == true && !seen.add(string(x.body)) {
						x.ask(func(o object) { delete(o, "stream"); delete(o, "stream_options") })
					}
				}}
			})},
		{Name: "no-model-refused", Summary: "a request that names no model is refused",
			Breaks: []string{"mortar-stream-06", "mortar-models-02"}, Wrap: onRequest(func(_ *exchange, o object) {
				if o["model"] == nil {
					o["model"] = ""
				}
			})},
		{Name: "no-model-unfinished", Summary: "a reply to a request that names no model ends without [DONE]", Report: "NousResearch/hermes-agent#90848",
			Breaks: []string{"mortar-stream-06"}, Wrap: onStream(when(func(x *exchange) bool { return x.asked()["model"] == nil }, drop(isDone)))},
		{Name: "cache-control-missing", Summary: "a stream has no Cache-Control", Report: "ggml-org/llama.cpp#20872",
			Breaks: []string{"mortar-stream-24"}, Wrap: header("Cache-Control", "")},
		{Name: "cache-control-transforms", Summary: "Cache-Control lets proxies transform the stream",
			Breaks: []string{"mortar-stream-24"}, Wrap: header("Cache-Control", "no-cache")},
		{Name: "cache-control-no-store", Summary: "Cache-Control is no-store",
			Breaks: []string{"mortar-stream-24"}, Wrap: header("Cache-Control", "no-store")},
		{Name: "accel-buffering-missing", Summary: "a stream has no X-Accel-Buffering", Report: "ggml-org/llama.cpp#20872",
			Breaks: []string{"mortar-stream-25"}, Wrap: header("X-Accel-Buffering", "")},
		{Name: "accel-buffering-yes", Summary: "X-Accel-Buffering is yes",
			Breaks: []string{"mortar-stream-25"}, Wrap: header("X-Accel-Buffering", "yes")},
		{Name: "stream-compressed", Summary: "the stream is compressed for a client that offers gzip", Report: "graphql-hive/gateway#2259",
			Breaks: []string{"mortar-stream-25"}, Wrap: fixed(relay{
				head: func(x *exchange, r *reply) {
					if offersGzip(x) {
						r.Header.Set("Content-Encoding", "gzip")
					}
				},
				body: zipped,
			})},
		{Name: "encoding-kept", Summary: "the Content-Encoding of the model server is kept on a stream that was unpacked", Report: "yuki-uix/agent-cost-lab#12",
			Breaks: []string{"mortar-stream-25"}, May: []string{"mortar-*", "openai-chat-*"}, // no client can unpack it
			Wrap: header("Content-Encoding", "gzip")},
		{Name: "length-kept", Summary: "a stream has the Content-Length of the model server, which is too long", Report: "braintrustdata/braintrust-proxy#1124",
			Breaks: []string{"mortar-stream-25"}, May: []string{"mortar-*", "openai-chat-*"}, // the body ends before its length
			Wrap: header("Content-Length", "1000000000")},
	}
}

func offersGzip(x *exchange) bool {
	return strings.Contains(x.header.Get("Accept-Encoding"), "gzip")
}

// zipped packs a stream, flushed at each event.
func zipped(x *exchange, w io.Writer) (io.Writer, func()) {
	if !offersGzip(x) {
		return w, func() {}
	}
	z := gzip.NewWriter(w)
	return z, func() { _ = z.Flush() } // it fails when the client left
}
