// Package names finds the right name that somebody probably meant.
package names

// Nearest returns the known name closest to word, or "" when none is close
// enough to be worth suggesting.
func Nearest(word string, known []string) string {
	best, bestDistance := "", len(word)/2+1
	for _, name := range known {
		if d := distance(word, name); d < bestDistance {
			best, bestDistance = name, d
		}
	}
	return best
}

// Hint is Nearest as the end of an error message: "" or `, did you mean "x"?`.
func Hint(word string, known []string) string {
	name := Nearest(word, known)
	if name == "" {
		return ""
	}
	return `, did you mean "` + name + `"?`
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
