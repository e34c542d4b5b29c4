package contest

import (
	"cmp"
	"fmt"
	"time"

	"loadgen/report/document"
)

// Sofar is a contest that goes on.
type Sofar struct {
	// Scenario is its name.
	Scenario string
	// Standing is what it comes to by the runs that each design has by now, nil before each
	// that can be run has one.
	Standing *Contest
	// Designs are those that take part, in their order.
	Designs []Runner
	// Seeds is how many runs each has in the end.
	Seeds int
	// Done and Of count the runs, those under another profile of the model among them.
	Done, Of int
	// Left is how long the rest takes, nil before that can be told.
	Left *time.Duration
	// UnderWay are the runs that go on.
	UnderWay []UnderWay
	// Over says that no run goes on any more.
	Over bool
}

// Runner is a design that takes part in a contest which goes on.
type Runner struct {
	Design string
	// Runs is how many of its runs are over, not counting those under another profile.
	Runs   int
	Cannot bool
}

// UnderWay is a run that goes on.
type UnderWay struct {
	Design string
	// Run counts from 1; Profile is the model's, empty for that of the scenario.
	Run     int
	Profile string
	// At is how far it is, by its own clock, Phase the one that it is in, Left how much longer
	// that takes: nil where it cannot be told.
	At    time.Duration
	Phase string
	Left  *time.Duration
	// Offered and Served are entities per second, Throttled a share of the attempts, from 0 to
	// 1, of the last seconds: nil where there is too little of them.
	Offered, Served, Throttled *float64
}

// Document says how the contest stands, in the same shape at every call: what it would come to
// if it ended now, and that it has not, and a row for each run that goes on. Says is the line
// above the page.
func (s *Sofar) Document() (d *document.Document, says string) {
	runs := fmt.Sprintf("%d of %d runs are over", s.Done, s.Of)
	switch {
	case s.Over:
		says = "the runs are over: the report is being made"
	case s.Left != nil:
		says = "live · " + runs + " · about " + document.Minutes(s.Left.Seconds()) + " left"
	default:
		says = "live · " + runs
	}
	a := document.Answer{Claim: "NOTHING TO TELL YET", Beside: "the first run of each design is still to come or under way"}
	if s.Standing != nil {
		a = s.Standing.answer()
		a.State, a.Claim = "", "SO FAR: "+a.Claim
		most := min(2, len(a.Says))
		a.Says = append(a.Says[:most:most], "Only the end decides: who ends a contest where it pleases is wrong more often than it says.")
	}
	t := document.NewTable("runs", "Runs under way, each by its own clock", "design|words", "run", "profile|words|spare=2", "phase|named|spare=1",
		"in|minutes", "left|minutes", "offered|rate|unit=entities/s", "served|rate|unit=entities/s", "throttled|share")
	for i := range s.UnderWay {
		one := &s.UnderWay[i]
		t.Add(one.Design, one.Run, cmp.Or(one.Profile, "the scenario's"), one.Phase, one.At, one.Left, one.Offered, one.Served, one.Throttled)
	}
	return &document.Document{
		Title: "Contest of designs: " + s.Scenario, Subtitle: document.Counted(len(s.Designs), "design") + " · " + runs, Answer: a,
		Screen:   []document.Block{s.designs()},
		Sections: []document.Section{{ID: "under-way", Title: "Runs under way", Blocks: []document.Block{t}}},
	}, says
}

// designs has a row for each design: those that are ranked in their order, then the others.
func (s *Sofar) designs() document.Table {
	t := newStandings("Designs, best first so far", "runs")
	runs := make(map[string]Runner)
	for _, one := range s.Designs {
		runs[one.Design] = one
	}
	if s.Standing != nil {
		s.Standing.addStandings(&t, func(one *Ranked) string { return s.runsOf(runs[one.Design]) })
		for i := range s.Standing.Ranking {
			delete(runs, s.Standing.Ranking[i].Design)
		}
	}
	for _, one := range s.Designs {
		if _, left := runs[one.Design]; left {
			t.Add(one.Design, "", nil, nil, nil, s.runsOf(one))
		}
	}
	return t
}

// runsOf is how many runs a design has, or that it has none.
func (s *Sofar) runsOf(r Runner) string {
	if r.Cannot {
		return "cannot"
	}
	return fmt.Sprintf("%d of %d", r.Runs, s.Seeds)
}
