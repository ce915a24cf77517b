// Package appendlog keeps records in a file that only grows, such that what was
// acknowledged survives the end of the process and of the machine.
//
// Each record is one line: the CRC-32C of its bytes as eight hexadecimal digits,
// a space, the record, a newline. The file can be read with a pager while it is
// written, and by any number of readers; one process at a time may append.
//
// A write that a crash cut short leaves a torn end: bytes behind the last good
// line. It was never acknowledged, so readers leave it out and [Open] cuts it
// off. A bad line with a good one behind it is no torn end but damage, and an
// error that names the place.
package appendlog
