// Command real runs plumbline against a model server that plumbline's authors
// did not write.
//
// It builds Ollama from the Go module proxy, gives it the tiny model of package
// tinymodel, and judges twice: the reference gateway with Ollama behind it, and
// Ollama itself. Reports and logs lie in out/real, what is worth keeping for the
// next time in .cache/real. The first run compiles for five to ten minutes.
//
// Start it from the root of the repository with make real. Where it cannot run,
// because there is no C++ compiler or a header is missing, it says so in its
// last line and exits with 0:
//
//	real model server: 0 passed, 0 failed, 1 skipped (no C++ compiler: install g++)
package main
