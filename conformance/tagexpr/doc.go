// Package tagexpr reads the tag expressions that select scenarios:
//
//	@mortar-stream-11
//	mortar-stream and not soak
//	(openai-chat or mortar-models) and not @time
//
// "not" binds before "and", "and" before "or", parentheses before all. The @
// may be left out. An empty expression matches everything. This is the newer
// form of Gherkin's tag expressions; the older one (commas, && and ~), which
// godog itself still reads, is refused with the newer form of the same
// expression, because a "," that selects nothing would look like a green run.
package tagexpr
