package completion

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWritten(t *testing.T) {
	for name, c := range map[string]struct {
		usage Usage
		want  int64
	}{
		"reported":                      {Usage{PromptTokens: 20, CachedTokens: 12, CacheWriteTokens: 3}, 3},
		"reported as none":              {Usage{PromptTokens: 20, CachedTokens: 12, CacheWriteTokens: 0}, 0},
		"not reported":                  {Usage{PromptTokens: 20, CachedTokens: 12, CacheWriteTokens: -1}, 8},
		"not reported, nothing cached":  {Usage{PromptTokens: 20, CacheWriteTokens: -1}, 20},
		"not reported, all of it reads": {Usage{PromptTokens: 20, CachedTokens: 20, CacheWriteTokens: -1}, 0},
	} {
		assert.Equal(t, c.want, c.usage.Written(), name)
	}
}
