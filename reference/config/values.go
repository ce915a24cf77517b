package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

func parseDuration(into *time.Duration, text string) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("%q is not a duration: write a number with a unit, such as 10s, 500ms or 2m", text)
	}
	*into = d
	return nil
}

// parseBytes reads a number of bytes, plain or in KiB, MiB or GiB.
func parseBytes(into *int64, text string) error {
	number, factor := text, int64(1)
	for shift, unit := range []string{"KiB", "MiB", "GiB"} {
		if n, ok := strings.CutSuffix(text, unit); ok {
			number, factor = strings.TrimSpace(n), 1<<(10*(shift+1))
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt32*1024/factor {
		return fmt.Errorf("%q is not a number of bytes: write it plain or as 16MiB", text)
	}
	*into = n * factor
	return nil
}
