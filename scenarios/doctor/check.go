package doctor

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"loadgen/results"
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
	examine func(ctx context.Context) Finding
}

// Finding is what a check came to.
type Finding struct {
	Name string `json:"name"`
	// Verdict is one of [Pass], [Warn], [Fail], [CannotTell] and [NotTried].
	Verdict string `json:"verdict"`
	// Measured is held against Bound, both in words; both are empty where nothing
	// was tried.
	Measured string `json:"measured"`
	Bound    string `json:"bound"`
	// Note says what to do about a failure, or what follows from a pass.
	Note string `json:"note"`

	// offers is how many attempts a second the machine can honestly send, 0 where the check
	// is of something else.
	offers int64
}

// The verdicts of a check.
const (
	Pass = "pass"
	// Warn is what a run can do with, and is better mended.
	Warn       = "warn"
	Fail       = "fail"
	CannotTell = "cannot tell"
	NotTried   = "not tried"
)

// findingFor returns the finding that something was measured and holds, or does not.
func findingFor(holds bool, measured, bound, note string) Finding {
	verdict := Fail
	if holds {
		verdict = Pass
	}
	return Finding{Verdict: verdict, Measured: measured, Bound: bound, Note: note}
}

// warning returns the finding that something was measured which is worth mending.
func warning(measured, bound, note string) Finding {
	return Finding{Verdict: Warn, Measured: measured, Bound: bound, Note: note}
}

// unknown returns the finding that something cannot be told, and why.
func unknown(why, bound string) Finding {
	return Finding{Verdict: CannotTell, Measured: why, Bound: bound}
}

// measured makes a measurement a check's examination: what its figures say, or why there
// are none.
func measured[F interface{ finding() Finding }](measure func(context.Context) (F, error)) func(context.Context) Finding {
	return func(ctx context.Context) Finding {
		figures, err := measure(ctx)
		if err != nil {
			return Finding{Verdict: Fail, Measured: results.OneLine(err), Bound: "a measurement"}
		}
		return figures.finding()
	}
}

// Diagnosis is what all checks came to.
type Diagnosis struct {
	// Checks are in the order in which they were made.
	Checks []Finding `json:"checks"`
	// Passed, Failed and Warned count them; the others could not tell or were not tried.
	Passed int `json:"passed"`
	Failed int `json:"failed"`
	Warned int `json:"-"`
	// Unavailable says that the service that was visited lets nobody in, or is not there.
	Unavailable bool `json:"-"`
	// Verdict is the one sentence that sums it up.
	Verdict string `json:"verdict"`
}

// diagnose makes the checks one after another and says on progress what takes
// its time. Where the context is done, what is left is not tried.
func diagnose(ctx context.Context, checks []check, progress io.Writer) *Diagnosis {
	d := &Diagnosis{Checks: []Finding{}}
	for _, one := range checks {
		passed := d.passed()
		missing := slices.IndexFunc(one.needs, func(name string) bool { return !slices.Contains(passed, name) })
		var found Finding
		switch {
		case missing >= 0:
			found = Finding{Verdict: NotTried, Note: "it needs " + one.needs[missing] + ", which did not pass"}
		case ctx.Err() == nil:
			if one.lasts != "" {
				fmt.Fprintf(progress, "%s: %s\n", one.name, one.lasts)
			}
			found = one.examine(ctx)
		}
		if ctx.Err() != nil {
			found = Finding{Verdict: NotTried, Note: "interrupted"}
		}
		found.Name = one.name
		if found.Verdict == Fail {
			fmt.Fprintf(progress, "%s failed: %s\n", one.name, found.whole())
		}
		d.Checks = append(d.Checks, found)
	}
	d.Passed, d.Warned, d.Failed = len(d.names(Pass)), len(d.names(Warn)), len(d.names(Fail))
	d.Verdict = d.sentence()
	return d
}

// passed returns the checks upon which others can rest.
func (d *Diagnosis) passed() []string { return append(d.names(Pass), d.names(Warn)...) }

// names returns the checks that came to a verdict, in their order.
func (d *Diagnosis) names(verdict string) []string {
	var names []string
	for _, one := range d.Checks {
		if one.Verdict == verdict {
			names = append(names, one.Name)
		}
	}
	return names
}

// sentence sums up what the checks came to.
func (d *Diagnosis) sentence() string {
	all := len(d.Checks)
	failed, warned, untold, untried := d.names(Fail), d.names(Warn), d.names(CannotTell), d.names(NotTried)
	var text strings.Builder
	switch {
	case len(failed) > 0:
		fmt.Fprintf(&text, "%d of %d checks failed: %s", len(failed), all, strings.Join(failed, ", "))
	case d.Passed == all:
		fmt.Fprintf(&text, "all %d checks passed", all)
	default:
		fmt.Fprintf(&text, "%d of %d checks passed, none failed", d.Passed, all)
	}
	if len(warned) > 0 {
		fmt.Fprintf(&text, "; warned: %s", strings.Join(warned, ", "))
	}
	if len(untold) > 0 {
		fmt.Fprintf(&text, "; cannot tell: %s", strings.Join(untold, ", "))
	}
	if len(untried) > 0 {
		fmt.Fprintf(&text, "; not tried: %s", strings.Join(untried, ", "))
	}
	return text.String()
}

// withoutContext makes what needs no context a check's examination.
func withoutContext(look func() Finding) func(context.Context) Finding {
	return func(context.Context) Finding { return look() }
}
