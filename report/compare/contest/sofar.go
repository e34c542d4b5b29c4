package contest

import (
	"fmt"
	"slices"
	"time"

	"loadgen/report/document"
)

// Sofar is a contest in progress.
type Sofar struct {
	Scenario string
	// Standing is the contest by the runs that are over, nil until each design that can run has
	// one.
	Standing *Contest
	// Designs are in their original order.
	Designs []Runner
	// Seeds is the planned number of runs of each design.
	Seeds int
	// Done and Of count the runs, those under another profile included.
	Done, Of int
	// Left is the remaining time, nil if unknown.
	Left *time.Duration
	// UnderWay are the runs in progress. Over means that no run is left.
	UnderWay []UnderWay
	Over     bool
}

// Runner is a design of a contest in progress.
type Runner struct {
	Design string
	// Runs counts its finished runs under the scenario's profile.
	Runs   int
	Cannot bool
}

// UnderWay is a run in progress.
type UnderWay struct {
	Design string `col:""`
	// Run counts from 1; Profile is empty for that of the scenario.
	Run     int    `col:""`
	Profile string `col:"|spare=2"`
	Phase   string `col:"|named|spare=1"`
	// At is the run's own time, Left the remaining time, nil if unknown.
	At   time.Duration  `col:"in|minutes"`
	Left *time.Duration `col:"|minutes"`
	// Offered and Served are entities per second, Throttled is the share of the attempts, of the
	// last seconds; nil if there are too few.
	Offered   *float64 `col:"|rate|unit=entities/s"`
	Served    *float64 `col:"|rate|unit=entities/s"`
	Throttled *float64 `col:"|share"`
}

// Document returns the standing of the contest, with the same structure at every call, and the
// line above the page.
func (s *Sofar) Document() (d *document.Document, says string) {
	runs := fmt.Sprintf("%d of %d runs are over", s.Done, s.Of)
	left := func(d time.Duration) string { return document.Minutes(d.Seconds()) }
	says = "live · " + runs + optional(s.Left != nil, " · about %s left", document.Told(s.Left, left))
	if s.Over {
		says = "the runs are over: the report is being made"
	}
	a := document.Answer{Claim: "NOTHING TO TELL YET", Beside: "each design needs a finished run"}
	if s.Standing != nil {
		a = newNarrative(s.Standing).answer(inAnswer, inScreen)
		a.State, a.Mark, a.Claim = "", nil, "SO FAR: "+a.Claim
		shown := min(2, len(a.Says))
		a.Says = append(a.Says[:shown:shown], "Stopping early at a good result makes false results more likely.")
	}
	t := document.Of("runs", "Runs in progress, by their own clocks", s.UnderWay)
	return &document.Document{
		Title: "Contest of designs: " + s.Scenario, Subtitle: document.Counted(len(s.Designs), "design") + " · " + runs, Answer: a,
		Screen:   []document.Block{s.designs()},
		Sections: []document.Section{{ID: "under-way", Title: "Runs in progress", Blocks: []document.Block{t}}},
	}, says
}

// designs has a row for each design: the ranked ones in their order, then the others.
func (s *Sofar) designs() document.Table {
	runs, standing := make(map[string]string), s.Standing
	if standing == nil {
		standing = new(Contest)
	}
	for _, one := range s.Designs {
		runs[one.Design] = fmt.Sprintf("%d of %d", one.Runs, s.Seeds)
		if one.Cannot {
			runs[one.Design] = "cannot"
		}
	}
	t := standing.standings("Designs, best first so far", func(one *Ranked) any { return runs[one.Design] }, "runs")
	for _, one := range s.Designs {
		if !slices.ContainsFunc(standing.Ranking, func(r Ranked) bool { return r.Design == one.Design }) {
			t.Add(one.Design, "", nil, nil, nil, runs[one.Design])
		}
	}
	return t
}
