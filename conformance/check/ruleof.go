package check

// RuleOf is one rule for replies of the form T, with the rows of the catalogue
// that it judges. A row may hang on several rules.
type RuleOf[T any] struct {
	Name  string
	Rows  []string
	Judge func(T) []Finding
}

// JudgeBy runs the rules over one reply and returns what all of them found.
func JudgeBy[T any](reply T, rules []RuleOf[T]) []Finding {
	var found []Finding
	for _, r := range rules {
		found = append(found, r.Judge(reply)...)
	}
	return found
}
