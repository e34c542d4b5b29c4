package wire

import "errors"

// The faults of what a client was given; test for them with errors.Is.
var (
	// ErrReply: the reply is not of the form that a table service gives.
	ErrReply = errors.New("wire: not a reply of a table service")
	// ErrSecret: the account key is not base64. The text is never repeated.
	ErrSecret = errors.New("wire: the account key is not base64")
)
