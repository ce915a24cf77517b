package report

import (
	"fmt"
	"strings"

	"plumbline.dev/plumbline/conformance"
)

const (
	maxMoments = 16 // the last ones; the JSON report has them all
	clientSide = "client"
	timeWidth  = 10
)

// timeline draws the last moments of an exchange, the client on the left and
// its model server on the right, each with its time since the request.
func timeline(moments []conformance.Moment, width int) []string {
	if len(moments) == 0 {
		return nil
	}
	var lines []string
	earlier := max(0, len(moments)-maxMoments)
	twoSided := false
	for _, m := range moments {
		twoSided = twoSided || m.Side != clientSide
	}
	left := width - timeWidth - 2
	right := 0
	if twoSided {
		left = (width - timeWidth - 5) * 3 / 5
		right = width - timeWidth - 5 - left
	}
	row := func(at, client, server string) string {
		line := fmt.Sprintf("%*s  %s", timeWidth, at, clip(client, left))
		if twoSided {
			line = pad(line, timeWidth+2+left) + " │ " + clip(server, right)
		}
		return strings.TrimRight(line, " ")
	}
	lines = append(lines, row("", "client", "model server"))
	if earlier > 0 {
		lines = append(lines, row("…", fmt.Sprintf("%d earlier events", earlier), ""))
	}
	for _, m := range moments[earlier:] {
		at, text := offset(m.AtMS), oneLine(m.Text)
		if m.Side == clientSide {
			lines = append(lines, row(at, text, ""))
		} else {
			lines = append(lines, row(at, "", text))
		}
	}
	return lines
}

// offset is a time since the request.
func offset(ms float64) string {
	if ms >= 10_000 {
		return fmt.Sprintf("%.3f s ", ms/1000)
	}
	return fmt.Sprintf("%.1f ms", ms)
}
