// Package control is the remote control of the fake GPU: what it shall reply
// to one prompt, and what it did.
//
// A test registers a [Script] under a nonce and puts [Marker](nonce) anywhere
// into its prompt. Whatever gateway the prompt travels through, and in
// whatever API format, the fake GPU finds the marker and plays the script:
// tokens, pauses, gates, faults. Afterwards its [Journal] tells what was asked,
// which tokens were generated when, and at which token an abort was seen.
//
// [Client] speaks the control API over HTTP. The types here are its wire form.
package control
