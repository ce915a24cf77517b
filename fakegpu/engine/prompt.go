package engine

import (
	"encoding/binary"
	"fmt"

	"plumbline.dev/plumbline/fakegpu/kv"
)

// tokenBytes is how many bytes of text are one token: near what tokenizers give
// for English, and cheap.
const tokenBytes = 4

// Prompt is what the model reads.
type Prompt struct {
	Text string // the conversation as one text
	// Root separates prefix caches: prompts of different roots share nothing.
	Root string
}

// Tokens is how many tokens the prompt has.
func (p Prompt) Tokens() int { return (len(p.Text) + tokenBytes - 1) / tokenBytes }

// tokenize returns the tokens of a text, which is valid UTF-8. The last one may
// have fewer bytes; it is filled up with bytes that no text has.
func tokenize(text string) []kv.Token {
	tokens := make([]kv.Token, 0, (len(text)+tokenBytes-1)/tokenBytes)
	for ; len(text) >= tokenBytes; text = text[tokenBytes:] {
		tokens = append(tokens, kv.Token(text[0])|kv.Token(text[1])<<8|kv.Token(text[2])<<16|kv.Token(text[3])<<24)
	}
	if text != "" {
		last := [tokenBytes]byte{0xff, 0xff, 0xff, 0xff}
		copy(last[:], text)
		tokens = append(tokens, binary.LittleEndian.Uint32(last[:]))
	}
	return tokens
}

// PromptTooLongError says that a prompt does not fit into the context window.
type PromptTooLongError struct{ PromptTokens, ContextWindow int }

// Error names both sizes, as model servers do.
func (e *PromptTooLongError) Error() string {
	return fmt.Sprintf("This model's maximum context length is %d tokens. However, your prompt has %d tokens. Please reduce its length.",
		e.ContextWindow, e.PromptTokens)
}
