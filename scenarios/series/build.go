package series

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// ending is how a build that was run has ended.
type ending struct {
	// code is its exit code, −1 where a signal ended it.
	code int
	// said is the last line that it wrote to standard error.
	said string
}

// launch runs a build of this program in a process of its own, and waits for it. It
// returns an error where it cannot be started, and where the context ends, by which it
// is killed.
type launch func(ctx context.Context, build string, args []string) (ending, error)

var _ launch = launched

// errTooLong is the cause of a context that ended a run which did not.
var errTooLong = errors.New("run does not end")

// killedWithin is how long what a killed build has started may hold on to its output.
const killedWithin = 5 * time.Second

func launched(ctx context.Context, build string, args []string) (ending, error) {
	stderr := new(tail)
	c := exec.CommandContext(ctx, build, args...)
	c.Stderr, c.WaitDelay = stderr, killedWithin
	err := c.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return ending{}, context.Cause(ctx)
	case err == nil, errors.As(err, &exit), errors.Is(err, exec.ErrWaitDelay):
		return ending{c.ProcessState.ExitCode(), stderr.line()}, nil
	default:
		return ending{}, err
	}
}

// tail keeps the last bytes of what is written to it.
type tail struct{ kept []byte }

const maxTail = 4 << 10

// Write implements io.Writer.
func (t *tail) Write(text []byte) (int, error) {
	t.kept = append(t.kept, text[max(0, len(text)-maxTail):]...)
	t.kept = t.kept[max(0, len(t.kept)-maxTail):]
	return len(text), nil
}

// line returns the last line, cut to what can be shown.
func (t *tail) line() string {
	const most = 300
	text := bytes.TrimSpace(bytes.ToValidUTF8(t.kept, []byte("?")))
	line := string(text[bytes.LastIndexByte(text, '\n')+1:])
	line = strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, line)
	return strings.TrimPrefix(line[:min(len(line), most)], "loadgen: ")
}

// executable returns the path of an older build that can be run. The error is a
// [loadgen/scenarios/fields.Fault] of the field "against".
func executable(name string) (string, error) {
	path, err := exec.LookPath(name)
	switch {
	case err == nil, errors.Is(err, exec.ErrDot):
		return filepath.Abs(path)
	case filepath.Base(name) == name:
		return "", wrong("against", "no such program on the path; expected a build, such as ./%s", name)
	default:
		return "", wrong("against", "%v; expected an executable build of loadgen", reason(err))
	}
}
