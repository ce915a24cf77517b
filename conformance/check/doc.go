// Package check judges what came over the wire. It is pure: a
// [wire.Transcript] goes in, a list of [Finding] comes out, and the only times it
// knows are those that stand in the transcript.
//
// [ParseChat] reads a streamed chat completion without ever failing; each rule
// is one method of [Chat] that judges one thing and returns what it found, or
// nothing. [ChatRules], [FailedRules] and [StoppedRules] list the rules for a
// reply that is complete, one whose model server failed, and one that was
// stopped by its id, each with the rows of the catalogue that it judges.
//
// [ParseText], [ParseResponses] and [ParseMessages] do the same for the other
// formats: [Text] shares the chunks and most rules of [Chat], [Responses] and
// [Messages] follow their events as state machines and note each that the state
// does not allow. Their rules are [TextRules], [ResponsesRules], [MessagesRules] and
// so on. What is common to all is in [Framed] (head and bytes), [Named] (events with
// names) and [Saying] (what a reply says, whatever its format: [Same] compares two).
//
// [ParseTelemetry] and [ParseFleet] read the two event streams of "Serving
// telemetry". A [Cost] and the [Sums] of a session are judged against amounts that
// are computed here, exactly, from the token counts and the [Prices] of the list of
// models.
//
// [ParseCompletion], [ParseTextCompletion], [ParseResponse], [ParseMessage],
// [ParseError], [ParseMessageError], [ParseModels], [ParseCredits] and [StopAnswer]
// do the same for answers that are one JSON document. [Keepalive], [Alive] and
// [PauseSeen] judge times.
package check
