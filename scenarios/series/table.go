package series

import (
	"fmt"
	"slices"
	"strings"
	"time"

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
	d := &document.Document{Title: "Sweep", Answer: s.answer(), Data: list}
	if len(s.Made) < s.Asked {
		d.Warnings = []string{fmt.Sprintf("%d of %d runs were made", len(s.Made), s.Asked)}
	}
	if len(s.Made) == 0 {
		return d
	}
	d.Title += " of " + s.Made[0].Record.Manifest.Scenario.Name
	set := s.Made[0].Set
	t := document.Table{ID: "runs", Caption: "A row for each run",
		Columns: document.Headed(len(set)+1, append(headings(set), "validity", "offered/s", "served/s", "throttled", "lost", "p50", "p99", "hottest/s", "expected")...)}
	own := t.Columns[len(set):]
	own[5].Unit, own[6].Unit = "ms", "ms"
	for i, spare := range []int{4, 2, 0, 1, 0, 3, 0, 2, 0} {
		own[i].Spare = spare
	}
	for i := range s.Made {
		t.Rows = append(t.Rows, s.Made[i].row())
	}
	d.Screen = []document.Block{t}
	t.Notes = []string{"offered and served: entities a second due in the last half of each phase; hottest: entities of the busiest second of a partition; " +
		"throttled: of the attempts; lost: of the operations due; p50 and p99: response times; " +
		"expected: how many checks hold, of those that could be judged; late: the generator was, so that rates and times may be its own"}
	d.Add("runs", "Runs", t)
	return d
}

// answer says of how many runs the checks hold, as the exit code does: of several outcomes
// the gravest.
func (s *Swept) answer() document.Answer {
	for _, one := range []struct {
		code         int
		state, claim string
	}{
		{codeInvalid, document.CannotTell, "INVALID"},
		{codeExpectation, document.DoesNotHold, "DOES NOT HOLD"},
		{codeUntold, document.CannotTell, "CANNOT TELL"},
	} {
		if n := len(s.with(func(t *Tried) bool { return t.Exit == one.code })); n > 0 {
			a := document.Answer{State: one.state, Number: document.Count(int64(n)), Unit: "of " + document.Counted(len(s.Made), "run")}
			a.Claim = one.claim + " in " + a.Number + " " + a.Unit
			return a
		}
	}
	if asked := len(s.with(func(t *Tried) bool { return len(t.Record.Summary.Checks) > 0 })); asked > 0 {
		a := document.Answer{State: document.Holds, Number: document.Count(int64(asked)), Unit: "of " + document.Counted(len(s.Made), "run")}
		a.Claim = "HOLDS in " + a.Number + " " + a.Unit
		return a
	}
	return document.Answer{Claim: document.Counted(len(s.Made), "run") + " made"}
}

// with are the runs of which something is so.
func (s *Swept) with(is func(*Tried) bool) (list []*Tried) {
	for i := range s.Made {
		if is(&s.Made[i]) {
			list = append(list, &s.Made[i])
		}
	}
	return list
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

// headings returns the paths that are swept, each by its last two parts where no
// other ends like it.
func headings(set []scenarios.Setting) []string {
	end := func(path string) string {
		parts := strings.Split(path, ".")
		return strings.Join(parts[max(0, len(parts)-2):], ".")
	}
	ends := map[string]int{}
	for _, s := range set {
		ends[end(s.Path)]++
	}
	var list []string
	for _, s := range set {
		if short := end(s.Path); ends[short] == 1 {
			list = append(list, short)
		} else {
			list = append(list, s.Path)
		}
	}
	return list
}

func (t *Tried) row() []document.Cell {
	var cells []string
	for _, s := range t.Set {
		cells = append(cells, s.Value)
	}
	summary, figures := t.Record.Summary, figure.Of(t.Record)
	rate := func(name string) string {
		if v := figures.Named(name); v.Told {
			return document.Rate(v.Value)
		}
		return document.Untold
	}
	share := func(name string) string {
		if v := figures.InKinds(name, figure.Share, nil); v.Told {
			return document.Share(v.Value)
		}
		return document.Untold
	}
	millis := func(name string) string {
		if v := figures.Named(name); v.Told {
			return document.Millis(time.Duration(v.Value).Microseconds())
		}
		return document.Untold
	}
	hottest := document.Untold
	if summary.Hottest != nil {
		hottest = document.Rate(summary.Hottest.EntitiesPerSecond)
	}
	worth := summary.Validity
	if slices.ContainsFunc(summary.Phases, func(p results.PhaseSummary) bool { return p.ClientLimited }) {
		worth += ", late"
	}
	row := document.Cells(append(cells, worth, rate("offered"), rate("served"), share("throttled"), share("share_lost"),
		millis("p50"), millis("p99"), hottest, passed(summary.Checks))...)
	row[0].Tone, row[len(row)-1].Tone = t.tone(), t.tone()
	return row
}

func passed(list []results.Check) string {
	if len(list) == 0 {
		return document.Untold
	}
	held, told := results.HeldOf(list)
	if told == 0 {
		return results.CannotTell
	}
	return fmt.Sprintf("%d of %d", held, told)
}
