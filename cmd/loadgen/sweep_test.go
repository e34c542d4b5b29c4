package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

// A sweep that is interrupted tells of the runs that it made, the last one in part.
func TestInterruptedSweepTellsWhatWasDone(t *testing.T) {
	choiceIn(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	var out, said bytes.Buffer
	code := execute(ctx, []string{"simulate", "choice.yaml", "--one-profile", "--sweep", "seed=1,2,3"}, strings.NewReader(""), &out,
		&stopper{Buffer: &said, at: "2 of 3: seed=2", stop: func() { cancel(interruption{os.Interrupt}) }})
	if code != codeInterrupted || !strings.Contains(out.String(), "2 of 3 runs were made") || !strings.Contains(out.String(), "\n ✓ 1 ") || !strings.Contains(out.String(), "\n ? 2 ") ||
		!strings.Contains(said.String(), "loadgen: interrupted") {
		t.Errorf("exit code %d, %q on stderr, and\n%s\nwant %d, two rows, and that there are no more", code, &said, &out, codeInterrupted)
	}
}

// stopper calls when a text is written.
type stopper struct {
	*bytes.Buffer
	at   string
	stop func()
}

func (s *stopper) Write(text []byte) (int, error) {
	if strings.Contains(string(text), s.at) {
		s.stop()
	}
	return s.Buffer.Write(text)
}
