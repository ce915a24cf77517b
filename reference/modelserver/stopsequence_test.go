package modelserver

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/completion"
)

func TestStopSequenceIsReported(t *testing.T) {
	for name, c := range map[string]struct{ members, want string }{
		"vLLM":                   {`"finish_reason":"stop","stop_reason":"\n\n"`, `"\n\n"`},
		"SGLang":                 {`"matched_stop":"END","finish_reason":"stop"`, `"END"`},
		"an end token of vLLM":   {`"finish_reason":"stop","stop_reason":null`, ""},
		"an end token of SGLang": {`"finish_reason":"stop","matched_stop":151645`, ""},
		"another end":            {`"finish_reason":"length","stop_reason":"x"`, ""},
		"before the end":         {`"finish_reason":null,"stop_reason":"x"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var b completion.Batch
			failure := newDecoder(1, Dialect{}).chunk(&b, []byte(`{"choices":[{"index":0,"delta":{},`+c.members+`}]}`), false)
			require.Nil(t, failure)
			got := ""
			for i, e := range b.Events {
				if e.Kind == completion.KindStopSequence {
					got = string(e.Text)
					require.Equal(t, completion.KindFinish, b.Events[i+1].Kind, "right before the finish")
				}
			}
			assert.Equal(t, c.want, got)
		})
	}
}
