package series

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"loadgen/engine/clock"
	"loadgen/report/compare"
	"loadgen/results"
	"loadgen/results/baseline"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
)

// Gate holds runs in virtual time to the baselines of their scenarios: what was accepted
// the last time.
type Gate struct {
	// Baselines is the folder of the baselines.
	Baselines string `flag:"baselines" rare:"yes"`
	// Reason, where there is one, makes valid runs the baselines of their scenarios.
	Reason string `flag:"accept"`
}

// Validate returns an error about the reason, nil if there is none.
func (g *Gate) Validate() error {
	if g.Reason == "" {
		return nil
	}
	return baseline.CheckReason(g.Reason)
}

// Kept returns the names of the built-in scenarios that have a baseline.
func (g *Gate) Kept() []string {
	var names []string
	for _, name := range scenarios.Library() {
		if _, err := os.Stat(g.file(name)); err == nil {
			names = append(names, name)
		}
	}
	return names
}

// Rule holds a judged run to its baseline, or makes it the baseline. Typed is what the
// user calls the scenario, a file or its name, which is empty for its name. The error
// wraps [run.ErrFolder] where a baseline cannot be written, and is a [loadgen/scenarios/fields.Fault]
// where the reason is none.
func (g *Gate) Rule(record *results.Record, typed string) (compare.Result, error) {
	name := record.Manifest.Scenario.Name
	typed = cmp.Or(typed, name)
	none := compare.Result{Scenario: name, Virtual: true, Repeat: "loadgen simulate " + typed}
	valid := record.Summary.Validity == results.Valid
	if g.Reason != "" && valid {
		return g.take(none, record)
	}
	kept, err := g.read(name)
	if err == nil {
		err = kept.Fits(name, record.Manifest.Scenario.Text)
	}
	if err != nil {
		if !valid {
			return invalid(none, record), nil
		}
		none.Outcome, none.Reason = compare.NoBaseline, results.OneLine(err)
		none.Notes = []string{fmt.Sprintf("accept this run as baseline: loadgen gate %s --accept \"why\"", typed)}
		return none, nil
	}
	tree, err := baseline.Of(record)
	if err != nil {
		return none, err
	}
	difference, err := compare.Diff(kept.Tree.JSON(), tree.JSON())
	if err != nil {
		return none, err
	}
	one := compare.Differs(typed, kept.Named(), difference)
	one.Scenario = name
	if !valid {
		return invalid(one, record), nil
	}
	if one.Outcome == compare.Same {
		var untold []string
		for _, e := range record.Summary.Checks {
			switch {
			case e.Fails():
				one.Notes = append(one.Notes, fmt.Sprintf("%s: observed %s", e.Expr, e.Value()))
			case !e.Told():
				untold = append(untold, e.Expr+": "+e.Said())
			}
		}
		if len(one.Notes) > 0 {
			one.Outcome, one.Reason = compare.Failed, "identical, with a failed check"
		} else if one.Notes = untold; len(untold) > 0 {
			one.Outcome, one.Reason = compare.Inconclusive, "identical, with an inconclusive check"
		}
	}
	return one, nil
}

// invalid returns the result on a run that is not valid. What differs is listed all the
// same, for it says what has gone wrong.
func invalid(one compare.Result, record *results.Record) compare.Result {
	one.Outcome, one.Reason = compare.Invalid, "the run is "+record.Summary.Validity
	one.Notes = record.Summary.Reasons
	return one
}

// file returns where the baseline of a scenario is.
func (g *Gate) file(name string) string { return filepath.Join(g.Baselines, name+".json") }

// maxBaseline bounds the size of a baseline.
const maxBaseline = 16 << 20

func (g *Gate) read(name string) (*baseline.Baseline, error) {
	file, err := os.Open(g.file(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no %s", g.file(name))
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxBaseline))
	if err != nil {
		return nil, err
	}
	kept, err := baseline.Read(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", g.file(name), err)
	}
	return kept, nil
}

// take makes a run the baseline of its scenario, and writes down why.
func (g *Gate) take(one compare.Result, record *results.Record) (compare.Result, error) {
	made, err := baseline.New(record, clock.NewReal().Started(), g.Reason)
	if err != nil {
		return one, wrong("", "%v", err)
	}
	if was, err := g.read(one.Scenario); err == nil && was.Same(made) {
		one.Reason, one.Against = "identical; nothing to accept", was.Named()
		return one, nil
	}
	// Why it was accepted is written before what was.
	var log *os.File
	if err = os.MkdirAll(g.Baselines, 0o755); err == nil {
		log, err = os.OpenFile(filepath.Join(g.Baselines, one.Scenario+".reasons.txt"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	}
	if err == nil {
		_, err = fmt.Fprintf(log, "%s\n", made.Line())
		err = errors.Join(err, log.Close())
	}
	if err == nil {
		err = os.WriteFile(g.file(one.Scenario), made.File(), 0o644)
	}
	if err != nil {
		return one, fmt.Errorf("%w: %w", run.ErrFolder, err)
	}
	one.Reason, one.Against = "accepted", made.Named()
	one.Notes = []string{"written to " + g.file(one.Scenario)}
	return one, nil
}
