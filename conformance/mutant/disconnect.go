package mutant

// lingering is a mutant that does not let its request to the gateway go when the
// client leaves.
func lingering(events func(x *exchange) int) wrap { return fixed(relay{linger: events}) }

func disconnects() []Mutant {
	row := []string{"mortar-cancel-01"}
	return []Mutant{
		{Name: "leaver-drained", Summary: "the reply is read to its end when the client left", Report: "BerriAI/litellm#30244",
			Breaks: row, Wrap: lingering(func(*exchange) int { return forEver })},
		{Name: "leaver-seen-with-next-token", Summary: "that the client left is seen when the next token comes",
			Breaks: row, Wrap: lingering(func(*exchange) int { return 1 })},
		{Name: "leaver-seen-ten-tokens-later", Summary: "that the client left is seen when a buffer is full",
			Breaks: row, Wrap: lingering(func(*exchange) int { return 10 })},
		{Name: "leaver-of-whole-unseen", Summary: "a request that is not streamed goes on when the client left", Report: "cubist38/mlx-openai-server#269",
			Breaks: row, Wrap: lingering(func(x *exchange) int {
				if x.asked()["stream"] == true {
					return 0
				}
				return forEver
			})},
		{Name: "leaver-before-first-token-unseen", Summary: "a client that leaves before the first token is not seen",
			Breaks: row, Wrap: lingering(func(x *exchange) int {
				if x.texts.Load() > 0 || x.asked()["stream"] != true {
					return 0
				}
				return forEver
			})},
	}
}
