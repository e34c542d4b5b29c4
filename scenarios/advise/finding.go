package advise

import (
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

// point is one point of the checklist.
type point struct {
	id    string
	judge func(*subject) Finding
}

// checklist returns the points in the order of the report.
func checklist() []point {
	return []point{
		{"partition-target", (*subject).partitionTarget},
		{"account-target", (*subject).accountTarget},
		{"insert-order", (*subject).insertOrder},
		{"skew", (*subject).skew},
		{"padding", (*subject).padding},
		{"sharding", (*subject).sharding},
		{"cold-start", (*subject).coldStart},
		{"burst", (*subject).burst},
		{"point-queries", (*subject).pointQueries},
		{"scans", (*subject).scans},
		{"density", (*subject).density},
		{"projection", (*subject).projection},
		{"denormalization", (*subject).denormalization},
		{"scan-to-write", (*subject).scanToWrite},
		{"batches", (*subject).batches},
		{"upserts", (*subject).upserts},
		{"entity-size", (*subject).entitySize},
		{"series", (*subject).series},
		{"logs", (*subject).logs},
		{"retries", (*subject).retries},
		{"not-retryable", (*subject).notRetryable},
		{"client-library", (*subject).clientLibrary},
		{"parallelism", (*subject).parallelism},
		{"account-bytes", (*subject).accountBytes},
		{"capacity", (*subject).capacity},
		{"bandwidth", (*subject).bandwidth},
		{"wire", (*subject).wire},
		{"location", (*subject).location},
		{"direct-access", (*subject).directAccess},
	}
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
	var list []Finding
	for _, one := range checklist() {
		f := one.judge(of)
		f.ID = one.id
		if e.State == results.Holds && f.Verdict == Error && f.ID != "capacity" && f.ID != "bandwidth" {
			// The model sustains the load all the same. It fills neither accounts nor lines.
			f.Verdict = Warning
		}
		list = append(list, f)
	}
	return list, nil
}

// peaks returns the loads with the hottest partition and with the busiest account, nil without a load.
func (d *Design) peaks() (hottest, busiest *Load) {
	for i := range d.Loads {
		l := &d.Loads[i]
		if hottest == nil || l.Hottest.Value > hottest.Hottest.Value {
			hottest = l
		}
		if busiest == nil || l.Account.Value > busiest.Account.Value {
			busiest = l
		}
	}
	return hottest, busiest
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

// The shares of a target from which it is near, and from which inserts on one place endanger it.
const (
	near       = 0.8
	endangered = 0.5
)

// grade returns the verdict for a part of a limit, which surely is at least a second part.
func grade(part, surely float64) Verdict {
	switch {
	case surely > 1:
		return Error
	case part >= near:
		return Warning
	default:
		return Good
	}
}

// against returns the verdict of a rate for a target, 0 for none.
func (r Rate) against(target int64) Verdict {
	if target == 0 {
		return NotApplicable
	}
	return grade(share(r.Value, target), share(r.Least, target))
}

// text returns a rate with its bounds, if they differ.
func (r Rate) text() string {
	switch {
	case r.Most-r.Least < 0.01*r.Value:
		return document.Rate(r.Value)
	case r.Value == 0:
		return document.Fill("at most {1}", r.Most)
	}
	return document.Fill("{1} ({2} to {3})", r.Value, r.Least, r.Most)
}

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
