// Package nearest finds the name that a person most likely meant. Every
// message about an unknown tag, profile, format or configuration key ends with
// what it finds, so that a slip of the finger costs one more try and no search.
package nearest

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// longest bounds the words that are compared, in bytes: the cost grows with
// the square of the length and no name is nearly as long.
const longest = 100

// listed is how many known names a hint spells out before it gives up.
const listed = 12

// To returns the entry of known that word was most likely meant to be, or ""
// if none is near. Upper and lower case count as equal; of several equally
// near names the first wins.
func To(word string, known []string) string {
	if len(word) == 0 || len(word) > longest {
		return ""
	}
	low := strings.ToLower(word)
	best, bestDistance := "", 1+tolerated(low)
	for _, name := range known {
		if len(name) > longest {
			continue
		}
		if d := distance(low, strings.ToLower(name)); d < bestDistance {
			best, bestDistance = name, d
		}
	}
	if best != "" {
		return best
	}
	for _, name := range known {
		if utf8.RuneCountInString(low) >= 3 && strings.HasPrefix(strings.ToLower(name), low) {
			return name
		}
	}
	return ""
}

// Hint returns the end of an error message about the unknown name word:
// `did you mean "x"?` when a known name is near, or else the known names.
func Hint(word string, known []string) string {
	if name := To(word, known); name != "" {
		return fmt.Sprintf("did you mean %q?", name)
	}
	if len(known) == 0 {
		return "no name is known here"
	}
	if len(known) > listed {
		return fmt.Sprintf("known are %s and %d more", strings.Join(known[:listed], ", "), len(known)-listed)
	}
	return "known are " + strings.Join(known, ", ")
}

// tolerated is how many slips still count as near: one in three letters.
func tolerated(word string) int {
	return (utf8.RuneCountInString(word) + 2) / 3
}

// distance counts the letters to insert, drop, replace or swap with their
// neighbour to come from a to b.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	before := make([]int, len(to)+1)
	above := make([]int, len(to)+1)
	row := make([]int, len(to)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(from); i++ {
		row[0] = i
		for j := 1; j <= len(to); j++ {
			replace := above[j-1]
			if from[i-1] != to[j-1] {
				replace++
			}
			row[j] = min(replace, above[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && from[i-1] == to[j-2] && from[i-2] == to[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(to)]
}
