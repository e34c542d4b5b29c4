package contest

import (
	"cmp"
	"math"
	"slices"

	"loadgen/report/compare/statistics"
	"loadgen/report/document"
)

// criterion is a figure that orders designs, at its place in the sequence.
type criterion struct {
	// name is that of JSON, words and format are those of sentences.
	name, words string
	format      func(float64) string
	// part is its share of alpha. The shares add up to one, so that all figures together show a
	// difference of equal designs no more often than alpha (Bonferroni).
	part float64
	// resolution is the smallest difference that is shown: a part of one, or of an absolute
	// figure a difference of the figure itself.
	resolution float64
	absolute   bool
	// coarse is the step by which the figure orders designs, in the same unit: larger than
	// differences by chance.
	coarse float64
	higher bool
	// counts means that the figure counts operations: one more or less is chance.
	counts bool
	of     func(t *Trial) *float64
	field  func(*Ranked) **Estimate
}

// The figures in JSON, and the checks, which precede them.
const (
	bySustained = "sustained_entities_per_second"
	byLost      = "share_lost"
	byWorst     = "worst_p99_us"
	byCounted   = "entities_counted_per_event"
	byBilled    = "transactions_billed_per_event"
	byChecks    = "checks"
)

// sustained is the place of the sustained rate.
const sustained = 0

// criteria returns the figures in the order in which they decide. The sustained rate has most of
// alpha: an application needs entities served in time.
func criteria(p Price) []criterion {
	return []criterion{
		{name: bySustained, words: "sustained rate", format: document.Rate,
			part: 0.6, resolution: 0.005, coarse: 0.05, higher: true, counts: true,
			of: func(t *Trial) *float64 { return &t.Sustained }, field: func(r *Ranked) **Estimate { return &r.Sustained }},
		{name: byLost, words: "share lost", format: document.Share,
			part: 0.1, resolution: 0.001, coarse: 0.02, absolute: true, counts: true,
			of: func(t *Trial) *float64 { return &t.Lost }, field: func(r *Ranked) **Estimate { return &r.Lost }},
		{name: byWorst, words: "worst p99", format: formatMicros,
			part: 0.1, resolution: 0.01, coarse: 0.5,
			of: (*Trial).worstP99, field: func(r *Ranked) **Estimate { return &r.WorstP99 }},
		{name: byCounted, words: "entities counted per event", format: document.Finely,
			part: 0.1, resolution: 0.005, coarse: 0.1, counts: true,
			of: perEvent(func(t *Trial) float64 { return t.Counted }), field: func(r *Ranked) **Estimate { return &r.Counted }},
		{name: byBilled, words: "transactions billed per event", format: document.Finely,
			part: 0.1, resolution: 0.005, coarse: 0.1, counts: true,
			of: perEvent(p.billed), field: func(r *Ranked) **Estimate { return &r.Billed }},
	}
}

// billed returns the transactions per event that have the price.
func (p Price) billed(t *Trial) float64 {
	if p.BillRefused {
		return t.Billed + t.ThrottledRequests
	}
	return t.Billed
}

// perEvent returns a figure that has no value unless an operation succeeded.
func perEvent(of func(*Trial) float64) func(*Trial) *float64 {
	return func(t *Trial) *float64 {
		if t.Served <= 0 {
			return nil
		}
		return new(of(t))
	}
}

// worstP99 returns the maximum p99 in microseconds, nil if an operation has none: it may be the
// worst one.
func (t *Trial) worstP99() *float64 {
	worst := int64(0)
	for i := range t.Operations {
		if t.Operations[i].P99 == nil {
			return nil
		}
		worst = max(worst, *t.Operations[i].P99)
	}
	if len(t.Operations) == 0 {
		return nil
	}
	return new(float64(worst))
}

// maxFigure is above any figure of a run. Larger values, negative ones and NaN are those of a
// broken record and are ignored.
const maxFigure = 1e15

// valuesOf returns a figure of the trials that have it.
func valuesOf(trials []Trial, of func(*Trial) *float64) []float64 {
	var values []float64
	for i := range trials {
		if value := of(&trials[i]); value != nil && *value >= 0 && *value <= maxFigure {
			values = append(values, *value)
		}
	}
	return values
}

// valuesOfAll returns a figure of every trial, nil if one of them does not have it.
func valuesOfAll(trials []Trial, of func(*Trial) *float64) []float64 {
	if values := valuesOf(trials, of); len(values) == len(trials) {
		return values
	}
	return nil
}

// grain is the minimum standard deviation of runs: half of the resolution, or one of the
// operations. A few runs of small numbers can be equal by chance.
func (f *criterion) grain(operations int64) float64 {
	grain := f.resolution / 2
	if f.counts && operations > 0 {
		grain = math.Max(grain, 1/float64(operations))
	}
	return grain
}

// logarithms returns the logarithms of positive values, nil if there are others or none.
func logarithms(values []float64) []float64 {
	if len(values) == 0 || slices.Min(values) <= 0 {
		return nil
	}
	logs := make([]float64, len(values))
	for i, value := range values {
		logs[i] = math.Log(value)
	}
	return logs
}

// standing is the place of a design by its own runs alone, so that other designs do not change
// the order of two.
type standing struct {
	runs         int
	held, failed int
	// operations is the minimum of a run.
	operations int64
	// serves means that practically the whole load is served. Such a design cannot sustain more.
	serves bool
	// values are the figures of all runs, logs their logarithms, if a figure has any. centres are
	// the middles, turned so that less is better, and steps the centres in steps that ignore
	// chance.
	values, logs   [][]float64
	centres, steps []float64
}

// newStanding returns the place of a design by some trials.
func newStanding(trials []Trial, figures []criterion) standing {
	s := standing{runs: len(trials), serves: len(trials) > 0}
	s.held, s.failed, _ = countChecks(mergeChecks(trials))
	for i := range trials {
		t := &trials[i]
		s.serves = s.serves && t.Met != nil && *t.Met >= servesAll
		if i == 0 || t.Events < s.operations {
			s.operations = t.Events
		}
	}
	for f := range figures {
		// The middle is what is tested: the logarithm of the geometric mean, or the mean of a
		// share. A figure without a value is the worst.
		one := &figures[f]
		values := valuesOfAll(trials, one.of)
		logs, centre, step := logarithms(values), math.Inf(1), math.Log1p(one.coarse)
		switch {
		case len(values) == 0:
		case one.absolute:
			logs, centre, step = nil, statistics.Mean(values), one.coarse
		case logs != nil:
			centre = statistics.Mean(logs)
		default:
			centre = math.Log(statistics.Mean(values))
		}
		if one.higher && len(values) > 0 {
			centre = -centre
		}
		// Common values, such as one entity per event, are in the middle of a step.
		s.values, s.logs = append(s.values, values), append(s.logs, logs)
		s.centres, s.steps = append(s.centres, centre), append(s.steps, math.Round(centre/step))
	}
	if s.serves {
		s.steps[sustained] = math.Inf(-1)
	}
	return s
}

// servesAll is the minimum share of each operation that counts as the whole load.
const servesAll = 0.99

// compareChecks is negative if a comes first by its checks.
func compareChecks(a, b *standing) int {
	return cmp.Or(cmp.Compare(b.held, a.held), cmp.Compare(a.failed, b.failed))
}

// compareStandings is negative if a comes first.
func compareStandings(a, b *standing) int {
	return cmp.Or(compareChecks(a, b), slices.Compare(a.steps, b.steps), slices.Compare(a.centres, b.centres))
}

// order is the order of designs under one profile.
type order struct {
	figures []criterion
	alpha   float64
	arms    []*Arm
	// standings are those of the arms, sequence has their indices, the best first.
	standings []standing
	sequence  []int
}

// newOrder ranks designs, sorted by name, by some of their trials.
func newOrder(arms []*Arm, o Options, of func(*Arm) []Trial) *order {
	r := &order{figures: criteria(o.Price), alpha: cmp.Or(o.Alpha, DefaultAlpha), arms: arms}
	for i, arm := range arms {
		r.standings = append(r.standings, newStanding(of(arm), r.figures))
		r.sequence = append(r.sequence, i)
	}
	slices.SortStableFunc(r.sequence, func(a, b int) int { return compareStandings(&r.standings[a], &r.standings[b]) })
	return r
}

// behind returns what shows b to be behind a, which comes before it: the checks, the name of a
// figure, or nothing. Figures that differ by a step come first, then the others. A figure that
// shows the opposite leaves the pair open.
func (r *order) behind(a, b int) string {
	x, y := &r.standings[a], &r.standings[b]
	if x.runs < 2 || y.runs < 2 {
		return ""
	}
	if compareChecks(x, y) < 0 {
		return byChecks
	}
	for _, steps := range []bool{true, false} {
		for f := range r.figures {
			if steps && x.steps[f] == y.steps[f] {
				continue
			}
			d := r.compare(f, a, b)
			switch {
			case d == nil || !d.shown:
			case (d.effect.Difference < 0) == r.figures[f].higher:
				return r.figures[f].name
			case f == sustained && x.serves != y.serves:
				// The design that does not serve everything sustains more of other operations.
			default:
				return ""
			}
		}
	}
	return ""
}

// pair is the comparison of two designs by a figure.
type pair struct {
	// effect is the second design against the first: the logarithm of the ratio, or the
	// difference if logs is false.
	effect statistics.Means
	logs   bool
	shown  bool
}

// compare compares b with a by a figure, nil without enough runs. Positive figures are compared
// by their logarithms, others by their means.
func (r *order) compare(f, a, b int) *pair {
	one, s, t := &r.figures[f], &r.standings[a], &r.standings[b]
	x, y := s.values[f], t.values[f]
	if len(x) < 2 || len(y) < 2 {
		return nil
	}
	grain, resolution := one.grain(min(s.operations, t.operations)), one.resolution
	d := &pair{logs: s.logs[f] != nil && t.logs[f] != nil}
	switch {
	case d.logs:
		x, y, resolution = s.logs[f], t.logs[f], math.Log1p(resolution)
	case !one.absolute:
		scale := math.Max(statistics.Mean(x), statistics.Mean(y))
		grain, resolution = grain*scale, resolution*scale
	}
	d.effect = statistics.Welch(x, y, grain)
	difference := math.Abs(d.effect.Difference)
	d.shown = difference != 0 && difference >= resolution && d.effect.P <= r.alpha*one.part
	return d
}

// ratio returns the ratio of the sustained rates of b and a, with its 95% interval.
func (r *order) ratio(a, b int) *Effect {
	x, y := statistics.Mean(r.standings[a].values[sustained]), statistics.Mean(r.standings[b].values[sustained])
	if x <= 0 {
		return nil
	}
	e, d := &Effect{Ratio: y / x}, r.compare(sustained, a, b)
	if d == nil {
		return e
	}
	e.P, e.Shown = new(d.effect.P), d.shown
	if d.logs {
		// The mean of logarithms is the ratio of geometric means, which is tested.
		low, high, _ := d.effect.Interval(doubt)
		e.Ratio, e.Interval = math.Exp(d.effect.Difference), finiteBounds(math.Exp(low), math.Exp(high))
	}
	return e
}

// power returns how often the runs of the first two designs would have shown a true difference
// of the sustained rate.
func (r *order) power() []Power {
	list := []Power{}
	if len(r.sequence) < 2 {
		return list
	}
	a, b := &r.standings[r.sequence[0]], &r.standings[r.sequence[1]]
	x, y, figure := a.logs[sustained], b.logs[sustained], &r.figures[sustained]
	if len(x) < 2 || len(y) < 2 {
		return list
	}
	deviation, freedom := statistics.Deviation(x, y)
	deviation = math.Max(deviation, figure.grain(min(a.operations, b.operations)))
	for _, percent := range []float64{5, 20} {
		found := statistics.Detection(statistics.Unbiased(freedom)*math.Log1p(percent/100), deviation, r.alpha*figure.part, min(len(x), len(y)))
		list = append(list, Power{percent, 100 * found})
	}
	return list
}

// reversed names two designs that each order shows in the opposite order, empty for none.
func (r *order) reversed(other *order) string {
	for at, a := range r.sequence {
		for _, b := range r.sequence[at+1:] {
			if r.behind(a, b) != "" && compareStandings(&other.standings[b], &other.standings[a]) < 0 && other.behind(b, a) != "" {
				return r.arms[a].Design + " and " + r.arms[b].Design
			}
		}
	}
	return ""
}
