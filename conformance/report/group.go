package report

import (
	"strings"

	"plumbline.dev/plumbline/conformance"
)

// group is the rows of one part of a document, such as mortar-stream.
type group struct {
	name string
	rows []conformance.RequirementResult
}

// groups parts the rows by their ids, in the order in which they come.
func groups(rep *conformance.Report) []group {
	var all []group
	index := make(map[string]int)
	for _, row := range rep.Requirements {
		name := groupName(row.ID)
		i, known := index[name]
		if !known {
			i = len(all)
			index[name] = i
			all = append(all, group{name: name})
		}
		all[i].rows = append(all[i].rows, row)
	}
	return all
}

// groupName is the id of a row without its number.
func groupName(id string) string {
	if i := strings.LastIndexByte(id, '-'); i > 0 {
		return id[:i]
	}
	return id
}

// verdictOf is the verdict to show for a row; one that is not in the list of
// verdicts is an error of ours.
func verdictOf(row conformance.RequirementResult) conformance.Verdict {
	switch row.Verdict {
	case conformance.Pass, conformance.Remark, conformance.Inconclusive, conformance.Fail, conformance.HarnessError:
		return row.Verdict
	default:
		return conformance.HarnessError
	}
}
