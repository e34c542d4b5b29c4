package resttest

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
	require.NoError(t, err)
	output, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
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
	require.NoErrorf(c.t, err, "the child printed %q", line)
	return strings.TrimSpace(line)
}

// Kill ends the child at once.
func (c *Child) Kill() {
	_ = c.Process.Kill()
	_ = c.Wait()
}
