// Command testcount reads what go test -json writes and prints what a person
// needs of it: one line for each package, the output of tests that failed, the
// reason of each that was skipped, and at the end how many there were.
//
//	go test -json ./... | go run ./ci/testcount
//
// It exits with 1 if anything failed or if no test ran at all.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	c := newCounter(os.Stdout)
	if err := c.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "testcount:", err)
		os.Exit(1)
	}
	if !c.summary() {
		os.Exit(1)
	}
}

// event is one line of go test -json; see go doc test2json.
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
	Elapsed float64 // seconds

	ImportPath string // of build output
}

type test struct{ pkg, name string }

type counter struct {
	out                     io.Writer
	output                  map[test][]string // until the test has ended
	passed, failed, skipped int
	brokenPackages          int // failed outside any test: build, init, panic
	failedIn                map[string]int
}

func newCounter(out io.Writer) *counter {
	return &counter{out: out, output: map[test][]string{}, failedIn: map[string]int{}}
}

func (c *counter) read(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) == nil {
				c.add(e)
			} else {
				fmt.Fprintf(c.out, "%s", line) // go's own words, such as a flag it does not know
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading the events: %w", err)
		}
	}
}

func (c *counter) add(e event) {
	if e.Package == "" {
		e.Package = e.ImportPath
	}
	key := test{e.Package, e.Test}
	switch e.Action {
	case "output", "build-output":
		c.output[key] = append(c.output[key], e.Output)
	case "pass", "fail", "skip":
		if e.Test == "" {
			c.endPackage(e, key)
		} else {
			c.endTest(e, key)
		}
		delete(c.output, key)
	case "build-fail":
		fmt.Fprint(c.out, strings.Join(c.output[key], ""))
		delete(c.output, key)
	}
}

func (c *counter) endTest(e event, key test) {
	said := strings.Join(c.output[key], "")
	switch e.Action {
	case "pass":
		c.passed++
	case "skip":
		c.skipped++
		fmt.Fprintf(c.out, "SKIP  %s %s\n%s", e.Package, e.Test, said)
	case "fail":
		c.failed++
		c.failedIn[e.Package]++
		fmt.Fprintf(c.out, "FAIL  %s %s\n%s", e.Package, e.Test, said)
	}
}

func (c *counter) endPackage(e event, key test) {
	switch {
	case e.Action == "fail" && c.failedIn[e.Package] == 0:
		c.brokenPackages++
		fmt.Fprintf(c.out, "FAIL  %s\n%s", e.Package, strings.Join(c.output[key], ""))
	case e.Action == "fail":
		fmt.Fprintf(c.out, "FAIL  %s (%.1fs)\n", e.Package, e.Elapsed)
	case e.Action == "pass":
		fmt.Fprintf(c.out, "ok    %s (%.1fs)\n", e.Package, e.Elapsed)
	}
}

// summary prints the counts and tells whether all is well.
func (c *counter) summary() bool {
	fmt.Fprintf(c.out, "tests: %d passed, %d failed, %d skipped", c.passed, c.failed, c.skipped)
	if c.brokenPackages > 0 {
		fmt.Fprintf(c.out, ", %d packages broken", c.brokenPackages)
	}
	fmt.Fprintln(c.out)
	return c.passed > 0 && c.failed == 0 && c.brokenPackages == 0
}
