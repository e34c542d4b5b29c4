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

// Document is the history of one scenario or several.
type Document struct {
	Metrics   []Metric
	Scenarios []Scenario
	// Unread are the runs that could not be read, by name.
	Unread []Unread
}

// Scenario is what an archive holds of one scenario.
type Scenario struct {
	Name string
	// Runs is how many runs the series rest on.
	Runs int
	// Virtual says that all of them were on the virtual clock, where nothing but the
	// program can change them. Where some were not, those that were are left out.
	Virtual bool
	Left    Left
	Series  []Series
}

// Left counts the runs that were left out.
type Left struct {
	Virtual int `json:"virtual"`
	Partial int `json:"partial"`
	// ClientLimited counts runs too of which some metrics are left out alone: what was
	// counted is so whoever was late.
	ClientLimited int `json:"client_limited"`
	Invalid       int `json:"invalid"`
}

// Series are the nights of the same conditions.
type Series struct {
	// Differs says in which conditions it differs from the series that began before it.
	Differs []string
	Nights  []Night
	// Trends has one of each metric.
	Trends     []Trend
	conditions []condition
}

// Night is some runs that were begun within six hours.
type Night struct {
	// Begun is when the first was.
	Begun time.Time
	Runs  int
	// Commits are those that the tools were built from, as far as they say so.
	Commits []string
	// Values are the medians over the runs, by metric, not a number where none can tell.
	Values []float64
}

// nightLength is how long after the first run of a night another may be begun. It is no
// date, since that changes in the middle of somebody's night wherever one stands.
const nightLength = 6 * time.Hour

// Document returns the history of what was taken in, its scenarios by name. Its error is
// that of compare.ChangePoints, or a [Fault]: a metric is of an operation or phase that no run
// has.
func (a *Archive) Document() (*Document, error) {
	var known []string
	for i := range a.runs {
		known = append(known, a.runs[i].names...)
	}
	slices.Sort(known)
	known = slices.DeleteFunc(slices.Compact(known), func(name string) bool { return name == "" })
	for _, metric := range a.metrics {
		for _, name := range []string{metric.of.Of, metric.of.Operation, metric.of.Phase} {
			if name != "" && len(known) > 0 && !slices.Contains(known, name) {
				return nil, &Fault{"metric", errors.New(nearest.Unknown("operation or phase", name, known))}
			}
		}
	}
	d := &Document{Metrics: slices.Clone(a.metrics), Unread: slices.Clone(a.unread)}
	slices.SortFunc(d.Unread, func(x, y Unread) int { return strings.Compare(x.Name+x.Reason, y.Name+y.Reason) })
	of := make(map[string][]run)
	var names []string
	ordered := slices.SortedFunc(slices.Values(a.runs), func(x, y run) int {
		return cmp.Or(x.started.Compare(y.started), strings.Compare(x.name, y.name))
	})
	for _, r := range ordered {
		if of[r.scenario] == nil {
			names = append(names, r.scenario)
		}
		of[r.scenario] = append(of[r.scenario], r)
	}
	slices.Sort(names)
	for _, name := range names {
		s := scenarioOf(name, of[name])
		for i := range s.Series {
			if err := s.Series[i].findSteps(a.metrics); err != nil {
				return nil, err
			}
		}
		d.Scenarios = append(d.Scenarios, s)
	}
	return d, nil
}

// scenarioOf puts the runs of a scenario, which are in order, into series of nights.
func scenarioOf(name string, runs []run) Scenario {
	s := Scenario{Name: printable(name, longestWord)}
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
			series.Differs = differing(s.Series[i-1].conditions, series.conditions)
		}
		s.Series = append(s.Series, series)
	}
	return s
}

// nightsOf puts runs of the same conditions, which are in order, into nights.
func nightsOf(runs []run) []Night {
	var list []Night
	for len(runs) > 0 {
		end := slices.IndexFunc(runs, func(r run) bool { return r.started.Sub(runs[0].started) >= nightLength })
		if end < 0 {
			end = len(runs)
		}
		night := Night{Begun: runs[0].started, Runs: end}
		for metric := range runs[0].values {
			var told []float64
			for _, r := range runs[:end] {
				if value := r.values[metric]; !math.IsNaN(value) {
					told = append(told, value)
				}
			}
			night.Values = append(night.Values, statistics.Median(told))
		}
		for _, r := range runs[:end] {
			if r.commit != "" && !slices.Contains(night.Commits, r.commit) {
				night.Commits = append(night.Commits, r.commit)
			}
		}
		list = append(list, night)
		runs = runs[end:]
	}
	return list
}

// Draw draws the nights of a scenario into a file of a folder, PNG or SVG by its ending.
// Its error is that of [chart.DrawTrend].
func Draw(folder results.Folder, name string, metrics []Metric, s *Scenario) error {
	trend := &chart.Trend{Title: s.Sentence(), Subtitle: fmt.Sprintf("%d runs, those begun within six hours are a night  ·  steps of %v %% at least, p = %v at most",
		s.Runs, 100*compare.DefaultLeastChange, compare.DefaultP)}
	for i := 1; i < len(s.Series); i++ {
		trend.Breaks = append(trend.Breaks, chart.TrendStep{At: s.Series[i].Nights[0].Begun, Words: fmt.Sprintf("series %d", i+1)})
	}
	for m, metric := range metrics {
		panel := chart.TrendMetric{Name: metric.String(), Unit: metric.Unit()}
		for i := range s.Series {
			var line []chart.TrendPoint
			for _, night := range s.Series[i].Nights {
				line = append(line, chart.TrendPoint{At: night.Begun, Value: night.Values[m]})
			}
			panel.Lines = append(panel.Lines, line)
			for _, step := range s.Series[i].Trends[m].Steps {
				panel.Steps = append(panel.Steps, chart.TrendStep{At: step.Night, Words: changed(step.Change)})
			}
			for _, stretch := range s.Series[i].Trends[m].Stretches {
				panel.Levels = append(panel.Levels, chart.TrendLevel{From: stretch.From, To: stretch.To, Value: stretch.Mean})
			}
		}
		trend.Metrics = append(trend.Metrics, panel)
	}
	return chart.DrawTrend(folder, name, trend)
}
