package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// check is one thing that a doctor looks at.
type check struct {
	name string
	// lasts says what takes its time, empty for what is over at once.
	lasts string
	// needs names the checks without whose pass this one means nothing.
	needs []string
	// examine makes the check. What it returns of a context that is done is not
	// told.
	examine func(ctx context.Context) finding
}

// finding is what a check came to.
type finding struct {
	Name string `json:"name"`
	// Verdict is one of the four below.
	Verdict string `json:"verdict"`
	// Measured is held against Bound, both in words; both are empty where nothing
	// was tried.
	Measured string `json:"measured"`
	Bound    string `json:"bound"`
	// Note says what to do about a failure, or what follows from a pass.
	Note string `json:"note"`
}

// The verdicts of a check.
const (
	checkPasses   = "pass"
	checkFails    = "fail"
	checkUnknown  = "cannot tell"
	checkNotTried = "not tried"
)

// held returns the finding that something was measured and holds, or does not.
func held(holds bool, measured, bound, note string) finding {
	verdict := checkFails
	if holds {
		verdict = checkPasses
	}
	return finding{Verdict: verdict, Measured: measured, Bound: bound, Note: note}
}

// unknown returns the finding that something cannot be told, and why.
func unknown(why, bound string) finding {
	return finding{Verdict: checkUnknown, Measured: why, Bound: bound}
}

// told returns what figures say, or why there are none.
func told(err error, say func() finding) finding {
	if err != nil {
		return finding{Verdict: checkFails, Measured: oneLine(err), Bound: "a measurement"}
	}
	return say()
}

// diagnosis is what all checks came to.
type diagnosis struct {
	Checks []finding `json:"checks"`
	Passed int       `json:"passed"`
	Failed int       `json:"failed"`
	// Verdict is the one sentence that sums it up.
	Verdict string `json:"verdict"`
}

// diagnose makes the checks one after another and says on progress what takes
// its time. Where the context is done, what is left is not tried.
func diagnose(ctx context.Context, checks []check, progress io.Writer) *diagnosis {
	d := &diagnosis{Checks: []finding{}}
	for _, one := range checks {
		found := d.make(ctx, one, progress)
		if ctx.Err() != nil {
			found = finding{Verdict: checkNotTried, Note: "interrupted"}
		}
		found.Name = one.name
		d.Checks = append(d.Checks, found)
	}
	d.Passed, d.Failed = len(d.names(checkPasses)), len(d.names(checkFails))
	d.Verdict = d.sentence()
	return d
}

// make makes one check, if those that it needs have passed.
func (d *diagnosis) make(ctx context.Context, one check, progress io.Writer) finding {
	passed := d.names(checkPasses)
	for _, name := range one.needs {
		if !slices.Contains(passed, name) {
			return finding{Verdict: checkNotTried, Note: "it needs " + name + ", which did not pass"}
		}
	}
	if ctx.Err() != nil {
		return finding{}
	}
	if one.lasts != "" {
		fmt.Fprintf(progress, "%s: %s\n", one.name, one.lasts)
	}
	return one.examine(ctx)
}

// names returns the checks that came to a verdict, in their order.
func (d *diagnosis) names(verdict string) []string {
	var names []string
	for _, one := range d.Checks {
		if one.Verdict == verdict {
			names = append(names, one.Name)
		}
	}
	return names
}

// sentence sums up what the checks came to.
func (d *diagnosis) sentence() string {
	all := len(d.Checks)
	failed, untold, untried := d.names(checkFails), d.names(checkUnknown), d.names(checkNotTried)
	var text strings.Builder
	switch {
	case len(failed) > 0:
		fmt.Fprintf(&text, "%d of %d checks failed: %s", len(failed), all, strings.Join(failed, ", "))
	case d.Passed == all:
		fmt.Fprintf(&text, "all %d checks passed", all)
	default:
		fmt.Fprintf(&text, "%d of %d checks passed, none failed", d.Passed, all)
	}
	if len(untold) > 0 {
		fmt.Fprintf(&text, "; cannot tell: %s", strings.Join(untold, ", "))
	}
	if len(untried) > 0 {
		fmt.Fprintf(&text, "; not tried: %s", strings.Join(untried, ", "))
	}
	return text.String()
}

// judge turns a failed check into the exit code.
func (d *diagnosis) judge() error {
	if d.Failed > 0 {
		return verdictError{codeExpectation}
	}
	return nil
}

// at makes what needs no context a check's examination.
func at(look func() finding) func(context.Context) finding {
	return func(context.Context) finding { return look() }
}
