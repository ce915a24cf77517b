package mutant

import (
	"io"
	"strings"
)

// usageReadings are mutants of how the gateway reads what its model server
// counted. They stand between the two.
func usageReadings() []Mutant {
	row := []string{"mortar-cost-08"}
	counted := []string{"mortar-cost-*", "mortar-session-*", "mortar-telemetry-10", "mortar-telemetry-13", "mortar-cancel-02"} // by a model server
	return []Mutant{
		{Name: "reads-usage-added", Summary: "reports of usage that count up are added up", Report: "InsForge/InsForge#2015",
			Breaks: row, May: counted, Behind: onUsageLines(func() func(usage, chunk object) {
				completion := 0
				return func(usage, _ object) {
					completion += usage.number("completion_tokens")
					usage["completion_tokens"], usage["total_tokens"] = completion, usage.number("prompt_tokens")+completion
				}
			})},
		{Name: "reads-usage-once", Summary: "the first report of usage counts, not the last",
			Breaks: row, May: counted, Behind: onUsageLines(func() func(usage, chunk object) {
				var first object
				return func(usage, chunk object) {
					if first == nil {
						first = usage
					}
					chunk["usage"] = first
				}
			})},
		{Name: "reads-usage-of-own-chunk-alone", Summary: "usage on the finish chunk is passed over",
			Breaks: row, May: counted, Behind: onUsageLines(func() func(usage, chunk object) {
				return func(_, chunk object) {
					if chunk.finish() != "" {
						chunk["usage"] = nil
					}
				}
			})},
		{Name: "reads-no-cached-tokens", Summary: "the cached tokens of a model server are passed over", Report: "BerriAI/litellm#11789",
			Breaks: append([]string{"mortar-cost-13"}, row...), May: counted, Behind: onUsageLines(func() func(usage, chunk object) {
				return func(usage, _ object) { delete(usage, "prompt_tokens_details") }
			})},
		{Name: "asks-for-no-usage", Summary: "the model server is not asked for usage where the client did not ask", Report: "mozilla-ai/any-llm#974",
			Breaks: append([]string{"mortar-cost-12"}, row...), May: append(counted, "mortar-telemetry-09"), Behind: fixed(relay{
				raw:     func(r io.Reader) io.Reader { return r },
				request: func(x *exchange) { x.ask(without("stream_options")) },
			})},
	}
}

// onUsageLines is a mutant that changes the usage of each chunk that has one.
func onUsageLines(begin func() func(usage, chunk object)) wrap {
	return byLine(func() func(string, bool) (string, error) {
		change := begin()
		return func(line string, _ bool) (string, error) {
			text, ok := strings.CutPrefix(line, "data: ")
			chunk := decode(text)
			if !ok || chunk.usage() == nil {
				return line, nil
			}
			change(chunk.usage(), chunk)
			return "data: " + encode(chunk) + "\n", nil
		}
	})
}
