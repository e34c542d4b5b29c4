package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"loadgen/engine/clock"
)

// TokenVariable is the environment variable with the token of the fleet, for a member on this machine.
const TokenVariable = "LOADGEN_FLEET_TOKEN"

const (
	// maxTailBytes is the maximum length of the output that is kept of a process.
	maxTailBytes = 4 << 10
	// exitTimeout is how long the processes have to exit once the run is over.
	exitTimeout = 5 * time.Second
)

// process is a member on this machine that this process has started.
type process struct {
	*exec.Cmd
	stderr tail
}

// tail keeps the end of what is written to it.
type tail []byte

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	*t = append(*t, p...)
	*t = (*t)[max(0, len(*t)-maxTailBytes):]
	return len(p), nil
}

// lastLine returns the last line.
func (t tail) lastLine() string {
	text := bytes.TrimSpace(t)
	return strings.ToValidUTF8(string(text[bytes.LastIndexByte(text, '\n')+1:]), "?")
}

// start starts the leader and the members on this machine, unless an earlier run of the series has started them.
func (o *Offering) start() error {
	if o.leadership != nil {
		return nil
	}
	clk := clock.NewReal()
	b, err := openBus(o.Bus, clk)
	if err != nil {
		return err
	}
	o.bus, o.leadership = b, &leadership{transport: b, clock: clk}
	ctx, kill := context.WithCancel(context.Background())
	o.kill = kill
	for i := 0; o.Local != nil && i < o.Members; i++ {
		args := append(o.Local[1:len(o.Local):len(o.Local)], "--join", b.url, "--label", fmt.Sprintf("name=process %d", i+1))
		p := &process{Cmd: exec.CommandContext(ctx, o.Local[0], args...)}
		// Settings of the leader in the environment are not those of its members.
		p.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, "LOADGEN_") })
		p.Env = append(p.Env, TokenVariable+"="+o.Bus.Token.secret)
		p.Stderr = &p.stderr
		p.WaitDelay = time.Second
		if err := p.Start(); err != nil {
			// Close waits for those that have started.
			return fmt.Errorf("cannot start a process of the fleet: %w", err)
		}
		o.processes = append(o.processes, p)
	}
	return nil
}

// Close ends the series: members that wait for another run learn that none follows. It waits for the processes on this
// machine, kills those that do not exit, and writes the errors of those that failed. It may be called more than once.
func (o *Offering) Close() error {
	l, processes := o.leadership, o.processes
	if l == nil {
		return nil
	}
	o.leadership, o.processes = nil, nil
	l.end()
	o.bus.Close()
	late, release := clock.WithTimeout(context.Background(), l.clock, exitTimeout, context.DeadlineExceeded)
	defer release()
	context.AfterFunc(late, o.kill)
	for i, p := range processes {
		err := p.Wait()
		var failed *exec.ExitError
		if err != nil && !errors.As(err, &failed) {
			return fmt.Errorf("process %d of the fleet: %w", i+1, err)
		}
		if line := p.stderr.lastLine(); err != nil && line != "" && o.MemberErrors != nil {
			fmt.Fprintf(o.MemberErrors, "process %d: %s\n", i+1, line)
		}
	}
	return nil
}
