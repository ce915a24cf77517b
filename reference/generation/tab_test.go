package generation

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// purse is a Tab with tokens for so many, granted in portions.
type purse struct {
	tokens, portion int64
	granted         int64
	asked           []int64
	settled         []Settlement
	told            *record
}

func (p *purse) Grant(generated int64) int64 {
	p.asked = append(p.asked, generated)
	p.granted = min(p.granted+p.portion, p.tokens)
	return p.granted
}

func (p *purse) Settle(s Settlement) {
	p.settled = append(p.settled, s)
	p.told.note("paid")
}

func TestTab(t *testing.T) {
	reply := func() []step {
		return steps(text("a", "b", "c", "d", "e"), []step{finish("stop"), usage(5, 5), theEnd})
	}
	tests := []struct {
		name            string
		tokens, portion int64
		change          func(*trial)
		asked           []int64
		body            string
		status          int
		ending          Ending
		generated       int64
		aborted         bool
	}{
		{
			name: "enough", tokens: 100, portion: 100, asked: []int64{1},
			body: "role0 a b c d e finish0=stop usage=5+5 DONE", status: 200, ending: Finished, generated: 5,
		},
		{
			name: "enough in portions", tokens: 5, portion: 2, asked: []int64{1, 3, 5},
			body: "role0 a b c d e finish0=stop usage=5+5 DONE", status: 200, ending: Finished, generated: 5,
		},
		{
			name: "used up", tokens: 2, portion: 2, asked: []int64{1, 3},
			body: "role0 a b c error=insufficient_quota", status: 200, ending: Exhausted, generated: 3, aborted: true,
		},
		{
			name: "nothing left for the first token", tokens: 0, portion: 1, asked: []int64{1},
			body: "role0 a error=insufficient_quota", status: 200, ending: Exhausted, generated: 1, aborted: true,
		},
		{
			name: "used up, not streamed", tokens: 2, portion: 2, change: (*trial).unstreamed, asked: []int64{1, 3},
			body: "refused=insufficient_quota", status: 402, ending: Exhausted, generated: 3, aborted: true,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			all := reply()
			if test.aborted {
				all = append(all[:test.generated], step{hang: true})
			}
			tr := newTrial(t, newScript(all...))
			p := &purse{tokens: test.tokens, portion: test.portion, told: tr.record}
			tr.Tab = p
			if test.change != nil {
				test.change(tr)
			}
			assert.False(t, tr.start(t)(), "the client was told")
			assert.Equal(t, test.body, tr.client.got())
			assert.Equal(t, test.status, tr.client.status)
			assert.Equal(t, test.asked, p.asked, "once a portion, not once a token")
			require.Len(t, p.settled, 1)
			assert.Equal(t, test.ending, p.settled[0].Ending)
			assert.Equal(t, test.status, p.settled[0].Status)
			assert.Equal(t, test.generated, p.settled[0].Usage.CompletionTokens, "charged for what was generated")
			assert.Equal(t, tr.record.settlements, p.settled)
			calls := tr.record.calls
			assert.Equal(t, []string{"paid", "settled"}, calls[len(calls)-2:], "whoever hears of the end finds it paid")
			if test.aborted {
				assert.Equal(t, errUnpaid, <-tr.backend.aborted)
			}
		})
	}
}

// What ends a reply first decides, also when its credits end at the same time.
func TestStoppedWhileItsCreditsEnd(t *testing.T) {
	all := text("a", "b")
	var tr *trial
	all[1].before = func() { tr.stop() }
	tr = newTrial(t, newScript(all...))
	p := &purse{tokens: 1, portion: 1, told: tr.record}
	tr.Tab = p
	assert.False(t, tr.start(t)())
	require.Len(t, p.settled, 1)
	assert.Equal(t, Stopped, p.settled[0].Ending)
	assert.NotContains(t, tr.client.got(), "error")
	assert.Contains(t, tr.client.got(), "DONE")
}
