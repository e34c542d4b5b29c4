package contest

import (
	"cmp"
	"math"
	"slices"

	"loadgen/report/compare/statistics"
	"loadgen/report/document"
	"loadgen/results"
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

// criteria are the first of the figures of a run, in the order in which they decide. The sustained
// rate has most of alpha: an application needs entities served in time.
var criteria = []criterion{
	{bySustained, "sustained rate", document.Rate, 0.6, 0.005, false, 0.05, true, true},
	{byLost, "share lost", document.Share, 0.1, 0.001, true, 0.02, false, true},
	{byWorst, "worst p99", func(p99 float64) string { return document.Micros(int64(p99)) }, 0.1, 0.01, false, 0.5, false, false},
	{byCounted, "entities counted per event", document.Finely, 0.1, 0.005, false, 0.1, false, true},
	{byBilled, "transactions billed per event", document.Finely, 0.1, 0.005, false, 0.1, false, true},
}

// values returns the figures of a run in the order of [Ranked.figures], nil for no value. Figures
// per event need a success.
func (t *Trial) values(p results.Price) []*float64 {
	billed, perEvent := t.Billed, func(value float64) *float64 {
		if t.Served <= 0 {
			return nil
		}
		return &value
	}
	if p.BillRefused {
		billed += t.ThrottledRequests
	}
	return []*float64{&t.Sustained, &t.Lost, t.worstP99(), perEvent(t.Counted), perEvent(billed),
		perEvent(t.ThrottledRequests), perEvent(t.Stored), t.Met, t.Recovery, t.Fairness, t.ColdServed}
}

// estimated is where a design has the estimate of a figure, with the maximum of the figure, 0 for
// none. A partial figure needs a value in some runs, others need one in each.
type estimated struct {
	to      **statistics.Estimate
	maximum float64
	partial bool
}

// figures returns the figures of a design, first those of [criteria].
func (one *Ranked) figures() []estimated {
	return []estimated{{to: &one.Sustained}, {&one.Lost, 1, false}, {to: &one.WorstP99}, {to: &one.Counted}, {to: &one.Billed},
		{to: &one.Throttled}, {to: &one.Stored}, {&one.Met, 1, false}, {&one.Recovery, 0, true}, {&one.Fairness, 1, true}, {&one.ColdServed, 1, true}}
}

// worstP99 returns the maximum p99 in microseconds, nil if an operation has none: it may be the
// worst one.
func (t *Trial) worstP99() *float64 {
	var worst *float64
	for _, one := range t.Operations {
		if one.P99 == nil {
			return nil
		}
		if p99 := float64(*one.P99); worst == nil || p99 > *worst {
			worst = &p99
		}
	}
	return worst
}

// maxFigure is above any figure of a run. Larger values, negative ones and NaN are those of a
// broken record and are ignored.
const maxFigure = 1e15

// figureValues returns the values of each figure over the trials that have one.
func figureValues(trials []Trial, p results.Price) [][]float64 {
	list := make([][]float64, len(new(Ranked).figures()))
	for i := range trials {
		for f, value := range trials[i].values(p) {
			if value != nil && *value >= 0 && *value <= maxFigure {
				list[f] = append(list[f], *value)
			}
		}
	}
	return list
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
	runs   int
	checks checkCounts
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
func newStanding(trials []Trial, p results.Price) standing {
	s := standing{runs: len(trials), checks: countChecks(mergeChecks(trials)), serves: len(trials) > 0}
	for i := range trials {
		t := &trials[i]
		s.serves = s.serves && t.Met != nil && *t.Met >= servesAll
		if i == 0 || t.Events < s.operations {
			s.operations = t.Events
		}
	}
	for f, values := range figureValues(trials, p)[:len(criteria)] {
		// The middle is what is tested: the logarithm of the geometric mean, or the mean of a
		// share. A figure without a value in some run is the worst.
		one := &criteria[f]
		if len(values) < len(trials) {
			values = nil
		}
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
	return cmp.Or(cmp.Compare(b.checks.Held, a.checks.Held), cmp.Compare(a.checks.Failed, b.checks.Failed))
}

// compareStandings is negative if a comes first.
func compareStandings(a, b *standing) int {
	return cmp.Or(compareChecks(a, b), slices.Compare(a.steps, b.steps), slices.Compare(a.centres, b.centres))
}

// order is the order of designs under one profile.
type order struct {
	alpha float64
	arms  []*Arm
	// standings are those of the arms, sequence has their indices, the best first.
	standings []standing
	sequence  []int
}

// newOrder ranks designs, sorted by name, by some of their trials.
func newOrder(arms []*Arm, o Options, of func(*Arm) []Trial) *order {
	r := &order{alpha: cmp.Or(o.Alpha, DefaultAlpha), arms: arms}
	for i, arm := range arms {
		r.standings = append(r.standings, newStanding(of(arm), o.Price))
		r.sequence = append(r.sequence, i)
	}
	slices.SortStableFunc(r.sequence, func(a, b int) int { return compareStandings(&r.standings[a], &r.standings[b]) })
	return r
}

// decidingFigure returns what shows b to be behind a, which comes before it: the checks, the name of a
// figure, or nothing. Figures that differ by a step come first, then the others. A figure that
// shows the opposite leaves the pair open.
func (r *order) decidingFigure(a, b int) string {
	x, y := &r.standings[a], &r.standings[b]
	if x.runs < 2 || y.runs < 2 {
		return ""
	}
	if compareChecks(x, y) < 0 {
		return byChecks
	}
	for _, steps := range []bool{true, false} {
		for f := range criteria {
			if steps && x.steps[f] == y.steps[f] {
				continue
			}
			d := r.compare(f, a, b)
			switch {
			case d == nil || !d.Shown:
			case (d.difference < 0) == criteria[f].higher:
				return criteria[f].name
			case f == sustained && x.serves != y.serves:
				// The design that does not serve everything sustains more of other operations.
			default:
				return ""
			}
		}
	}
	return ""
}

// pair is the comparison of two designs by a figure. Difference is that of the second design to the
// first: the logarithm of the ratio, or the difference of the means.
type pair struct {
	Effect
	difference float64
}

// compare compares b with a by a figure, nil without enough runs. Positive figures are compared
// by their logarithms, others by their means.
func (r *order) compare(f, a, b int) *pair {
	one, s, t := &criteria[f], &r.standings[a], &r.standings[b]
	x, y := s.values[f], t.values[f]
	if len(x) < 2 || len(y) < 2 {
		return nil
	}
	grain, resolution, logs := one.grain(min(s.operations, t.operations)), one.resolution, s.logs[f] != nil && t.logs[f] != nil
	d := &pair{Effect: Effect{Ratio: statistics.Mean(y) / statistics.Mean(x)}}
	switch {
	case logs:
		x, y, resolution = s.logs[f], t.logs[f], math.Log1p(resolution)
	case !one.absolute:
		scale := math.Max(statistics.Mean(x), statistics.Mean(y))
		grain, resolution = grain*scale, resolution*scale
	}
	means := statistics.Welch(x, y, grain)
	if d.difference = means.Difference; logs {
		// The mean of logarithms is the ratio of geometric means, which is tested.
		low, high, _ := means.Interval(statistics.Doubt)
		d.Ratio, d.Interval = math.Exp(d.difference), statistics.Bounds(math.Exp(low), math.Exp(high))
	}
	d.P, d.Shown = &means.P, d.difference != 0 && math.Abs(d.difference) >= resolution && means.P <= r.alpha*one.part
	return d
}

// ratio returns the ratio of the sustained rates of b and a, with its 95% interval.
func (r *order) ratio(a, b int) *Effect {
	x, y := statistics.Mean(r.standings[a].values[sustained]), statistics.Mean(r.standings[b].values[sustained])
	if x <= 0 {
		return nil
	}
	if d := r.compare(sustained, a, b); d != nil {
		return &d.Effect
	}
	return &Effect{Ratio: y / x}
}

// power returns how often the runs of the first two designs would have shown a true difference
// of the sustained rate.
func (r *order) power() []Power {
	list := []Power{}
	if len(r.sequence) < 2 {
		return list
	}
	a, b := &r.standings[r.sequence[0]], &r.standings[r.sequence[1]]
	x, y, figure := a.logs[sustained], b.logs[sustained], &criteria[sustained]
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

// reversedPair names two designs that each order shows in the opposite order, empty for none.
func (r *order) reversedPair(other *order) string {
	for at, a := range r.sequence {
		for _, b := range r.sequence[at+1:] {
			if r.decidingFigure(a, b) != "" && compareStandings(&other.standings[b], &other.standings[a]) < 0 && other.decidingFigure(b, a) != "" {
				return r.arms[a].Design + " and " + r.arms[b].Design
			}
		}
	}
	return ""
}
