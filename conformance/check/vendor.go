package check

import "github.com/tidwall/gjson"

// schema lists the fields that an object may have, and for each what the
// objects in it may have in turn; nil leaves them open. Arrays are looked
// through.
type schema map[string]schema

var (
	usageSchema = schema{
		"prompt_tokens": nil, "completion_tokens": nil, "total_tokens": nil,
		"prompt_tokens_details": {
			"cached_tokens": nil, "cache_write_tokens": nil, "audio_tokens": nil, "text_tokens": nil, "image_tokens": nil,
		},
		"completion_tokens_details": {
			"reasoning_tokens": nil, "audio_tokens": nil, "text_tokens": nil,
			"accepted_prediction_tokens": nil, "rejected_prediction_tokens": nil,
		},
	}
	tokenSchema = schema{
		"token": nil, "logprob": nil, "bytes": nil,
		"top_logprobs": {"token": nil, "logprob": nil, "bytes": nil},
	}
	logprobsSchema = schema{"content": tokenSchema, "refusal": tokenSchema}
	functionSchema = schema{"name": nil, "arguments": nil}
	toolCallSchema = schema{
		"index": nil, "id": nil, "type": nil,
		"function": functionSchema,
		"custom":   {"name": nil, "input": nil},
	}
	chunkSchema = schema{
		"id": nil, "object": nil, "created": nil, "model": nil,
		"service_tier": nil, "system_fingerprint": nil, "obfuscation": nil, "moderation": nil,
		"error": nil, // NoErrorKey judges it
		"usage": usageSchema,
		"choices": {
			"index": nil, "finish_reason": nil,
			"logprobs": logprobsSchema,
			"delta": {
				"role": nil, "content": nil, "refusal": nil, "obfuscation": nil, "audio": nil, "annotations": nil,
				"function_call": functionSchema,
				"tool_calls":    toolCallSchema,
			},
		},
	}
	completionSchema = schema{
		"id": nil, "object": nil, "created": nil, "model": nil,
		"service_tier": nil, "system_fingerprint": nil, "moderation": nil, "metadata": nil,
		"usage": usageSchema,
		"choices": {
			"index": nil, "finish_reason": nil,
			"logprobs": logprobsSchema,
			"message": {
				"role": nil, "content": nil, "refusal": nil, "audio": nil, "annotations": nil,
				"function_call": functionSchema,
				"tool_calls":    toolCallSchema,
			},
		},
	}
)

// strangers calls found with the path and value of each field that s does not
// list.
func (s schema) strangers(v gjson.Result, path string, found func(path string, v gjson.Result)) {
	for _, element := range list(v) {
		// An array in an array is no shape of OpenAI's, and could be deep.
		if element.IsObject() {
			s.strangers(element, path, found)
		}
	}
	if !v.IsObject() {
		return
	}
	v.ForEach(func(k, value gjson.Result) bool {
		key := text(k)
		if below, known := s[key]; !known {
			found(path+key, value)
		} else if below != nil {
			below.strangers(value, path+key+".", found)
		}
		return true
	})
}

// NoVendorFields: chunks hold the fields of OpenAI alone, at any depth.
func (c *Chat) NoVendorFields() []Finding {
	n := c.notes("NoVendorFields")
	for _, k := range c.Chunks {
		chunkSchema.strangers(gjson.ParseBytes(k.Raw), "", func(path string, v gjson.Result) {
			n.event(k.Event, "no field but those of OpenAI", path+": "+v.Raw)
		})
	}
	return n.found
}
