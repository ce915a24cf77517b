package modelserver

import "iter"

// The functions here walk JSON that is known to be valid, as slices of the
// bytes themselves: no copy, no allocation, and each string stays the literal
// as which the model server wrote it.

// members yields the keys (without quotes) and values of an object.
func members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		if len(object) == 0 || object[0] != '{' {
			return
		}
		i := 1
		for {
			i = skipSpace(object, i)
			if i >= len(object) || object[i] == '}' {
				return
			}
			if object[i] == ',' {
				i++
				continue
			}
			keyEnd := skipValue(object, i)
			key := object[i+1 : keyEnd-1]
			i = skipSpace(object, keyEnd) + 1 // the colon
			i = skipSpace(object, i)
			end := skipValue(object, i)
			if !yield(key, object[i:end]) {
				return
			}
			i = end
		}
	}
}

// elements yields the values of an array.
func elements(array []byte) iter.Seq[[]byte] {
	return func(yield func(value []byte) bool) {
		if len(array) == 0 || array[0] != '[' {
			return
		}
		i := 1
		for {
			i = skipSpace(array, i)
			if i >= len(array) || array[i] == ']' {
				return
			}
			if array[i] == ',' {
				i++
				continue
			}
			end := skipValue(array, i)
			if !yield(array[i:end]) {
				return
			}
			i = end
		}
	}
}

// member returns the value of one key, nil if it is absent or null.
func member(object []byte, name string) []byte {
	for key, value := range members(object) {
		if string(key) == name {
			if isNull(value) {
				return nil
			}
			return value
		}
	}
	return nil
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// skipValue returns the offset behind the value that begins at i.
func skipValue(b []byte, i int) int {
	if i >= len(b) {
		return len(b)
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		depth := 0
		for i < len(b) {
			switch b[i] {
			case '"':
				i = skipString(b, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			}
			i++
			if depth == 0 {
				return i
			}
		}
		return len(b)
	default:
		for i < len(b) {
			switch b[i] {
			case ',', '}', ']', ' ', '\t', '\n', '\r':
				return i
			}
			i++
		}
		return i
	}
}

func skipString(b []byte, i int) int {
	i++
	for i < len(b) {
		switch b[i] {
		case '\\':
			i += 2
		case '"':
			return i + 1
		default:
			i++
		}
	}
	return len(b)
}

func isNull(value []byte) bool      { return len(value) > 0 && value[0] == 'n' }
func isString(value []byte) bool    { return len(value) > 0 && value[0] == '"' }
func isObject(value []byte) bool    { return len(value) > 0 && value[0] == '{' }
func isArray(value []byte) bool     { return len(value) > 0 && value[0] == '[' }
func isEmptyText(value []byte) bool { return len(value) == 2 && value[0] == '"' }

// tooDeep tells whether JSON nests deeper than a validator may safely recurse.
func tooDeep(b []byte, limit int) bool {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			i = skipString(b, i) - 1
		case '{', '[':
			if depth++; depth > limit {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}
