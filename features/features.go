// Package features holds the documents as Gherkin, one folder a document and
// one file a subject, and the catalogue of requirements that their tags name.
// A product manager can read them; package steps makes them run.
package features

import "embed"

// FS has requirements.yaml and the .feature files.
//
//go:embed requirements.yaml mortar notholy openai anthropic
var FS embed.FS
