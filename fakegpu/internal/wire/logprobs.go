package wire

import (
	"strconv"
)

// AppendLogprobs appends the log probabilities of one token, as chat or text
// completions write them. The numbers are made up from the token's text, so
// they are the same whenever the token is.
func AppendLogprobs(b []byte, r *Request, token string, textOffset int) []byte {
	if r.Chat {
		b = append(b, `{"content":[`...)
		b = appendChatItem(b, token, 0, false)
		b = append(b, `,"top_logprobs":[`...)
		for i := range r.TopLogprobs {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendChatItem(b, alternative(token, i), i, true)
		}
		return append(b, `]}],"refusal":null}`...)
	}
	b = append(b, `{"tokens":[`...)
	b = appendString(b, token, false)
	b = append(b, `],"token_logprobs":[`...)
	b = appendLogprob(b, token, 0)
	b = append(b, `],"top_logprobs":[{`...)
	for i := range r.TopLogprobs {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, alternative(token, i), false)
		b = append(b, ':')
		b = appendLogprob(b, token, i)
	}
	b = append(b, `}],"text_offset":[`...)
	b = strconv.AppendInt(b, int64(textOffset), 10)
	return append(b, `]}`...)
}

func appendChatItem(b []byte, token string, rank int, closed bool) []byte {
	b = append(b, `{"token":`...)
	b = appendString(b, token, false)
	b = append(b, `,"logprob":`...)
	b = appendLogprob(b, token, rank)
	b = append(b, `,"bytes":[`...)
	for i := range len(token) {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(token[i]), 10)
	}
	b = append(b, ']')
	if closed {
		b = append(b, '}')
	}
	return b
}

// alternative is the i-th likeliest token: the token itself, then others.
func alternative(token string, i int) string {
	if i == 0 {
		return token
	}
	return token + "~" + strconv.Itoa(i)
}

// appendLogprob appends a number between 0 and -1 for rank 0, one less for each
// further rank.
func appendLogprob(b []byte, token string, rank int) []byte {
	h := uint32(2166136261)
	for i := range len(token) {
		h = (h ^ uint32(token[i])) * 16777619
	}
	return strconv.AppendFloat(b, -float64(h%1000)/1000-float64(rank), 'f', 3, 64)
}
