package runs

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"loadgen/report/compare"
	"loadgen/report/compare/statistics"
)

// Comparison is the result of [Compare], and its JSON form.
type Comparison struct {
	Outcome compare.Outcome `json:"verdict"`
	// Says is the verdict in one or two sentences.
	Says []string `json:"sentences"`
	A    Summary  `json:"a"`
	B    Summary  `json:"b"`
	// Warnings are differences between the sides, and defects of runs.
	Warnings []string `json:"warnings"`
	// Decides are the findings that decide the verdict, none with too few runs.
	Decides []compare.Finding `json:"decides"`
	Metrics []Metric          `json:"metrics"`
	// Bands are those of single runs. No verdict is based on them.
	Bands  []Band  `json:"within_runs"`
	Shapes []Shape `json:"shapes"`
	// Exact has the differences of runs in virtual time, nil if none were compared.
	Exact *Exact `json:"exact"`
	// Pairs is the number of pairs of runs, 0 if the sides have different numbers of runs.
	Pairs int `json:"pairs"`
}

// Summary describes a side.
type Summary struct {
	Name     string `json:"name"`
	Scenario string `json:"scenario"`
	Runs     int    `json:"runs"`
	// Started is the start of the first run, Time "real" or "virtual".
	Started string `json:"started"`
	Time    string `json:"time"`
}

// Metric is a figure of a phase and operation on both sides. A and B are medians over the runs
// that have it, in the unit of its name, or nil.
type Metric struct {
	Metric string `json:"metric"`
	// Phase is empty for all reported phases, Operation for all operations.
	Phase     string   `json:"phase"`
	Operation string   `json:"operation"`
	A         *float64 `json:"a"`
	B         *float64 `json:"b"`
	// Change is relative: of pairs as the gate estimates it, else of the medians. It is nil if
	// A is 0.
	Change *float64 `json:"change"`
	// Interval and P are not corrected for several tests, and nil with too few pairs.
	Interval *[2]float64 `json:"interval"`
	P        *float64    `json:"p"`
	// RangeA and RangeB are the minimum and maximum over several runs.
	RangeA *[2]float64 `json:"a_range"`
	RangeB *[2]float64 `json:"b_range"`

	measure measure
	// same means that all runs have one value, or the runs of each pair.
	same bool
}

// Compare compares B with A. It returns [ErrEmpty] if a side has no run.
func Compare(a, b *Side) (*Comparison, error) {
	for _, side := range []*Side{a, b} {
		if len(side.runs) == 0 {
			return nil, fmt.Errorf("%w: %s has no run", ErrEmpty, side.Name)
		}
		virtual := !slices.ContainsFunc(side.runs, func(one *run) bool { return one.manifest.Time != "virtual" })
		slices.SortStableFunc(side.runs, func(a, b *run) int {
			if virtual && a.manifest.Seed != b.manifest.Seed {
				return cmp.Compare(a.manifest.Seed, b.manifest.Seed)
			}
			return cmp.Or(a.started.Compare(b.started), cmp.Compare(a.name, b.name))
		})
	}
	c := &Comparison{A: a.summary(), B: b.summary(), Warnings: warnings(a, b), Decides: []compare.Finding{},
		Metrics: []Metric{}, Bands: []Band{}, Shapes: []Shape{}}
	if len(a.runs) == len(b.runs) {
		c.Pairs = len(a.runs)
	}
	for _, k := range sections(a, b) {
		for _, m := range measures() {
			c.Metrics = append(c.Metrics, metricOf(a, b, k, m))
		}
	}
	var err error
	if c.Exact, err = exactly(a, b); err != nil {
		return nil, err
	}
	if c.Exact == nil || c.Exact.Same < c.Exact.Pairs {
		list := []Shape{}
		for _, k := range sections(a, b) {
			s, err := compare.ShapeOf(a.times[k].Bars(), b.times[k].Bars())
			if err != nil {
				continue
			}
			list = append(list, Shape{k.phase, k.operation, s})
		}
		c.Shapes = list
		if c.Bands, err = bands(a, b); err != nil {
			return nil, err
		}
	}
	return c, c.rule(a, b)
}

func (s *Side) summary() Summary {
	first := s.runs[0]
	return Summary{Name: s.Name, Scenario: first.manifest.Scenario.Name, Runs: len(s.runs),
		Started: first.started.UTC().Format("2006-01-02T15:04:05Z"), Time: first.manifest.Time}
}

// sections returns the sections that both sides have, in the order of A.
func sections(a, b *Side) []key {
	return slices.DeleteFunc(slices.Clone(a.keys), func(k key) bool { return !slices.Contains(b.keys, k) })
}

func metricOf(a, b *Side, k key, m measure) Metric {
	metric := Metric{Metric: m.name, Phase: k.phase, Operation: k.operation, measure: m}
	was, is := a.values(k, m), b.values(k, m)
	equal := func(a, b *float64) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }
	if len(was) == len(is) {
		metric.same = slices.EqualFunc(was, is, equal)
	} else {
		all := slices.Concat(was, is)
		metric.same = !slices.ContainsFunc(all, func(value *float64) bool { return !equal(value, all[0]) })
	}
	metric.A, metric.RangeA = middle(was)
	metric.B, metric.RangeB = middle(is)
	if metric.A != nil && metric.B != nil {
		if change := statistics.Relative(*metric.A, *metric.B); !math.IsInf(change, 1) {
			metric.Change = &change
		}
	}
	if pairs := paired(was, is); len(pairs) >= compare.FewestPairsOfOne {
		judged, err := compare.Gate{}.Judge([]compare.Trial{{Metric: m.metric(), Pairs: pairs}})
		if err == nil {
			f := &judged.Findings[0]
			metric.Interval, metric.P = f.Interval, &f.P
			if metric.Change != nil {
				metric.Change = &f.Change
			}
		}
	}
	return metric
}

// values returns a figure of each run, nil for runs without it.
func (s *Side) values(k key, m measure) []*float64 {
	list := make([]*float64, len(s.runs))
	for i, one := range s.runs {
		if section, ok := one.figures[k]; ok {
			list[i] = m.value(&section)
		}
	}
	return list
}

// paired returns pairs of values, none if a value is missing or the sides have different lengths.
func paired(was, is []*float64) []compare.Pair {
	if len(was) != len(is) {
		return nil
	}
	var pairs []compare.Pair
	for i := range was {
		if was[i] == nil || is[i] == nil {
			return nil
		}
		pairs = append(pairs, compare.Pair{A: *was[i], B: *is[i]})
	}
	return pairs
}

// middle returns the median of the known values, and their range if there are several.
func middle(values []*float64) (*float64, *[2]float64) {
	var known []float64
	for _, value := range values {
		if value != nil {
			known = append(known, *value)
		}
	}
	if len(known) == 0 {
		return nil, nil
	}
	median := statistics.Median(known)
	if len(known) == 1 {
		return &median, nil
	}
	return &median, &[2]float64{slices.Min(known), slices.Max(known)}
}

// Shape describes how the response times of a section differ, over all runs of each side. No
// verdict is based on it: operations of one run are not a sample of runs.
type Shape struct {
	Phase     string `json:"phase"`
	Operation string `json:"operation"`
	compare.Shape
}
