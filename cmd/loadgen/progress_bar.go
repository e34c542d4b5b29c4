package main

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"loadgen/report/plain"
	"loadgen/results"
	"loadgen/scenarios/pulse"
	"loadgen/scenarios/run"
)

// drawEvery is the time between two looks at a bar.
const drawEvery = 200 * time.Millisecond

// bars is a screen on a terminal: a bar for each stage, which stays when that has
// ended, and a status line below the one under way.
type bars struct {
	to          io.Writer
	all         *mpb.Progress
	bar, status *mpb.Bar
	// line and beside are what the goroutine that draws shows of the stage under way.
	line, beside *atomic.Pointer[string]
	virtual      bool
}

func newBars(to io.Writer) *bars { return &bars{to: to} }

func (*bars) every() time.Duration { return drawEvery }

func (b *bars) begin(said start) {
	b.virtual = said.time == virtually
	b.all = mpb.New(mpb.WithOutput(b.to), mpb.WithWidth(40), mpb.WithAutoRefresh(), mpb.PopCompletedMode())
	if said.metrics != "" {
		fmt.Fprintf(b.to, "metrics are served at %s\n", said.metrics)
	}
}

// enter draws a bar, unless the stage is of a single operation.
func (b *bars) enter(stage run.Stage, _ time.Duration) {
	if stage.Operations <= 1 {
		return
	}
	line, beside := new(atomic.Pointer[string]), new(atomic.Pointer[string])
	b.line, b.beside = line, beside
	b.say(&pulse.Status{Stage: stage.Stage, Planned: stage.Operations})
	text := func(of *atomic.Pointer[string]) decor.Decorator {
		return decor.Any(func(decor.Statistics) string { return *of.Load() })
	}
	b.bar = b.all.New(int64(stage.Operations), mpb.BarStyle().Lbound("[").Rbound("]"),
		mpb.BarPriority(0),
		mpb.PrependDecorators(decor.Name(fmt.Sprintf("%-7s", plain.Harmless(stage.Stage)))),
		mpb.AppendDecorators(decor.Percentage(), decor.Name("  "), text(beside)))
	b.status = b.all.New(1, mpb.NopStyle(), mpb.BarPriority(1), mpb.BarNoPop(), mpb.BarFillerTrim(), mpb.PrependDecorators(text(line)))
}

func (b *bars) say(s *pulse.Status) {
	line, left := "  "+statusLine(s), leftOf(s, b.virtual)
	b.line.Store(&line)
	b.beside.Store(&left)
}

func (b *bars) show(s *pulse.Status) {
	if b.bar != nil {
		b.say(s)
		b.bar.SetCurrent(int64(s.Ended))
	}
}

func (b *bars) leave(s *pulse.Status) {
	if b.bar == nil {
		return
	}
	tally := tallyOf(&s.Sofar)
	b.beside.Store(&tally)
	b.bar.SetCurrent(int64(s.Ended))
	b.bar.Abort(false)
	b.status.Abort(true)
	b.bar.Wait()
	b.status.Wait()
	b.bar, b.status = nil, nil
}

func (*bars) happened(results.Event) {}

func (b *bars) finish(*pulse.Status, error) { b.all.Wait() }
