package target

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"

	"plumbline.dev/plumbline/conformance/nearest"
)

// maxFile bounds the files that are read here, in bytes.
const maxFile = 1 << 20

// readBounded reads a file of settings or of rows.
func readBounded(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err // it names the path
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: larger than %d bytes, so it is hardly the right file", path, maxFile)
	}
	return data, nil
}

// parseFile reads the text of a configuration file. The error joins every
// problem found.
func parseFile(name string, data []byte) (Overlay, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document yaml.Node
	if err := decoder.Decode(&document); err != nil {
		if errors.Is(err, io.EOF) {
			return Overlay{}, nil // an empty file sets nothing
		}
		return Overlay{}, fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return Overlay{}, fmt.Errorf("%s: only one document is expected: drop what follows ---", name)
	}
	r := fileReader{name: name}
	r.mapping("", document.Content[0])
	return r.overlay, errors.Join(r.problems...)
}

type fileReader struct {
	name     string
	overlay  Overlay
	problems []error
}

func (r *fileReader) where(n *yaml.Node) string {
	return fmt.Sprintf("%s:%d", r.name, n.Line)
}

func (r *fileReader) fail(n *yaml.Node, format string, args ...any) {
	r.problems = append(r.problems, fmt.Errorf("%s: %s", r.where(n), fmt.Sprintf(format, args...)))
}

// mapping reads the settings below prefix, "" at the top.
func (r *fileReader) mapping(prefix string, n *yaml.Node) {
	if n = follow(n); n.Kind != yaml.MappingNode {
		if prefix == "" {
			r.fail(n, "expected settings such as target: https://gateway.example/v1")
		} else {
			names := children(prefix)
			r.fail(n, "%s holds settings of its own, such as %s: %s", prefix, prefix, "{"+names[0]+": …}")
		}
		return
	}
	lines := make(map[string]int)
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, child := n.Content[i], n.Content[i+1]
		key := name.Value
		if prefix != "" {
			key = prefix + "." + key
		}
		if first, twice := lines[key]; twice {
			r.fail(name, "%s is given twice, first in line %d", key, first)
			continue
		}
		lines[key] = name.Line
		r.entry(prefix, key, name, child)
	}
}

func (r *fileReader) entry(prefix, key string, name, child *yaml.Node) {
	if s, known := setting(key); known {
		if v, ok := r.value(s, child); ok {
			v.where = r.where(name)
			r.overlay.set(key, v)
		}
		return
	}
	if len(children(key)) > 0 {
		r.mapping(key, child)
		return
	}
	hint := nearest.Hint(name.Value, children(prefix))
	if prefix == "" {
		r.fail(name, "unknown setting %q: %s", name.Value, hint)
	} else {
		r.fail(name, "unknown setting %q in %s: %s", name.Value, prefix, hint)
	}
}

// value reads what stands behind the name of a setting.
func (r *fileReader) value(s Setting, n *yaml.Node) (value, bool) {
	n = follow(n)
	switch {
	case n.Kind == yaml.ScalarNode && (n.Tag == "!!null" || n.Value == ""):
		r.fail(n, "%s is empty: give it a value or drop the line", s.Key)
	case n.Kind == yaml.ScalarNode:
		return value{texts: []string{n.Value}}, true
	case n.Kind == yaml.MappingNode && s.Kind == Key:
		if len(n.Content) == 2 && n.Content[0].Value == "env" && n.Content[1].Kind == yaml.ScalarNode && n.Content[1].Value != "" {
			return value{env: n.Content[1].Value}, true
		}
		r.fail(n, "%s is a key, or {env: NAME} with the variable that holds it", s.Key)
	case n.Kind == yaml.SequenceNode && s.Kind == List:
		return r.list(s, n)
	case s.Kind == List:
		r.fail(n, "%s is a list: write %s: [a, b]", s.Key, s.Key)
	default:
		r.fail(n, "%s takes one value", s.Key)
	}
	return value{}, false
}

func (r *fileReader) list(s Setting, n *yaml.Node) (value, bool) {
	var v value
	for _, item := range n.Content {
		item = follow(item)
		if item.Kind != yaml.ScalarNode || item.Tag == "!!null" || item.Value == "" {
			r.fail(item, "%s lists plain texts; quote one that holds a colon, as in \"junit:out/plumbline.xml\"", s.Key)
			return value{}, false
		}
		v.texts = append(v.texts, item.Value)
	}
	if len(v.texts) == 0 {
		r.fail(n, "%s is an empty list: drop the line", s.Key)
	}
	return v, len(v.texts) > 0
}

// children returns the names that may stand below prefix in the file.
func children(prefix string) []string {
	var names []string
	for _, s := range Settings() {
		rest := s.Key
		if prefix != "" {
			var below bool
			if rest, below = strings.CutPrefix(s.Key, prefix+"."); !below {
				continue
			}
		}
		name, _, _ := strings.Cut(rest, ".")
		if len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	return names
}

// follow goes from an alias to what it stands for. Anchors inside anchors need
// no more: the file is nowhere deeper than the table of settings.
func follow(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}
