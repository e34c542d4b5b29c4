package main

import (
	"time"
)

// pruning says which runs are to go.
type pruning struct {
	now time.Time
	// olderThan is 0, and keepLast below 0, where that is not asked for.
	olderThan time.Duration
	keepLast  int
	// scenario is empty for all.
	scenario string
}

// prunePlan is what is to become of the runs of a shelf.
type prunePlan struct {
	// goes are the runs that go, the newest first.
	goes []*shelfRun
	kept map[keptWhy]int
}

// keptWhy is why a run stays.
type keptWhy uint8

const (
	keptTagged keptWhy = iota
	keptUnderWay
	keptUnreadable
	keptOther
	keptNew
	whyLast
)

// String says why, behind a number of runs.
func (w keptWhy) String() string {
	return [...]string{"with tags", "being written", "that cannot be read", "of other scenarios", "new enough"}[w]
}

// stillWritten is how long after its last write a run without an end is taken to be under
// way: one that runs writes each second.
const stillWritten = time.Hour

// plan decides about every run. It is pure: what there is was read before.
func (p pruning) plan(s *shelf) prunePlan {
	plan := prunePlan{kept: make(map[keptWhy]int)}
	passed := make(map[string]int)
	for i := range s.runs {
		k := &s.runs[i]
		if why, stays := p.protects(k); stays {
			plan.kept[why]++
			continue
		}
		passed[k.scenario()]++
		if p.keepLast >= 0 && passed[k.scenario()] <= p.keepLast || p.olderThan > 0 && p.now.Sub(k.begun) <= p.olderThan {
			plan.kept[keptNew]++
			continue
		}
		plan.goes = append(plan.goes, k)
	}
	return plan
}

// protects returns why a run stays however old it is, and false where nothing says so.
func (p pruning) protects(k *shelfRun) (keptWhy, bool) {
	switch {
	case k.head == nil:
		return keptUnreadable, true
	case len(k.tags) > 0 || k.tagFault != nil:
		return keptTagged, true
	case k.head.Summary == nil && p.now.Sub(k.written) < stillWritten:
		return keptUnderWay, true
	case p.scenario != "" && k.scenario() != p.scenario:
		return keptOther, true
	}
	return 0, false
}
