package series

import (
	"fmt"
	"slices"
	"strings"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/scenarios"
)

// sweptRun is a run of a sweep in JSON: the values of it, its folder, its exit code and its
// summary.
type sweptRun struct {
	Set     map[string]string `json:"set"`
	Folder  string            `json:"folder"`
	Exit    int               `json:"exit_code"`
	Summary *results.Summary  `json:"summary"`
}

// Document says what came of the runs of a sweep: a row for each. Its Data is the list of
// them.
func (s *Swept) Document() *document.Document {
	list := []sweptRun{}
	for _, t := range s.Made {
		set := map[string]string{}
		for _, o := range t.Set {
			set[o.Path] = o.Value
		}
		list = append(list, sweptRun{set, t.Folder, t.Exit, t.Record.Summary})
	}
	// Of how many runs the checks hold, as the exit code says it: of several outcomes the gravest.
	a := document.Answer{Claim: document.Counted(len(s.Made), "run") + " made"}
	for _, one := range []struct {
		is           func(*Tried) bool
		state, claim string
	}{
		{func(t *Tried) bool { return t.Exit == codeInvalid }, document.CannotTell, "INVALID"},
		{func(t *Tried) bool { return t.Exit == codeExpectation }, document.DoesNotHold, "DOES NOT HOLD"},
		{func(t *Tried) bool { return t.Exit == codeUntold }, document.CannotTell, "CANNOT TELL"},
		{func(t *Tried) bool { return len(t.Record.Summary.Checks) > 0 }, document.Holds, "HOLDS"},
	} {
		n := int64(0)
		for i := range s.Made {
			if one.is(&s.Made[i]) {
				n++
			}
		}
		if n > 0 {
			a = document.Answer{State: one.state, Number: document.Count(n), Unit: "of " + document.Counted(len(s.Made), "run")}
			a.Claim = one.claim + " in " + a.Number + " " + a.Unit
			break
		}
	}
	d := &document.Document{Title: "Sweep", Answer: a, Data: list}
	if len(s.Made) < s.Asked {
		d.Warnings = []string{fmt.Sprintf("%d of %d runs made", len(s.Made), s.Asked)}
	}
	if len(s.Made) == 0 {
		return d
	}
	d.Title += " of " + s.Made[0].Record.Manifest.Scenario.Name
	t := s.table()
	short := t
	short.Notes = nil
	d.Screen = []document.Block{short}
	d.Add("runs", "Runs", t)
	return d
}

// table has a row for each phase of each run that is reported, the first of a run with what
// became of all of it.
func (s *Swept) table() document.Table {
	set, several := s.Made[0].Set, slices.ContainsFunc(s.Made, func(t Tried) bool { return len(figure.Shown(t.Record)) > 1 })
	var columns []string
	for _, title := range headings(set) {
		columns = append(columns, title+"|words")
	}
	if several {
		columns = append(columns, "phase|named")
	}
	t := document.NewTable("runs", "Runs", append(columns, "validity|words|spare=4", "offered/s|rate|spare=2", "served/s|rate", "throttled|share|spare=1",
		"lost|share", "requests/op|rate", "p50|nanos|unit=ms|spare=3", "p99|nanos|unit=ms", "hottest/s|rate|spare=2", "checks")...)
	if several {
		t.Caption = "Phases of runs"
	}
	for i := range s.Made {
		one := &s.Made[i]
		figures, steps := figure.Of(one.Record), figure.Shown(one.Record)
		if !several || len(steps) == 0 {
			var hottest *float64
			if hot := one.Record.Summary.Hottest; hot != nil {
				hottest = &hot.EntitiesPerSecond
			}
			t.Add(one.row(several, "", hottest, true, figures)...)
			continue
		}
		for at, step := range steps {
			hottest := figures.Take(figure.Reference{Name: "offered", Part: figure.Hottest, Phase: step.Phase.Name}).Pointer()
			t.Add(one.row(several, step.Phase.Name, hottest, at == 0, figures)...)
		}
	}
	t.Notes = []string{"offered, served: entities/s in each phase's last half; hottest: a partition's busiest second; " +
		"requests/op: with retries and pages; checks: passed of conclusive ones; late: limited by the generator"}
	return t
}

// tone is what the exit code of a run amounts to, plain where nothing was asked of it.
func (t *Tried) tone() document.Tone {
	switch {
	case t.Exit == codeExpectation:
		return document.Bad
	case t.Exit != codeOk:
		return document.Doubtful
	case len(t.Record.Summary.Checks) > 0:
		return document.Good
	default:
		return document.Plain
	}
}

// headings returns what is swept in a few words: a path without what says of which kind
// a value is, whole where another one comes to the same.
func headings(set []scenarios.Setting) []string {
	said := map[string]int{}
	for _, s := range set {
		said[heading(s.Path)]++
	}
	var list []string
	for _, s := range set {
		if short := heading(s.Path); said[short] == 1 {
			list = append(list, short)
		} else {
			list = append(list, s.Path)
		}
	}
	return list
}

// unsaid are the parts of paths by which nobody tells two values apart.
const unsaid = "phases traffic peak spread arrivals operations model with"

func heading(path string) string {
	parts := strings.Split(path, ".")
	switch last := len(parts) - 1; {
	case path == "use":
		return "design"
	case parts[last] == "constant":
		parts[last] = "arrivals/s"
	}
	said := slices.DeleteFunc(slices.Clone(parts[:len(parts)-1]), func(part string) bool { return slices.Contains(strings.Fields(unsaid), part) })
	if parts[0] == "phases" && len(parts) > 2 {
		// The phase may be called like a kind.
		said = append([]string{parts[1]}, slices.DeleteFunc(said, func(part string) bool { return part == parts[1] })...)
	}
	return strings.Join(append(said, parts[len(parts)-1]), " ")
}

// row is that of a phase, of all of the run where it is empty; the first of a run has what
// the checks came to.
func (t *Tried) row(several bool, phase string, hottest *float64, first bool, figures *figure.Figures) []any {
	row := []any{t.tone()}
	for _, s := range t.Set {
		row = append(row, s.Value)
	}
	if several {
		row = append(row, phase)
	}
	in := func(unit figure.Unit, name string) *float64 {
		return figures.In(figure.Reference{Name: name, Phase: phase}, unit).Pointer()
	}
	own := func(name string) *float64 { return in(figure.Reference{Name: name}.Unit(), name) }
	summary := t.Record.Summary
	worth := summary.Validity
	if slices.ContainsFunc(summary.Phases, func(p results.PhaseSummary) bool { return p.ClientLimited }) {
		worth += ", late"
	}
	tone, checks := document.Plain, ""
	if first {
		tone = t.tone()
		held, judged := results.HeldOf(summary.Checks)
		switch {
		case len(summary.Checks) == 0:
			checks = document.Untold
		case judged == 0:
			checks = results.CannotTell
		default:
			checks = fmt.Sprintf("%d of %d", held, judged)
		}
	}
	return append(row, worth, own("offered"), own("served"), in(figure.Share, "throttled"), in(figure.Share, "share_lost"), own("tries"),
		own("p50"), own("p99"), hottest, tone, checks)
}
