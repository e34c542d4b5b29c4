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
	"loadgen/report/compare/gate"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/scenarios"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/run"
)

// Pairs compares live runs of one scenario by two builds of this tool: A is an older one,
// B the newer. The order A B, B A, A B, … cancels what drifts.
type Pairs struct {
	// Scenario is sound, and the files that it names are read; their paths count from
	// Folder.
	Scenario *scenarios.Scenario
	Folder   string
	// Against is the older build, a file or a program on the path, Build the newer, a file.
	Against string `flag:"against" help:"compare live runs with those of this older *build*, in pairs"`
	Build   string
	// Number is how many pairs are run.
	Number int `flag:"count" requires:"against" help:"number of runs: per design in a contest, of pairs in a gate; with other seeds in virtual time"`
	// Out is the folder of the runs; where it is empty, a new one is made in Runs.
	Out  string `flag:"out" requires:"against" help:"*folder* of the result (default: a new one in results/runs)"`
	Runs string
	// Told is told of each run.
	Told io.Writer
	// launch runs a build, nil by the system.
	launch launch
}

// maxPairs bounds how many pairs of runs a gate takes.
const maxPairs = 1000

// Validate returns what is wrong with the number of pairs, a [fields.Fault] of the
// field "count".
func (p *Pairs) Validate() []error {
	if p.Number < 1 || p.Number > maxPairs {
		return []error{wrong("count", "expected 1 to %d, such as %d", maxPairs, compare.DefaultPairs)}
	}
	return nil
}

// Run runs the pairs and rules on them by the metrics that the scenario declares. Where
// the context ended it, the result is of what was done, beside the context's error.
// Other errors come without a result: they wrap [run.ErrFolder] where the runs cannot be
// kept, and a [fields.Fault] where a build is none, of the field "against" before
// anything was run.
func (p *Pairs) Run(ctx context.Context) (gate.Result, error) {
	older, err := executable(p.Against)
	if err != nil {
		return gate.Result{}, err
	}
	folder, err := filepath.Abs(p.Folder)
	if err != nil {
		return gate.Result{}, err
	}
	s, err := portable(p.Scenario, folder)
	if err != nil {
		return gate.Result{}, err
	}
	q := &pairing{builds: [2]string{older, p.Build}, most: maxRun(p.Scenario), clock: clock.NewReal(), launch: p.launch, told: p.Told}
	if q.launch == nil {
		q.launch = launched
	}
	held := p.Scenario.Gated()
	for _, text := range held.Metrics {
		m, err := figure.ParseClaimMetric(text)
		if err != nil {
			return gate.Result{}, wrong("", "%v", err)
		}
		q.metrics = append(q.metrics, m)
	}
	made, err := p.prepare(q, s)
	if err != nil {
		return gate.Result{}, fmt.Errorf("%w: %w", run.ErrFolder, err)
	}
	ended := q.run(ctx, p.Number)
	if errors.As(ended, new(fields.Fault)) && q.runs == 0 && made {
		// Nothing came of it: what was made for it goes, too.
		return gate.Result{}, errors.Join(ended, os.RemoveAll(q.folder))
	}
	return q.result(s.Name, held.Threshold, p.Number, ended)
}

// portable returns what of a scenario both builds run, from anywhere: without what is for
// the gate alone, which older builds do not know, and with files whose names count from
// nowhere. The error is [fields.Faults].
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

// maxRun is twice what the phases of a scenario last, and so much for what has no
// length of its own that only what hangs takes longer.
func maxRun(s *scenarios.Scenario) time.Duration {
	const beside, each = 5 * time.Minute, 10 * time.Millisecond
	sum := beside
	for i := range s.Phases {
		switch p := &s.Phases[i]; {
		case p.Load != nil:
			sum += time.Duration(p.Load.Entities) * each
		case p.Traffic != nil:
			sum += 2 * p.Traffic.Lasts()
			if p.Form == scenarios.FormPeak { // its last step may be held once more
				sum += 2 * p.Traffic.Arrivals.Steps.Each
			}
		}
	}
	return sum
}

// prepare makes the folder of the runs with the scenario in it, and reports whether it
// was not there before.
func (p *Pairs) prepare(q *pairing, s *scenarios.Scenario) (made bool, err error) {
	if p.Out == "" {
		folder, err := results.MakeDir(p.Runs, q.clock.Started(), "gate-"+s.Name)
		if err != nil {
			return false, err
		}
		q.folder, made = string(folder), true
	} else {
		_, missing := os.Stat(p.Out)
		q.folder, made = p.Out, missing != nil
		if left, err := os.ReadDir(p.Out); err == nil && len(left) > 0 {
			return false, fmt.Errorf("%s is not empty; expected a new folder", p.Out)
		}
		if err := os.MkdirAll(p.Out, 0o755); err != nil {
			return false, err
		}
	}
	q.file = filepath.Join(q.folder, "scenario.yaml")
	return made, os.WriteFile(q.file, s.Text(), 0o644)
}

func (p *pairing) result(name string, threshold float64, pairs int, ended error) (gate.Result, error) {
	one := gate.Result{Scenario: name, Outcome: compare.Inconclusive}
	switch {
	case errors.Is(ended, context.Canceled):
		one.Reason = fmt.Sprintf("ended after %d of %s of runs", p.done, document.Counted(pairs, "pair"))
	case spoiled(ended):
		one.Outcome, one.Reason = compare.Invalid, results.OneLine(ended)
	case errors.Is(ended, errUntold):
		one.Reason = results.OneLine(ended)
	case ended != nil:
		return one, ended
	default:
		judged, err := compare.Gate{Threshold: threshold}.Judge(p.trials)
		if err != nil {
			return one, err
		}
		one = gate.Judged(name, "", judged)
		one.Trials = p.trials
		p.hold(&one)
	}
	one.Against, one.Repeat = p.builds[compare.A], "loadgen run "+p.file
	tool := p.tools[compare.A]
	if name := strings.TrimSpace(tool.Version + " " + tool.Commit); name != "" {
		one.Against += " (" + name + ")"
	}
	older, err := os.Stat(p.builds[compare.A])
	newer, also := os.Stat(p.builds[compare.B])
	if err == nil && also == nil && os.SameFile(older, newer) {
		one.Notes = append(one.Notes, "A and B are the same file")
	}
	if p.done > 0 && p.texts[compare.A] != p.texts[compare.B] {
		one.Notes = append(one.Notes, "the builds parse the scenario differently; compare the records' scenarios")
	}
	for _, reason := range slices.Compact(p.again) {
		one.Notes = append(one.Notes, "repeated: "+reason)
	}
	one.Notes = append(one.Notes, "runs are in "+p.folder)
	if !errors.Is(ended, context.Canceled) {
		ended = nil
	}
	return one, ended
}

// hold counts the claims of the scenario against B, unless A fails them alike. What cannot
// be told is no pass, and hides nothing that can.
func (p *pairing) hold(one *gate.Result) {
	for i := range p.claims {
		c := &p.claims[i]
		switch {
		case 2*c.failed[compare.B] > p.done && 2*c.failed[compare.A] <= p.done:
			one.Outcome, one.Reason = compare.Failed, "a check newly fails"
		case 2*c.untold[compare.B] > p.done && one.Outcome < compare.Inconclusive:
			one.Outcome, one.Reason = compare.Inconclusive, "a check is inconclusive"
		}
		if c.failed != [2]int{} {
			one.Notes = append(one.Notes, fmt.Sprintf("%s fails in %d of %s of A, %d of B",
				c.expr, c.failed[compare.A], document.Counted(p.done, "run"), c.failed[compare.B]))
		}
		if c.untold != [2]int{} {
			one.Notes = append(one.Notes, fmt.Sprintf("%s is inconclusive in %d of %s of A, %d of B",
				c.expr, c.untold[compare.A], document.Counted(p.done, "run"), c.untold[compare.B]))
		}
	}
}
