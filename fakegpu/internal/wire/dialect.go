package wire

import "errors"

// Dialect is one model server's way to speak.
type Dialect uint8

// Dialects. They differ in ids, in the shape of the first and the finish
// chunk, in where usage stands and in the shape of errors.
const (
	VLLM Dialect = iota
	SGLang
	LlamaCpp
)

// Dialects lists the names of the dialects.
func Dialects() []string { return []string{"vllm", "sglang", "llamacpp"} }

// ParseDialect finds a dialect by its name; "" is vllm.
func ParseDialect(name string) (Dialect, error) {
	if name == "" {
		return VLLM, nil
	}
	for i, known := range Dialects() {
		if name == known {
			return Dialect(i), nil
		}
	}
	return 0, errors.New("unknown dialect")
}

// String is the dialect's name.
func (d Dialect) String() string { return Dialects()[d] }

// UsageOnFinish tells whether usage stands on the finish chunk, asked or not,
// instead of in a chunk of its own that has to be asked for.
func (d Dialect) UsageOnFinish() bool { return d == LlamaCpp }
