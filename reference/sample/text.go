package sample

import (
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"strings"

	"plumbline.dev/plumbline/reference/completion"
)

// The reply says what it is, then some sentences in an order of their own.
const opening = "This is the sample model of a plumbline gateway. It has no model server behind it, so it cannot answer your question, but it streams as a real model does."

// sentences are those to choose from. Each character is whole within one token,
// so that tokens, events and the count of the text agree.
func sentences() []string {
	return []string{
		"Each event carries one token of the reply, and is sent the moment it is generated.",
		"The first token takes longest, because the whole prompt is read before it.",
		"A reply is complete only when its last event, [DONE], has arrived.",
		"The finish reason tells why the reply ended: stop for a whole answer, length for one that was cut.",
		"Set stream_options.include_usage to learn how many tokens were counted.",
		"Close the connection, and the generation stops within moments.",
		"Lines that begin with a colon are comments; they keep an idle connection open.",
		"A proxy that buffers would hand over all of this text at once.",
		"Characters such as é and 😀 are several bytes long, and may not be torn apart.",
		"Configure a model server to get answers to your questions.",
		"The same prompt gives the same text, which is handy in a test.",
		"Tokens are counted with the vocabulary of another model, so the counts are estimates.",
	}
}

const shownSentences = 7

// reply returns the text for a seed.
func reply(seed uint64) string {
	pool := sentences()
	random := rand.New(rand.NewPCG(seed, seed))
	random.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
	return opening + "\n\n" + strings.Join(pool[:shownSentences], " ")
}

// seedOf makes the text depend on the conversation, the client's own seed and
// the choice, and on nothing else.
func seedOf(req *completion.Request, choice int) uint64 {
	h := fnv.New64a()
	write := func(s string) {
		// A hash's Write never fails.
		_, _ = h.Write([]byte(strconv.Itoa(len(s)) + ":" + s))
	}
	write(string(req.Body["seed"]))
	write(strconv.Itoa(choice))
	for _, m := range req.Messages {
		write(m.Role)
		write(m.Text)
	}
	return h.Sum64()
}
