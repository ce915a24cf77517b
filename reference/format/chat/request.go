package chat

import (
	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
)

// Defaults are what a request that leaves something out gets.
type Defaults struct {
	// Model is the name of the model of requests that name none: the documented
	// reader sends none ("Stream responses, Read the stream yourself").
	Model string
}

// DecodeRequest reads a chat completion request.
func DecodeRequest(body []byte, defaults Defaults) (*completion.Request, *apierror.Error) {
	return nil, apierror.InvalidJSON("being written")
}
