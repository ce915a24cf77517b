package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "plumbline.dev/plumbline/"

// The harness and the reference are two independent readings of the documents:
// they share no code but the fake GPU's remote control, so that one misreading
// cannot hide in both. Only cmd ties all of them together.
func TestHouseRules(t *testing.T) {
	rules := []struct {
		in     string   // packages below this folder
		never  []string // import none of these
		except string   // but this one
	}{
		{"conformance", []string{"reference", "cmd", "fakegpu"}, "fakegpu/control"},
		{"steps", []string{"reference", "cmd", "fakegpu"}, "fakegpu/control"},
		{"features", []string{"reference", "cmd", "fakegpu", "conformance", "steps"}, ""},
		{"reference", []string{"conformance", "steps", "features", "cmd", "fakegpu"}, "fakegpu/control"},
		{"fakegpu", []string{"conformance", "steps", "features", "reference", "cmd"}, ""},
		// Checks are pure: no clock, no network, no godog.
		{"conformance/check", []string{"conformance/probe", "conformance/report", "conformance/target"}, ""},
	}
	foreign := map[string][]string{
		"conformance/check": {"net", "net/http/httptest", "os", "github.com/cucumber/godog", "crypto/rand"},
	}
	imported := imports(t, "../..")
	for _, rule := range rules {
		seen := 0
		for file, paths := range imported {
			if !strings.HasPrefix(file, rule.in+"/") {
				continue
			}
			seen++
			if strings.HasSuffix(file, "_test.go") {
				continue // a test may put both ends together
			}
			for _, path := range paths {
				local, ours := strings.CutPrefix(path, module)
				for _, never := range rule.never {
					if ours && local != rule.except && (local == never || strings.HasPrefix(local, never+"/")) {
						t.Errorf("%s imports %s", file, path)
					}
				}
				assert.NotContains(t, foreign[rule.in], path, "%s imports %s", file, path)
			}
		}
		require.NotZero(t, seen, "no file is below %s, so the rule says nothing", rule.in)
	}
}

// imports returns what every Go file below root imports.
func imports(t *testing.T, root string) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != root && strings.HasPrefix(entry.Name(), ".") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		require.NoError(t, err)
		for _, spec := range file.Imports {
			value, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			found[filepath.ToSlash(name)] = append(found[filepath.ToSlash(name)], value)
		}
		return nil
	}))
	return found
}
