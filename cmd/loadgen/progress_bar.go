package main

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"loadgen/report/document"
	"loadgen/report/live"
	"loadgen/report/text"
	"loadgen/results"
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
	b.say(&live.Status{Stage: stage.Stage, Planned: stage.Operations})
	prose := func(of *atomic.Pointer[string]) decor.Decorator {
		return decor.Any(func(decor.Statistics) string { return *of.Load() })
	}
	b.bar = b.all.New(int64(stage.Operations), mpb.BarStyle().Lbound("[").Rbound("]"),
		mpb.BarPriority(0),
		mpb.PrependDecorators(decor.Name(fmt.Sprintf("%-7s", text.Harmless(stage.Stage)))),
		mpb.AppendDecorators(decor.Percentage(), decor.Name("  "), prose(beside)))
	b.status = b.all.New(1, mpb.NopStyle(), mpb.BarPriority(1), mpb.BarNoPop(), mpb.BarFillerTrim(), mpb.PrependDecorators(prose(line)))
}

func (b *bars) say(s *live.Status) {
	line, left := "  "+statusLine(s), leftOf(s, b.virtual)
	b.line.Store(&line)
	b.beside.Store(&left)
}

func (b *bars) show(s *live.Status) {
	if b.bar != nil {
		b.say(s)
		b.bar.SetCurrent(int64(s.Ended))
	}
}

func (b *bars) leave(s *live.Status) {
	if b.bar == nil {
		return
	}
	counter := counterOf(&s.Sofar)
	b.beside.Store(&counter)
	b.bar.SetCurrent(int64(s.Ended))
	b.bar.Abort(false)
	b.status.Abort(true)
	b.bar.Wait()
	b.status.Wait()
	b.bar, b.status = nil, nil
}

func (*bars) happened(results.Event) {}

func (b *bars) finish(*live.Status, error) { b.all.Wait() }

// plainEvery is the time between two plain lines.
const plainEvery = 10 * time.Second

// plainLines is a screen of lines, without any escape sequence.
type plainLines struct {
	darkness
	to      io.Writer
	stage   run.Stage
	virtual bool
}

func (*plainLines) every() time.Duration { return plainEvery }

func (p *plainLines) begin(said start) {
	p.virtual = said.time == virtually
	if said.metrics != "" {
		fmt.Fprintf(p.to, "metrics are served at %s\n", said.metrics)
	}
}

// enter tells of a stage. Those of a single operation are over before anybody could
// read of them, and are not shown.
func (p *plainLines) enter(stage run.Stage, _ time.Duration) {
	p.stage = stage
	if stage.Operations > 1 {
		fmt.Fprintf(p.to, "%s: %s operations%s\n", text.Harmless(stage.Stage), document.Count(int64(stage.Operations)), lasting(stage.Length))
	}
}

func (p *plainLines) show(s *live.Status) {
	if p.stage.Operations > 1 {
		fmt.Fprintf(p.to, "%s: %s of %s operations, %s; %s; %s\n", text.Harmless(s.Stage), document.Count(int64(s.Ended)),
			document.Count(int64(s.Planned)), counterOf(&s.Sofar), statusLine(s), leftOf(s, p.virtual))
	}
}

// statusLine is a status as one line for a person, what matters most first, with a dash
// for what cannot be told. No name in it can move a cursor.
func statusLine(s *live.Status) string {
	parts := []string{speedOf(s), "p99 " + p99Of(s), throttledOf(s), "hottest " + hottestOf(s)}
	if s.Phase != "" && s.Phase != s.Stage {
		parts = append(parts, text.Harmless(s.Phase))
	}
	return strings.Join(parts, "; ")
}

// speedOf is what is served of what is offered. Where operations arrive at a rate, that
// is offered whatever becomes of them; clients of a closed loop offer what they can.
func speedOf(s *live.Status) string {
	switch {
	case s.Served == nil:
		return "– entities/s"
	case s.Target == nil:
		return perSecond(*s.Served) + " entities/s"
	default:
		return perSecond(*s.Served) + " of " + perSecond(*s.Offered) + " entities/s"
	}
}

func p99Of(s *live.Status) string {
	if s.P99 == nil {
		return "–"
	}
	return spoken(*s.P99)
}

func throttledOf(s *live.Status) string {
	if s.Throttled == nil {
		return "– throttled"
	}
	if *s.Throttled > 0 && *s.Throttled < .001 {
		return "<0.1% throttled"
	}
	return fmt.Sprintf("%.1f%% throttled", 100**s.Throttled)
}

// longestKey is how many columns of a key a status line has room for.
const longestKey = 24

func hottestOf(s *live.Status) string {
	if len(s.Hottest) == 0 {
		return "–"
	}
	one := s.Hottest[0]
	name := text.Harmless(one.Name)
	if text.Columns(name) > longestKey {
		name, _ = text.Cut(name, longestKey-1)
		name += "…"
	}
	return fmt.Sprintf("%q %s/s", name, perSecond(one.Rate))
}

// virtually is the time of a run on a virtual clock, as its record has it.
const virtually = "virtual"

// leftOf is how much longer the stage takes.
func leftOf(s *live.Status, virtual bool) string {
	left := " left"
	if virtual {
		left = " of virtual time left"
	}
	switch {
	case s.Left == nil:
		return "–" + left
	case *s.Left == 0 && s.Ended < s.Planned:
		return "finishing"
	case s.Estimated:
		return "about " + wholeSeconds(*s.Left) + left
	default:
		return wholeSeconds(*s.Left) + left
	}
}

// wholeSeconds rounds up, so that nothing is over before its time.
func wholeSeconds(d time.Duration) string {
	return ((d + time.Second - 1) / time.Second * time.Second).String()
}

func spoken(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < 100*time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	case d < 10*time.Second:
		return d.Round(10 * time.Millisecond).String()
	default:
		return d.Round(time.Second).String()
	}
}

func perSecond(rate float64) string {
	if rate < 10 && rate != float64(int64(rate)) {
		return fmt.Sprintf("%.1f", rate)
	}
	return document.Count(int64(rate + .5))
}

// counterOf is what came of a stage so far.
func counterOf(t *live.Totals) string {
	text := fmt.Sprintf("%s attempts, %s throttled", document.Count(t.Attempts), document.Count(t.Throttled))
	if t.Failed > 0 {
		text += fmt.Sprintf(", %s failed", document.Count(t.Failed))
	}
	if t.Dropped > 0 {
		text += fmt.Sprintf(", %s dropped", document.Count(t.Dropped))
	}
	return text
}

func lasting(length time.Duration) string {
	if length == 0 {
		return ""
	}
	return " in " + length.String()
}
