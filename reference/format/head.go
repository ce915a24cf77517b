package format

// Head is what names a reply in every format.
type Head struct {
	ID      string // with the prefix of the format, and nothing to be guessed
	Model   string
	Created int64 // Unix seconds
}
