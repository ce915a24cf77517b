package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// finding is a row of the catalogue that Ollama 0.24.0 breaks. Each was compared
// with the bytes that Ollama sent.
type finding struct {
	row string
	why string
	// sometimes is set where it depends on the moment whether the row is broken.
	sometimes bool
}

// mortarFindings are rows that a gateway in front of this Ollama cannot keep.
var mortarFindings = []finding{
	{row: "mortar-cost-13", why: "Ollama does not tell how many tokens it read from its cache, so nobody knows of any"},
}

// ollamaFindings are rows of OpenAI's formats.
var ollamaFindings = []finding{
	{row: "openai-chat-04", why: "ids are random numbers below 1000, so two replies can share one", sometimes: true},
	{row: "openai-chat-05", why: "created is the time of each chunk, not of the reply: it changes within a stream that passes a full second", sometimes: true},
	{row: "openai-chat-12", why: "chunks before the last have no usage at all, where OpenAI has usage null"},
	{row: "openai-chat-18", why: "max_completion_tokens is ignored: the reply goes on to its end, with finish_reason stop"},
	{row: "openai-chat-25", why: "param is null when messages are missing, and unknown roles are accepted"},
	{row: "openai-chat-26", why: "n of 0, temperature of 2.5 and the like are answered with 200"},
	{row: "openai-chat-27", why: "an unknown model is refused with type not_found_error and code null"},
	{row: "openai-chat-29", why: "stream_options without stream is accepted"},
	{row: "openai-text-04", why: "created is the time of each chunk, and ids are random numbers below 1000", sometimes: true},
	{row: "openai-text-08", why: "with include_usage every chunk has a usage object, of zeros before the last"},
	{row: "openai-text-23", why: "n of 0, max_tokens of -1 and the like are answered with 200"},
	{row: "openai-text-24", why: "an unknown model is refused with code null"},
	{row: "openai-responses-09", why: "created_at of the end is another one than that of the beginning when a second passes", sometimes: true},
	{row: "openai-responses-11", why: "a response that max_output_tokens cut is completed, as are its items"},
	{row: "openai-responses-22", why: "temperature of 2.5 and max_output_tokens of 15 are accepted"},
	{row: "openai-responses-23", why: "an unknown model is refused with code null"},
	{row: "openai-responses-24", why: "ids are random numbers, so two responses can share one", sometimes: true},
}

// ollamaMessagesFindings are those of its Messages API.
var ollamaMessagesFindings = []finding{
	{row: "anthropic-messages-03", why: "message_start has no stop_reason and no stop_sequence, where Anthropic has null"},
	{row: "anthropic-messages-05", why: "message_delta has no stop_sequence, where Anthropic has null"},
	{row: "anthropic-messages-15", why: "a message has no stop_sequence, where Anthropic has null"},
	{row: "anthropic-messages-18", why: "unknown roles are accepted"},
}

// report is what the lane reads of plumbline's JSON report.
type report struct {
	Totals       map[string]int
	Requirements []struct{ ID, Verdict, Reason string }
}

func readReport(path string) (report, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return report{}, fmt.Errorf("reading plumbline's report: %w", err)
	}
	var r report
	if err := json.Unmarshal(text, &r); err != nil {
		return report{}, fmt.Errorf("reading plumbline's report %s: %w", path, err)
	}
	if r.Totals["pass"] == 0 {
		return r, fmt.Errorf("%s: not one row passed", path)
	}
	return r, nil
}

// compare holds the rows that failed against those that are known to. It
// describes each known one in log and returns an error that names the others:
// rows that fail unexpectedly, and known ones that pass or were not judged.
func (r report) compare(known []finding, log io.Writer) error {
	expected := make(map[string]finding, len(known))
	for _, f := range known {
		expected[f.row] = f
	}
	var wrong []string
	for _, row := range r.Requirements {
		f, isKnown := expected[row.ID]
		switch {
		case row.Verdict == "fail" && isKnown:
			fmt.Fprintf(log, "      %s: %s\n", row.ID, f.why)
		case row.Verdict == "fail":
			wrong = append(wrong, fmt.Sprintf("%s fails: %s", row.ID, row.Reason))
		case row.Verdict == "pass" && isKnown && !f.sometimes:
			wrong = append(wrong, row.ID+" passes, although "+f.why)
		case row.Verdict != "pass" && isKnown && !f.sometimes:
			wrong = append(wrong, fmt.Sprintf("%s, which is known to fail, was not judged: %s", row.ID, row.Reason))
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%d rows are not as they were found by hand:\n      %s", len(wrong), strings.Join(wrong, "\n      "))
	}
	return nil
}
