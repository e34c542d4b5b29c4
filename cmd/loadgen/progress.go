package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"golang.org/x/term"

	"loadgen/engine/clock"
	"loadgen/report/live"
	"loadgen/report/live/page"
	"loadgen/report/live/telemetry"
	"loadgen/report/text"
	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/run"
)

// progressView shows the progress of a run. It starts one goroutine, and stops it.
type progressView struct {
	*live.Stats
	clock clock.Real
	// now returns the time of the run: that of a virtual clock in a simulation.
	now func() time.Duration

	// mu guards the screen, and whether a stage is in progress.
	mu     sync.Mutex
	screen progressScreen
	inside bool
	// to receives errors of telemetry.
	to      io.Writer
	exports exports
	// watch shows the run on a live page, nil if there is none.
	watch *page.Watch
	// exporter sends the run to an OpenTelemetry endpoint, nil if that was not asked for.
	exporter *telemetry.Exporter
	// over is canceled to end the run.
	over context.Context
	// looked says that anybody looks at the stats, which are not kept otherwise: they cost a
	// simulation an eighth.
	looked bool

	end  context.CancelFunc
	done sync.WaitGroup
}

var _ run.Progress = (*progressView)(nil)

// progressScreen is where progress is shown. One call is made at a time.
type progressScreen interface {
	// every is how often show is to be called.
	every() time.Duration
	// begin is called once, before the first stage.
	begin(said start)
	// enter is called for each stage as it begins, leave as it ends.
	enter(stage campaign.Progress, at time.Duration)
	leave(s *live.Status)
	show(s *live.Status)
	// pause prepares the terminal for other output.
	pause()
	// happened is called for events by the goroutines that send the load: it must not wait.
	happened(e results.Event)
	// finish restores the terminal. It is the last call.
	finish(s *live.Status, ended error)
}

// start describes a run before it begins.
type start struct {
	scenario string
	// time is real or virtual, metrics where metrics are served, live where the live page
	// is; empty if nowhere.
	time, metrics, live string
}

// exports are where a run is exported while it is in progress; the zero value exports nothing.
type exports struct {
	// Prometheus answers scrapes, OTLP sends; either may be nil.
	Prometheus *telemetry.Server
	OTLP       *telemetry.Client
	// Page shows the run in a browser, nil for no page.
	Page *page.Server
	// Keys exports PartitionKeys as well.
	Keys bool
}

// Close closes all of them.
func (t exports) Close() {
	t.Prometheus.Close()
	t.Page.Close()
	t.OTLP.Close()
}

// newProgress returns a progress that has not started, in one of the forms of --ui; over is canceled to end the run.
func newProgress(over context.Context, to io.Writer, ui string, exports exports) *progressView {
	beginWork(over)
	p := &progressView{Stats: live.New(), clock: clock.NewReal(), to: to, exports: exports, over: over}
	p.now = p.Latest
	switch {
	case ui == progressNone:
		p.screen = darkness{}
	case ui == progressJSON:
		p.screen = &events{to: to, lines: make(chan []byte, maxQueuedEvents)}
	case ui == progressAuto && isTerminal(to):
		p.screen = &bars{watchedStage: watchedStage{to: text.Unwrap(to)}, columns: func() int { return terminalColumns(to) }}
	default:
		p.screen = &plainLines{watchedStage: watchedStage{to: to}}
	}
	p.looked = ui != progressNone || exports.Prometheus != nil || exports.Page != nil || exports.OTLP != nil
	return p
}

// Event observes the events of the record.
func (p *progressView) Event(e results.Event) { p.screen.happened(e) }

// Begins implements [run.Progress]: it begins to show the run, and to answer scrapes.
func (p *progressView) Begins(b run.Begun) []drive.Observer {
	if b.Now != nil {
		p.now = b.Now
	}
	var told []drive.Observer
	if p.looked {
		p.Read(b.Recorder)
		told = append(told, p)
	}
	say := func(line string) { p.Aside(func() { fmt.Fprintln(p.to, line) }) }
	measured := telemetry.Run{Scenario: b.Scenario, Tool: b.Tool, Started: b.Started, Now: p.now, Kinds: b.Operations,
		Recorder: b.Recorder, Stats: p.Stats, Keys: p.exports.Keys, Clock: p.clock, Say: say}
	if server := p.exports.Prometheus; server != nil {
		metrics, err := telemetry.NewMetrics(measured)
		if err != nil {
			say(fmt.Sprintf("--metrics-listen: %v; the run goes on without", err))
		} else {
			server.Serve(metrics)
			told = append(told, metrics)
		}
	}
	if shown := p.exports.Page; shown != nil {
		p.watch = shown.Begin(page.Run{Scenario: b.Scenario, Virtual: b.Time == virtually, Cores: runtime.GOMAXPROCS(0), Stats: p.Stats, Now: p.now})
		told = append(told, p.watch)
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.end = cancel
	p.screen.begin(start{b.Scenario, b.Time, p.exports.Prometheus.URL(), p.exports.Page.URL()})
	if client := p.exports.OTLP; client != nil {
		e, err := client.Start(p.over, measured)
		if err != nil {
			say(fmt.Sprintf("--otlp: %v; the run goes on without", err))
		} else if e != nil {
			p.exporter = e
			told = append(told, e)
		}
	}
	every := p.screen.every()
	p.done.Go(func() {
		for next := p.clock.Now().Add(every); p.clock.Sleep(ctx, next) == nil; next = next.Add(every) {
			p.mu.Lock()
			if p.inside {
				s := p.Status(p.now())
				p.screen.show(&s)
			}
			p.mu.Unlock()
		}
	})
	return told
}

// Ends implements [run.Progress]: it ends what Begins began, and leaves the terminal in
// order.
func (p *progressView) Ends(ended error) {
	p.end()
	p.done.Wait()
	p.watch.End()
	p.leave()
	if p.exporter != nil {
		p.exporter.Stop()
	}
	s := p.Status(p.now())
	p.screen.finish(&s, ended)
}

// Enters implements [run.Progress].
func (p *progressView) Enters(stage campaign.Progress) {
	p.leave()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Enter(stage.Stage, stage.Operations, stage.Length)
	p.inside = true
	p.screen.enter(stage, p.now())
}

// Present is how long the run has gone on.
func (p *progressView) Present() time.Duration { return p.now() }

// leave ends the stage before; one that was cut short ends where it stands.
func (p *progressView) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.inside {
		s := p.Status(p.now())
		p.screen.leave(&s)
		p.inside = false
	}
}

// Aside writes other output above the progress.
func (p *progressView) Aside(write func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.screen.pause()
	write()
}

// darkness shows nothing.
type darkness struct{}

func (darkness) every() time.Duration                   { return time.Hour }
func (darkness) begin(start)                            {}
func (darkness) enter(campaign.Progress, time.Duration) {}
func (darkness) leave(*live.Status)                     {}
func (darkness) show(*live.Status)                      {}
func (darkness) pause()                                 {}
func (darkness) happened(results.Event)                 {}
func (darkness) finish(*live.Status, error)             {}

// How a run can be shown.
const (
	// progressAuto is a bar on a terminal and plain lines elsewhere.
	progressAuto  = "auto"
	progressPlain = "plain"
	progressNone  = "none"
	progressJSON  = "json"
)

// isTerminal reports whether a writer is a terminal that takes escape sequences.
func isTerminal(to io.Writer) bool {
	return terminalColumns(to) > 0 && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && os.Getenv("CI") == ""
}

// terminalColumns returns the width of a terminal, 0 if a writer is none.
func terminalColumns(to io.Writer) int {
	file, ok := text.Unwrap(to).(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return 0
	}
	columns, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return columns
}
