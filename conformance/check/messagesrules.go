package check

// MessagesRules lists the rules for a message that is to be complete.
func MessagesRules() []RuleOf[*Messages] {
	return append(messagesFrame(), []RuleOf[*Messages]{
		{"StopReasons", []string{"anthropic-messages-06"}, (*Messages).StopReasons},
		{"StopLast", []string{"anthropic-messages-07"}, (*Messages).StopLast},
		{"NoDoneMarker", []string{"anthropic-messages-07"}, (*Messages).NoDoneMarker},
		{"CleanEnd", []string{"anthropic-messages-07"}, (*Messages).CleanEnd},
		{"ToolInput", []string{"anthropic-messages-10"}, (*Messages).ToolInput},
		{"InputCounted", []string{"anthropic-messages-12"}, (*Messages).InputCounted},
		{"MessageCounted", []string{"anthropic-messages-13"}, (*Messages).MessageCounted},
		{"NoErrorEvent", []string{"anthropic-messages-07"}, (*Messages).NoErrorEvent},
	}...)
}

// FailedMessagesRules lists the rules for a message whose model server fails.
func FailedMessagesRules() []RuleOf[*Messages] {
	return append(messagesFrame(), []RuleOf[*Messages]{
		{"NoDoneMarker", []string{"anthropic-messages-07"}, (*Messages).NoDoneMarker},
		{"OneErrorLast", []string{"anthropic-messages-20"}, (*Messages).OneErrorLast},
		{"NoEndAfterError", []string{"anthropic-messages-20"}, (*Messages).NoEndAfterError},
		{"ErrorEventShape", []string{"anthropic-messages-20"}, (*Messages).ErrorEventShape},
		{"ErrorCloses", []string{"anthropic-messages-20"}, (*Messages).ErrorCloses},
	}...)
}

// messagesFrame lists what holds of every stream, however it ends.
func messagesFrame() []RuleOf[*Messages] {
	return []RuleOf[*Messages]{
		{"EventStream", []string{"anthropic-messages-01"}, (*Messages).EventStream},
		{"HasEvents", []string{"anthropic-messages-02"}, (*Messages).HasEvents},
		{"EventJSON", []string{"anthropic-messages-02"}, (*Messages).EventJSON},
		{"EventNames", []string{"anthropic-messages-02"}, (*Messages).EventNames},
		{"EventsTerminated", []string{"anthropic-messages-02"}, (*Messages).EventsTerminated},
		{"UTF8", []string{"anthropic-messages-02"}, (*Messages).UTF8},
		{"NoBOM", []string{"anthropic-messages-02"}, (*Messages).NoBOM},
		{"StartFirst", []string{"anthropic-messages-03"}, (*Messages).StartFirst},
		{"StartShape", []string{"anthropic-messages-03"}, (*Messages).StartShape},
		{"BlockOrder", []string{"anthropic-messages-04"}, (*Messages).BlockOrder},
		{"MessageEventFields", []string{"anthropic-messages-05"}, (*Messages).MessageEventFields},
		{"MessageUsage", []string{"anthropic-messages-11"}, (*Messages).MessageUsage},
	}
}
