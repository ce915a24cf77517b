// Package ci holds what runs elsewhere than in plumbline itself: templates that
// gate other gateways' builds (github-actions.yml, gitlab-ci.yml), the lane with
// a real model server (real), and the tools of this repository's own checks. Its
// tests hold the templates to the plumbline that they call.
package ci
