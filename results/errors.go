package results

import (
	"errors"
	"strings"
)

var (
	// ErrCorrupt is wrapped where a record's file does not hold what it should.
	ErrCorrupt = errors.New("results: corrupt record")
	// ErrSchema is wrapped where a record was written by an earlier or a later version.
	ErrSchema = errors.New("results: record of another schema")
	// ErrWrite is wrapped where a record could not be written, as on a full disk.
	ErrWrite = errors.New("results: cannot write the record")
)

// OneLine returns what an error says, joined errors on one line; "" of nil.
func OneLine(err error) string {
	if err == nil {
		return ""
	}
	return strings.ReplaceAll(err.Error(), "\n", "; ")
}
