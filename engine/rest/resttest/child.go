package resttest

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// childVariable has the test of its value run as a child process of itself.
const childVariable = "LOADGEN_TEST_CHILD"

// ChildOf returns what this process is to be a child for, "" for none. A test that starts
// children asks it first.
func ChildOf() string { return os.Getenv(childVariable) }

// Child is a process that runs the same test, by its name, on behalf of it.
type Child struct {
	*exec.Cmd
	Input  io.WriteCloser
	output *bufio.Reader
	t      testing.TB
}

// StartChild starts a child, which finds what it is to be by [ChildOf]. It should end when
// its standard input does, which is with the test.
func StartChild(t testing.TB, what string) *Child {
	t.Helper()
	c := &Child{Cmd: exec.Command(os.Args[0], "-test.run", "^"+strings.Split(t.Name(), "/")[0]+"$"), t: t}
	c.Env, c.Stderr = append(os.Environ(), childVariable+"="+what), os.Stderr
	input, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = input.Close()
		_ = c.Wait()
	})
	c.Input, c.output = input, bufio.NewReader(output)
	return c
}

// Line reads a line of what the child prints.
func (c *Child) Line() string {
	c.t.Helper()
	line, err := c.output.ReadString('\n')
	if err != nil {
		c.t.Fatalf("the child printed %q: %v", line, err)
	}
	return strings.TrimSpace(line)
}

// Kill ends the child at once.
func (c *Child) Kill() {
	_ = c.Process.Kill()
	_ = c.Wait()
}
