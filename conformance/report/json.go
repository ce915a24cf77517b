package report

import (
	"encoding/json"
	"io"

	"plumbline.dev/plumbline/conformance"
)

// encodeJSON writes the report as it is. Lists are lists even when they are
// empty, so that a reader need not tell null from [].
func encodeJSON(w io.Writer, rep *conformance.Report, _ Screen) error {
	full := *rep
	full.Profiles = orEmpty(full.Profiles)
	full.Requirements = orEmpty(full.Requirements)
	if full.Totals == nil {
		full.Totals = map[conformance.Verdict]int{}
	}
	rows := make([]conformance.RequirementResult, len(full.Requirements))
	for i, row := range full.Requirements {
		row.Scenarios = orEmpty(row.Scenarios)
		rows[i] = row
	}
	full.Requirements = rows

	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false) // nobody embeds it in a page, people read it
	encoder.SetIndent("", "  ")
	return encoder.Encode(full)
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
