package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"loadgen/engine/clock"
)

// TokenVariable is the variable of the environment by which a process on this machine is told
// the token of its fleet.
const TokenVariable = "LOADGEN_FLEET_TOKEN"

// mostSaid bounds what is kept of what a process says, in bytes.
const mostSaid = 4 << 10

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
	t.text = t.text[max(0, len(t.text)-mostSaid):]
	return len(p), nil
}

// end waits for all processes to end, has those killed that do not, and says what those said
// that failed.
func (p *processes) end(said io.Writer, clk clock.Clock) error {
	if p == nil {
		return nil
	}
	late, gone := clk.Alarm(clk.Now().Add(leaveWithin)), make(chan struct{})
	var patience sync.WaitGroup
	patience.Go(func() {
		select {
		case <-late.C:
		case <-gone:
		}
		p.over()
	})
	defer func() {
		close(gone)
		patience.Wait()
		late.Stop()
	}()
	for i, one := range p.all {
		err := one.Wait()
		var failed *exec.ExitError
		switch {
		case err == nil:
		case errors.As(err, &failed):
			one.said.mu.Lock()
			lines := bytes.Split(bytes.TrimSpace(one.said.text), []byte("\n"))
			one.said.mu.Unlock()
			if line := strings.ToValidUTF8(string(lines[len(lines)-1]), "?"); line != "" && said != nil {
				fmt.Fprintf(said, "process %d: %s\n", i+1, line)
			}
		default:
			return fmt.Errorf("process %d of the fleet: %w", i+1, err)
		}
	}
	return nil
}
