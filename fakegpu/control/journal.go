package control

import "encoding/json"

// Journal is what the fake GPU did with the requests of one nonce, oldest
// first. All times are nanoseconds of Unix time that one monotonic clock of the
// server carries on, so differences between them are exact.
type Journal struct {
	Nonce    string   `json:"nonce"`
	Requests []Record `json:"requests"`
}

// Ending says how a request ended on the model server's side.
type Ending string

// Endings of a request.
const (
	EndingRunning  Ending = ""         // it still runs
	EndingFinished Ending = "finished" // every step was played
	EndingAborted  Ending = "aborted"  // the peer left first
	EndingFailed   Ending = "failed"   // the script's own fault ended it
)

// Record is one request as the fake GPU saw it.
type Record struct {
	ID   string `json:"id"` // the server's own completion id
	Path string `json:"path"`
	// Body is the request body as received. One that is no JSON, or larger than
	// 1 MiB, stands as a JSON string of its first MiB.
	Body         json.RawMessage `json:"body"`
	Scripted     bool            `json:"scripted"` // a script was played, not the steady engine
	Stream       bool            `json:"stream"`
	IncludeUsage bool            `json:"includeUsage"`
	ReceivedAt   int64           `json:"receivedAt"`
	PromptTokens int             `json:"promptTokens"`
	CachedTokens int             `json:"cachedTokens"`
	// CacheTier is where the cached tokens lay: gpu-hbm, host-memory, storage,
	// and "" when there are none.
	CacheTier string `json:"cacheTier,omitempty"`
	// TokenTimes holds the time at which each generated token was handed to
	// the network, in order, for every choice together, at most the first million.
	TokenTimes []int64 `json:"tokenTimes"`
	// Generated counts the tokens generated up to now.
	Generated int    `json:"generated"`
	Ending    Ending `json:"ending"`
	// EndedAt is when it ended; for an abort, when the server noticed.
	EndedAt int64 `json:"endedAt,omitempty"`
	// AtGate names the gate that the request waits at.
	AtGate string `json:"atGate,omitempty"`
}
