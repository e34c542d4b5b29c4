package series

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"loadgen/report/compare"
	"loadgen/report/compare/statistics"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/catalog"
	"loadgen/results/figure"
	"loadgen/scenarios/run"
)

// storedVersion is the version of the files of live baselines.
const storedVersion = 1

// storedBaseline is the baseline of a scenario: the accepted runs at each target.
type storedBaseline struct {
	Version  int         `json:"live_baseline"`
	Scenario string      `json:"scenario"`
	Sets     []storedSet `json:"sets"`
}

// storedSet has the runs of one scenario at one target, by generators of one class.
type storedSet struct {
	// Conditions are the scenario's text, the target, and the class of the generator.
	Conditions []compare.Condition `json:"conditions"`
	// Nights are the accepted one, then the last that passed.
	Nights []storedNight `json:"nights"`
}

// storedNight has the metrics of runs that were made one after another.
type storedNight struct {
	Started time.Time `json:"started"`
	// Reason is why it was accepted, empty for a night that passed.
	Reason string            `json:"reason,omitempty"`
	Tool   string            `json:"tool"`
	Labels map[string]string `json:"labels,omitempty"`
	// Runs have the metrics of each run, by name, in their units.
	Runs []map[string]float64 `json:"runs"`
	// CostMicros is the latency of the generator alone at its maximum rate, per run, in
	// microseconds.
	CostMicros []float64 `json:"generator_us"`
}

// maxNights is the maximum number of stored nights of a set.
const maxNights = 30

// storedMetrics are stored in addition to the compared metrics, so that they can be compared later: of all operations, and
// of each.
func storedMetrics(record *results.Record, figures *figure.Figures) []compare.Metric {
	operations := []string{""}
	for _, kind := range record.Manifest.Operations {
		if figures.OfKinds("scheduled", func(k results.Kind) bool { return k.Name == kind.Name }).Value > 0 {
			operations = append(operations, kind.Name)
		}
	}
	var list []compare.Metric
	for _, operation := range operations {
		for _, name := range []string{"p50", "p90", "p99", "p99.9", "served", "share_lost", "throttled", "tries"} {
			list = append(list, compare.MetricOf(figure.Reference{Name: name, Of: operation}))
		}
	}
	return list
}

// nightOf returns the stored form of runs.
func (t *trials) nightOf(reason string) storedNight {
	m := &t.runs[compare.B][0].record.Manifest
	night := storedNight{Started: m.Started.UTC(), Reason: reason, Tool: strings.TrimSpace(m.Tool.Version + " " + m.Tool.Commit), Labels: m.Labels}
	for _, one := range t.runs[compare.B] {
		values, figures := make(map[string]float64), figure.NewFigures(one.record)
		for _, m := range append(storedMetrics(one.record, figures), t.metrics...) {
			if value, why := m.Value(figures); why == "" {
				values[m.Column()] = value
			}
		}
		night.Runs = append(night.Runs, values)
		if cost := costMicros(one.record); cost > 0 {
			night.CostMicros = append(night.CostMicros, cost)
		}
	}
	return night
}

// costMicros returns the latency of the generator alone at its maximum rate, 0 if it is unknown.
func costMicros(record *results.Record) float64 {
	if record.Generator == nil || record.Generator.Ceiling == nil || record.Generator.Ceiling.Operations == 0 {
		return 0
	}
	c := record.Generator.Ceiling
	return float64(c.Took.Microseconds()) * float64(c.Lanes) / float64(c.Operations)
}

// values returns a metric of the runs of a night, nil if one of them lacks it.
func (n *storedNight) values(m compare.Metric) []float64 {
	var list []float64
	for _, one := range n.Runs {
		value, some := one[m.Column()]
		if !some {
			return nil
		}
		list = append(list, value)
	}
	return list
}

// values returns a metric of the accepted runs.
func (s *storedSet) values(m compare.Metric) []float64 { return s.Nights[0].values(m) }

// drift returns how much slower the generator itself became, at most: its latency at its
// maximum rate, or the same part of the metric.
func (s *storedSet) drift(runs []measured, values []float64) float64 {
	var is []float64
	for _, one := range runs {
		if cost := costMicros(one.record); cost > 0 {
			is = append(is, cost)
		}
	}
	if was := s.Nights[0].CostMicros; len(was) > 0 && len(is) > 0 {
		before, after := statistics.Median(was), statistics.Median(is)
		return max(0, min(after-before, (after/before-1)*statistics.Median(values)))
	}
	return 0
}

// minDifferences is the number of differences between nights that tell how much nights vary.
const minDifferences = 3

// noise returns the change that a night may differ by from another by chance, as a logarithm: a
// one-sided bound at 5%, from the differences of consecutive nights, which a trend does not
// widen. It is 0 with too few nights.
func (s *storedSet) noise(m compare.Metric) float64 {
	var differences []float64
	last := math.NaN()
	for i := range s.Nights {
		values := s.Nights[i].values(m)
		if values == nil {
			continue
		}
		middle := math.Log(math.Max(statistics.Median(values), m.Floor))
		if !math.IsNaN(last) {
			differences = append(differences, middle-last)
		}
		last = middle
	}
	if len(differences) < minDifferences {
		return 0
	}
	deviation, freedom := statistics.Deviation(differences)
	return deviation * statistics.Critical(2*compare.Alpha, float64(freedom))
}

// file returns the file of the baseline of live runs.
func (g *Live) file() string { return filepath.Join(g.Baselines, g.Scenario.Name+".live.json") }

// errDamaged means that a stored baseline cannot be used.
var errDamaged = errors.New("unusable baseline")

// read returns the stored baseline, an empty one if there is none. Its error wraps
// [errDamaged].
func (g *Live) read() (*storedBaseline, error) {
	b := &storedBaseline{Version: storedVersion, Scenario: g.Scenario.Name}
	text, err := os.ReadFile(g.file())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return b, nil
	case err != nil:
		return b, fmt.Errorf("%w: %w", errDamaged, err)
	case len(text) > maxBaseline:
		return b, fmt.Errorf("%w: %s has %d bytes; expected at most %d", errDamaged, g.file(), len(text), maxBaseline)
	}
	var stored storedBaseline
	decoder := json.NewDecoder(bytes.NewReader(text))
	switch err := decoder.Decode(&stored); {
	case err != nil:
		return b, fmt.Errorf("%w: %s: %w", errDamaged, g.file(), err)
	case stored.Version != storedVersion:
		return b, fmt.Errorf("%w: %s has version %d; expected %d", errDamaged, g.file(), stored.Version, storedVersion)
	case stored.Scenario != g.Scenario.Name:
		return b, fmt.Errorf("%w: %s is of the scenario %s; expected %s", errDamaged, g.file(), stored.Scenario, g.Scenario.Name)
	}
	for i := range stored.Sets {
		if what := stored.Sets[i].fault(); what != "" {
			return b, fmt.Errorf("%w: %s: set %d %s", errDamaged, g.file(), i+1, what)
		}
	}
	return &stored, nil
}

// fault returns why the runs of a set cannot be compared, empty if they can.
func (s *storedSet) fault() string {
	if len(s.Conditions) == 0 || len(s.Nights) == 0 {
		return "has no runs"
	}
	for i := range s.Nights {
		switch n := &s.Nights[i]; {
		case len(n.Runs) == 0:
			return "has no runs"
		case len(n.Runs) > maxCount:
			return fmt.Sprintf("has %d runs in a night; expected at most %d", len(n.Runs), maxCount)
		}
		for _, run := range s.Nights[i].Runs {
			for name, value := range run {
				if value < 0 {
					return fmt.Sprintf("has %s %v; expected no number below 0", name, value)
				}
			}
		}
	}
	return ""
}

func (g *Live) write(b *storedBaseline) error {
	text, err := json.MarshalIndent(b, "", " ")
	if err == nil {
		err = os.MkdirAll(g.Baselines, 0o755)
	}
	if err == nil {
		err = results.Dir(g.Baselines).Replace(filepath.Base(g.file()), append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("%w: %w", run.ErrFolder, err)
	}
	return nil
}

// runStored compares with the stored baseline, or with the runs of a folder.
func (g *Live) runStored(ctx context.Context, t *trials, threshold float64) (compare.Result, error) {
	t.arms[compare.B] = g.Make
	stored, damaged := g.read()
	if g.Against == "" && damaged != nil && g.Reason == "" {
		return compare.Result{Scenario: g.Scenario.Name, Outcome: compare.NoBaseline, Reason: results.OneLine(damaged),
			Notes: []string{"nothing was sent; --accept \"why\" replaces the baseline by new runs"}}, nil
	}
	if info, err := os.Stat(g.Baselines); err == nil && !info.IsDir() && g.Against == "" {
		return compare.Result{}, fmt.Errorf("%w: %s is a file; expected a folder", run.ErrFolder, g.Baselines)
	}
	ended := t.run(ctx, g.Count)
	one, ended, err := t.result(g.Scenario.Name, g.Count, ended)
	if err != nil || one.Reason != "" {
		t.note(&one)
		return one, errors.Join(ended, err)
	}
	if g.Against != "" {
		one, err = g.againstFolder(ctx, t, threshold)
	} else {
		one, err = g.againstBaseline(ctx, t, stored, threshold)
	}
	t.note(&one)
	if one.Repeat = "loadgen run " + g.Scenario.Name; len(g.Arguments) > 0 {
		one.Repeat += " " + strings.Join(g.Arguments, " ")
	}
	return one, err
}

// againstFolder compares with the runs of a folder.
func (g *Live) againstFolder(ctx context.Context, t *trials, threshold float64) (compare.Result, error) {
	older := &trials{metrics: t.metrics}
	conditions := compare.Conditions(t.runs[compare.B][0].record)
	var differing []string
	err := catalog.Read(g.Against, func(folder string, record *results.Record) error {
		older.arms[compare.B] = func(context.Context, string) (*results.Record, error) { return record, nil }
		one, err := older.measure(ctx, compare.Slot{Side: compare.B}, 0)
		if err != nil {
			return wrong("against", "the run %s cannot be compared: %v", folder, err)
		}
		older.runs[compare.B] = append(older.runs[compare.B], one)
		differing = append(differing, compare.Differing(compare.Conditions(record), conditions)...)
		return nil
	})
	var missing *catalog.Fault
	switch {
	case errors.As(err, &missing):
		return compare.Result{}, wrong("against", "%v", missing.Err)
	case err != nil:
		return compare.Result{}, err
	case len(differing) > 0:
		return compare.Result{Scenario: g.Scenario.Name, Outcome: compare.NoBaseline, Against: g.Against,
			Reason: "other conditions: " + differing[0]}, nil
	}
	one, err := g.conclude(ctx, t, &storedSet{Conditions: conditions, Nights: []storedNight{older.nightOf("")}}, threshold)
	one.Against = g.Against
	return one, err
}

// againstBaseline compares with the stored baseline, and stores the runs: as the baseline if
// there is none or if they are accepted, else in addition to it if they pass.
func (g *Live) againstBaseline(ctx context.Context, t *trials, b *storedBaseline, threshold float64) (compare.Result, error) {
	conditions := compare.Conditions(t.runs[compare.B][0].record)
	at := slices.IndexFunc(b.Sets, func(s storedSet) bool { return slices.Equal(s.Conditions, conditions) })
	if at < 0 && g.Reason == "" {
		// The same scenario with another text needs a decision.
		for i := range b.Sets {
			if was := b.Sets[i].Conditions; was[0] != conditions[0] && slices.Equal(was[1:], conditions[1:]) {
				return compare.Result{Scenario: g.Scenario.Name, Outcome: compare.NoBaseline, Against: g.file(),
					Reason: "the baseline is of another text: " + strings.Join(compare.Differing(was, conditions), "; "),
					Notes:  []string{"to accept these runs instead: --accept \"why\""}}, nil
			}
		}
	}
	if at < 0 || g.Reason != "" {
		one := compare.Result{Scenario: g.Scenario.Name, Outcome: compare.NoBaseline, Reason: "no baseline of this target yet: these runs are stored as one",
			Notes: []string{fmt.Sprintf("%s in %s; the next gate compares with them", document.Counted(t.done, "run"), g.file())}}
		reason := "the first runs"
		if g.Reason != "" {
			reason, one.Outcome, one.Reason = strings.TrimSpace(g.Reason), compare.Same, "accepted"
			b.Sets = slices.DeleteFunc(b.Sets, func(s storedSet) bool { return slices.Equal(s.Conditions[1:], conditions[1:]) })
		}
		t.applyChecks(&one)
		b.Sets = append(b.Sets, storedSet{conditions, []storedNight{t.nightOf(reason)}})
		return one, g.write(b)
	}
	set := &b.Sets[at]
	one, err := g.conclude(ctx, t, set, threshold)
	if err != nil {
		return one, err
	}
	one.Against = fmt.Sprintf("the baseline of %s (%s)", set.Nights[0].Started.Format(time.DateOnly), document.Counted(len(set.Nights[0].Runs), "run"))
	if newest := set.Nights[len(set.Nights)-1].Started; t.runs[compare.B][0].record.Manifest.Started.Before(newest) {
		one.Notes = append(one.Notes, fmt.Sprintf("the clock went back: the newest stored runs are of %s", newest.Format(time.RFC3339)))
	}
	if one.Outcome != compare.Same && one.Outcome != compare.Improvement {
		return one, nil
	}
	set.Nights = append(set.Nights, t.nightOf(""))
	if len(set.Nights) > maxNights {
		set.Nights = slices.Delete(set.Nights, 1, 2)
	}
	return one, g.write(b)
}

// conclude judges, with as many runs again if the first are inconclusive.
func (g *Live) conclude(ctx context.Context, t *trials, set *storedSet, threshold float64) (compare.Result, error) {
	one, err := t.judged(g.Scenario.Name, threshold, set)
	if err != nil || one.Outcome != compare.Inconclusive {
		return one, err
	}
	ended := t.run(ctx, g.Count)
	if again, canceled, err := t.result(g.Scenario.Name, 2*g.Count, ended); err != nil || again.Reason != "" {
		return again, errors.Join(canceled, err)
	}
	return t.judged(g.Scenario.Name, threshold, set)
}
