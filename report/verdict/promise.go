package verdict

import (
	"slices"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// promise has the checks that an anti-pattern must fail, by their results: those that fail, those that hold, and those
// that could not be judged or do not exist. Each is as in the summary.
type promise struct {
	kept, Broken, unknown []string
	// NeedsAny reports that one of them must fail, no matter which.
	NeedsAny bool
}

// promiseOf returns the results of the checks that the anti-pattern of a judged record must fail: those that its example
// names, or any if it names none.
func promiseOf(record *results.Record, summary *results.Summary) (p promise) {
	var names []string
	if of := record.Manifest.Example; of != nil {
		names = of.Fails
	}
	add := func(name string, check results.Check) {
		switch {
		case !check.IsJudged():
			p.unknown = append(p.unknown, name)
		case check.Fails():
			p.kept = append(p.kept, name)
		default:
			p.Broken = append(p.Broken, name)
		}
	}
	if p.NeedsAny = len(names) == 0; p.NeedsAny {
		for _, check := range summary.Checks {
			add(check.Expr, check)
		}
	}
	for _, name := range names {
		if claim, err := figure.ParseClaim(name); err == nil {
			name = claim.String()
		}
		check := results.Check{} // one that does not exist is unknown
		if at := slices.IndexFunc(summary.Checks, func(c results.Check) bool { return c.Expr == name }); at >= 0 {
			check = summary.Checks[at]
		}
		add(name, check)
	}
	return p
}

// isKept reports whether the checks fail that must fail, nil if that is unknown.
func (p promise) isKept() *bool {
	isKept, isBroken := len(p.unknown) == 0, len(p.Broken) > 0
	if p.NeedsAny {
		isKept, isBroken = len(p.kept) > 0, len(p.kept) == 0 && len(p.unknown) == 0
	}
	if !isKept && !isBroken {
		return nil
	}
	return new(!isBroken)
}

// Result reports whether a judged record had a question, and whether what was asked holds, nil if that is unknown. An
// anti-pattern is asked whether the checks fail that it must fail. Marks and exit codes follow from it.
func Result(record *results.Record, summary *results.Summary) (asked bool, ok *bool) {
	switch {
	case record.Manifest.AntiPattern == "" || len(summary.Checks) == 0 || summary.Validity == results.Invalid:
		_, ok = State(summary)
		return len(askedOf(summary)) > 0, ok
	case !summary.Audit.IsComplete():
		return true, new(false)
	default:
		return true, promiseOf(record, summary).isKept()
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
