package entity

import "errors"

// The faults that parsing and decoding report; test for them with errors.Is.
var (
	// ErrCorrupt: the bytes are no block that Pack or MergePacked wrote.
	ErrCorrupt = errors.New("entity: corrupt packed entity")
	// ErrTicks: the text is no instant of the form that Ticks.String writes.
	ErrTicks = errors.New("entity: not an instant")
	// ErrETag: the text is not one weak, quoted entity tag.
	ErrETag = errors.New("entity: not a weak entity tag")
	// ErrForeignETag: the text is a weak entity tag, but of no version that a
	// table could ever have given out; as a condition it matches nothing.
	ErrForeignETag = errors.New("entity: entity tag of no version")
)
