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

// TokenVariable is the variable of the environment by which a process on this machine is told
// the token of its fleet.
const TokenVariable = "LOADGEN_FLEET_TOKEN"

// maxSaidBytes bounds what is kept of what a process says, in bytes.
const maxSaidBytes = 4 << 10

// leaveWithin is how long the processes have to end by themselves once the run is over.
const leaveWithin = 5 * time.Second

// processes are members on this machine, which this process has begun.
type processes struct {
	all []*process
	// over ends those that do not do so by themselves.
	over context.CancelFunc
}

// process is one of them.
type process struct {
	*exec.Cmd
	said tail
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-maxSaidBytes):]
	return len(p), nil
}

// company are the members of a series of runs, and who leads them.
type company struct {
	bus       *busLeader
	processes *processes
	leadership
}

// gathered returns those who offer, whom the first run of a series begins.
func (o *Offering) gathered() (*company, error) {
	if o.company != nil {
		return o.company, nil
	}
	clk := clock.NewReal()
	leader, err := openBus(o.Bus, clk)
	if err != nil {
		return nil, err
	}
	o.company = &company{bus: leader, leadership: leadership{hub: leader, clock: clk}}
	if o.Local == nil {
		return o.company, nil
	}
	ctx, over := context.WithCancel(context.Background())
	members := &processes{over: over}
	o.company.processes = members
	for i := range o.Members {
		words := append(o.Local[1:len(o.Local):len(o.Local)], "--join", leader.url, "--label", fmt.Sprintf("name=process %d", i+1))
		one := &process{Cmd: exec.CommandContext(ctx, o.Local[0], words...)}
		// What the environment says to whoever leads is not said to its members.
		one.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, "LOADGEN_") })
		one.Env = append(one.Env, TokenVariable+"="+o.Bus.Token.secret)
		one.Stderr = &one.said
		one.WaitDelay = time.Second
		if err := one.Start(); err != nil {
			// Those that were begun are waited for as the company ends.
			return o.company, fmt.Errorf("a process of the fleet cannot be begun: %w", err)
		}
		members.all = append(members.all, one)
	}
	return o.company, nil
}

// Close ends the series: whoever waits for another run is told that there is none, and the
// processes of this machine are waited for, those that do not end by themselves killed, and what
// those said told that failed. It may be called more than once.
func (o *Offering) Close() error {
	c := o.company
	if c == nil {
		return nil
	}
	o.company = nil
	c.end()
	c.bus.Close()
	if c.processes == nil {
		return nil
	}
	late, gone := c.clock.Alarm(c.clock.Now().Add(leaveWithin)), make(chan struct{})
	var patience sync.WaitGroup
	patience.Go(func() {
		select {
		case <-late.C:
		case <-gone:
		}
		c.processes.over()
	})
	defer func() {
		close(gone)
		patience.Wait()
		late.Stop()
	}()
	for i, one := range c.processes.all {
		err := one.Wait()
		var failed *exec.ExitError
		switch {
		case err == nil:
		case errors.As(err, &failed):
			one.said.mu.Lock()
			lines := bytes.Split(bytes.TrimSpace(one.said.text), []byte("\n"))
			line := strings.ToValidUTF8(string(lines[len(lines)-1]), "?")
			one.said.mu.Unlock()
			if line != "" && o.Said != nil {
				fmt.Fprintf(o.Said, "process %d: %s\n", i+1, line)
			}
		default:
			return fmt.Errorf("process %d of the fleet: %w", i+1, err)
		}
	}
	return nil
}
