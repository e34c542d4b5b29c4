package verdict

import (
	"slices"

	"loadgen/results"
	"loadgen/results/figure"
)

// Promised is what became of the checks that an anti-pattern promises to fail.
type Promised struct {
	// Kept are those that fail, Broken those that hold all the same, Untold those that could
	// not be judged or are not there. Each is as the summary has it.
	Kept, Broken, Untold []string
	// any says that one of them is to fail, whichever.
	any bool
}

// Promise returns what became of what the anti-pattern of a judged record promises to fail:
// the checks that its example names, or any of them where it names none.
func Promise(record *results.Record, summary *results.Summary) Promised {
	var names []string
	if of := record.Manifest.Example; of != nil {
		names = of.Fails
	}
	p := Promised{any: len(names) == 0}
	if p.any {
		for i := range summary.Checks {
			p.enter(summary.Checks[i].Expr, summary.Checks[i:])
		}
	}
	for _, name := range names {
		if claim, err := figure.ParseClaim(name); err == nil {
			name = claim.String()
		}
		p.enter(name, summary.Checks)
	}
	return p
}

func (p *Promised) enter(name string, checks []results.Check) {
	at := slices.IndexFunc(checks, func(c results.Check) bool { return c.Expr == name })
	switch {
	case at < 0 || !checks[at].Told():
		p.Untold = append(p.Untold, name)
	case checks[at].Fails():
		p.Kept = append(p.Kept, name)
	default:
		p.Broken = append(p.Broken, name)
	}
}

// Fails reports whether the promise is broken.
func (p Promised) Fails() bool {
	if p.any {
		return len(p.Kept) == 0 && len(p.Untold) == 0
	}
	return len(p.Broken) > 0
}

// Told reports whether it can be told that the promise is kept, or broken.
func (p Promised) Told() bool {
	return p.Fails() || len(p.Untold) == 0 || p.any && len(p.Kept) > 0
}
