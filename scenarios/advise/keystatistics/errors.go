package keystatistics

import "errors"

// ErrOptions is wrapped by every fault of [Options], and ErrKeys by every fault
// of a file of keys; test for them with errors.Is.
var (
	ErrOptions = errors.New("survey: impossible options")
	ErrKeys    = errors.New("survey: not a file of keys")
)
