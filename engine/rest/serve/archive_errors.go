package serve

import "errors"

// The faults of an archive; test for them with errors.Is.
var (
	// ErrArchiveForm is wrapped where a line is not what an archive holds there; the text
	// names the line and what was expected.
	ErrArchiveForm = errors.New("archive")
	// ErrArchiveRecord is wrapped where a record is to be written that could not be read
	// back.
	ErrArchiveRecord = errors.New("serve: not a record")
)
