package check

import (
	"slices"
	"strings"
)

// Rule is one rule with the rows of the catalogue that it judges. A row may
// hang on several rules.
type Rule struct {
	Name string
	Rows []string
	// Head tells that it judges the response head, which a captured body lacks.
	Head  bool
	Judge func(*Chat) []Finding
}

// ChatRules lists the rules for a reply that is to be complete.
func ChatRules() []Rule {
	return slices.Concat(headRules(), framingRules(), chunkRules(), usageRules(
		[]string{"mortar-stream-04", "openai-chat-12"}, []string{"mortar-stream-05", "openai-chat-13"},
	), []Rule{
		{Name: "HasChunks", Judge: (*Chat).HasChunks, Rows: []string{
			"mortar-stream-02", "mortar-stream-21", "openai-chat-02", "openai-chat-04", "openai-chat-05",
			"openai-chat-06", "openai-chat-07", "openai-chat-08",
		}},
		{Name: "FinishOnce", Judge: (*Chat).FinishOnce, Rows: []string{"mortar-stream-12", "openai-chat-09"}},
		{Name: "EachChoice", Judge: (*Chat).EachChoice, Rows: []string{"openai-chat-10"}},
		{Name: "DoneOnce", Judge: (*Chat).DoneOnce, Rows: []string{"mortar-stream-11", "openai-chat-03"}},
		{Name: "DoneLast", Judge: (*Chat).DoneLast, Rows: []string{"mortar-stream-11", "openai-chat-03"}},
		{Name: "CleanEnd", Judge: (*Chat).CleanEnd, Rows: []string{"mortar-stream-11", "openai-chat-03"}},
		{Name: "NoErrorKey", Judge: (*Chat).NoErrorKey, Rows: []string{"openai-chat-20"}},
		{Name: "StopNotInText", Judge: (*Chat).StopNotInText, Rows: []string{"openai-chat-17"}},
		{Name: "SDKReads", Judge: (*Chat).SDKReads, Rows: []string{"mortar-stream-31"}},
		{Name: "DocumentedReader", Judge: (*Chat).DocumentedReader},
	})
}

// FailedRules lists the rules for a reply whose model server fails in its
// middle.
func FailedRules() []Rule {
	return slices.Concat(headRules(), framingRules(), chunkRules(), []Rule{
		{Name: "OneErrorEvent", Judge: (*Chat).OneErrorEvent, Rows: []string{"mortar-stream-16"}},
		{Name: "NothingAfterError", Judge: (*Chat).NothingAfterError, Rows: []string{"mortar-stream-17"}},
		{Name: "NoDone", Judge: (*Chat).NoDone, Rows: []string{"mortar-stream-17"}},
		{Name: "ErrorCloses", Judge: (*Chat).ErrorCloses, Rows: []string{"mortar-stream-17"}},
		{Name: "ErrorMessage", Judge: (*Chat).ErrorMessage, Rows: []string{"mortar-stream-19"}},
		{Name: "ErrorMessageClean", Judge: (*Chat).ErrorMessageClean, Rows: []string{"mortar-stream-19"}},
	})
}

// StoppedRules lists the rules for a reply that was stopped by its id.
func StoppedRules() []Rule {
	return slices.Concat(headRules(), framingRules(), chunkRules(), usageRules(
		[]string{"mortar-cancel-08"}, []string{"mortar-cancel-08"},
	), []Rule{
		{Name: "NoFinish", Judge: (*Chat).NoFinish, Rows: []string{"mortar-cancel-07"}},
		{Name: "DoneOnce", Judge: (*Chat).DoneOnce, Rows: []string{"mortar-cancel-09"}},
		{Name: "DoneLast", Judge: (*Chat).DoneLast, Rows: []string{"mortar-cancel-09"}},
		{Name: "CleanEnd", Judge: (*Chat).CleanEnd, Rows: []string{"mortar-cancel-09"}},
		{Name: "NoErrorKey", Judge: (*Chat).NoErrorKey, Rows: []string{"openai-chat-20"}},
	})
}

func headRules() []Rule {
	return []Rule{
		{Name: "EventStream", Judge: (*Chat).EventStream, Head: true, Rows: []string{"mortar-stream-01", "openai-chat-01"}},
		{Name: "CacheControl", Judge: (*Chat).CacheControl, Head: true, Rows: []string{"mortar-stream-24"}},
		{Name: "AccelBuffering", Judge: (*Chat).AccelBuffering, Head: true, Rows: []string{"mortar-stream-25"}},
		{Name: "NoLength", Judge: (*Chat).NoLength, Head: true, Rows: []string{"mortar-stream-25"}},
		{Name: "NoEncoding", Judge: (*Chat).NoEncoding, Head: true, Rows: []string{"mortar-stream-25"}},
		{Name: "IDHeader", Judge: (*Chat).IDHeader, Head: true, Rows: []string{"mortar-stream-22"}},
	}
}

func framingRules() []Rule {
	return []Rule{
		{Name: "LFOnly", Judge: (*Chat).LFOnly, Rows: []string{"mortar-stream-07"}},
		{Name: "EventsTerminated", Judge: (*Chat).EventsTerminated, Rows: []string{"mortar-stream-07"}},
		{Name: "DataSpace", Judge: (*Chat).DataSpace, Rows: []string{"mortar-stream-08"}},
		{Name: "OneDataLine", Judge: (*Chat).OneDataLine, Rows: []string{"mortar-stream-08"}},
		{Name: "DataJSON", Judge: (*Chat).DataJSON, Rows: []string{"mortar-stream-02", "mortar-stream-08", "openai-chat-02"}},
		{Name: "UnnamedEvents", Judge: (*Chat).UnnamedEvents, Rows: []string{"mortar-stream-09", "openai-chat-19"}},
		{Name: "OnlyComments", Judge: (*Chat).OnlyComments, Rows: []string{"mortar-stream-09", "openai-chat-19"}},
		{Name: "CommentsBetweenEvents", Judge: (*Chat).CommentsBetweenEvents, Rows: []string{"mortar-stream-29"}},
		{Name: "UTF8", Judge: (*Chat).UTF8, Rows: []string{"mortar-stream-10"}},
		{Name: "NoBOM", Judge: (*Chat).NoBOM, Rows: []string{"mortar-stream-08"}},
	}
}

func chunkRules() []Rule {
	return []Rule{
		{Name: "ChunkShape", Judge: (*Chat).ChunkShape, Rows: []string{"mortar-stream-02", "openai-chat-02"}},
		{Name: "ChunkObject", Judge: (*Chat).ChunkObject, Rows: []string{"mortar-stream-02", "openai-chat-02"}},
		{Name: "DeltaTypes", Judge: (*Chat).DeltaTypes, Rows: []string{"mortar-stream-02", "openai-chat-02"}},
		{Name: "IDConstant", Judge: (*Chat).IDConstant, Rows: []string{"mortar-stream-21", "openai-chat-04"}},
		{Name: "IDForm", Judge: (*Chat).IDForm, Rows: []string{"mortar-stream-23"}},
		{Name: "CreatedConstant", Judge: (*Chat).CreatedConstant, Rows: []string{"openai-chat-05"}},
		{Name: "ModelConstant", Judge: (*Chat).ModelConstant, Rows: []string{"openai-chat-06"}},
		{Name: "RoleFirst", Judge: (*Chat).RoleFirst, Rows: []string{"openai-chat-07"}},
		{Name: "ChoiceIndex", Judge: (*Chat).ChoiceIndex, Rows: []string{"openai-chat-08"}},
		{Name: "FinishKey", Judge: (*Chat).FinishKey, Rows: []string{"openai-chat-09"}},
		{Name: "NothingAfterFinish", Judge: (*Chat).NothingAfterFinish, Rows: []string{"mortar-stream-12", "openai-chat-09"}},
		{Name: "ChoiceOver", Judge: (*Chat).ChoiceOver, Rows: []string{"openai-chat-09"}},
		{Name: "ToolDeltas", Judge: (*Chat).ToolDeltas, Rows: []string{"openai-chat-11"}},
		{Name: "UsageNullBefore", Judge: (*Chat).UsageNullBefore, Rows: []string{"openai-chat-12"}},
		{Name: "UsageSums", Judge: (*Chat).UsageSums, Rows: []string{"openai-chat-14"}},
		{Name: "UsageNotZero", Judge: (*Chat).UsageNotZero, Rows: []string{"openai-chat-15"}},
		{Name: "TokenLimit", Judge: (*Chat).TokenLimit, Rows: []string{"openai-chat-18"}},
		{Name: "Logprobs", Judge: (*Chat).Logprobs, Rows: []string{"openai-chat-16"}},
		{Name: "NoVendorFields", Judge: (*Chat).NoVendorFields, Rows: []string{"mortar-stream-30"}},
	}
}

// usageRules judge whether usage comes where it was asked for, which asked
// states, and only there, which unasked states.
func usageRules(asked, unasked []string) []Rule {
	return []Rule{
		{Name: "UsageLast", Judge: (*Chat).UsageLast, Rows: asked},
		{Name: "UsageOnce", Judge: (*Chat).UsageOnce, Rows: asked},
		{Name: "NoUsage", Judge: (*Chat).NoUsage, Rows: unasked},
		// OpenAI does not rule out a chunk without choices, the documents do.
		{Name: "NoEmptyChoices", Judge: (*Chat).NoEmptyChoices, Rows: unasked[:1]},
	}
}

// ChatBaseline lists the rules of OpenAI for a reply that is to be complete,
// without those for usage that was not asked for, which documents overrule.
func ChatBaseline() []Rule {
	return slices.DeleteFunc(ChatRules(), func(r Rule) bool {
		return !slices.ContainsFunc(r.Rows, func(row string) bool { return strings.HasPrefix(row, "openai-") && row != "openai-chat-13" })
	})
}

// Judge runs the rules over one reply and returns what all of them found.
func Judge(c *Chat, rules []Rule) []Finding {
	var found []Finding
	for _, r := range rules {
		found = append(found, r.Judge(c)...)
	}
	return found
}

// Judging returns the rules that judge one of the rows.
func Judging(rules []Rule, rows ...string) []Rule {
	var out []Rule
	for _, r := range rules {
		if slices.ContainsFunc(r.Rows, func(row string) bool { return slices.Contains(rows, row) }) {
			out = append(out, r)
		}
	}
	return out
}
