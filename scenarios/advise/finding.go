package advise

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"loadgen/backoff"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/scenarios"
)

// Verdict is the result of a finding.
type Verdict string

// The verdicts, from good to bad, then those without a result.
const (
	Good          Verdict = "ok"
	Note          Verdict = "note"
	Warning       Verdict = "warning"
	Error         Verdict = "error"
	NotApplicable Verdict = "does not apply"
	CannotTell    Verdict = "cannot tell"
)

// Finding is the result of one point of the documents' performance checklist.
type Finding struct {
	// ID is a short name of the point.
	ID      string  `json:"id"`
	Verdict Verdict `json:"verdict"`
	// Evidence is what was found, in figures. Change is what to do about it, empty for nothing.
	Evidence string `json:"evidence"`
	Change   string `json:"change,omitempty"`
}

// subject is the design in use, as the checklist judges it.
type subject struct {
	*scenarios.Scenario
	targets Targets
	design  *Design
	// others are all designs, including the one in use.
	others []Design
	policy backoff.Policy
	// hottest and busiest are the loads with the hottest partition and the busiest account, nil without
	// a load.
	hottest, busiest *Load
}

// findings judges a scenario by the checklist.
func findings(s *scenarios.Scenario, e *Explanation) ([]Finding, error) {
	policy, err := backoff.ByName(s.Retry)
	if err != nil {
		return nil, fmt.Errorf("retry: %w", err)
	}
	of := &subject{Scenario: s, targets: e.Targets, design: e.Used(), others: e.Designs, policy: policy}
	of.hottest, of.busiest = of.design.peaks()
	list := of.figures().judge(checklist())
	for i := range list {
		if one := &list[i]; e.State == results.Holds && one.Verdict == Error && one.ID != "capacity" && one.ID != "bandwidth" {
			// The model sustains the load all the same. It fills neither accounts nor lines.
			one.Verdict = Warning
		}
	}
	return list, nil
}

// figures returns what the rules judge.
func (s *subject) figures() figures {
	f := figures{}
	s.placement(f)
	s.insertOrder(f)
	s.padding(f)
	s.reads(f)
	s.writes(f)
	s.entities(f)
	s.retries(f)
	s.client(f)
	s.capacity(f)
	return f
}

// mostBy returns the load with the greatest measure, the first of equal ones; nil without a load.
func (d *Design) mostBy(measure func(*Load) float64) (most *Load) {
	for i := range d.Loads {
		if l := &d.Loads[i]; most == nil || measure(l) > measure(most) {
			most = l
		}
	}
	return most
}

// peaks returns the loads with the hottest partition and with the busiest account, nil without a load.
func (d *Design) peaks() (hottest, busiest *Load) {
	return d.mostBy(func(l *Load) float64 { return l.Hottest.Value }), d.mostBy(func(l *Load) float64 { return l.Account.Value })
}

// operations yields each kind of operation that occurs, with its load.
func (d *Design) operations(yield func(*Load, *Operation) bool) {
	for i := range d.Loads {
		for j := range d.Loads[i].Approaches {
			if one := &d.Loads[i].Approaches[j]; one.Share > 0 && !yield(&d.Loads[i], one) {
				return
			}
		}
	}
}

// worst returns the operation with the greatest measure above 0, nil for none.
func (d *Design) worst(measure func(*Load, *Operation) float64) (load *Load, op *Operation, most float64) {
	for l, one := range d.operations {
		if m := measure(l, one); m > most {
			load, op, most = l, one, m
		}
	}
	return load, op, most
}

// rankOf measures an operation by the class of what it reads.
func rankOf(_ *Load, one *Operation) float64 { return float64(one.rank) }

// counts returns how many entities an operation counts a second at the load's peak.
func (l *Load) counts(one *Operation) float64 { return l.PerSecond * one.Share * one.Entities }

// requests returns how many requests a load sends a second at its peak.
func (l *Load) requests() float64 {
	sum := 0.0
	for i := range l.Approaches {
		sum += l.PerSecond * l.Approaches[i].Share * l.Approaches[i].Requests
	}
	return sum
}

// atOnce returns how many entities a second are inserted at the hottest place at any moment.
func (l *Load) atOnce() float64 { return l.Inserts * l.Keys.AtOnce }

// onTail returns how many entities a second the place with most inserts takes, 0 if inserts are spread.
func (l *Load) onTail() float64 { return l.Inserts * l.Keys.order.Place() }

// placeRate returns the highest rate of inserts at one place, of entities per second.
func (l *Load) placeRate() float64 { return cmp.Or(l.onTail(), l.atOnce()) }

// ofTarget returns a rate as a part of a target.
func (r Rate) ofTarget(target int64) document.Ratio {
	return document.Ratio{Part: r.Value, Whole: float64(target)}
}

// share returns a value as a part of a limit, 0 without a limit.
func share(value float64, limit int64) float64 {
	if limit == 0 {
		return 0
	}
	return value / float64(limit)
}

// seconds returns a duration of n seconds, or the maximum.
func seconds(n float64) time.Duration { return time.Duration(math.Min(n*1e9, math.MaxInt64/2)) }
