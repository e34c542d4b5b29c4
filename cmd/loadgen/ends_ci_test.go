//go:build ci

package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
)

// A table that is to be kept is not said to be dropped, and is named where nobody can wait for
// the end.
func TestSignalsWithKeep(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		signals []os.Signal
		says    string
		left    bool
	}{
		{[]os.Signal{os.Interrupt}, "interrupted: --keep leaves table loadgen", false},
		{[]os.Signal{os.Interrupt, os.Interrupt}, "left: table loadgen", true},
	} {
		s := newStage(t, moments[3])
		e := s.play(t, row.signals, "--keep")
		if e.code != codeInterrupted || len(e.left) != 1 || !strings.Contains(e.said, row.says) || strings.Contains(e.said, "dropping") ||
			strings.Contains(e.said, "left: ") != row.left {
			t.Errorf("%v: exit code %d, the tables %v are left\n%s\nwant %d, one and %q", row.signals, e.code, e.left, e.said, codeInterrupted, row.says)
		}
	}
}

// A table that the service refuses to drop is named, though nobody ended the run.
func TestTableThatCannotBeDropped(t *testing.T) {
	t.Parallel()
	s := newStage(t, moments[4])
	s.refusing = true
	e := s.play(t, nil)
	assert.Truef(t, e.code == codeTarget && len(e.left) == 1 && len(e.unnamed(s.url)) <= 0 && strings.Contains(e.said, "403"),
		"exit code %d, the tables %v are left\n%swant %d, and one that was named", e.code, e.left, e.said, codeTarget)
}

// A service that stops answering keeps nobody waiting for long: what could not be dropped is
// named, with the report and the exit code of the signal.
func TestSignalAndAFrozenService(t *testing.T) {
	t.Parallel()
	for _, m := range moments[1:] {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			s, clk := newStage(t, m), clock.NewReal()
			s.frozen = true
			e := s.play(t, []os.Signal{os.Interrupt})
			if e.code != codeInterrupted || e.printed == "" || !strings.Contains(e.said, "interrupted: dropping table loadgen") ||
				!strings.Contains(e.said, "\nleft: table loadgen") || len(e.unnamed(s.url)) > 0 {
				t.Errorf("exit code %d, %v left, %d bytes printed\n%swant %d, a report, and the table named", e.code, e.left, len(e.printed), e.said, codeInterrupted)
			}
			// 7 s by design; an attempt by itself takes 35 s.
			if took := clk.Now().Offset(); took > 20*time.Second {
				t.Errorf("it took %v; want about 7 s", took)
			}
		})
	}
}
