//go:build linux

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/text"
	"loadgen/results"
)

// redraws are what a bar is drawn anew by.
var redraws = regexp.MustCompile(`\x1b\[\d+A\x1b\[J`)

// coloured is what the report of a run sets a colour with.
var coloured = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// onTerminal is a program on a pseudo-terminal, with what it wrote there so far.
type onTerminal struct {
	*testing.T
	terminal *os.File
	program  *exec.Cmd
	chunks   chan []byte
	said     bytes.Buffer
}

func startOnTerminal(t *testing.T, columns uint16, c *exec.Cmd) *onTerminal {
	t.Helper()
	terminal, err := pty.StartWithSize(c, &pty.Winsize{Rows: 30, Cols: columns})
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	o := &onTerminal{T: t, terminal: terminal, program: c, chunks: make(chan []byte, 100)}
	go func() {
		defer close(o.chunks)
		for {
			chunk := make([]byte, 4096)
			n, err := terminal.Read(chunk)
			if o.chunks <- chunk[:n]; err != nil {
				return
			}
		}
	}()
	kill := time.AfterFunc(30*time.Second, func() { _ = c.Process.Kill() })
	t.Cleanup(func() {
		kill.Stop()
		_ = c.Process.Kill()
		_ = terminal.Close()
	})
	return o
}

// until waits for what the program is to write from a place on, and returns where it
// ends.
func (o *onTerminal) until(from int, pattern string) int {
	o.Helper()
	expression := regexp.MustCompile(pattern)
	for {
		if found := expression.FindIndex(o.said.Bytes()[from:]); found != nil {
			return from + found[1]
		}
		chunk, more := <-o.chunks
		if !more {
			o.Fatalf("the program ended before it wrote %s:\n%q", pattern, o.said.String()[from:])
		}
		o.said.Write(chunk)
	}
}

// ended waits for the program and returns its exit code.
func (o *onTerminal) ended() int {
	for chunk := range o.chunks {
		o.said.Write(chunk)
	}
	_ = o.program.Wait()
	return o.program.ProcessState.ExitCode()
}

// TestTerminal is a run that somebody watches on a terminal, makes smaller and stops.
func TestTerminal(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "run")
	o := startOnTerminal(t, 120, program(t, nil, "stress", "--no-probe", "--no-charts", "--rate", "300", "--duration", "20s",
		"--set", "phases.load.entities=300", "--out", folder))
	at := o.until(0, `peak +\[[=>-]+\] \d+%  \d+s left`)
	at = o.until(at, `\d+ of 300 entities/s; p99 .*; 0% throttled; hottest "[^"]+" \d+/s; peak 300/s`)
	require.NoError(t, pty.Setsize(o.terminal, &pty.Winsize{Rows: 30, Cols: 40}))
	// What was being drawn may still be wide.
	narrow := o.until(at, `\r\n[^\r]{0,40}…\r\n`)
	end := o.until(narrow, `(?s)peak +\[[=>-]+\].*peak +\[[=>-]+\].*\r\n`)
	for line := range strings.SplitSeq(redraws.ReplaceAllString(o.said.String()[narrow:end], ""), "\r\n") {
		if columns := text.Columns(line); columns > 40 {
			t.Errorf("a line of %d columns on a terminal of 40: %q", columns, line)
		}
	}
	if _, err := io.WriteString(o.terminal, "\x03"); err != nil {
		t.Fatal(err)
	}
	assert.Equal(t, codeInterrupted, o.ended(), "exit code")
	said := o.said.String()
	if plain := coloured.ReplaceAllString(redraws.ReplaceAllString(said, ""), ""); strings.Contains(plain, "\x1b") {
		t.Errorf("it wrote %q; want no escape sequence but those that redraw the bar, and the cursor left as it was", plain)
	}
	after := coloured.ReplaceAllString(said, "")
	after = after[strings.LastIndex(after, "\x1b"):]
	assert.Truef(t, regexp.MustCompile(`peak .*\d+% .* attempts.*\r\nthe run is in `).MatchString(after),
		"after the last redrawing %q; want the bar where it stood, and the rest on lines of its own", after)
	assert.Truef(t, strings.Contains(after, "run partial") && strings.HasSuffix(after, "\n"),
		"after the bar %q; want a partial report that ends its line", after)
	assert.Equal(t, results.Partial, read(t, folder).Validity, "the record")
}
