package process

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"loadgen/engine/clock"
)

// ErrUntold says that the system does not tell what another process has used.
var ErrUntold = errors.New("this system does not tell what another process has used of the CPU; Linux and macOS do")

// ErrStart says that a program did not begin, or ended before it was ready.
var ErrStart = errors.New("the program did not start")

// How long a child may take to be ready, and to end once it was asked to.
const (
	readyWithin = 30 * time.Second
	endWithin   = 10 * time.Second
)

// errReady is why a child that is not ready in time is ended.
var errReady = errors.New("it was not ready")

// maxSaid is how much of a child's words is kept for an error, in bytes.
const maxSaid = 4 << 10

// Child is a program that runs.
type Child struct {
	clock   clock.Clock
	command *exec.Cmd
	input   io.WriteCloser
	said    *tail
	ended   chan struct{}
}

// Start starts a program and waits until a line of its standard output is one that ready
// takes, which is returned. Its error wraps [ErrStart], or is that of the context.
func Start(ctx context.Context, clk clock.Clock, ready func(line string) bool, name string, args ...string) (*Child, string, error) {
	c := &Child{clock: clk, command: exec.Command(name, args...), said: new(tail), ended: make(chan struct{})}
	c.command.Stderr = c.said
	input, err := c.command.StdinPipe()
	if err != nil {
		return nil, "", fmt.Errorf("%w: %w", ErrStart, err)
	}
	output, lines, err := os.Pipe()
	if err != nil {
		return nil, "", fmt.Errorf("%w: %w", ErrStart, err)
	}
	c.input, c.command.Stdout = input, lines
	err = c.command.Start()
	lines.Close() // the child has its own
	if err != nil {
		output.Close()
		return nil, "", fmt.Errorf("%w: %w", ErrStart, err)
	}
	told := make(chan string, 1)
	go c.listen(output, ready, told)
	ctx, release := clock.WithTimeout(ctx, clk, readyWithin, errReady)
	defer release()
	select {
	case line, ok := <-told:
		if ok {
			return c, line, nil
		}
		err = fmt.Errorf("%w: %s", ErrStart, c.said)
	case <-ctx.Done():
		err = fmt.Errorf("%w: %w", ErrStart, context.Cause(ctx))
	}
	return nil, "", errors.Join(err, c.End())
}

// listen reads what a child says until it ends, and waits for that.
func (c *Child) listen(output *os.File, ready func(string) bool, told chan<- string) {
	defer close(c.ended)
	lines, waiting := bufio.NewScanner(output), true
	for lines.Scan() {
		if waiting && ready(lines.Text()) {
			told <- lines.Text()
			waiting = false
		}
	}
	_, _ = io.Copy(io.Discard, output) // after a line too long to be one
	output.Close()
	_ = c.command.Wait() // that it was interrupted is no fault
	if waiting {
		close(told)
	}
}

// WriteLine writes a line to the child's standard input.
func (c *Child) WriteLine(line string) error {
	_, err := io.WriteString(c.input, line+"\n")
	return err
}

// CPU is what the child has used so far, user and system.
func (c *Child) CPU() (time.Duration, error) { return cpuOf(c.command.Process.Pid) }

// Memory is how many bytes of the child are in the machine's memory.
func (c *Child) Memory() (int64, error) { return memoryOf(c.command.Process.Pid) }

// End asks the child to end, waits until it has, and kills it where it does not.
func (c *Child) End() error {
	c.input.Close()
	_ = c.command.Process.Signal(os.Interrupt) // where it cannot be sent, it is killed below
	late := c.clock.Alarm(c.clock.Now().Add(endWithin))
	defer late.Stop()
	select {
	case <-c.ended:
		return nil
	case <-late.C:
	}
	err := c.command.Process.Kill()
	<-c.ended
	if errors.Is(err, os.ErrProcessDone) {
		err = nil
	}
	return err
}

// Usage is what a program has used that has ended.
type Usage struct {
	// CPU is user and system, Lasted from its start to its end.
	CPU, Lasted time.Duration
	// Output is what it printed.
	Output []byte
}

// Run runs a program to its end and returns what it has used, whatever its exit code was. Its error wraps [ErrStart], or is that of the context.
func Run(ctx context.Context, clk clock.Clock, name string, args ...string) (Usage, error) {
	var output bytes.Buffer
	command := exec.CommandContext(ctx, name, args...)
	command.Stdout = &output
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = endWithin
	began := clk.Now()
	err := command.Run()
	switch {
	case ctx.Err() != nil:
		return Usage{}, ctx.Err()
	case command.ProcessState == nil:
		return Usage{}, fmt.Errorf("%w: %w", ErrStart, err)
	}
	state := command.ProcessState
	return Usage{CPU: state.UserTime() + state.SystemTime(), Lasted: clk.Now().Sub(began), Output: output.Bytes()}, nil
}

// tail keeps the beginning of what is written, for an error.
type tail struct{ text []byte }

// Write implements io.Writer. One goroutine calls it.
func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p[:min(len(p), maxSaid-len(t.text))]...)
	return len(p), nil
}

// String is what was kept as one line.
func (t *tail) String() string {
	if text := strings.Join(strings.Fields(string(t.text)), " "); text != "" {
		return text
	}
	return "it said nothing"
}
