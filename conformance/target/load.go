package target

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"plumbline.dev/plumbline/conformance/nearest"
)

const (
	// DefaultFile is read when no file is named, if there is one.
	DefaultFile = "plumbline.yaml"
	// FileVariable names the file when no flag does.
	FileVariable = "PLUMBLINE_CONFIG"
)

// Sources is where the settings of a run come from.
type Sources struct {
	File     string   // from a flag, "" for PLUMBLINE_CONFIG or else DefaultFile
	Environ  []string // as os.Environ returns it
	Flags    Overlay
	Profiles []string // the profiles that exist; the first is the default
}

// Load reads all sources, flags over environment over file, and checks the
// result. The error joins every problem, one a line, each with its place and
// with what would be right; no key is in it.
func Load(src Sources) (Config, error) {
	file, err := loadFile(src)
	if err != nil {
		return Config{}, err
	}
	if err := slips(src.Environ, file); err != nil {
		return Config{}, err
	}
	r := resolver{
		overlay: src.Flags.over(fromEnv(src.Environ).over(file)),
		environ: src.Environ,
	}
	config := r.config(src.Profiles)
	if err := errors.Join(r.problems...); err != nil {
		return Config{}, err
	}
	return config, nil
}

func loadFile(src Sources) (Overlay, error) {
	path, named := src.File, true
	if path == "" {
		path = lookup(src.Environ, FileVariable)
	}
	if path == "" {
		path, named = DefaultFile, false
	}
	data, err := readBounded(path)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return Overlay{}, nil
	}
	if err != nil {
		return Overlay{}, fmt.Errorf("reading the configuration: %w", err)
	}
	return parseFile(path, data)
}

// slips finds variables that look like ours and are not. A mistyped
// PLUMBLINE_TARGET would otherwise judge the reference gateway and be green.
func slips(environ []string, file Overlay) error {
	known := []string{FileVariable}
	for _, s := range Settings() {
		known = append(known, s.Env)
	}
	mine := make(map[string]bool)
	for _, name := range known {
		mine[name] = true
	}
	for _, v := range file.values {
		mine[v.env] = true
	}
	var problems []error
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "PLUMBLINE_") || mine[name] ||
			strings.HasPrefix(name, "PLUMBLINE_GATEWAY_") || strings.HasPrefix(name, "PLUMBLINE_FAKEGPU_") {
			continue
		}
		if near := nearest.To(strings.TrimPrefix(name, "PLUMBLINE_"), trimAll(known, "PLUMBLINE_")); near != "" {
			problems = append(problems, fmt.Errorf("unknown variable %s: did you mean PLUMBLINE_%s?", name, near))
		}
	}
	return errors.Join(problems...)
}

func trimAll(names []string, prefix string) []string {
	trimmed := make([]string, len(names))
	for i, name := range names {
		trimmed[i] = strings.TrimPrefix(name, prefix)
	}
	return trimmed
}
