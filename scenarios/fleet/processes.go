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
	"sync"
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

// company are the members of a series of runs, and their leader.
type company struct {
	leadership
	bus       *bus
	processes []*process
	// kill ends the processes.
	kill context.CancelFunc
}

// start returns the members, which the first run of a series starts.
func (o *Offering) start() (*company, error) {
	if o.company != nil {
		return o.company, nil
	}
	clk := clock.NewReal()
	b, err := openBus(o.Bus, clk)
	if err != nil {
		return nil, err
	}
	c := &company{bus: b, leadership: leadership{transport: b, clock: clk}}
	o.company = c
	if o.Local == nil {
		return c, nil
	}
	ctx, kill := context.WithCancel(context.Background())
	c.kill = kill
	for i := range o.Members {
		args := append(o.Local[1:len(o.Local):len(o.Local)], "--join", b.url, "--label", fmt.Sprintf("name=process %d", i+1))
		p := &process{Cmd: exec.CommandContext(ctx, o.Local[0], args...)}
		// Settings of the leader in the environment are not those of its members.
		p.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, "LOADGEN_") })
		p.Env = append(p.Env, TokenVariable+"="+o.Bus.Token.secret)
		p.Stderr = &p.stderr
		p.WaitDelay = time.Second
		if err := p.Start(); err != nil {
			// Close waits for those that have started.
			return c, fmt.Errorf("cannot start a process of the fleet: %w", err)
		}
		c.processes = append(c.processes, p)
	}
	return c, nil
}

// Close ends the series: members that wait for another run learn that none follows. It waits for the processes on this
// machine, kills those that do not exit, and writes the errors of those that failed. It may be called more than once.
func (o *Offering) Close() error {
	c := o.company
	if c == nil {
		return nil
	}
	o.company = nil
	c.end()
	c.bus.Close()
	if c.kill == nil {
		return nil
	}
	exited, cancel := context.WithCancel(context.Background())
	var killer sync.WaitGroup
	killer.Go(func() {
		_ = c.clock.Sleep(exited, c.clock.Now().Add(exitTimeout))
		c.kill()
	})
	defer killer.Wait()
	defer cancel()
	for i, p := range c.processes {
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
