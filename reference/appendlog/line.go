package appendlog

import (
	"bytes"
	"encoding/hex"
	"hash/crc32"
)

const (
	sumDigits = 8
	// maxRecord bounds a record, so that a damaged file cannot fill the memory.
	maxRecord = 64 << 10
	maxLine   = sumDigits + 1 + maxRecord + 1
)

func sum(record []byte) [4]byte {
	// The polynomial of iSCSI and ext4, which processors compute themselves.
	c := crc32.Checksum(record, crc32.MakeTable(crc32.Castagnoli))
	return [4]byte{byte(c >> 24), byte(c >> 16), byte(c >> 8), byte(c)}
}

func appendLine(buf, record []byte) []byte {
	s := sum(record)
	buf = hex.AppendEncode(buf, s[:])
	buf = append(buf, ' ')
	buf = append(buf, record...)
	return append(buf, '\n')
}

// parseLine returns the record of a line with its newline, and whether it is
// whole.
func parseLine(line []byte) (record []byte, ok bool) {
	line, ok = bytes.CutSuffix(line, []byte{'\n'})
	if !ok || len(line) <= sumDigits || line[sumDigits] != ' ' {
		return nil, false
	}
	record = line[sumDigits+1:]
	s := sum(record)
	return record, hex.EncodeToString(s[:]) == string(line[:sumDigits])
}
