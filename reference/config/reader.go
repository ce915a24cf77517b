package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"plumbline.dev/plumbline/reference/price"
)

// reader walks a YAML document. It goes on after a problem, so that all are
// found, and remembers where each setting stands.
type reader struct {
	file     string
	env      func(string) string
	problems problems
	places   map[string]string // by path: "file:line:column: "
}

// read takes in the value of a setting.
type read func(path string, n *yaml.Node)

// where tells the place of a setting, or of the nearest one around it.
func (r *reader) where(path string) string {
	for {
		if place, ok := r.places[path]; ok {
			return place
		}
		end := strings.LastIndexAny(path, ".[")
		if end < 0 {
			return r.file + ": "
		}
		path = path[:end]
	}
}

// fail notes a problem together with its place.
func (r *reader) fail(path, format string, args ...any) {
	r.problems = append(r.problems, problem{r.where(path), path, fmt.Sprintf(format, args...)})
}

// enter notes where a setting stands and follows an alias to its value.
func (r *reader) enter(path string, n *yaml.Node) *yaml.Node {
	r.places[path] = fmt.Sprintf("%s:%d:%d: ", r.file, n.Line, n.Column)
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// mapping reads the members of a mapping; each key has to be known, and those
// required have to be there.
func (r *reader) mapping(path string, n *yaml.Node, members map[string]read, required ...string) {
	n = r.enter(path, n)
	if n.Kind != yaml.MappingNode {
		r.fail(path, "it must be a mapping of names to values, not %s", kindOf(n))
		return
	}
	seen := make(map[string]bool)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		inner := strings.TrimPrefix(path+"."+key.Value, ".")
		member, known := members[key.Value]
		if !known || key.Kind != yaml.ScalarNode || seen[key.Value] {
			r.places[inner] = fmt.Sprintf("%s:%d:%d: ", r.file, key.Line, key.Column)
		}
		switch {
		case key.Kind != yaml.ScalarNode:
			r.fail(path, "line %d has a key that is not a name", key.Line)
		case !known:
			r.fail(inner, "unknown key; %s", nearest(key.Value, slices.Sorted(maps.Keys(members))))
		case seen[key.Value]:
			r.fail(inner, "the key stands twice")
		default:
			seen[key.Value] = true
			member(inner, value)
		}
	}
	for _, name := range required {
		if !seen[name] {
			r.fail(path, "%s is missing", name)
		}
	}
}

func (r *reader) sequence(path string, n *yaml.Node, element read) {
	n = r.enter(path, n)
	if n.Kind != yaml.SequenceNode {
		r.fail(path, "it must be a list, not %s", kindOf(n))
		return
	}
	for i, e := range n.Content {
		element(fmt.Sprintf("%s[%d]", path, i), e)
	}
}

// scalar reads a single value by a function whose error says what would be
// right, and which must not repeat a secret.
func (r *reader) scalar(set func(text string) error) read {
	return func(path string, n *yaml.Node) {
		n = r.enter(path, n)
		switch {
		case n.Kind != yaml.ScalarNode:
			r.fail(path, "it must be a single value, not %s", kindOf(n))
		case n.Tag == "!!null":
			r.fail(path, "the value is missing")
		default:
			if err := set(n.Value); err != nil {
				r.fail(path, "%v", err)
			}
		}
	}
}

func (r *reader) text(into *string) read {
	return r.scalar(func(text string) error {
		*into = text
		return nil
	})
}

func (r *reader) texts(into *[]string) read {
	return func(path string, n *yaml.Node) {
		*into = nil
		r.sequence(path, n, func(path string, n *yaml.Node) {
			var text string
			r.text(&text)(path, n)
			*into = append(*into, text)
		})
	}
}

func (r *reader) duration(into *time.Duration) read {
	return r.scalar(func(text string) error { return parseDuration(into, text) })
}

func (r *reader) price(into *price.Price) read {
	return r.scalar(func(text string) (err error) {
		*into, err = price.Parse(text)
		return err
	})
}

func (r *reader) money(into **price.Money) read {
	return r.scalar(func(text string) error {
		m, err := price.ParseMoney(text)
		*into = &m
		return err
	})
}

func (r *reader) boolean(into *bool) read {
	return r.scalar(func(text string) error {
		if text != "true" && text != "false" {
			return fmt.Errorf("%q is neither true nor false", text)
		}
		*into = text == "true"
		return nil
	})
}

func (r *reader) integer(into *int64) read {
	return r.scalar(func(text string) (err error) {
		if *into, err = strconv.ParseInt(text, 10, 64); err != nil {
			return fmt.Errorf("%q is not a whole number", text)
		}
		return nil
	})
}

// optionalInteger reads a number where none is something else than 0.
func (r *reader) optionalInteger(into **int64) read {
	return func(path string, n *yaml.Node) {
		*into = new(int64)
		r.integer(*into)(path, n)
	}
}

// fromEnv reads the name of an environment variable and takes its value.
func (r *reader) fromEnv(set func(value string)) read {
	return r.scalar(func(name string) error {
		value := r.env(name)
		if value == "" {
			return fmt.Errorf("the environment variable %s is not set", name)
		}
		set(value)
		return nil
	})
}

func kindOf(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == "!!null":
		return "empty"
	}
	return "a single value"
}
