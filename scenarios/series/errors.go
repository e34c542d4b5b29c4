package series

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"

	"loadgen/scenarios/fields"
)

// The exit codes of runs, of this build and of others.
const (
	codeOk          = 0
	codeUsage       = 2
	codeExpectation = 10
	codeUntold      = 12
	codeInvalid     = 13
)

// wrong is what is wrong with a field of a series, none of its own where that is empty.
func wrong(field, format string, args ...any) error {
	return fields.Fault{Path: field, What: fmt.Sprintf(format, args...)}
}

// reason returns what is wrong with a file or a program, without its name.
func reason(err error) error {
	var program *exec.Error
	if errors.As(err, &program) {
		err = program.Err
	}
	var file *fs.PathError
	if errors.As(err, &file) {
		err = file.Err
	}
	return err
}
