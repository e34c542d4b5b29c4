package run

import "errors"

// ErrHealthOptions is wrapped by each fault of a sampler's options.
var ErrHealthOptions = errors.New("run: impossible options")
