package health

import "errors"

// ErrOptions is wrapped by each fault of a sampler's options.
var ErrOptions = errors.New("health: impossible options")
