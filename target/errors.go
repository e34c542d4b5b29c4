package target

import "errors"

var (
	// ErrToken is wrapped by the error for a text that is no continuation token.
	ErrToken = errors.New("target: no continuation token")
	// ErrFilter is wrapped by the error for a text that is no $filter.
	ErrFilter = errors.New("target: no $filter")
)
