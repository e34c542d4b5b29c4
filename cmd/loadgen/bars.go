package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"loadgen/engine/nearest"
	"loadgen/report/document"
	"loadgen/report/live"
	"loadgen/report/text"
	"loadgen/results"
	"loadgen/scenarios/campaign"
)

// drawEvery is the time between two looks at a bar.
const drawEvery = 200 * time.Millisecond

// defaultColumns is how wide lines are where a terminal does not say how wide it is.
const defaultColumns = 80

// bars is a screen on a terminal: a bar for each stage, which stays when that has
// ended, and a status line below the one under way.
type bars struct {
	watchedStage
	// columns is how wide the terminal is now, 0 where it does not say.
	columns func() int
	// shown are how many columns the lines fill that the next drawing replaces.
	shown []int
}

// watchedStage is the part of a screen for persons that knows the stage.
type watchedStage struct {
	darkness
	to      io.Writer
	stage   campaign.Progress
	virtual bool
}

func (w *watchedStage) begin(said start) {
	w.virtual = said.time == virtually
	if said.metrics != "" {
		fmt.Fprintf(w.to, "metrics are served at %s\n", said.metrics)
	}
}

func (w *watchedStage) enter(stage campaign.Progress, _ time.Duration) { w.stage = stage }

func (*bars) every() time.Duration { return drawEvery }

func (b *bars) show(s *live.Status) {
	if watched(b.stage) {
		b.draw(b.bar(s, leftOf(s, b.virtual)), "  "+statusLine(s))
	}
}

// leave has the bar stay as it stands.
func (b *bars) leave(s *live.Status) {
	if watched(b.stage) {
		b.draw(b.bar(s, counterOf(&s.Sofar)))
		b.shown = nil
	}
}

func (b *bars) pause() { b.shown = nil }

// barColumns is how long the inner part of a bar is at most; a shorter one than shortestBar
// shows nothing.
const (
	barColumns  = 38
	shortestBar = 5
)

// bar is the progress of the stage as a line: name, bar, percentage, and a text. The bar takes the free width.
func (b *bars) bar(s *live.Status, beside string) string {
	// If the number of operations is unknown, progress is the share of the time that has passed.
	part := 0.0
	if b.stage.Operations > 0 {
		part = min(1, float64(s.Ended)/float64(b.stage.Operations))
	} else if s.Left != nil && b.stage.Length > 0 {
		part = min(1, 1-s.Left.Seconds()/b.stage.Length.Seconds())
	}
	name, told := fmt.Sprintf("%-7s ", text.Harmless(b.stage.Stage)), fmt.Sprintf("%d%%  %s", int(100*part), beside)
	room := min(barColumns, b.width()-text.Columns(name)-text.Columns(told)-len("[] ")-1)
	if room < shortestBar {
		return name + told
	}
	filled := int(part * float64(room))
	inner := strings.Repeat("=", filled)
	if filled < room {
		inner += ">" + strings.Repeat("-", room-1-filled)
	}
	return name + "[" + inner + "] " + told
}

// watched reports whether a stage lasts long enough to be looked at: one of a single
// operation is over before.
func watched(stage campaign.Progress) bool { return stage.Operations > 1 || stage.Length > 0 }

// width is how many columns there are.
func (b *bars) width() int {
	if columns := b.columns(); columns > 0 {
		return columns
	}
	return defaultColumns
}

// draw replaces what was drawn before by lines, each cut to the terminal. A terminal that
// has become narrower shows the lines of before on several: it goes up over all of these.
func (b *bars) draw(lines ...string) {
	columns := b.width()
	var frame strings.Builder
	up := 0
	for _, filled := range b.shown {
		up += max(1, (filled+columns-1)/columns)
	}
	if up > 0 {
		fmt.Fprintf(&frame, "\x1b[%dA\x1b[J", up)
	}
	b.shown = b.shown[:0]
	for _, line := range lines {
		// The last column stays free: a line that ends there may or may not have ended.
		if text.Columns(line) >= columns {
			line, _ = text.Cut(line, max(0, columns-2))
			line += "…"
		}
		b.shown = append(b.shown, text.Columns(line))
		frame.WriteString(line + "\n")
	}
	// A reader that is gone is no error.
	_, _ = io.WriteString(b.to, frame.String())
}

// maxKeyColumns is how many columns of a key a status line has room for.
const maxKeyColumns = 24

// statusLine is a status as one line for a person, the most important first, with a dash for unknown values. No name
// in it can move a cursor.
func statusLine(s *live.Status) string {
	focus := "hottest –"
	if len(s.Members) > 0 { // who tell no keys
		number := make(map[results.MemberState]int)
		var states []results.MemberState // in the order of their first
		for i := range s.Members {
			state := s.Members[i].State
			if number[state]++; number[state] == 1 {
				states = append(states, state)
			}
		}
		counts := nearest.NamesOf(states, func(one results.MemberState) string { return fmt.Sprintf("%d %s", number[one], one) })
		focus = "members: " + strings.Join(counts, ", ")
	} else if len(s.Hottest) > 0 {
		name := text.Harmless(s.Hottest[0].Name)
		if text.Columns(name) > maxKeyColumns {
			name, _ = text.Cut(name, maxKeyColumns-1)
			name += "…"
		}
		focus = fmt.Sprintf("hottest %q %s/s", name, document.Rate(s.Hottest[0].Rate))
	}
	parts := []string{speedOf(s), "p99 " + document.Optional(s.P99, document.Lapse), throttledOf(s), focus}
	if s.Phase != "" && s.Phase != s.Stage {
		parts = append(parts, text.Harmless(s.Phase))
	}
	return strings.Join(parts, "; ")
}

// speedOf is what is served of what is offered. Where operations arrive at a rate, that
// is offered whatever becomes of them; clients of a closed loop offer what they can, and
// once the schedule is over nothing is offered any more.
func speedOf(s *live.Status) string {
	speed := document.Optional(s.Served, document.Rate)
	if over := s.Left != nil && *s.Left == 0; s.Served != nil && s.Target != nil && !over {
		speed += " of " + document.Rate(*s.Offered)
	}
	return speed + " entities/s"
}

func throttledOf(s *live.Status) string {
	return document.Optional(s.Throttled, document.Share) + " throttled"
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
	case *s.Left == 0 && (s.Ended < s.Planned || s.Planned == 0):
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

// counterOf returns the counts of a stage so far.
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
