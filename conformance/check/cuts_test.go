package check

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance/wire"
)

// cutStreams have one of everything that a cut could go through: characters,
// escapes, line ends, comments, names, errors, the terminator.
func cutStreams() map[string]string {
	return map[string]string{
		"good":         role + hello + world + ": ping\n\n" + finish + usage + done,
		"broken":       "\xef\xbb\xbf" + role + "event: x\nid: 1\n: in\n" + hello + "data: oops\n\n" + done + done + "da",
		"CRLF":         strings.ReplaceAll(role+world+finish+usage+done, "\n", "\r\n"),
		"CR":           strings.ReplaceAll(role+world+finish+usage+done, "\n", "\r"),
		"mixed":        role + strings.Replace(hello, "\n\n", "\r\n\n", 1) + strings.Replace(world, "\n\n", "\r\r", 1) + done,
		"failed":       role + hello + failed,
		"not UTF-8":    role + strings.Replace(world, "ö", "\xc3", 1) + finish + usage + done,
		"long":         role + strings.Repeat(hello, 3) + strings.Repeat(": ping\n\n", 3) + finish + done,
		"bare newline": "\n\n\n" + role + "\n" + hello + "\n\n" + finish + usage + done,
	}
}

// untimed are findings without their times, which depend on the cut.
func untimed(found []Finding) []Finding {
	for i := range found {
		found[i].At = 0
	}
	return found
}

// everyRule has each rule of any ending once.
func everyRule() []Rule {
	var rules []Rule
	known := map[string]bool{}
	for _, r := range slices.Concat(ChatRules(), FailedRules(), StoppedRules()) {
		if !known[r.Name] {
			known[r.Name] = true
			rules = append(rules, r)
		}
	}
	return rules
}

// However the body is cut into reads, the verdicts are the same: at every single
// place, and at many random ones.
func TestVerdictsDoNotDependOnTheCut(t *testing.T) {
	rules := everyRule()
	for name, body := range cutStreams() {
		t.Run(name, func(t *testing.T) {
			want := untimed(Judge(ParseChat(transcript(body), asked), rules))
			judge := func(pieces ...string) []Finding {
				head := *transcript("")
				j := NewChatJudge(head, asked)
				for _, piece := range pieces {
					j.Feed([]byte(piece), 0)
				}
				return untimed(j.Finish(head.End, head.EndAt, "").Judge(rules))
			}
			require.Equal(t, want, judge(body))
			require.Equal(t, want, judge(strings.Split(body, "")...), "byte by byte")
			for at := range body {
				require.Equal(t, want, judge(body[:at], body[at:]), "cut at %d", at)
			}
			rnd := rand.New(rand.NewPCG(3, 7))
			for range 50 {
				require.Equal(t, want, judge(randomCuts(rnd, body)...))
			}
		})
	}
}

func randomCuts(rnd *rand.Rand, body string) (pieces []string) {
	for len(body) > 0 {
		n := 1 + rnd.IntN(min(len(body), 1+rnd.IntN(300)))
		pieces = append(pieces, body[:n])
		body = body[n:]
	}
	return pieces
}

// The same over a connection, where each cut is a chunk of HTTP/1.1.
func TestVerdictsDoNotDependOnTheChunks(t *testing.T) {
	streams := cutStreams()
	rnd := rand.New(rand.NewPCG(9, 1))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, values := range transcript("").Header {
			w.Header()[name] = values
		}
		pieces := randomCuts(rnd, streams[r.URL.Query().Get("stream")])
		if r.URL.Query().Has("bytes") {
			pieces = strings.Split(strings.Join(pieces, ""), "")
		}
		for _, piece := range pieces {
			_, _ = w.Write([]byte(piece))
			_ = http.NewResponseController(w).Flush()
		}
	}))
	t.Cleanup(server.Close)
	client := wire.NewClient(wire.ClientOptions{})
	t.Cleanup(client.CloseIdleConnections)
	for name, body := range streams {
		want := untimed(Judge(ParseChat(transcript(body), asked), everyRule()))
		for i := range 6 {
			query := fmt.Sprintf("/?stream=%s", strings.ReplaceAll(name, " ", "+"))
			if i == 0 {
				query += "&bytes"
			}
			req, err := http.NewRequest(http.MethodGet, server.URL+query, nil)
			require.NoError(t, err)
			x := wire.Start(t.Context(), client, req, wire.Limits{})
			require.NoError(t, x.WaitEnd(t.Context()))
			require.Equal(t, want, untimed(Judge(ParseChat(x.Transcript(), asked), everyRule())), name)
		}
	}
}

// Comments, however long and many, change nothing.
func TestCommentsChangeNothing(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "legal", "*.sse"))
	require.NoError(t, err)
	for _, comment := range []string{": ping\n\n", ":\n", ": " + strings.Repeat("long ", 400_000) + "\n\n", strings.Repeat(": ping\n\n", 3_000)} {
		for _, file := range files[:4] {
			body, err := os.ReadFile(file)
			require.NoError(t, err)
			word, _, _ := strings.Cut(filepath.Base(file), "-")
			events := strings.SplitAfter(string(body), "\n\n")
			for _, at := range []int{0, 1, len(events) / 2, len(events) - 2} {
				with := strings.Join(events[:at], "") + comment + strings.Join(events[at:], "")
				require.Empty(t, JudgeTranscript(transcript(with), asks[word]).Judge(rulesFor(word)), "%s, a comment before event %d", file, at)
			}
		}
	}
}
