package history

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"loadgen/engine/nearest"
	"loadgen/report/chart"
	"loadgen/report/compare"
	"loadgen/report/compare/statistics"
	"loadgen/results"
)

// Document is the history of one or more scenarios.
type Document struct {
	Metrics   []compare.Metric
	Scenarios []Scenario
	// Unread is sorted by name.
	Unread []Unread
}

// Scenario is the history of one scenario.
type Scenario struct {
	Name string
	// Runs is the number of runs in all series.
	Runs int
	// Virtual means that all runs are in virtual time, where only the program can change
	// results. If there are live runs, those in virtual time are left out.
	Virtual bool
	Left    Left
	Series  []Series
}

// Left counts the runs that were left out.
type Left struct {
	Virtual int `json:"virtual"`
	Partial int `json:"partial"`
	// ClientLimited includes runs of which only some metrics are left out.
	ClientLimited int `json:"client_limited"`
	Invalid       int `json:"invalid"`
}

// Series are nights of the same conditions.
type Series struct {
	// Differs lists the differences from the conditions of the previous series.
	Differs []string
	Nights  []Night
	// Trends are by metric.
	Trends     []Trend
	conditions []compare.Condition
}

// Night is a group of runs that began within six hours of the first.
type Night struct {
	// Begun is the start of the first run.
	Begun time.Time
	Runs  int
	// Commits are the known commits of the tool.
	Commits []string
	// Causes are the version of the tool and the labels of its runs, of what may change results.
	Causes []string
	// Values are medians over the runs, by metric, or NaN.
	Values []float64
}

// nightLength is the maximum distance of a run from the first of its night. A date would change
// in the middle of a night in some time zone.
const nightLength = 6 * time.Hour

// Document returns the history, with scenarios sorted by name. It returns a [Fault] if no run has
// the operation or phase of a metric.
func (a *Archive) Document() (*Document, error) {
	var known []string
	for i := range a.runs {
		known = append(known, a.runs[i].names...)
	}
	slices.Sort(known)
	known = slices.DeleteFunc(slices.Compact(known), func(name string) bool { return name == "" })
	for _, metric := range a.metrics {
		for _, name := range metric.Concerns() {
			if len(known) > 0 && !slices.Contains(known, name) {
				return nil, &Fault{"metric", errors.New(nearest.Unknown("operation or phase", name, known))}
			}
		}
	}
	d := &Document{Metrics: slices.Clone(a.metrics), Unread: slices.Clone(a.unread)}
	slices.SortFunc(d.Unread, func(x, y Unread) int { return strings.Compare(x.Name+x.Reason, y.Name+y.Reason) })
	byScenario := make(map[string][]run)
	var names []string
	ordered := slices.SortedFunc(slices.Values(a.runs), func(x, y run) int {
		return cmp.Or(x.started.Compare(y.started), strings.Compare(x.name, y.name))
	})
	for _, r := range ordered {
		if byScenario[r.scenario] == nil {
			names = append(names, r.scenario)
		}
		byScenario[r.scenario] = append(byScenario[r.scenario], r)
	}
	slices.Sort(names)
	for _, name := range names {
		s := scenarioOf(name, byScenario[name])
		for i := range s.Series {
			if err := s.Series[i].findSteps(a.metrics); err != nil {
				return nil, err
			}
		}
		d.Scenarios = append(d.Scenarios, s)
	}
	return d, nil
}

// scenarioOf groups the sorted runs of a scenario into series of nights.
func scenarioOf(name string, runs []run) Scenario {
	s := Scenario{Name: compare.Printable(name, maxWord)}
	var valid []run
	for _, r := range runs {
		switch {
		case r.validity == results.Valid && r.late == len(r.values):
			s.Left.ClientLimited++
		case r.validity == results.Valid:
			valid = append(valid, r)
		case r.validity == results.Partial:
			s.Left.Partial++
		default:
			s.Left.Invalid++
		}
	}
	s.Virtual = len(valid) > 0 && !slices.ContainsFunc(valid, func(r run) bool { return !r.virtual })
	if !s.Virtual {
		all := len(valid)
		valid = slices.DeleteFunc(valid, func(r run) bool { return r.virtual })
		s.Left.Virtual = all - len(valid)
	}
	s.Runs = len(valid)
	parts := make([][]run, 0, 1)
	for _, r := range valid {
		if r.late > 0 {
			s.Left.ClientLimited++
		}
		i := slices.IndexFunc(parts, func(part []run) bool { return slices.Equal(part[0].conditions, r.conditions) })
		if i < 0 {
			i, parts = len(parts), append(parts, nil)
		}
		parts[i] = append(parts[i], r)
	}
	for i, part := range parts {
		series := Series{Nights: nightsOf(part), conditions: part[0].conditions}
		if i > 0 {
			series.Differs = compare.Differing(s.Series[i-1].conditions, series.conditions)
		}
		s.Series = append(s.Series, series)
	}
	return s
}

// nightsOf groups sorted runs into nights.
func nightsOf(runs []run) []Night {
	var list []Night
	for len(runs) > 0 {
		end := slices.IndexFunc(runs, func(r run) bool { return r.started.Sub(runs[0].started) >= nightLength })
		if end < 0 {
			end = len(runs)
		}
		night := Night{Begun: runs[0].started, Runs: end}
		for metric := range runs[0].values {
			var known []float64
			for _, r := range runs[:end] {
				if value := r.values[metric]; !math.IsNaN(value) {
					known = append(known, value)
				}
			}
			night.Values = append(night.Values, statistics.Median(known))
		}
		for _, r := range runs[:end] {
			if r.commit != "" && !slices.Contains(night.Commits, r.commit) {
				night.Commits = append(night.Commits, r.commit)
			}
			for _, cause := range r.causes {
				if !slices.Contains(night.Causes, cause) {
					night.Causes = append(night.Causes, cause)
				}
			}
		}
		list = append(list, night)
		runs = runs[end:]
	}
	return list
}

// Draw draws the nights of a scenario into a file, PNG or SVG by its extension.
func Draw(folder results.Folder, name string, metrics []compare.Metric, s *Scenario) error {
	trend := &chart.Trend{Title: s.Sentence(), Subtitle: fmt.Sprintf("%d runs, one night per six hours  ·  steps of at least %v%%, p at most %v",
		s.Runs, 100*compare.DefaultLeastChange, compare.DefaultP)}
	for i := 1; i < len(s.Series); i++ {
		trend.Breaks = append(trend.Breaks, chart.TrendPoint{At: s.Series[i].Nights[0].Begun, Words: fmt.Sprintf("series %d", i+1)})
	}
	for m, metric := range metrics {
		panel := chart.TrendMetric{Name: metric.Name, Unit: metric.Unit}
		for i := range s.Series {
			var line []chart.TrendPoint
			for _, night := range s.Series[i].Nights {
				line = append(line, chart.TrendPoint{At: night.Begun, Value: night.Values[m]})
			}
			panel.Lines = append(panel.Lines, line)
			for _, step := range s.Series[i].Trends[m].Steps {
				panel.Steps = append(panel.Steps, chart.TrendPoint{At: step.Night, Words: changed(step.Change)})
			}
			for _, stretch := range s.Series[i].Trends[m].Stretches {
				panel.Levels = append(panel.Levels, []chart.TrendPoint{{At: stretch.From, Value: stretch.Mean}, {At: stretch.To, Value: stretch.Mean}})
			}
		}
		trend.Metrics = append(trend.Metrics, panel)
	}
	return trend.Figure().SaveAs(folder, name)
}

// The maximum lengths of a value of a record, and of a path or reason, in characters.
const (
	maxWord = 60
	maxPath = 200
)
