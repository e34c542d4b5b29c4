package main

import (
	"fmt"
	"strings"
	"time"

	"loadgen/report/plain"
	"loadgen/scenarios/pulse"
)

// statusLine is a status as one line for a person, what matters most first, with a dash
// for what cannot be told. No name in it can move a cursor.
func statusLine(s *pulse.Status) string {
	parts := []string{speedOf(s), "p99 " + p99Of(s), refusedOf(s), "hottest " + hottestOf(s)}
	if s.Phase != "" && s.Phase != s.Stage {
		parts = append(parts, plain.Harmless(s.Phase))
	}
	return strings.Join(parts, "; ")
}

// speedOf is what is served of what is offered. Where operations arrive at a rate, that
// is offered whatever becomes of them; clients of a closed loop offer what they can.
func speedOf(s *pulse.Status) string {
	switch {
	case s.Served == nil:
		return "– entities/s"
	case s.Target == nil:
		return perSecond(*s.Served) + " entities/s"
	default:
		return perSecond(*s.Served) + " of " + perSecond(*s.Offered) + " entities/s"
	}
}

func p99Of(s *pulse.Status) string {
	if s.P99 == nil {
		return "–"
	}
	return spoken(*s.P99)
}

func refusedOf(s *pulse.Status) string {
	if s.Refused == nil {
		return "– refused"
	}
	if *s.Refused > 0 && *s.Refused < .001 {
		return "<0.1% refused"
	}
	return fmt.Sprintf("%.1f%% refused", 100**s.Refused)
}

// longestKey is how many columns of a key a status line has room for.
const longestKey = 24

func hottestOf(s *pulse.Status) string {
	if len(s.Hottest) == 0 {
		return "–"
	}
	one := s.Hottest[0]
	name := plain.Harmless(one.Name)
	if plain.Columns(name) > longestKey {
		name, _ = plain.Cut(name, longestKey-1)
		name += "…"
	}
	return fmt.Sprintf("%q %s/s", name, perSecond(one.Rate))
}

// virtually is the time of a run on a virtual clock, as its record has it.
const virtually = "virtual"

// leftOf is how much longer the stage takes.
func leftOf(s *pulse.Status, virtual bool) string {
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

// spoken is a duration to three digits or so.
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

// perSecond is a rate for people.
func perSecond(rate float64) string {
	if rate < 10 && rate != float64(int64(rate)) {
		return fmt.Sprintf("%.1f", rate)
	}
	return thousands(int64(rate + .5))
}

// tallyOf is what came of a stage so far.
func tallyOf(t *pulse.Totals) string {
	text := fmt.Sprintf("%s attempts, %s refused", thousands(t.Attempts), thousands(t.Refused))
	if t.Failed > 0 {
		text += fmt.Sprintf(", %s failed", thousands(t.Failed))
	}
	if t.Dropped > 0 {
		text += fmt.Sprintf(", %s dropped", thousands(t.Dropped))
	}
	return text
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
