package check

// TextRules lists the rules for a text completion that is to be complete. Those
// of usage beside [UsageBeforeDone] are in [TextUsageRules], as not every
// document takes them over.
func TextRules() []RuleOf[*Text] {
	return append(textFrame(), []RuleOf[*Text]{
		{"HasChunks", []string{"openai-text-02"}, (*Text).HasChunks},
		{"DoneOnce", []string{"openai-text-03"}, (*Text).DoneOnce},
		{"DoneLast", []string{"openai-text-03"}, (*Text).DoneLast},
		{"CleanEnd", []string{"openai-text-03"}, (*Text).CleanEnd},
		{"EachChoice", []string{"openai-text-06"}, (*Text).EachChoice},
		{"FinishOnce", []string{"openai-text-07"}, (*Text).FinishOnce},
		{"NoErrorKey", []string{"openai-text-17"}, (*Text).NoErrorKey},
	}...)
}

// FailedTextRules lists the rules for a text completion whose model server fails
// in its middle.
func FailedTextRules() []RuleOf[*Text] {
	return append(textFrame(), []RuleOf[*Text]{
		{"OneErrorEnvelope", []string{"notholy-errors-04"}, (*Text).OneErrorEnvelope},
		{"NoEndBeforeError", []string{"notholy-errors-07"}, (*Text).NoEndBeforeError},
		{"NothingAfterError", []string{"notholy-errors-07"}, (*Text).NothingAfterError},
		{"NoDone", []string{"notholy-errors-07"}, (*Text).NoDone},
	}...)
}

// textFrame lists what holds of every stream, however it ends.
func textFrame() []RuleOf[*Text] {
	return []RuleOf[*Text]{
		{"EventStream", []string{"openai-text-01"}, (*Text).EventStream},
		{"DataJSON", []string{"openai-text-02"}, (*Text).DataJSON},
		{"EventsTerminated", []string{"openai-text-02"}, (*Text).EventsTerminated},
		{"UTF8", []string{"openai-text-02"}, (*Text).UTF8},
		{"TextObject", []string{"openai-text-02"}, (*Text).TextObject},
		{"TextShape", []string{"openai-text-02"}, (*Text).TextShape},
		{"IDConstant", []string{"openai-text-04"}, (*Text).IDConstant},
		{"CreatedConstant", []string{"openai-text-04"}, (*Text).CreatedConstant},
		{"ModelConstant", []string{"openai-text-04"}, (*Text).ModelConstant},
		{"TextAlone", []string{"openai-text-05"}, (*Text).TextAlone},
		{"ChoiceIndex", []string{"openai-text-06"}, (*Text).ChoiceIndex},
		{"TextReasons", []string{"openai-text-07"}, (*Text).TextReasons},
		{"NothingAfterFinish", []string{"openai-text-07"}, (*Text).NothingAfterFinish},
		{"UsageNullBefore", []string{"openai-text-08"}, (*Text).UsageNullBefore},
		{"UsageSums", []string{"openai-text-10"}, (*Text).UsageSums},
		{"UsageNotZero", []string{"openai-text-11"}, (*Text).UsageNotZero},
		{"TextLogprobs", []string{"openai-text-12"}, (*Text).TextLogprobs},
		{"StopNotInText", []string{"openai-text-13"}, (*Text).StopNotInText},
		{"TokenLimit", []string{"openai-text-14"}, (*Text).TokenLimit},
		{"UnnamedEvents", []string{"openai-text-16"}, (*Text).UnnamedEvents},
	}
}

// TextUsageRules lists the rules for where a text completion carries usage.
func TextUsageRules() []RuleOf[*Text] {
	return []RuleOf[*Text]{
		{"UsageLast", []string{"openai-text-08"}, (*Text).UsageLast},
		{"UsageOnce", []string{"openai-text-08"}, (*Text).UsageOnce},
		{"NoUsage", []string{"openai-text-09"}, (*Text).NoUsage},
	}
}
