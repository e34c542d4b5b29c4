package verdict

import (
	"slices"

	"loadgen/report/document"
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

// Result reports whether a judged record had a question, and whether what was asked holds, nil if that is unknown. An
// anti-pattern is asked whether the checks fail that it must fail. Marks and exit codes follow from it.
func Result(record *results.Record, summary *results.Summary) (asked bool, ok *bool) {
	if record.Manifest.AntiPattern == "" || len(summary.Checks) == 0 || summary.Validity == results.Invalid {
		_, ok = State(summary)
		return len(askedOf(summary)) > 0, ok
	}
	switch promise := Promise(record, summary); {
	case !summary.Audit.IsComplete() || promise.Fails():
		return true, new(false)
	case !promise.IsJudged():
		return true, nil
	default:
		return true, new(true)
	}
}

// Mark returns the mark of a judged record. One that does what an anti-pattern must do is neither good nor bad.
func Mark(record *results.Record, summary *results.Summary) document.Tone {
	state, _ := State(summary)
	asked, ok := Result(record, summary)
	if asked && ok != nil && *ok && record.Manifest.AntiPattern != "" {
		return document.Neutral
	}
	return *document.MarkOf(state, asked, ok)
}

// IsAllowed reports whether the load is not sustained although all checks pass, and IsPromised whether an anti-pattern
// fails the checks that it must fail: the exit code is 0 in both cases.
func (e *evidence) IsAllowed() bool {
	count := e.CheckCount()
	return e.Manifest.AntiPattern == "" && document.ToneOf(e.State) == document.Bad && count.All > 0 && count.Hold == count.All
}

// IsPromised is described with IsAllowed.
func (e *evidence) IsPromised() bool {
	_, ok := Result(e.Record, e.Summary)
	return e.Manifest.AntiPattern != "" && e.CheckCount().Fail > 0 && ok != nil && *ok
}
