// Package browser tests the gateway's live page in a headless Chromium: real
// requests go through the gateway, and the page has to show them. Without a
// Chromium on this machine the tests are skipped, and say so; PLUMBLINE_CHROMIUM
// names one that is not in the PATH.
//
//	PLUMBLINE_SCREENSHOTS=dir go test ./...    # also leaves pictures to look at
package browser
