package main

import (
	"context"
	"io"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/pulse"
	"loadgen/scenarios/pulse/exposition"
	"loadgen/scenarios/run"
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
	// metrics is where the run is scraped, nil for nowhere.
	metrics *exposition.Server

	end  context.CancelFunc
	done sync.WaitGroup
}

var _ run.Progress = (*progress)(nil)

// screen is where progress is shown. One call is made at a time.
type screen interface {
	// every is how often show is to be called.
	every() time.Duration
	// begin is told once, before the first stage.
	begin(said start)
	// enter is told of each stage as it begins, leave as it ends.
	enter(stage run.Stage, at time.Duration)
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
func newProgress(to io.Writer, ui string, metrics *exposition.Server) *progress {
	p := &progress{Pulse: pulse.New(), clock: clock.NewReal(), metrics: metrics}
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

// Event is told of what goes into the record's events.
func (p *progress) Event(e results.Event) { p.screen.happened(e) }

// Begins implements [run.Progress]: it begins to show the run, and to answer scrapes.
func (p *progress) Begins(b run.Begun) []run.Observer {
	if b.Now != nil {
		p.now = b.Now
	}
	told := []run.Observer{p}
	if p.metrics != nil {
		e := exposition.New(b.Operations, p.Pulse, p.now)
		p.metrics.Serve(e)
		told = append(told, e)
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.end = cancel
	p.screen.begin(start{b.Scenario, b.Time, p.metrics.URL()})
	every := p.screen.every()
	p.done.Go(func() {
		for next := p.clock.Now().Add(every); ; next = next.Add(every) {
			if p.clock.Sleep(ctx, next) != nil {
				return
			}
			p.show()
		}
	})
	return told
}

// Ends implements [run.Progress]: it ends what Begins began, and leaves the terminal in
// order.
func (p *progress) Ends(ended error) {
	p.end()
	p.done.Wait()
	p.leave()
	s := p.Status(p.now())
	p.screen.finish(&s, ended)
}

// Enters implements [run.Progress].
func (p *progress) Enters(stage run.Stage) {
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

func (darkness) every() time.Duration           { return time.Hour }
func (darkness) begin(start)                    {}
func (darkness) enter(run.Stage, time.Duration) {}
func (darkness) leave(*pulse.Status)            {}
func (darkness) show(*pulse.Status)             {}
func (darkness) happened(results.Event)         {}
func (darkness) finish(*pulse.Status, error)    {}
