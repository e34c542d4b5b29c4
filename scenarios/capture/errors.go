package capture

import "errors"

// ErrOptions is wrapped by every fault of [Options]; test for it with errors.Is.
var ErrOptions = errors.New("observe: impossible options")
