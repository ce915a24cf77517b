package tinymodel

import (
	"fmt"
	"strings"
)

// Token types of a GGUF vocabulary.
const (
	typeNormal  int32 = 1
	typeUnknown int32 = 2
	typeControl int32 = 3
	typeUser    int32 = 4
	typeByte    int32 = 6
)

// Control tokens with which a chat template frames the conversation. The last
// one that the template writes decides what the model replies.
const (
	tokenEnd    = "<|end|>"       // ends a turn
	tokenSystem = "<|system|>"    // a system message follows
	tokenUser   = "<|user|>"      // a user message follows
	tokenTool   = "<|tool|>"      // the result of a tool call follows
	tokenReply  = "<|assistant|>" // the model replies with Text
	tokenCall   = "<|function|>"  // the model replies with ToolCall
)

// bosID, unknownID and the byte tokens behind them stand where llama
// vocabularies have them.
const (
	unknownID = 0
	bosID     = 1
)

// counted is how many numbered words a reply has: enough that a client can stop
// or leave in the middle, few enough to wait for.
const counted = 160

type token struct {
	text string
	typ  int32
}

// vocabulary is the list of tokens and, for each, the one that follows it.
type vocabulary struct {
	tokens []token
	ids    map[string]int
	next   map[int]int // only of tokens inside a reply
}

func newVocabulary() (*vocabulary, error) {
	v := &vocabulary{ids: map[string]int{}, next: map[int]int{}}
	v.add("<unk>", typeUnknown)
	v.add("<s>", typeControl)
	v.add("</s>", typeControl)
	for b := range 256 {
		v.add(byteToken(byte(b)), typeByte)
	}
	v.add("\u2581", typeNormal) // SentencePiece's space, or prompts cost three tokens a blank
	for _, text := range []string{tokenEnd, tokenSystem, tokenUser, tokenTool, tokenReply, tokenCall} {
		v.add(text, typeControl)
	}
	if err := v.chain(tokenReply, replyPieces()); err != nil {
		return nil, err
	}
	if err := v.chain(tokenCall, callPieces()); err != nil {
		return nil, err
	}
	for _, word := range promptWords() {
		v.add(word, typeUser)
	}
	return v, nil
}

func (v *vocabulary) add(text string, typ int32) int {
	if id, known := v.ids[text]; known {
		return id
	}
	id := len(v.tokens)
	v.tokens = append(v.tokens, token{text, typ})
	v.ids[text] = id
	return id
}

// chain makes each piece follow the one before it, from start to the end of the
// turn. A token can have one successor alone.
func (v *vocabulary) chain(start string, pieces []piece) error {
	at := v.ids[start]
	follow := func(id int) error {
		if old, taken := v.next[at]; taken && old != id {
			return fmt.Errorf("token %q cannot be followed by both %q and %q",
				v.tokens[at].text, v.tokens[old].text, v.tokens[id].text)
		}
		v.next[at], at = id, id
		return nil
	}
	for _, p := range pieces {
		for _, text := range p.tokens() {
			if err := follow(v.add(text, typeUser)); err != nil {
				return err
			}
		}
	}
	return follow(v.ids[tokenEnd])
}

// piece is some text of a reply: one token, or one token for each of its bytes.
type piece struct {
	text  string
	bytes bool
}

func (p piece) tokens() []string {
	if !p.bytes {
		return []string{p.text}
	}
	var tokens []string
	for i := range len(p.text) {
		tokens = append(tokens, byteToken(p.text[i]))
	}
	return tokens
}

func byteToken(b byte) string { return fmt.Sprintf("<0x%02X>", b) }

// replyPieces begins with what a gateway may get wrong: characters of four and
// of two bytes that come apart into tokens, quotes and a line break that JSON
// escapes.
func replyPieces() []piece {
	pieces := []piece{
		{text: "A"}, {text: " tiny"}, {text: " llama"}, {text: " "}, {text: "\U0001F999", bytes: true},
		{text: " in"}, {text: " a"}, {text: " caf"}, {text: "é", bytes: true},
		{text: " says \"count\":\n"},
	}
	for i := range counted {
		pieces = append(pieces, piece{text: fmt.Sprintf(" %03d", i+1)})
	}
	return append(pieces, piece{text: " done."})
}

// promptWords are tokens of prompts alone. A letter is a token otherwise, so that
// a prompt of two thousand words would need a context of ten thousand tokens.
// They are common words of English, those of plumbline's long prompt included.
func promptWords() []string {
	words := strings.Fields(`the be to of and that have it for not on with he as you do at this but his by from they we say her she
		or an will my one all would there their what so up out if about who get which go me when make can like time no just him know
		take people into year your good some could them see other than then now look only come its over think also back after use two
		how our work first well way even new want because any these give day most us hello short sentence count hundred document
		plumb line hangs true whatever wall beside does`)
	for i, word := range words {
		words[i] = " " + word
	}
	return words
}

// callPieces is a tool call in the form that Hermes models use and Ollama reads.
func callPieces() []piece {
	var pieces []piece
	for _, text := range []string{
		"<tool_call>\n", `{"name": "`, "get", "_weather", `", "arguments": {"`, "city", `": "`, "Par", "is", `"}}`, "\n</tool_call>",
	} {
		pieces = append(pieces, piece{text: text})
	}
	return pieces
}

// Text is the model's reply to any conversation whose prompt ends in the
// assistant's control token.
func Text() string { return join(replyPieces()) }

// Tokens is how many tokens the model generates for Text, its end of turn not
// counted.
func Tokens() int {
	n := 0
	for _, p := range replyPieces() {
		n += len(p.tokens())
	}
	return n
}

func join(pieces []piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.text)
	}
	return b.String()
}
