package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"loadgen/engine/clock"
	"loadgen/engine/nearest"
	"loadgen/report/live"
	"loadgen/report/live/prometheus"
	"loadgen/results"
	"loadgen/scenarios/run"
)

// progress tells on standard error how a run fares while it goes on. It starts one
// goroutine and stops it. A nil one is none.
type progress struct {
	*live.Stats
	clock clock.Real
	// now is the present of the run, which a virtual clock tells.
	now func() time.Duration

	// mu guards the screen, which knows nothing of goroutines, and whether a stage is
	// under way.
	mu     sync.Mutex
	screen screen
	inside bool
	// metrics is where the run is scraped, nil if it is not.
	metrics *prometheus.Server

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
	leave(s *live.Status)
	show(s *live.Status)
	// happened is told of events by those that send the load: it must not wait.
	happened(e results.Event)
	// finish leaves all in order; nothing is told after it.
	finish(s *live.Status, ended error)
}

// start is what a screen may tell of a run before it begins.
type start struct {
	scenario string
	// time is real or virtual, metrics where metrics are served, empty if nowhere.
	time, metrics string
}

// newProgress returns a progress that has not started, shown as ui says, one of those
// that --ui takes.
func newProgress(to io.Writer, ui string, metrics *prometheus.Server) *progress {
	p := &progress{Stats: live.New(), clock: clock.NewReal(), metrics: metrics}
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
		e := prometheus.New(b.Operations, p.Stats, p.now)
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
func (darkness) leave(*live.Status)             {}
func (darkness) show(*live.Status)              {}
func (darkness) happened(results.Event)         {}
func (darkness) finish(*live.Status, error)     {}

// What --ui takes.
const (
	uiAuto  = "auto"
	uiPlain = "plain"
	uiNone  = "none"
	uiJSON  = "json"
)

// uiFlag is how a run is to be shown while it goes on; empty is auto.
type uiFlag string

var _ pflag.Value = (*uiFlag)(nil)

func (u *uiFlag) register(flags *pflag.FlagSet) {
	*u = uiAuto
	flags.Var(u, "ui", "how to show the run on standard error: auto (a bar on a terminal, else plain), plain (a line every 10 s), none, or json (`loadgen help stress`)")
}

// String implements [pflag.Value].
func (u *uiFlag) String() string { return string(*u) }

// Type implements [pflag.Value].
func (u *uiFlag) Type() string { return "how" }

// Set implements [pflag.Value].
func (u *uiFlag) Set(text string) error {
	if !slices.Contains(uis(), text) {
		return fmt.Errorf("expected %s", u.expected(text))
	}
	*u = uiFlag(text)
	return nil
}

func uis() []string { return []string{uiAuto, uiPlain, uiNone, uiJSON} }

// expected says what the flag takes, to whom typed something else.
func (u *uiFlag) expected(text string) string {
	known := strings.Join(uis(), ", ")
	if near, found := nearest.Name(text, uis()); found {
		return known + "; the nearest is " + near
	}
	return known
}

// sayWhere says where the record of a run is that lasted so long.
func (f *tellFlags) sayWhere(stderr io.Writer, folder results.Folder, lasted time.Duration) {
	switch f.shown() {
	case uiNone:
	case uiJSON:
		_, _ = stderr.Write(lineOf(runWritten{head{"run_written", inSeconds(lasted)}, fmt.Sprint(folder)}))
	default:
		fmt.Fprintf(stderr, "the run is in %s\n", folder)
	}
}

// isTerminal reports whether escape sequences are welcome there.
func isTerminal(to io.Writer) bool {
	file, ok := to.(*os.File)
	return ok && term.IsTerminal(int(file.Fd())) &&
		os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && os.Getenv("CI") == ""
}
