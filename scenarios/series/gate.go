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

// Gate compares runs in virtual time with the accepted baselines of their scenarios.
type Gate struct {
	// Baselines is the folder of the baselines.
	Baselines string `flag:"baselines" rare:"yes"`
	// Reason makes valid runs the baselines of their scenarios, if it is not empty.
	Reason string `flag:"accept"`
}

// Validate returns an error about the reason, nil if there is none.
func (g *Gate) Validate() error {
	if g.Reason == "" {
		return nil
	}
	return baseline.CheckReason(g.Reason)
}

// Stored returns the names of the built-in scenarios that have a baseline.
func (g *Gate) Stored() []string {
	var names []string
	for _, name := range scenarios.Library() {
		if _, err := os.Stat(g.file(name)); err == nil {
			names = append(names, name)
		}
	}
	return names
}

// Rule compares a judged run with its baseline, or makes it the baseline. Typed is the user's name of the scenario, a file
// or its name, which is also used if typed is empty. The error wraps [run.ErrFolder] if a baseline cannot be written, and is
// a [loadgen/scenarios/fields.Fault] if the reason is invalid.
func (g *Gate) Rule(record *results.Record, typed string) (compare.Result, error) {
	name := record.Manifest.Scenario.Name
	typed = cmp.Or(typed, name)
	none := compare.Result{Scenario: name, Virtual: true, Repeat: "loadgen simulate " + typed}
	valid := record.Summary.Validity == results.Valid
	if g.Reason != "" && valid {
		return g.accept(none, record)
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
	tree, err := baseline.NewTree(record)
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
			case !e.IsJudged():
				untold = append(untold, e.Expr+": "+e.Observation())
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

// invalid returns the result of an invalid run. It keeps the differences, which help to find the cause.
func invalid(one compare.Result, record *results.Record) compare.Result {
	one.Outcome, one.Reason = compare.Invalid, "the run is "+record.Summary.Validity
	one.Notes = record.Summary.Reasons
	return one
}

// file returns the file of the baseline of a scenario.
func (g *Gate) file(name string) string { return filepath.Join(g.Baselines, name+".json") }

// maxBaseline is the maximum size of a baseline in bytes.
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

// accept makes a run the baseline of its scenario, and stores the reason.
func (g *Gate) accept(one compare.Result, record *results.Record) (compare.Result, error) {
	made, err := baseline.New(record, clock.NewReal().Started(), g.Reason)
	if err != nil {
		return one, wrong("", "%v", err)
	}
	if was, err := g.read(one.Scenario); err == nil && was.Same(made) {
		one.Reason, one.Against = "identical; nothing to accept", was.Named()
		return one, nil
	}
	// The reason is written before the baseline.
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
