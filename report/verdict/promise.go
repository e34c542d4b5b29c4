package verdict

import (
	"slices"

	"loadgen/results"
	"loadgen/results/figure"
)

// Promised are the checks that an anti-pattern must fail, by their results.
type Promised struct {
	// Kept fail, Broken hold, Untold could not be judged or do not exist. Each is as in the summary.
	Kept, Broken, Untold []string
	// any reports that one of them must fail, no matter which.
	any bool
}

// Promise returns the results of the checks that the anti-pattern of a judged record must fail: those that its example
// names, or any if it names none.
func Promise(record *results.Record, summary *results.Summary) Promised {
	var names []string
	if of := record.Manifest.Example; of != nil {
		names = of.Fails
	}
	p := Promised{any: len(names) == 0}
	for i := range summary.Checks {
		if p.any {
			p.add(summary.Checks[i].Expr, summary.Checks[i:])
		}
	}
	for _, name := range names {
		if claim, err := figure.ParseClaim(name); err == nil {
			name = claim.String()
		}
		p.add(name, summary.Checks)
	}
	return p
}

// NeedsAny reports whether one of them must fail, no matter which.
func (p Promised) NeedsAny() bool { return p.any }

func (p *Promised) add(name string, checks []results.Check) {
	at := slices.IndexFunc(checks, func(c results.Check) bool { return c.Expr == name })
	switch {
	case at < 0 || !checks[at].IsJudged():
		p.Untold = append(p.Untold, name)
	case checks[at].Fails():
		p.Kept = append(p.Kept, name)
	default:
		p.Broken = append(p.Broken, name)
	}
}

// Fails reports whether a check that must fail holds.
func (p Promised) Fails() bool {
	if p.any {
		return len(p.Kept) == 0 && len(p.Untold) == 0
	}
	return len(p.Broken) > 0
}

// IsJudged reports whether the promise was judged.
func (p Promised) IsJudged() bool {
	return p.Fails() || len(p.Untold) == 0 || p.any && len(p.Kept) > 0
}
