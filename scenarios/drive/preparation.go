package drive

import (
	"errors"
)

var (
	// ErrTableExists is wrapped where the test table is there already.
	ErrTableExists = errors.New("drive: the test table exists")
	// ErrNotOurs is wrapped where a table to be reused lacks this tool's marker.
	ErrNotOurs = errors.New("drive: the table is not one of this tool's")
	// ErrPreparation is wrapped where the table could not be made, filled or
	// counted.
	ErrPreparation = errors.New("drive: preparation failed")
)
