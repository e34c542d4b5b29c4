package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/drive"
)

// progress tells a person on standard error how far a run has got: by a bar on
// a terminal, by a plain line every few seconds elsewhere. It starts one
// goroutine and stops it.
type progress struct {
	to    io.Writer
	clock clock.Real
	bars  *mpb.Progress

	// tally is of the stage under way.
	tally atomic.Pointer[tally]

	// mu guards the stage under way.
	mu    sync.Mutex
	stage drive.Progress
	bar   *mpb.Bar

	end  context.CancelFunc
	done sync.WaitGroup
}

var _ drive.Observer = (*progress)(nil)

// tally counts what came of one stage.
type tally struct {
	operations, attempts, refused, failed atomic.Int64
}

// String is the tally in words.
func (t *tally) String() string {
	text := fmt.Sprintf("%s attempts, %s refused", thousands(t.attempts.Load()), thousands(t.refused.Load()))
	if failed := t.failed.Load(); failed > 0 {
		text += fmt.Sprintf(", %s failed", thousands(failed))
	}
	return text
}

// plainEvery is the time between two plain lines, drawEvery that between two
// looks at a bar.
const (
	plainEvery = 5 * time.Second
	drawEvery  = 200 * time.Millisecond
)

// newProgress returns a progress that has not started; a quiet one shows
// nothing.
func newProgress(to io.Writer, clk clock.Real, quiet bool) *progress {
	p := &progress{to: to, clock: clk}
	p.tally.Store(new(tally))
	if quiet {
		p.to = io.Discard
	} else if isTerminal(to) {
		p.bars = mpb.New(mpb.WithOutput(to), mpb.WithWidth(48), mpb.WithAutoRefresh())
	}
	return p
}

// isTerminal reports whether escape sequences are welcome there.
func isTerminal(to io.Writer) bool {
	file, ok := to.(*os.File)
	return ok && term.IsTerminal(int(file.Fd())) &&
		os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && os.Getenv("CI") == ""
}

// Attempt implements drive.Observer.
func (p *progress) Attempt(a *results.Attempt) {
	t := p.tally.Load()
	t.attempts.Add(1)
	switch a.Class {
	case results.Refused:
		t.refused.Add(1)
	case results.Failed:
		t.failed.Add(1)
	}
}

// Completed implements drive.Observer.
func (p *progress) Completed(*results.Completed) { p.tally.Load().operations.Add(1) }

// start begins to show.
func (p *progress) start() {
	ctx, cancel := context.WithCancel(context.Background())
	p.end = cancel
	every := plainEvery
	if p.bars != nil {
		every = drawEvery
	}
	p.done.Go(func() {
		for next := p.clock.Now().Add(every); ; next = next.Add(every) {
			if p.clock.Sleep(ctx, next) != nil {
				return
			}
			p.show()
		}
	})
}

// stop ends what start began and leaves the terminal in order.
func (p *progress) stop() {
	p.end()
	p.done.Wait()
	p.leave()
	if p.bars != nil {
		p.bars.Wait()
	}
}

// enter is told of each stage as it begins. Those of a single operation are over
// before anybody could read of them, and are not shown.
func (p *progress) enter(stage drive.Progress) {
	p.leave()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stage = stage
	counts := new(tally)
	p.tally.Store(counts)
	switch {
	case stage.Operations <= 1:
	case p.bars == nil:
		fmt.Fprintf(p.to, "%s: %s operations%s\n", stage.Stage, thousands(int64(stage.Operations)), lasting(stage.Length))
	default:
		p.bar = p.bars.AddBar(int64(stage.Operations),
			mpb.PrependDecorators(decor.Name(fmt.Sprintf("%-7s", stage.Stage))),
			mpb.AppendDecorators(decor.Percentage(),
				decor.Any(func(decor.Statistics) string { return "  " + counts.String() })))
	}
}

// leave ends the bar of the stage before; one that was cut short ends where it
// stands.
func (p *progress) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		p.bar.SetCurrent(p.tally.Load().operations.Load())
		p.bar.Abort(false)
		p.bar = nil
	}
}

// show brings what is shown up to date.
func (p *progress) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	counts := p.tally.Load()
	if p.bar != nil {
		p.bar.SetCurrent(counts.operations.Load())
		return
	}
	if p.bars == nil && p.stage.Operations > 1 {
		fmt.Fprintf(p.to, "%s: %s of %s operations, %s\n", p.stage.Stage,
			thousands(counts.operations.Load()), thousands(int64(p.stage.Operations)), counts)
	}
}

func lasting(length time.Duration) string {
	if length == 0 {
		return ""
	}
	return " in " + length.String()
}

// thousands writes a count with separators.
func thousands(n int64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
