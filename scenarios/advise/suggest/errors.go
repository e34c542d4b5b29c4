package suggest

import "errors"

// ErrUnsuited is wrapped by the error for a scenario that says too little to propose
// designs for it, or whose keys are not the design's alone. Its text is one line that
// says what is wanting and what was expected.
var ErrUnsuited = errors.New("suggest: no designs can be proposed")

// ErrOptions is wrapped by every fault of [Options.Validate].
var ErrOptions = errors.New("suggest: invalid options")
