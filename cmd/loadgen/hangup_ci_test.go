//go:build linux && ci

package main

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A run under nohup outlives its terminal, and can be ended otherwise.
func TestUnderNohup(t *testing.T) {
	leftOutWhenShort(t)
	t.Parallel()
	h := newHanging(t)
	itself := h.program.Args
	h.program.Path, h.program.Args = "/bin/sh", append([]string{"sh", "-c", `trap "" HUP; exec "$@"`, "sh"}, itself...)
	var said strings.Builder
	h.program.Stdout, h.program.Stderr = &said, &said
	if err := h.program.Start(); err != nil {
		t.Skipf("no shell here: %v", err)
	}
	h.loaded(100)
	h.send(syscall.SIGHUP)
	h.loaded(200)
	h.send(syscall.SIGTERM)
	_ = h.program.Wait()
	h.left(h.program.ProcessState.ExitCode(), codeTerminated)
	if text := said.String(); !strings.Contains(text, "run partial") || !strings.Contains(text, "loadgen: terminated;") {
		t.Errorf("it said\n%s\nwant a report of what was done until it was terminated", text)
	}
}

// A run whose terminal is closed ends as one that is interrupted does, though nobody can
// read its report.
func TestTerminalThatIsClosed(t *testing.T) {
	leftOutWhenShort(t)
	t.Parallel()
	h := newHanging(t)
	o := startOnTerminal(t, 100, h.program)
	h.loaded(100)
	require.NoError(t, o.terminal.Close())
	h.left(o.ended(), codeHungUp)
}

// What a hang-up ends writes what it can, whatever has become of those who read it, and
// takes its time for it, however often it is hung up.
func TestHungUpBehindAPipe(t *testing.T) {
	leftOutWhenShort(t)
	t.Parallel()
	h := newHanging(t)
	reads, writes, err := os.Pipe()
	require.NoError(t, err)
	h.program.Stdout, h.program.Stderr = writes, writes
	require.NoError(t, errors.Join(h.program.Start(), writes.Close()))
	h.loaded(100)
	h.send(syscall.SIGHUP)
	h.send(syscall.SIGHUP)
	require.NoError(t, reads.Close())
	_ = h.program.Wait()
	h.left(h.program.ProcessState.ExitCode(), codeHungUp)
}
