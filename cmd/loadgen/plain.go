package main

import (
	"fmt"
	"math"
	"time"

	"loadgen/report/document"
	"loadgen/report/live"
	"loadgen/report/text"
	"loadgen/scenarios/campaign"
)

// plainEvery is the time between two plain lines.
const plainEvery = 10 * time.Second

// On a virtual clock the throttled share is checked every firstLook. It is printed at first, and again when it has
// changed by tellAfter or more and two checks differ by sameShare at most.
const (
	firstLook = 500 * time.Millisecond
	tellAfter = 0.1
	sameShare = 0.02
)

// plainLines is a screen of lines, without any escape sequence.
type plainLines struct {
	watchedStage
	// looks counts those at a run on a virtual clock.
	looks int
	// printed is the throttled share that was printed last, nil before the first; seen is that of the previous check.
	printed, seen *float64
}

func (p *plainLines) every() time.Duration {
	if p.virtual {
		return firstLook
	}
	return plainEvery
}

// enter prints a stage that is watched.
func (p *plainLines) enter(stage campaign.Progress, _ time.Duration) {
	p.stage = stage
	switch {
	case stage.Operations == 0 && stage.Length > 0:
		fmt.Fprintf(p.to, "%s: clients that wait for their answers%s\n", text.Harmless(stage.Stage), lasting(stage.Length))
	case stage.Operations > 1:
		fmt.Fprintf(p.to, "%s: %s operations%s\n", text.Harmless(stage.Stage), document.Count(int64(stage.Operations)), lasting(stage.Length))
	}
}

func (p *plainLines) show(s *live.Status) {
	p.looks++
	if p.virtual && s.Target != nil && s.Served != nil && s.Throttled != nil && s.Left != nil {
		// Print the throttled share at first, and again after it has changed and settled.
		now, before := *s.Throttled, p.seen
		p.seen = &now
		when := ""
		switch {
		case p.printed == nil:
			when = "at first"
		case math.Abs(now-*p.printed) >= tellAfter && math.Abs(now-*before) <= sameShare:
			when = "after " + wholeSeconds(p.stage.Length-*s.Left)
		}
		if when != "" {
			p.printed = &now
			fmt.Fprintf(p.to, "%s %s: %s\n", when, throttledOf(s), speedOf(s))
		}
	}
	if p.virtual && p.looks%int(plainEvery/firstLook) != 0 {
		return
	}
	if watched(p.stage) {
		of := ""
		if s.Planned > 0 {
			of = " of " + document.Count(int64(s.Planned))
		}
		fmt.Fprintf(p.to, "%s: %s%s operations, %s; %s; %s\n", text.Harmless(s.Stage), document.Count(int64(s.Ended)), of,
			counterOf(&s.Sofar), statusLine(s), leftOf(s, p.virtual))
	}
}
