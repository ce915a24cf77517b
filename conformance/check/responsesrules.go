package check

// ResponsesRules lists the rules for a response that is to be complete.
func ResponsesRules() []RuleOf[*Responses] {
	return append(responsesFrame(), []RuleOf[*Responses]{
		{"TextAgrees", []string{"openai-responses-07"}, (*Responses).TextAgrees},
		{"OutputAgrees", []string{"openai-responses-07"}, (*Responses).OutputAgrees},
		{"StatusAgrees", []string{"openai-responses-10"}, (*Responses).StatusAgrees},
		{"TerminalLast", []string{"openai-responses-10"}, (*Responses).TerminalLast},
		{"NoDoneMarker", []string{"openai-responses-10"}, (*Responses).NoDoneMarker},
		{"CleanEnd", []string{"openai-responses-10"}, (*Responses).CleanEnd},
		{"EndDetails", []string{"openai-responses-11"}, (*Responses).EndDetails},
		{"CallsBegin", []string{"openai-responses-12"}, (*Responses).CallsBegin},
		{"ResponseUsage", []string{"openai-responses-13"}, (*Responses).ResponseUsage},
		{"OutputCounted", []string{"openai-responses-14"}, (*Responses).OutputCounted},
		{"NoErrorInResponse", []string{"openai-responses-15"}, (*Responses).NoErrorInResponse},
	}...)
}

// FailedResponsesRules lists the rules for a response whose model server fails.
func FailedResponsesRules() []RuleOf[*Responses] {
	return append(responsesFrame(), []RuleOf[*Responses]{
		{"StatusAgrees", []string{"openai-responses-10"}, (*Responses).StatusAgrees},
		{"NoDoneMarker", []string{"openai-responses-10"}, (*Responses).NoDoneMarker},
		{"FailedLast", []string{"openai-responses-18"}, (*Responses).FailedLast},
		{"FailedError", []string{"openai-responses-18"}, (*Responses).FailedError},
		{"ErrorCloses", []string{"openai-responses-18"}, (*Responses).ErrorCloses},
	}...)
}

// responsesFrame lists what holds of every stream, however it ends.
func responsesFrame() []RuleOf[*Responses] {
	return []RuleOf[*Responses]{
		{"EventStream", []string{"openai-responses-01"}, (*Responses).EventStream},
		{"HasEvents", []string{"openai-responses-02"}, (*Responses).HasEvents},
		{"EventJSON", []string{"openai-responses-02"}, (*Responses).EventJSON},
		{"EventNames", []string{"openai-responses-02"}, (*Responses).EventNames},
		{"EventsTerminated", []string{"openai-responses-02"}, (*Responses).EventsTerminated},
		{"UTF8", []string{"openai-responses-02"}, (*Responses).UTF8},
		{"SequenceNumbers", []string{"openai-responses-03"}, (*Responses).SequenceNumbers},
		{"CreatedFirst", []string{"openai-responses-04"}, (*Responses).CreatedFirst},
		{"ItemOrder", []string{"openai-responses-05"}, (*Responses).ItemOrder},
		{"ItemIDs", []string{"openai-responses-06"}, (*Responses).ItemIDs},
		{"ResponseEventFields", []string{"openai-responses-08"}, (*Responses).ResponseEventFields},
		{"ResponseShape", []string{"openai-responses-09"}, (*Responses).ResponseShape},
		{"SameResponse", []string{"openai-responses-09"}, (*Responses).SameResponse},
	}
}
