package report

import (
	"fmt"

	"plumbline.dev/plumbline/conformance"
)

// ExitMeaning says in one sentence what the exit code of a run means.
func ExitMeaning(rep *conformance.Report) string {
	switch rep.ExitCode {
	case 0:
		if n := rep.Totals[conformance.Inconclusive]; n > 0 {
			return fmt.Sprintf("nothing failed; %s not judged, as allowed", count(n, "row was", "rows were"))
		}
		return "every row was judged, and none fails the run"
	case 1:
		stale, failed := 0, 0
		for _, row := range rep.Requirements {
			if row.Stale {
				stale++
			}
			if row.Verdict == conformance.Fail && !row.Known {
				failed++
			}
		}
		if failed == 0 && stale > 0 {
			return "the baseline is out of date: rows that it lists pass now"
		}
		return "the target breaks what is documented"
	case 2:
		return "the command was not understood, and nothing was judged"
	case 3:
		if rep.Interrupted {
			return "the run was interrupted; what was not judged by then is not a pass"
		}
		return "the harness itself failed, so this run proves nothing"
	case 4:
		return fmt.Sprintf("nothing failed, but %s not judged (--allow-inconclusive accepts that)",
			count(rep.Totals[conformance.Inconclusive], "row was", "rows were"))
	default:
		return "this exit code has no meaning: please report it as a fault of plumbline"
	}
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
