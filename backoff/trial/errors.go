package trial

import "errors"

// ErrExperiment is wrapped by errors about an experiment that cannot be.
var ErrExperiment = errors.New("laboratory: impossible experiment")
