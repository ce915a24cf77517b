// Package param judges the parameters of a client's request, for the decoders
// of all formats: which type and bounds a value must have, and which error says
// so, with the path of what is wrong. It knows no format; each decoder lists
// its parameters as [Rule]s.
package param
