package engine

import "math/rand/v2"

// vocabulary is what replies are made of: words of one to four bytes a
// character, so that relays meet multi-byte text in every stream.
var vocabulary = [...]string{
	" the", " a", " plumb", " line", " shows", " whether", " wall", " stands", " true", " and", " of", " stone",
	" level", " weight", " hangs", " still", " in", " wind", " mason", " measures", " twice", " then", " builds",
	" it", " is", " straight", " down", " from", " beam", " to", " floor", " not", " by", " eye", " but", " with",
	" string", " lead", " gravity", " never", " lies", ",", ".", ";", " café", " naïve", " Größe", " señor", " déjà",
	" 水", "平", " 鉛", "直", " λ", " ≈", " →", " €", " 🦙", " 🧱", " 📐", " “so”", " it's", " \"quoted\"", "\n",
}

// words yields the text of one choice, token by token.
type words struct {
	random rand.PCG
	first  bool
}

func newWords(hash, choice uint64) words {
	return words{random: *rand.NewPCG(hash, choice), first: true}
}

func (w *words) next() string {
	word := vocabulary[w.random.Uint64()%uint64(len(vocabulary))]
	if w.first && word[0] == ' ' {
		word = word[1:]
	}
	w.first = false
	return word
}
