package archive

import "errors"

// The faults of an archive; test for them with errors.Is.
var (
	// ErrForm is wrapped where a line is not what an archive holds there; the text
	// names the line and what was expected.
	ErrForm = errors.New("archive")
	// ErrRecord is wrapped where a record is to be written that could not be read
	// back.
	ErrRecord = errors.New("archive: not a record")
)
