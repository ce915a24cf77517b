package gateway

import (
	"net/http"
	"strings"
	"time"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/format"
	"plumbline.dev/plumbline/reference/format/chat"
	"plumbline.dev/plumbline/reference/format/messages"
	"plumbline.dev/plumbline/reference/format/responses"
	"plumbline.dev/plumbline/reference/format/text"
)

// The addresses of the formats.
const (
	chatPath      = "/v1/chat/completions"
	textPath      = "/v1/completions"
	responsesPath = "/v1/responses"
	messagesPath  = "/v1/messages"
)

// apiFormat is an API format as the gateway uses it.
type apiFormat struct {
	prefix string // of the ids of its replies
	decode func(body []byte, defaultModel string) (*asked, *apierror.Error)
	refuse format.ErrorWriter
}

// asked is a request of some format.
type asked struct {
	*completion.Request
	// encode makes the encoder of its reply. It is called when the model is known.
	encode func(format.Head) format.Encoder
	// keeps tells that the encoder holds the whole reply even when it streams.
	keeps bool
}

// formatAt returns the format that is spoken at an address.
func formatAt(path string) (apiFormat, bool) {
	switch path {
	case chatPath:
		return apiFormat{"chatcmpl-", decodeChat, chat.WriteError}, true
	case textPath:
		return apiFormat{"cmpl-", decodeText, chat.WriteError}, true
	case responsesPath:
		return apiFormat{responses.Prefix, decodeResponses, chat.WriteError}, true
	case messagesPath:
		return apiFormat{messages.Prefix, decodeMessages, messages.WriteError}, true
	}
	return apiFormat{}, false
}

func decodeChat(body []byte, model string) (*asked, *apierror.Error) {
	req, e := chat.DecodeRequest(body, chat.Defaults{Model: model})
	if e != nil {
		return nil, e
	}
	return &asked{Request: req, encode: func(h format.Head) format.Encoder {
		if req.Stream {
			return chat.NewStream(h, req.IncludeUsage)
		}
		return chat.NewReply(h, max(req.Choices, 1))
	}}, nil
}

func decodeText(body []byte, model string) (*asked, *apierror.Error) {
	req, e := text.DecodeRequest(body, text.Defaults{Model: model})
	if e != nil {
		return nil, e
	}
	return &asked{Request: req.Request, encode: func(h format.Head) format.Encoder {
		if req.Stream {
			return text.NewStream(h, req)
		}
		return text.NewReply(h, req)
	}}, nil
}

func decodeResponses(body []byte, model string) (*asked, *apierror.Error) {
	req, e := responses.DecodeRequest(body, responses.Defaults{Model: model})
	if e != nil {
		return nil, e
	}
	return &asked{Request: req.Request, keeps: true, encode: func(h format.Head) format.Encoder {
		if req.Stream {
			return responses.NewStream(h, req, time.Now)
		}
		return responses.NewReply(h, req, time.Now)
	}}, nil
}

func decodeMessages(body []byte, _ string) (*asked, *apierror.Error) {
	req, e := messages.DecodeRequest(body)
	if e != nil {
		return nil, e
	}
	return &asked{Request: req, encode: func(h format.Head) format.Encoder {
		if req.Stream {
			return messages.NewStream(h)
		}
		return messages.NewReply(h)
	}}, nil
}

// speaksAnthropic tells whether the client of a request expects the forms of
// Anthropic's API. The list of models is at one address in both APIs, so there
// the version header decides, which Anthropic's clients always send.
func speaksAnthropic(r *http.Request) bool {
	path := r.URL.EscapedPath()
	if path == messagesPath || strings.HasPrefix(path, messagesPath+"/") {
		return true
	}
	return r.Header.Get(messages.VersionHeader) != "" && (path == modelsPath || strings.HasPrefix(path, modelPrefix))
}
