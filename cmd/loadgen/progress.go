package main

import (
	"context"
	"io"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/pulse"
)

// progress tells on standard error how a run fares while it goes on. It starts one
// goroutine and stops it. A nil one is none.
type progress struct {
	*pulse.Pulse
	clock clock.Real
	// now is the present of the run, which a virtual clock tells.
	now func() time.Duration

	// mu guards the screen, which knows nothing of goroutines, and whether a stage is
	// under way.
	mu     sync.Mutex
	screen screen
	inside bool

	end  context.CancelFunc
	done sync.WaitGroup
}

var _ drive.Watcher = (*progress)(nil)

// screen is where progress is shown. One call is made at a time.
type screen interface {
	// every is how often show is to be called.
	every() time.Duration
	// begin is told once, before the first stage.
	begin(said start)
	// enter is told of each stage as it begins, leave as it ends.
	enter(stage drive.Progress, at time.Duration)
	leave(s *pulse.Status)
	show(s *pulse.Status)
	// happened is told of events by those that send the load: it must not wait.
	happened(e results.Event)
	// finish leaves all in order; nothing is told after it.
	finish(s *pulse.Status, ended error)
}

// start is what a screen may tell of a run before it begins.
type start struct {
	scenario string
	// time is real or virtual, metrics where metrics are served, empty if nowhere.
	time, metrics string
}

// newProgress returns a progress that has not started, shown as ui says, one of those
// that --ui takes.
func newProgress(to io.Writer, clk clock.Real, ui string) *progress {
	p := &progress{Pulse: pulse.New(), clock: clk}
	p.now = p.Latest
	switch {
	case ui == uiNone:
		p.screen = darkness{}
	case ui == uiJSON:
		p.screen = newEvents(to)
	case ui == uiAuto && isTerminal(to):
		p.screen = newBars(to)
	default:
		p.screen = &plainLines{to: to}
	}
	return p
}

// Event implements [drive.Watcher].
func (p *progress) Event(e results.Event) { p.screen.happened(e) }

// start begins to show a run whose present now tells.
func (p *progress) start(said start, now func() time.Duration) {
	ctx, cancel := context.WithCancel(context.Background())
	p.end, p.now = cancel, now
	p.screen.begin(said)
	every := p.screen.every()
	p.done.Go(func() {
		for next := p.clock.Now().Add(every); ; next = next.Add(every) {
			if p.clock.Sleep(ctx, next) != nil {
				return
			}
			p.show()
		}
	})
}

// stop ends what start began, as the run ended, and leaves the terminal in order.
func (p *progress) stop(ended error) {
	p.end()
	p.done.Wait()
	p.leave()
	s := p.Status(p.now())
	p.screen.finish(&s, ended)
}

// enter is told of each stage as it begins.
func (p *progress) enter(stage drive.Progress) {
	p.leave()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Enter(stage.Stage, stage.Operations, stage.Length)
	p.inside = true
	p.screen.enter(stage, p.now())
}

// leave ends the stage before; one that was cut short ends where it stands.
func (p *progress) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.inside {
		s := p.Status(p.now())
		p.screen.leave(&s)
		p.inside = false
	}
}

// show brings what is shown up to date.
func (p *progress) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.inside {
		s := p.Status(p.now())
		p.screen.show(&s)
	}
}

// darkness shows nothing.
type darkness struct{}

func (darkness) every() time.Duration                { return time.Hour }
func (darkness) begin(start)                         {}
func (darkness) enter(drive.Progress, time.Duration) {}
func (darkness) leave(*pulse.Status)                 {}
func (darkness) show(*pulse.Status)                  {}
func (darkness) happened(results.Event)              {}
func (darkness) finish(*pulse.Status, error)         {}
