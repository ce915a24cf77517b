package check

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rulesAreWhatTheySay judges that each rule has a name of its own, under which its
// findings appear, and judges rows that the catalogue has.
func rulesAreWhatTheySay[T any](t *testing.T, catalogue string, rules []RuleOf[T], broken T) {
	t.Helper()
	seen := map[string]bool{}
	for _, r := range rules {
		assert.False(t, seen[r.Name], "%s twice", r.Name)
		seen[r.Name] = true
		assert.NotEmpty(t, r.Rows, r.Name)
		for _, row := range r.Rows {
			assert.Contains(t, catalogue, "{id: "+row+",", r.Name)
		}
		for _, f := range r.Judge(broken) {
			assert.Equal(t, r.Name, f.Rule)
		}
	}
}

func TestEveryRuleOfTheOtherFormatsIsWhatItSays(t *testing.T) {
	file, err := os.ReadFile(filepath.Join("..", "..", "features", "requirements.yaml"))
	require.NoError(t, err)
	catalogue := string(file)
	mess := answer(failed, done, msgDelta, msgError, callDelta, itemDone, completed, textHello, textTwo, done, "event: x\ndata: {\n\n", "x")
	rulesAreWhatTheySay(t, catalogue, append(TextRules(), TextUsageRules()...), ParseText(mess, asked))
	rulesAreWhatTheySay(t, catalogue, FailedTextRules(), ParseText(mess, asked))
	rulesAreWhatTheySay(t, catalogue, ResponsesRules(), ParseResponses(mess, asked))
	rulesAreWhatTheySay(t, catalogue, FailedResponsesRules(), ParseResponses(mess, asked))
	rulesAreWhatTheySay(t, catalogue, MessagesRules(), ParseMessages(mess, asked))
	rulesAreWhatTheySay(t, catalogue, FailedMessagesRules(), ParseMessages(mess, asked))
	for _, r := range ChatBaseline() {
		assert.NotContains(t, []string{"NoUsage", "NoEmptyChoices", "IDForm", "IDHeader", "NoVendorFields"}, r.Name, "the documents disagree on it")
	}
}
