package mutant

import "time"

func unixNow() int64 { return time.Now().Unix() }

// now is the time in Unix milliseconds.
func now() int64 { return time.Now().UnixMilli() }
