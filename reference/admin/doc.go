// Package admin keeps what an administrator decided: which organizations there
// are, their keys, and the credits they were granted. The decisions stand in one
// file that only grows (package appendlog), so it is also the record of who was
// given what, and when.
//
// The commands that decide open the file with [Open] for as long as they need.
// A gateway follows it with [Follow], and so needs neither a restart nor a signal.
package admin
