// Command real runs plumbline against a model server that plumbline's authors
// did not write.
//
// It builds Ollama from the Go module proxy, gives it the tiny model of package
// tinymodel, and judges the reference gateway with Ollama behind it, by profiles
// mortar and notholy, and Ollama itself, by profiles openai and anthropic. What
// Ollama breaks was found by hand in the bytes that it sends and stands in
// findings.go; any other row that fails, and any of those that passes, is a
// failure of the lane. Reports and logs lie in out/real, what is worth keeping for
// the next time in .cache/real. The first run compiles for five to ten minutes,
// later ones take about one.
//
// Start it from the root of the repository with make real. Where it cannot run,
// because there is no C++ compiler or a header is missing, it says so in its
// last line and exits with 0:
//
//	real model server: 0 passed, 0 failed, 1 skipped (no C++ compiler: install g++)
package main
