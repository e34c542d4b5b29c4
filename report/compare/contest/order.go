package contest

import (
	"cmp"
	"math"
	"slices"
	"strings"

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
	// counts means that the figure counts whole operations, of which one more or less is chance.
	counts bool
	of     func(t *Trial) *float64
	field  func(*Ranked) **Estimate
}

// The places of the figures in their sequence.
const (
	bySustained = iota
	byLost
	byWorst
	byCounted
	byBilled
	// byChecks precedes all figures.
	byChecks
)

// byChecksName is the name of byChecks in JSON.
const byChecksName = "checks"

// criteria returns the figures in the order in which they decide. The sustained rate has most of
// alpha: an application needs entities served in time.
func criteria(p Price) []criterion {
	billed := perEvent(func(t *Trial) float64 { return t.Billed })
	if p.BillRefused {
		billed = perEvent(func(t *Trial) float64 { return t.Billed + t.ThrottledRequests })
	}
	return []criterion{
		bySustained: {name: "sustained_entities_per_second", words: "sustained rate", format: document.Rate,
			part: 0.6, resolution: 0.005, coarse: 0.05, higher: true, counts: true,
			of: func(t *Trial) *float64 { return &t.Sustained }, field: func(r *Ranked) **Estimate { return &r.Sustained }},
		byLost: {name: "share_lost", words: "share lost", format: document.Share,
			part: 0.1, resolution: 0.001, coarse: 0.02, absolute: true, counts: true,
			of: func(t *Trial) *float64 { return &t.Lost }, field: func(r *Ranked) **Estimate { return &r.Lost }},
		byWorst: {name: "worst_p99_us", words: "worst p99", format: formatMicros,
			part: 0.1, resolution: 0.01, coarse: 0.5,
			of: (*Trial).worstP99, field: func(r *Ranked) **Estimate { return &r.WorstP99 }},
		byCounted: {name: "entities_counted_per_event", words: "entities counted per event", format: document.Finely,
			part: 0.1, resolution: 0.005, coarse: 0.1, counts: true,
			of: perEvent(func(t *Trial) float64 { return t.Counted }), field: func(r *Ranked) **Estimate { return &r.Counted }},
		byBilled: {name: "transactions_billed_per_event", words: "transactions billed per event", format: document.Finely,
			part: 0.1, resolution: 0.005, coarse: 0.1, counts: true,
			of: billed, field: func(r *Ranked) **Estimate { return &r.Billed }},
	}
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
		p99 := t.Operations[i].P99
		if p99 == nil {
			return nil
		}
		worst = max(worst, *p99)
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

func positive(values []float64) bool { return len(values) > 0 && slices.Min(values) > 0 }

func logarithms(values []float64) []float64 {
	logs := make([]float64, len(values))
	for i, value := range values {
		logs[i] = math.Log(value)
	}
	return logs
}

// standing is the place of a design by its own runs alone, so that other designs do not change
// the order of two.
type standing struct {
	name         string
	runs         int
	held, failed int
	// operations is the minimum of a run.
	operations int64
	// serves means that practically the whole load is served. Such a design cannot sustain more.
	serves bool
	// values are the figures of all runs, centres their middle, turned so that less is better,
	// and steps the centres in steps that ignore chance.
	values         [][]float64
	centres, steps []float64
}

// newStanding returns the place of a design by some trials.
func newStanding(name string, trials []Trial, figures []criterion) standing {
	s := standing{name: name, runs: len(trials), serves: len(trials) > 0}
	s.held, s.failed = countChecks(mergeChecks(trials))
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
		centre, step := math.Inf(1), math.Log1p(one.coarse)
		switch {
		case len(values) == 0:
		case one.absolute:
			centre, step = statistics.Mean(values), one.coarse
		case positive(values):
			centre = statistics.Mean(logarithms(values))
		default:
			centre = math.Log(statistics.Mean(values))
		}
		if one.higher && len(values) > 0 {
			centre = -centre
		}
		// Common values, such as one entity per event, are in the middle of a step.
		s.values, s.centres, s.steps = append(s.values, values), append(s.centres, centre), append(s.steps, math.Round(centre/step))
	}
	if s.serves {
		s.steps[bySustained] = math.Inf(-1)
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
	return cmp.Or(compareChecks(a, b), slices.Compare(a.steps, b.steps), slices.Compare(a.centres, b.centres), strings.Compare(a.name, b.name))
}

// order is the order of designs under one profile.
type order struct {
	figures []criterion
	alpha   float64
	arms    []*Arm
	// standings are those of the arms. sequence has their indices, the
	// best first, ranks is 1 plus the number of designs that are shown to be better.
	standings []standing
	sequence  []int
	ranks     []int
}

// notBehind means that no figure shows a design to be behind.
const notBehind = -1

// newOrder ranks designs by some of their trials.
func newOrder(arms []*Arm, o Options, of func(*Arm) []Trial) *order {
	r := &order{figures: criteria(o.Price), alpha: o.alpha(), arms: arms, ranks: make([]int, len(arms))}
	for i, arm := range arms {
		r.standings = append(r.standings, newStanding(arm.Design, of(arm), r.figures))
		r.sequence = append(r.sequence, i)
	}
	slices.SortFunc(r.sequence, func(a, b int) int { return compareStandings(&r.standings[a], &r.standings[b]) })
	for at, i := range r.sequence {
		r.ranks[i] = 1
		for _, before := range r.sequence[:at] {
			if r.behind(before, i) != notBehind {
				r.ranks[i]++
			}
		}
	}
	return r
}

// behind returns the figure that shows b to be behind a, which comes before it: byChecks, the
// place of a figure, or notBehind. Figures that differ by a step come first, then the others. A
// figure that shows the opposite leaves the pair open.
func (r *order) behind(a, b int) int {
	x, y := &r.standings[a], &r.standings[b]
	if x.runs < 2 || y.runs < 2 {
		return notBehind
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
				return f
			case f == bySustained && x.serves != y.serves:
				// The design that does not serve everything sustains more of other operations.
			default:
				return notBehind
			}
		}
	}
	return notBehind
}

// behindFirst returns the figure that shows a design to be behind the first.
func (r *order) behindFirst(i int) int {
	if i == r.sequence[0] {
		return notBehind
	}
	return r.behind(r.sequence[0], i)
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
	x, y := r.standings[a].values[f], r.standings[b].values[f]
	if len(x) < 2 || len(y) < 2 {
		return nil
	}
	one := &r.figures[f]
	grain, resolution := one.grain(min(r.standings[a].operations, r.standings[b].operations)), one.resolution
	d := &pair{logs: !one.absolute && positive(x) && positive(y)}
	switch {
	case d.logs:
		x, y, resolution = logarithms(x), logarithms(y), math.Log1p(resolution)
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
	x, y := statistics.Mean(r.standings[a].values[bySustained]), statistics.Mean(r.standings[b].values[bySustained])
	if x <= 0 {
		return nil
	}
	e := &Effect{Ratio: y / x}
	d := r.compare(bySustained, a, b)
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
	x, y := a.values[bySustained], b.values[bySustained]
	if len(x) < 2 || len(y) < 2 || !positive(x) || !positive(y) {
		return list
	}
	figure := &r.figures[bySustained]
	deviation, freedom := statistics.Deviation(logarithms(x), logarithms(y))
	deviation = math.Max(deviation, figure.grain(min(a.operations, b.operations)))
	unbiased := statistics.Unbiased(freedom)
	for _, percent := range []float64{5, 20} {
		found := statistics.Detection(unbiased*math.Log1p(percent/100), deviation, r.alpha*figure.part, min(len(x), len(y)))
		list = append(list, Power{percent, 100 * found})
	}
	return list
}

// reversed names two designs that each order shows in the opposite order, empty for none.
func (r *order) reversed(other *order) string {
	for at, a := range r.sequence {
		for _, b := range r.sequence[at+1:] {
			if r.behind(a, b) != notBehind && compareStandings(&other.standings[b], &other.standings[a]) < 0 && other.behind(b, a) != notBehind {
				return document.Enumerated([]string{r.standings[a].name, r.standings[b].name})
			}
		}
	}
	return ""
}
