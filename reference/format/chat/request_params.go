package chat

import (
	"math"

	"plumbline.dev/plumbline/reference/format/param"
)

// parameters are judged in this order. Their bounds are those of OpenAI chat,
// CreateChatCompletionRequest.
var parameters = []param.Rule{
	param.Strict("model", param.NonEmptyText),
	param.Nullable("stream", param.Boolean),
	param.Nullable("stream_options", param.StreamOptions),
	param.Nullable("max_tokens", param.Integer(1, math.MaxInt32)),
	param.Nullable("max_completion_tokens", param.Integer(1, math.MaxInt32)),
	param.Nullable("n", param.Integer(1, 128)),
	param.Nullable("stop", param.Stop),
	param.Nullable("temperature", param.Decimal(0, 2)),
	param.Nullable("top_p", param.Decimal(0, 1)),
	param.Nullable("frequency_penalty", param.Decimal(-2, 2)),
	param.Nullable("presence_penalty", param.Decimal(-2, 2)),
	param.Nullable("logprobs", param.Boolean),
	param.Nullable("top_logprobs", param.Integer(0, 20)),
	param.Nullable("seed", param.Integer(math.MinInt64, math.MaxInt64)),
	param.Nullable("logit_bias", param.LogitBias),
	param.Strict("tools", param.ArrayUpTo(maxTools, tool)),
	param.Strict("tool_choice", toolChoice),
	param.Strict("parallel_tool_calls", param.Boolean),
	param.Strict("response_format", responseFormat),
	param.Nullable("metadata", param.Metadata),
	param.Nullable("store", param.Boolean),
	param.Nullable("service_tier", param.Text),
	param.Nullable("reasoning_effort", param.Text),
	param.Nullable("verbosity", param.Text),
	param.Strict("user", param.Text),
	param.Strict("safety_identifier", param.TextUpTo(64)),
	param.Strict("prompt_cache_key", param.Text),
}
