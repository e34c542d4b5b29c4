package series

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"loadgen/engine/clock"
	"loadgen/report/compare"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/run"
)

// Live compares live runs of a scenario with its stored baseline, with the runs of a folder,
// or with those of an older build.
type Live struct {
	Gate
	// Scenario is valid, and its files are read; their paths are relative to Folder.
	Scenario *scenarios.Scenario
	Folder   string
	// Against is an older build, a file or a program on the path, or a folder of runs. If it is
	// empty, the runs are compared with the baseline. Build is this build, a file.
	Against string `flag:"against" excludes:"virtual,accept"`
	Build   string
	// Count is the number of runs, or of pairs.
	Count int `flag:"count" excludes:"virtual"`
	// FailOn are the changes that are a regression; none are the scenario's (gate).
	FailOn []string `flag:"fail-on" excludes:"virtual"`
	// Out is the folder of the runs; if it is empty, they go to Runs, pairs to a new folder in it.
	Out  string `flag:"out" rare:"yes" excludes:"virtual"`
	Runs string
	// Make makes a run of this build, in a new folder if the name is empty. Arguments are the
	// flags of its target, for other builds.
	Make      func(ctx context.Context, folder string) (*results.Record, error)
	Arguments []string
	// Log gets a line for each run.
	Log io.Writer
	// launch runs a build, nil by the system.
	launch launch
}

// MaxRuns returns the maximum number of runs: as many again if the first are inconclusive, and
// repetitions of spoiled ones.
func (g *Live) MaxRuns() int { return 4*g.Count + maxRepeats }

// maxCount is the maximum number of runs, or of pairs.
const maxCount = 1000

// Validate returns the faults of the options, each a [fields.Fault] of a flag.
func (g *Live) Validate() []error {
	var faults []error
	if g.Count < 1 || g.Count > maxCount {
		faults = append(faults, wrong("count", "expected 1 to %d, such as %d", maxCount, compare.DefaultRuns))
	}
	if _, err := compare.ParseFailOns(g.FailOn); err != nil {
		faults = append(faults, wrong("fail-on", "%v", err))
	}
	return faults
}

// metrics returns the compared metrics, and the minimum change of those without their own.
func (g *Live) metrics() ([]compare.Metric, float64, error) {
	if len(g.FailOn) > 0 {
		metrics, err := compare.ParseFailOns(g.FailOn)
		return metrics, 0, err
	}
	gated := g.Scenario.Gated()
	metrics, err := compare.ParseMetrics(gated.Metrics)
	return metrics, gated.Threshold, err
}

// Run makes the runs and judges them. If the context ended, the result is of what was done,
// with the context's error. Other errors come without a result: they wrap [run.ErrFolder] if
// the runs or the baseline cannot be stored, and a [fields.Fault] for a build that is none.
func (g *Live) Run(ctx context.Context) (compare.Result, error) {
	metrics, threshold, err := g.metrics()
	if err != nil {
		return compare.Result{}, wrong("", "%v", err)
	}
	t := &trials{metrics: metrics, clock: clock.NewReal(), log: g.Log, folder: g.Out}
	if g.launch == nil {
		g.launch = launched
	}
	info, err := os.Stat(g.Against)
	if g.Against == "" || err == nil && info.IsDir() {
		return g.runStored(ctx, t, threshold)
	}
	return g.runPairs(ctx, t, threshold)
}

// runPairs compares with an older build, in pairs.
func (g *Live) runPairs(ctx context.Context, t *trials, threshold float64) (compare.Result, error) {
	older, err := executable(g.Against)
	if err != nil {
		return compare.Result{}, err
	}
	folder, err := filepath.Abs(g.Folder)
	if err != nil {
		return compare.Result{}, err
	}
	s, err := portable(g.Scenario, folder)
	if err != nil {
		return compare.Result{}, err
	}
	made, err := g.prepare(t, s)
	if err != nil {
		return compare.Result{}, fmt.Errorf("%w: %w", run.ErrFolder, err)
	}
	file := filepath.Join(t.folder, "scenario.yaml")
	t.arms = [2]maker{g.build(older, file), g.build(g.Build, file)}
	ended := t.run(ctx, g.Count)
	if errors.As(ended, new(fields.Fault)) && t.made == 0 && made {
		return compare.Result{}, errors.Join(ended, os.RemoveAll(t.folder))
	}
	one, ended, err := t.result(g.Scenario.Name, g.Count, ended)
	switch {
	case err != nil:
		return compare.Result{}, err
	case one.Reason == "":
		if one, err = t.judged(g.Scenario.Name, threshold, nil); err != nil {
			return one, err
		}
	}
	one.Against, one.Repeat = older, "loadgen run "+file
	if runs := t.runs; len(runs[compare.A]) > 0 {
		a, b := &runs[compare.A][0].record.Manifest, &runs[compare.B][0].record.Manifest
		if name := strings.TrimSpace(a.Tool.Version + " " + a.Tool.Commit); name != "" {
			one.Against += " (" + name + ")"
		}
		if a.Scenario.Text != b.Scenario.Text {
			one.Notes = append(one.Notes, "the builds parse the scenario differently; compare the records' scenarios")
		}
	}
	was, err := os.Stat(older)
	is, also := os.Stat(g.Build)
	if err == nil && also == nil && os.SameFile(was, is) {
		one.Notes = append(one.Notes, "A and B are the same file")
	}
	t.note(&one)
	one.Notes = append(one.Notes, "runs are in "+t.folder)
	return one, ended
}

// result returns the result of runs that ended early, with the end of the context, and one
// without a reason if they did not.
func (t *trials) result(name string, rounds int, ended error) (one compare.Result, canceled, err error) {
	one = compare.Result{Scenario: name, Outcome: compare.Inconclusive}
	things := "run"
	if t.arms[compare.A] != nil {
		things = "pair"
	}
	switch {
	case ended == nil:
	case errors.Is(ended, context.Canceled):
		one.Reason, canceled = fmt.Sprintf("ended after %d of %s", t.done, document.Counted(rounds, things)), ended
	case errors.Is(ended, run.ErrBudget):
		one.Reason = fmt.Sprintf("the budget was spent after %d of %s", t.done, document.Counted(rounds, things))
	case spoiled(ended):
		one.Outcome, one.Reason = compare.Invalid, results.OneLine(ended)
	case errors.Is(ended, errNotMeasured):
		one.Reason = results.OneLine(ended)
	default:
		err = ended
	}
	return one, canceled, err
}

// judged compares the runs of B with those of A, or with a stored night.
func (t *trials) judged(name string, threshold float64, stored *storedSet) (compare.Result, error) {
	var all []compare.Trial
	var notes []string
	for i, m := range t.metrics {
		one := compare.Trial{Metric: m, A: t.values(compare.A, i), B: t.values(compare.B, i), Paired: stored == nil}
		if stored != nil {
			if one.A = stored.values(m); one.A == nil {
				notes = append(notes, fmt.Sprintf("%s is not in the baseline; store it with --accept \"why\"", m.Name))
				continue
			}
			one.Noise = stored.noise(m)
			if m.IsTime() {
				one.Drift = stored.drift(t.runs[compare.B], one.A)
			}
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		return compare.Result{Scenario: name, Outcome: compare.NoBaseline, Reason: "no metric is in the baseline", Notes: notes}, nil
	}
	judged, err := compare.Gate{Threshold: threshold}.Judge(all)
	if err != nil {
		return compare.Result{}, err
	}
	one := compare.Judged(name, "", judged)
	if len(notes) > 0 && one.Outcome < compare.Inconclusive {
		one.Outcome, one.Reason = compare.Inconclusive, "a metric has no baseline"
	}
	one.Notes = notes
	t.applyChecks(&one)
	return one, nil
}

// note adds why rounds were repeated.
func (t *trials) note(one *compare.Result) {
	for _, reason := range slices.Compact(t.repeated) {
		one.Notes = append(one.Notes, "repeated: "+reason)
	}
}

// portable returns a scenario that both builds run from any folder: without the fields of the gate, which older builds
// lack, and with absolute file names. The error is [fields.Faults].
func portable(s *scenarios.Scenario, folder string) (*scenarios.Scenario, error) {
	own := *s
	own.Gate, own.AntiPattern = nil, nil
	return own.Moved(func(path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(folder, filepath.FromSlash(path))
	})
}

// maxRun returns the time limit of a run: twice the length of its phases, and ample time for loads without one.
func maxRun(s *scenarios.Scenario) time.Duration {
	const fixed, each = 5 * time.Minute, 10 * time.Millisecond
	sum := fixed
	for i := range s.Phases {
		switch p := &s.Phases[i]; {
		case p.Load != nil:
			sum += time.Duration(p.Load.Entities) * each
		case p.Traffic != nil:
			sum += 2 * p.Traffic.Lasts()
			if p.Form == scenarios.FormPeak { // its last step may be repeated
				sum += 2 * p.Traffic.Arrivals.Steps.Each
			}
		}
	}
	return sum
}

// prepare makes the folder of the runs with the scenario in it, and reports whether it
// was missing before.
func (g *Live) prepare(t *trials, s *scenarios.Scenario) (made bool, err error) {
	if g.Out == "" {
		folder, err := results.MakeDir(g.Runs, t.clock.Started(), "gate-"+s.Name)
		if err != nil {
			return false, err
		}
		t.folder, made = string(folder), true
	} else {
		_, missing := os.Stat(g.Out)
		made = missing != nil
		if left, err := os.ReadDir(g.Out); err == nil && len(left) > 0 {
			return false, fmt.Errorf("%s is not empty; expected a new folder", g.Out)
		}
		if err := os.MkdirAll(g.Out, 0o755); err != nil {
			return false, err
		}
	}
	return made, os.WriteFile(filepath.Join(t.folder, "scenario.yaml"), s.Text(), 0o644)
}

// applyChecks lets the checks of the scenario fail B, unless A fails them as well. An inconclusive check does not pass.
func (t *trials) applyChecks(one *compare.Result) {
	for i := range t.claims {
		c := &t.claims[i]
		switch {
		case 2*c.failed[compare.B] > t.done && 2*c.failed[compare.A] <= t.done:
			one.Outcome, one.Reason = compare.Failed, "a check fails: "+c.expr
		case 2*c.inconclusive[compare.B] > t.done && one.Outcome < compare.Inconclusive:
			one.Outcome, one.Reason = compare.Inconclusive, "a check is inconclusive: "+c.expr
		}
		for _, count := range []struct {
			of   [2]int
			what string
		}{{c.failed, "fails"}, {c.inconclusive, "is inconclusive"}} {
			switch {
			case count.of == [2]int{}:
			case t.arms[compare.A] == nil:
				one.Notes = append(one.Notes, fmt.Sprintf("%s %s in %d of %s", c.expr, count.what, count.of[compare.B], document.Counted(t.done, "run")))
			default:
				one.Notes = append(one.Notes, fmt.Sprintf("%s %s in %d of %s of A, %d of B",
					c.expr, count.what, count.of[compare.A], document.Counted(t.done, "run"), count.of[compare.B]))
			}
		}
	}
}
