package runs

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"loadgen/report/compare"
	"loadgen/report/compare/statistics"
)

// Comparison is two sides held against each other. Its fields are those of the JSON form.
type Comparison struct {
	Outcome compare.Outcome `json:"verdict"`
	// Says is the verdict in a sentence or two.
	Says []string `json:"sentences"`
	A    Summary  `json:"a"`
	B    Summary  `json:"b"`
	// Warnings are whatever is not the same on both sides, or speaks against the runs.
	Warnings []string `json:"warnings"`
	// Decides are the findings that the verdict rests on, none where there are too few
	// runs.
	Decides []compare.Finding `json:"decides"`
	Metrics []Metric          `json:"metrics"`
	// Bands are of single runs, and gate nothing.
	Bands  []Band  `json:"within_runs"`
	Shapes []Shape `json:"shapes"`
	// Exact is what differs of runs in virtual time, nil where none were compared.
	Exact *Exact `json:"exact"`
	// Pairs is how many pairs of runs there are, 0 where they do not pair.
	Pairs int `json:"pairs"`
}

// Summary says what a side is.
type Summary struct {
	Name     string `json:"name"`
	Scenario string `json:"scenario"`
	Runs     int    `json:"runs"`
	// Started is when the first of its runs began, Time "real" or "virtual".
	Started string `json:"started"`
	Time    string `json:"time"`
}

// Metric is one figure of one phase and operation on both sides. A and B are medians over
// the runs that tell it, in the unit of its name; nil where none does.
type Metric struct {
	Metric string `json:"metric"`
	// Phase is empty for all reported ones together, Operation for all operations.
	Phase     string   `json:"phase"`
	Operation string   `json:"operation"`
	A         *float64 `json:"a"`
	B         *float64 `json:"b"`
	// Change is a part of one: of pairs as the gate estimates it, else of the medians. It
	// is nil where there was nothing before.
	Change *float64 `json:"change"`
	// Interval and P are those of the figure alone, not corrected for how many there are;
	// nil where the runs cannot tell.
	Interval *[2]float64 `json:"interval"`
	P        *float64    `json:"p"`
	// RangeA and RangeB are the least and the greatest of several runs.
	RangeA *[2]float64 `json:"a_range"`
	RangeB *[2]float64 `json:"b_range"`

	measure measure
	// same says that every run of both sides has one figure, or each pair its own.
	same bool
}

// Of holds B against A. Its error wraps [ErrEmpty] where a side has no run.
func Of(a, b *Side) (*Comparison, error) {
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

// sections returns those that both sides have, in the order of A.
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
		// There is no change from nothing.
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

// values returns a figure of each run, nil for a run that does not tell it.
func (s *Side) values(k key, m measure) []*float64 {
	list := make([]*float64, len(s.runs))
	for i, one := range s.runs {
		if section, some := one.figures[k]; some {
			list[i] = m.of(&section)
		}
	}
	return list
}

// paired returns the pairs of two figures, none where a run lacks its own or the sides are
// of different numbers.
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

// middle returns the median of the values that are there, and their range where there are
// several.
func middle(values []*float64) (*float64, *[2]float64) {
	var told []float64
	for _, value := range values {
		if value != nil {
			told = append(told, *value)
		}
	}
	if len(told) == 0 {
		return nil, nil
	}
	median := statistics.Median(told)
	if len(told) == 1 {
		return &median, nil
	}
	return &median, &[2]float64{slices.Min(told), slices.Max(told)}
}

// Shape is how the response times of one section differ, over all runs of each side
// together. It describes, and proves nothing: the operations of a run are no sample of
// runs.
type Shape struct {
	Phase     string `json:"phase"`
	Operation string `json:"operation"`
	compare.Shape
}
