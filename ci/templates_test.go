package ci_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// templates are the files that users copy, with where their jobs' commands stand.
var templates = []struct {
	file     string
	commands func(*testing.T, *yaml.Node) []string
}{
	{"github-actions.yml", githubCommands},
	{"gitlab-ci.yml", gitlabCommands},
}

func TestTemplatesAreShell(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here that could read the commands")
	}
	for _, template := range templates {
		t.Run(template.file, func(t *testing.T) {
			for _, command := range template.commands(t, parse(t, template.file)) {
				check := exec.CommandContext(t.Context(), bash, "-n")
				check.Stdin = strings.NewReader(command)
				said, err := check.CombinedOutput()
				assert.NoError(t, err, "%s\n%s", command, said)
			}
		})
	}
}

// flag is a long flag, at the beginning of a word.
var flag = regexp.MustCompile(`(?:^|\s)(--[a-z][a-z-]*)`)

func TestTemplatesUseFlagsThatExist(t *testing.T) {
	known := runFlags(t)
	for _, template := range templates {
		t.Run(template.file, func(t *testing.T) {
			var runs int
			for _, command := range template.commands(t, parse(t, template.file)) {
				_, arguments, isRun := strings.Cut(command, "plumbline run")
				if !isRun {
					continue
				}
				runs++
				for _, match := range flag.FindAllStringSubmatch(arguments, -1) {
					assert.Contains(t, known, match[1], "plumbline run has no such flag")
				}
				assert.Contains(t, arguments, "--report junit:", "a build server shows JUnit reports")
				assert.Contains(t, arguments, "--report json:")
				assert.Contains(t, arguments, "--baseline")
			}
			assert.Equal(t, 1, runs, "commands with plumbline run")
		})
	}
}

// runFlags is the flags that plumbline run says it has.
func runFlags(t *testing.T) []string {
	t.Helper()
	help := exec.CommandContext(t.Context(), "go", "run", "./cmd/plumbline", "run", "--help")
	help.Dir = ".."
	said, err := help.CombinedOutput()
	require.NoError(t, err, "%s", said)
	var known []string
	for _, match := range flag.FindAllStringSubmatch(string(said), -1) {
		known = append(known, match[1])
	}
	require.NotEmpty(t, known)
	return known
}

func parse(t *testing.T, file string) *yaml.Node {
	t.Helper()
	text, err := os.ReadFile(filepath.Clean(file))
	require.NoError(t, err)
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal(text, &document))
	return &document
}

func githubCommands(t *testing.T, document *yaml.Node) []string {
	t.Helper()
	var workflow struct {
		Name        string
		On          map[string]any
		Permissions map[string]string
		Jobs        map[string]struct {
			RunsOn         string `yaml:"runs-on"`
			TimeoutMinutes int    `yaml:"timeout-minutes"`
			Steps          []struct{ Name, Uses, Run string }
		}
	}
	require.NoError(t, document.Decode(&workflow))
	require.NotEmpty(t, workflow.On)
	var commands []string
	for name, job := range workflow.Jobs {
		require.NotEmpty(t, job.RunsOn, name)
		require.Positive(t, job.TimeoutMinutes, name)
		for _, step := range job.Steps {
			require.NotEqual(t, step.Uses == "", step.Run == "", "a step either uses or runs: %+v", step)
			if step.Run != "" {
				commands = append(commands, step.Run)
			}
		}
	}
	require.NotEmpty(t, commands)
	return commands
}

func gitlabCommands(t *testing.T, document *yaml.Node) []string {
	t.Helper()
	var pipeline map[string]struct {
		Stage        string
		Image        string
		BeforeScript []string `yaml:"before_script"`
		Script       []string
	}
	require.NoError(t, document.Decode(&pipeline))
	var commands []string
	for name, job := range pipeline {
		require.NotEmpty(t, job.Script, name)
		commands = append(append(commands, job.BeforeScript...), job.Script...)
	}
	require.NotEmpty(t, commands)
	return commands
}
