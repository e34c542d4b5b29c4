package series

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"loadgen/engine/clock"
	"loadgen/report/document"
	"loadgen/report/export"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/run"
)

// Sweep is a run for each combination of the values of some paths.
type Sweep struct {
	// Axes are the paths with their values, each a text such as seed=1,2,3. Values are separated
	// by commas, or by semicolons if there are any, outside of brackets, braces and double quotes.
	Axes []string
	// Count, above 0, repeats one run that often in place of axes: with this Seed in real time,
	// and otherwise each with the next seed.
	Count int
	Seed  uint64
	Live  bool
	// Plan returns the plan of the run that has these settings. Errors that are [fields.Faults]
	// are reported for all runs together, each once.
	Plan func(set []scenarios.Setting) (run.Plan, error)
	// Out is a folder with a folder for each run, by its number; if it is empty, the plans decide.
	Out string
	// Exit returns the exit code of a run that ended so.
	Exit func(record *results.Record, ended error) int
	// Progress gets a line when a run begins and when it ends.
	Progress io.Writer
}

// Swept are the runs of a sweep that were made.
type Swept struct {
	Made []Tried
	// Asked is the planned number of runs.
	Asked int
}

// Tried is a run of a sweep.
type Tried struct {
	Set []scenarios.Setting
	// Folder has its record, empty for one in memory.
	Folder string
	Record *results.Record
	// Exit is the exit code of the run alone.
	Exit int
}

// Run makes the runs one after another, the last axis changing fastest, after all plans were
// validated. A run that a budget ended does not end the sweep; another early end does, and is its
// error. Faults of the sweep are [fields.Faults] or a [fields.Fault] of the field "sweep" or "out".
func (s *Sweep) Run(ctx context.Context) (Swept, error) {
	sets, err := s.sets()
	if err != nil {
		return Swept{}, err
	}
	plans, err := s.plans(sets)
	if err != nil {
		return Swept{}, err
	}
	swept, start := Swept{Asked: len(sets)}, clock.NewReal()
	for i, plan := range plans {
		if err := ctx.Err(); err != nil {
			return swept, err
		}
		number := fmt.Sprintf("%d of %d", i+1, len(plans))
		fmt.Fprintf(s.Progress, "%s: %s%s\n", number, settingsText(sets[i]), remaining(start, i, len(plans)))
		plan.Precede(i < len(plans)-1)
		one, kept := Tried{Set: sets[i]}, plan.Kept
		plan.Kept = func(folder results.Folder, record *results.Record) error {
			if made, stored := folder.(results.Dir); stored {
				one.Folder = string(made)
			}
			if kept == nil {
				return nil
			}
			return kept(folder, record)
		}
		record, ended := run.Run(ctx, plan)
		if record != nil {
			one.Record, one.Exit = record, s.Exit(record, ended)
			swept.Made = append(swept.Made, one)
			if one.Folder != "" {
				fmt.Fprintf(s.Progress, "%s: run in %s\n", number, one.Folder)
			}
		}
		switch {
		case ended == nil:
		case ended != run.ErrBudget && !errors.Is(ended, drive.ErrStopped):
			return swept, ended
		default:
			fmt.Fprintf(s.Progress, "%s: %s\n", number, results.OneLine(ended))
		}
	}
	return swept, nil
}

// sets returns the settings of each run.
func (s *Sweep) sets() ([][]scenarios.Setting, error) {
	switch {
	case s.Count == 0:
		return combinations(s.Axes)
	case s.Count < 0 || s.Count > MaxRuns || len(s.Axes) > 0:
		return nil, wrong("count", "expected 1 to %d, not swept", MaxRuns)
	}
	var sets [][]scenarios.Setting
	for i := range uint64(s.Count) {
		seed := s.Seed
		if !s.Live {
			seed += i
		}
		sets = append(sets, []scenarios.Setting{{Path: "seed", Value: strconv.FormatUint(seed, 10)}})
	}
	return sets, nil
}

// Benchmarks writes the runs in the format of Go's benchmarks, as `go test -count` does: all runs
// have lines with the same names. Its error is the writer's, wrapped.
func (s *Swept) Benchmarks(w io.Writer) error {
	var text export.BenchmarkText
	for i := range s.Made {
		text.Run(s.Made[i].Record, s.Made[i].Record.Summary)
	}
	return text.Write(w)
}

// plans returns the plan of each run, all of them valid and with an unused folder.
func (s *Sweep) plans(sets [][]scenarios.Setting) ([]run.Plan, error) {
	var plans []run.Plan
	var all fields.Faults
	for _, set := range sets {
		plan, err := s.Plan(set)
		var faults fields.Faults
		if err != nil && !errors.As(err, &faults) {
			return nil, err
		}
		for _, fault := range faults {
			if !slices.Contains(all, fault) {
				all = append(all, fault)
			}
		}
		plans = append(plans, plan)
	}
	if len(all) > 0 {
		return nil, all
	}
	for i := range plans {
		if err := fields.FaultsOf(plans[i].Validate()); err != nil {
			return nil, err
		}
	}
	if s.Out == "" {
		return plans, nil
	}
	if info, err := os.Stat(s.Out); err == nil && !info.IsDir() {
		return nil, wrong("out", "a file; expected a folder")
	}
	digits := len(fmt.Sprint(len(plans)))
	for i := range plans {
		plans[i].Out = filepath.Join(s.Out, fmt.Sprintf("%0*d", digits, i+1))
		if _, err := os.Stat(filepath.Join(plans[i].Out, results.RunFile)); err == nil {
			return nil, wrong("out", "%s already holds a run; expected another folder", plans[i].Out)
		}
	}
	return plans, nil
}

// Exit returns the exit code with the highest precedence among those of the runs.
func (s *Swept) Exit() int {
	for _, code := range []int{codeInvalid, codeExpectation, codeUntold} {
		if slices.ContainsFunc(s.Made, func(t Tried) bool { return t.Exit == code }) {
			return code
		}
	}
	return 0
}

func settingsText(set []scenarios.Setting) string {
	words := make([]string, len(set))
	for i, one := range set {
		words[i] = one.String()
	}
	return strings.Join(words, ", ")
}

// remaining returns how long the rest of a series may take, empty before the first run is over.
func remaining(start clock.Real, done, all int) string {
	if done == 0 {
		return ""
	}
	passed := start.Now().Offset()
	return aboutLeft(passed / time.Duration(done) * time.Duration(all-done))
}

func aboutLeft(d time.Duration) string { return " (about " + document.Minutes(d.Seconds()) + " left)" }

// MaxRuns is the maximum number of runs of a sweep.
const MaxRuns = 100

// combinations returns the settings of each run of a sweep over axes, each a text such as
// seed=1,2,3, the last of them changing fastest. The error is a [loadgen/scenarios/fields.Fault] of the
// field "sweep".
func combinations(axes []string) ([][]scenarios.Setting, error) {
	all := [][]scenarios.Setting{nil}
	for i, text := range axes {
		path, list, found := strings.Cut(text, "=")
		if !found || path == "" {
			return nil, wrong("sweep", "%s: expected path=v1,v2,…, such as model.partition_target=500,1000,2000", text)
		}
		values, err := splitValues(list)
		switch runs := len(all) * len(values); {
		case err != nil:
			return nil, wrong("sweep", "%s: %v", text, err)
		case slices.ContainsFunc(axes[:i], func(other string) bool { return strings.HasPrefix(other, path+"=") }):
			return nil, wrong("sweep", "%s: %s is swept twice; expected all values together", text, path)
		case runs > MaxRuns:
			return nil, wrong("sweep", "%s: %d runs; expected at most %d", text, runs, MaxRuns)
		}
		var next [][]scenarios.Setting
		for _, before := range all {
			for _, value := range values {
				next = append(next, append(slices.Clip(before), scenarios.Setting{Path: path, Value: value}))
			}
		}
		all = next
	}
	return all, nil
}

// splitValues splits a list of different values at its semicolons, or at its commas if it has no
// semicolon outside of brackets, braces and double quotes.
func splitValues(list string) ([]string, error) {
	values, err := splitAt(list, ';')
	if err == nil && len(values) == 1 {
		values, err = splitAt(list, ',')
	}
	for i, value := range values {
		if value == "" {
			return nil, errors.New("empty value; expected one between commas")
		}
		if slices.Contains(values[:i], value) {
			return nil, errors.New("a value occurs twice; expected once")
		}
	}
	return values, err
}

func splitAt(list string, separator byte) (values []string, err error) {
	closers := map[byte]byte{'[': ']', '{': '}', '"': '"'}
	var open []byte // the expected closers, the next one last
	start := 0
	for at := range len(list) {
		c, last := list[at], byte(0)
		if len(open) > 0 {
			last = open[len(open)-1]
		}
		switch closer := closers[c]; {
		case last != 0 && c == last:
			open = open[:len(open)-1]
		case last == '"':
		case closer != 0:
			open = append(open, closer)
		case c == separator && last == 0:
			values = append(values, strings.TrimSpace(list[start:at]))
			start = at + 1
		}
	}
	if len(open) > 0 {
		return nil, errors.New("unclosed bracket, brace or quote; expected its counterpart")
	}
	return append(values, strings.TrimSpace(list[start:])), nil
}

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

// answer returns the claim of the run with the gravest mark, and how many runs have it.
func (s *Swept) answer() document.Answer {
	all := document.Counted(len(s.Made), "run")
	for _, mark := range []document.Tone{document.Bad, document.Doubtful, document.Neutral, document.Good} {
		at := slices.IndexFunc(s.Made, func(t Tried) bool { return t.mark() == mark })
		if at < 0 {
			continue
		}
		state, claim := s.Made[at].claim()
		others := slices.DeleteFunc(slices.Clone(s.Made), func(t Tried) bool {
			_, other := t.claim()
			return other != claim || t.mark() != mark
		})
		a := document.Answer{State: state, Mark: &mark, Number: document.Count(int64(len(others))), Unit: "of " + all}
		a.Claim = claim + " in " + a.Number + " " + a.Unit
		return a
	}
	return document.Answer{Claim: all + " made"}
}

// mark is that of the run's own report, unless its exit code says that it is invalid or that a budget ended it.
func (t *Tried) mark() document.Tone {
	switch t.Exit {
	case codeInvalid:
		return document.Doubtful
	case codeExpectation:
		return document.Bad
	default:
		return verdict.Mark(t.Record, t.Record.Summary)
	}
}

// claim returns the state, and the same in capitals unless the exit code says more.
func (t *Tried) claim() (state, claim string) {
	state, _ = verdict.State(t.Record.Summary)
	switch {
	case t.Exit == codeInvalid:
		return document.CannotTell, "INVALID"
	case t.Exit == codeExpectation && state == document.Holds:
		return document.DoesNotHold, "CHECKS FAIL"
	case t.Exit == codeExpectation && document.ToneOf(state) != document.Bad:
		state = document.DoesNotHold
	}
	return state, strings.ToUpper(state)
}

// table has a row for each reported phase of each run. The first row of a run has its checks.
func (s *Swept) table() document.Table {
	several := slices.ContainsFunc(s.Made, func(t Tried) bool { return len(figure.ShownSteps(t.Record)) > 1 })
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
		if steps := figure.ShownSteps(one.Record); several && len(steps) > 0 {
			phases = nil
			for _, step := range steps {
				phases = append(phases, step.Phase.Name)
			}
		}
		figures := figure.NewFigures(one.Record)
		for at, phase := range phases {
			t.Add(one.row(several, phase, at == 0, figures)...)
		}
	}
	t.Notes = []string{"offered, served: entities/s in each phase's last half; hottest: a partition's busiest second; " +
		"requests/op: with retries and pages; checks: passed of conclusive ones; late: limited by the generator"}
	return t
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
	row := []any{t.mark()}
	for _, s := range t.Set {
		row = append(row, s.Value)
	}
	if several {
		row = append(row, phase)
	}
	in := func(unit figure.Unit, name string) *float64 {
		return figures.ValueIn(figure.Reference{Name: name, Phase: phase}, unit).Pointer()
	}
	own := func(name string) *float64 { return in(figure.Reference{Name: name}.Unit(), name) }
	summary := t.Record.Summary
	validity := summary.Validity
	if slices.ContainsFunc(summary.Phases, func(p results.PhaseSummary) bool { return p.ClientLimited }) {
		validity += ", late"
	}
	var hottest *float64
	if phase != "" {
		hottest = figures.Value(figure.Reference{Name: "offered", Part: figure.Hottest, Phase: phase}).Pointer()
	} else if summary.Hottest != nil {
		hottest = &summary.Hottest.EntitiesPerSecond
	}
	row = append(row, validity, own("offered"), own("served"), in(figure.Share, "throttled"), in(figure.Share, "share_lost"), own("tries"),
		own("p50"), own("p99"), hottest)
	if !first {
		return append(row, "")
	}
	return append(row, t.mark(), checksOf(summary))
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
