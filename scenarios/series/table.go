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

// sweptRun is a run of a sweep in JSON: its values, its folder, its exit code and its summary.
type sweptRun struct {
	Set     map[string]string `json:"set"`
	Folder  string            `json:"folder"`
	Exit    int               `json:"exit_code"`
	Summary *results.Summary  `json:"summary"`
}

// Document reports the runs of a sweep, a row for each. Its Data is the list of them.
func (s *Swept) Document() *document.Document {
	list := []sweptRun{}
	for _, t := range s.Made {
		set := map[string]string{}
		for _, o := range t.Set {
			set[o.Path] = o.Value
		}
		list = append(list, sweptRun{set, t.Folder, t.Exit, t.Record.Summary})
	}
	d := &document.Document{Title: "Sweep", Answer: s.answer(), Data: list}
	if len(s.Made) < s.Asked {
		d.Warnings = []string{fmt.Sprintf("%d of %d runs made", len(s.Made), s.Asked)}
	}
	if len(s.Made) == 0 {
		return d
	}
	d.Title += " of " + s.Made[0].Record.Manifest.Scenario.Name
	t := s.table()
	d.Add("runs", "Runs", t)
	t.Notes = nil
	d.Screen = []document.Block{t}
	return d
}

// answer returns in how many runs the checks have the result of the exit code: the one with the
// highest precedence.
func (s *Swept) answer() document.Answer {
	all := document.Counted(len(s.Made), "run")
	for _, one := range []struct {
		code         int
		state, claim string
	}{
		{codeInvalid, document.CannotTell, "INVALID"}, {codeExpectation, document.DoesNotHold, "DOES NOT HOLD"},
		{codeUntold, document.CannotTell, "CANNOT TELL"}, {codeOk, document.Holds, "HOLDS"},
	} {
		n := 0
		for i := range s.Made {
			if t := &s.Made[i]; t.Exit == one.code && (one.code != codeOk || len(t.Record.Summary.Checks) > 0) {
				n++
			}
		}
		if n > 0 {
			a := document.Answer{State: one.state, Number: document.Count(int64(n)), Unit: "of " + all}
			a.Claim = one.claim + " in " + a.Number + " " + a.Unit
			return a
		}
	}
	return document.Answer{Claim: all + " made"}
}

// table has a row for each reported phase of each run. The first row of a run has its checks.
func (s *Swept) table() document.Table {
	several := slices.ContainsFunc(s.Made, func(t Tried) bool { return len(figure.Shown(t.Record)) > 1 })
	var columns []string
	for _, title := range headings(s.Made[0].Set) {
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
		one, phases := &s.Made[i], []string{""}
		if steps := figure.Shown(one.Record); several && len(steps) > 0 {
			phases = nil
			for _, step := range steps {
				phases = append(phases, step.Phase.Name)
			}
		}
		figures := figure.Of(one.Record)
		for at, phase := range phases {
			t.Add(one.row(several, phase, at == 0, figures)...)
		}
	}
	t.Notes = []string{"offered, served: entities/s in each phase's last half; hottest: a partition's busiest second; " +
		"requests/op: with retries and pages; checks: passed of conclusive ones; late: limited by the generator"}
	return t
}

// tone is that of the exit code of a run, plain without checks.
func (t *Tried) tone() document.Tone {
	switch {
	case t.Exit == codeExpectation:
		return document.Bad
	case t.Exit != codeOk:
		return document.Doubtful
	default:
		return document.Good.If(len(t.Record.Summary.Checks) > 0)
	}
}

// headings returns short titles of the swept paths, or the path if two have the same title.
func headings(set []scenarios.Setting) []string {
	count := map[string]int{}
	for _, s := range set {
		count[heading(s.Path)]++
	}
	var list []string
	for _, s := range set {
		title := heading(s.Path)
		if count[title] > 1 {
			title = s.Path
		}
		list = append(list, title)
	}
	return list
}

// kindParts are the parts of paths that name the kind of a value.
const kindParts = "phases traffic peak spread arrivals operations model with"

// heading returns a path without the parts that name kinds. A phase may have the name of a kind.
func heading(path string) string {
	parts := strings.Split(path, ".")
	last, inPhase := len(parts)-1, parts[0] == "phases"
	switch {
	case path == "use":
		return "design"
	case parts[last] == "constant":
		parts[last] = "arrivals/s"
	}
	var words []string
	for i, part := range parts {
		isPhase := inPhase && i == 1
		isKind := slices.Contains(strings.Fields(kindParts), part) || inPhase && part == parts[1]
		if i == last || isPhase || !isKind {
			words = append(words, part)
		}
	}
	return strings.Join(words, " ")
}

// row returns the row of a phase, or of the whole run if phase is empty.
func (t *Tried) row(several bool, phase string, first bool, figures *figure.Figures) []any {
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
	validity := summary.Validity
	if slices.ContainsFunc(summary.Phases, func(p results.PhaseSummary) bool { return p.ClientLimited }) {
		validity += ", late"
	}
	var hottest *float64
	if phase != "" {
		hottest = figures.Take(figure.Reference{Name: "offered", Part: figure.Hottest, Phase: phase}).Pointer()
	} else if summary.Hottest != nil {
		hottest = &summary.Hottest.EntitiesPerSecond
	}
	row = append(row, validity, own("offered"), own("served"), in(figure.Share, "throttled"), in(figure.Share, "share_lost"), own("tries"),
		own("p50"), own("p99"), hottest)
	if !first {
		return append(row, "")
	}
	return append(row, t.tone(), checksOf(summary))
}

// checksOf returns how many checks passed of those with a result.
func checksOf(summary *results.Summary) string {
	held, judged := results.HeldOf(summary.Checks)
	switch {
	case len(summary.Checks) == 0:
		return document.Untold
	case judged == 0:
		return results.CannotTell
	default:
		return fmt.Sprintf("%d of %d", held, judged)
	}
}
