package advise

import (
	"fmt"

	"loadgen/backoff"
	"loadgen/results"
	"loadgen/scenarios"
)

// Verdict is what a finding comes to.
type Verdict string

// The verdicts, from good to bad; the last two are none.
const (
	Good          Verdict = "ok"
	Note          Verdict = "note"
	Warning       Verdict = "warning"
	Error         Verdict = "error"
	NotApplicable Verdict = "does not apply"
	CannotTell    Verdict = "cannot tell"
)

// Finding is one point of the documents' performance checklist.
type Finding struct {
	// ID is a short word for it.
	ID      string  `json:"id"`
	Verdict Verdict `json:"verdict"`
	// Evidence is what was found, in numbers, Change what to do about it; empty where
	// there is nothing to do.
	Evidence string `json:"evidence"`
	Change   string `json:"change,omitempty"`
}

// point is one of the checklist: how it is called, and what finds out about it.
type point struct {
	id    string
	judge func(*subject) Finding
}

// checklist returns the points, in the order in which they are told.
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

// subject is what the checklist is held to: the design in use.
type subject struct {
	*scenarios.Scenario
	targets Targets
	design  *Design
	// others are all designs, the one in use among them.
	others []Design
	cost   Cost
	policy backoff.Policy
	// hottest and busiest are the loads that a partition, and the account, have most
	// of; nil where no phase offers load.
	hottest, busiest *Load
}

// findings holds a scenario to the checklist.
func findings(s *scenarios.Scenario, e *Explanation) ([]Finding, error) {
	policy, err := backoff.ByName(s.Retry)
	if err != nil {
		return nil, fmt.Errorf("retry: %w", err)
	}
	of := &subject{Scenario: s, targets: e.Targets, design: e.Used(), others: e.Designs, cost: e.Cost, policy: policy}
	of.hottest, of.busiest = of.design.peaks()
	var list []Finding
	for _, one := range checklist() {
		f := one.judge(of)
		f.ID = one.id
		if e.State == results.Holds && f.Verdict == Error && f.ID != "capacity" && f.ID != "bandwidth" {
			// What the model bears all the same is no error, but that it fills no account and no line.
			f.Verdict = Warning
		}
		list = append(list, f)
	}
	return list, nil
}

// peaks returns the loads that the hottest partition, and the busiest account, have
// most of; nil where there is none.
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

// found is a finding that asks for nothing.
func found(v Verdict, format string, args ...any) Finding {
	return Finding{Verdict: v, Evidence: fmt.Sprintf(format, args...)}
}

// but is a finding that asks for a change.
func (f Finding) but(change string) Finding {
	f.Change = change
	return f
}

// idle is the finding where no phase offers load.
func idle() Finding { return found(NotApplicable, "No phase offers load.") }

// every calls with each kind of operation that occurs, and the load it belongs to.
func (d *Design) every(call func(*Load, *Operation)) {
	for i := range d.Loads {
		for j := range d.Loads[i].Approaches {
			if one := &d.Loads[i].Approaches[j]; one.Share > 0 {
				call(&d.Loads[i], one)
			}
		}
	}
}

// worst returns the operation of which a measure is greatest, nil where it is above 0
// of none.
func (d *Design) worst(of func(*Load, *Operation) float64) (load *Load, op *Operation, most float64) {
	d.every(func(l *Load, one *Operation) {
		if m := of(l, one); m > most {
			load, op, most = l, one, m
		}
	})
	return load, op, most
}

// counts returns how many entities an operation counts a second at the load's peak.
func (l *Load) counts(one *Operation) float64 { return l.PerSecond * one.Share * one.Entities }
