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

// childVariable names the role of a child process.
const childVariable = "LOADGEN_TEST_CHILD"

// ChildOf returns the role of this process as a child, "" in the parent. A test that starts
// children must call it first.
func ChildOf() string { return os.Getenv(childVariable) }

// Child is a process that runs the same test in a role.
type Child struct {
	*exec.Cmd
	Input  io.WriteCloser
	output *bufio.Reader
	t      testing.TB
}

// StartChild starts a child in a role. The child should exit when its standard input ends,
// which happens at the end of the test.
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

// Line reads a line of the child's standard output.
func (c *Child) Line() string {
	c.t.Helper()
	line, err := c.output.ReadString('\n')
	require.NoErrorf(c.t, err, "the child printed %q", line)
	return strings.TrimSpace(line)
}

// Kill kills the child and waits for it.
func (c *Child) Kill() {
	_ = c.Process.Kill()
	_ = c.Wait()
}
