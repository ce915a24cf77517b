package messages

import (
	"net/http"
	"slices"
	"strings"

	"plumbline.dev/plumbline/reference/apierror"
)

// VersionHeader tells which version of the API a client speaks; it is required
// (Anthropic Messages, request).
const VersionHeader = "Anthropic-Version"

// CheckVersion reports a version header that is missing or unknown.
func CheckVersion(h http.Header) *apierror.Error {
	versions := []string{"2023-06-01", "2026-10-21"}
	switch asked := h.Get(VersionHeader); {
	case asked == "":
		return apierror.MissingHeader("anthropic-version")
	case !slices.Contains(versions, asked):
		return apierror.InvalidValue("anthropic-version", "supported versions are: '"+strings.Join(versions, "', '")+"'")
	}
	return nil
}
