package mutant

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance"
)

func TestEveryRowOfTheFormatsHasTwoMutants(t *testing.T) {
	for _, profile := range []string{"notholy", "openai", "anthropic"} {
		rows, err := conformance.Requirements(profile)
		require.NoError(t, err)
		assert.Empty(t, uncovered(rows, All()), "profile %s", profile)
	}
}

// A row that is not in its profile is not judged, so the mutant would survive.
func TestMutantsBreakRowsOfTheirProfile(t *testing.T) {
	ids := map[string][]string{}
	for _, m := range All() {
		if ids[m.Profile] == nil {
			rows, err := conformance.Requirements(m.Profile)
			require.NoError(t, err)
			for _, row := range rows {
				ids[m.Profile] = append(ids[m.Profile], row.ID)
			}
		}
		for _, row := range m.Breaks {
			assert.Contains(t, ids[m.Profile], row, "the mutant %s", m.Name)
		}
	}
}

func TestFormatControlRowsExist(t *testing.T) {
	ids, err := conformance.RowIDs()
	require.NoError(t, err)
	for _, area := range []string{"text completions", "responses", "messages", "all formats", "credits"} {
		rows := formatControlRows(area)
		assert.NotEmpty(t, rows, area)
		for _, row := range rows {
			assert.Contains(t, ids, row, area)
		}
		assert.Len(t, slices.Compact(slices.Sorted(slices.Values(rows))), len(rows), "a row twice in %s", area)
	}
	assert.Nil(t, formatControlRows("usage"))
}

// asked sends a request through a mutant in front of a gateway that answers so.
func asked(t *testing.T, wrapped wrap, path, contentType, answer string) string {
	t.Helper()
	address := serve(t, wrapped, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, answer)
	})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+path, strings.NewReader(`{"stream":true}`))
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(body)
}

func TestRewritesInEveryFormat(t *testing.T) {
	const (
		created = "event: response.created\ndata: {\"sequence_number\":0,\"type\":\"response.created\"}\n\n"
		deltas  = "event: response.output_text.delta\ndata: {\"delta\":\"a\",\"sequence_number\":1,\"type\":\"response.output_text.delta\"}\n\n"
		end     = "event: response.completed\ndata: {\"sequence_number\":2,\"type\":\"response.completed\"}\n\n"
		pinged  = "event: ping\ndata: {\"type\":\"ping\"}\n\n"
		text    = "data: {\"choices\":[{\"text\":\"a\"}],\"object\":\"text_completion\"}\n\n"
	)
	for _, tt := range []struct {
		name       string
		wrap       wrap
		path       string
		give, want string
	}{
		{"nothing in a response", fixed(relay{events: rewritten(func(object) {})}), pathResponses, created + ping + deltas + end, created + ping + deltas + end},
		{"nothing in a text completion", fixed(relay{events: rewritten(func(object) {})}), pathText, text + ping + doneLine, text + ping + doneLine},
		{"an event of a response is lost without a gap", lostResponse(typed(textDelta)), pathResponses, created + ping + deltas + end, created + ping + strings.Replace(end, ":2", ":1", 1)},
		{"a response is left alone by what changes messages", lostMessage(anything), pathResponses, created + end, created + end},
		{"a text completion is changed", eachTextChoice(isTextPiece, func(choice object) { choice.append("text", "b") }), pathText, text + doneLine, strings.Replace(text, `"a"`, `"ab"`, 1) + doneLine},
		{"an event of a message is lost", lostMessage(typed("ping")), pathMessages, pinged + ping, ping},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, asked(t, tt.wrap, tt.path, "text/event-stream", tt.give))
		})
	}
}

func TestPricingChangesTheRepliesThatMatch(t *testing.T) {
	const credits = `{"balanceUsd":10,"charges":[{"id":"a","usd":0.0001},{"id":"b","usd":0.0004}]}`
	only := func(_ *sales, id string) bool { return id == "b" }
	got := asked(t, pricing(only, times(1, 4)), pathCredits, "application/json", credits)
	assert.JSONEq(t, `{"balanceUsd":10,"charges":[{"id":"a","usd":0.0001},{"id":"b","usd":0.0001}]}`, got)
}

func TestSlotsAreGivenBack(t *testing.T) {
	address := serve(t, slotted(1), streaming(nil, chunkOne, doneLine))
	for range 3 {
		body, err := io.ReadAll(ask(t, t.Context(), address).Body)
		require.NoError(t, err)
		assert.Equal(t, chunkOne+doneLine, string(body))
	}
}
