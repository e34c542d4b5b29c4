package contest

import (
	"math"
	"slices"

	"loadgen/report/compare/statistics"
)

// order is how designs come in under one profile. What it says of two of them depends on
// nothing but those two.
type order struct {
	figures []criterion
	names   []string
	// values has each figure of each design, by figure and design.
	values [][][]float64
	// standings are the designs' own, runs how many each has, operations how many the
	// smallest of those had.
	standings  []standing
	runs       []int
	operations []int64
	alpha      float64
	// sequence has the designs, the best first, ranks of each the one more than how many are
	// shown to be better.
	sequence []int
	ranks    []int
}

// notBehind is told of a design that no figure shows to be behind.
const notBehind = -1

// newOrder ranks designs by some trials of theirs.
func newOrder(arms []*Arm, o Options, of func(*Arm) []Trial) *order {
	r := &order{figures: criteria(o.Price), alpha: o.alpha(), ranks: make([]int, len(arms))}
	for i, arm := range arms {
		trials := of(arm)
		fewest := int64(0)
		for k := range trials {
			if n := trials[k].Events; k == 0 || n < fewest {
				fewest = n
			}
		}
		r.names = append(r.names, arm.Design)
		r.standings = append(r.standings, stand(arm.Design, trials, r.figures))
		r.runs = append(r.runs, len(trials))
		r.operations = append(r.operations, fewest)
		r.sequence = append(r.sequence, i)
	}
	for f := range r.figures {
		values := make([][]float64, len(arms))
		for i, arm := range arms {
			values[i] = figureOfAll(of(arm), r.figures[f].of)
		}
		r.values = append(r.values, values)
	}
	slices.SortFunc(r.sequence, func(a, b int) int { return compare(&r.standings[a], &r.standings[b]) })
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

// behind returns by what b is shown to be behind a, which comes before it: byChecks, the
// place of a figure, or notBehind. A figure counts that differs by a step, and where none of
// those shows the two to differ, any; one that shows the opposite leaves it open.
func (r *order) behind(a, b int) int {
	x, y := &r.standings[a], &r.standings[b]
	if r.runs[a] < 2 || r.runs[b] < 2 {
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
			d := r.pair(f, a, b)
			switch {
			case d == nil || !d.shown:
			case (d.effect.Difference < 0) == r.figures[f].higher:
				return f
			case f == bySustained && x.serves != y.serves:
				// Who leaves a part unserved sustains more only of the others.
			default:
				return notBehind
			}
		}
	}
	return notBehind
}

// behindFirst returns by what a design is shown to be behind the first.
func (r *order) behindFirst(i int) int {
	if i == r.sequence[0] {
		return notBehind
	}
	return r.behind(r.sequence[0], i)
}

// best names the designs than which none is shown to be better, in their order.
func (r *order) best() []string {
	var names []string
	for _, i := range r.sequence {
		if r.ranks[i] == 1 {
			names = append(names, r.names[i])
		}
	}
	return names
}

// pair returns what a figure says of b against a, nil where it cannot tell. Ratios of positive
// figures are compared by their logarithms; where one is zero there is no ratio, and the means
// themselves are.
func (r *order) pair(f, a, b int) *pair {
	x, y := r.values[f][a], r.values[f][b]
	if len(x) < 2 || len(y) < 2 {
		return nil
	}
	one := &r.figures[f]
	grain, least := one.grain(min(r.operations[a], r.operations[b])), one.resolution
	d := &pair{logs: !one.absolute && positive(x) && positive(y)}
	if d.logs {
		d.effect = statistics.Welch(logarithms(x), logarithms(y), grain)
		least = math.Log1p(least)
	} else {
		if !one.absolute {
			greater := math.Max(statistics.Mean(x), statistics.Mean(y))
			least, grain = least*greater, grain*greater
		}
		d.effect = statistics.Welch(x, y, grain)
	}
	difference := math.Abs(d.effect.Difference)
	d.shown = difference != 0 && difference >= least && d.effect.P <= r.alpha*one.part
	return d
}

// winner is the one design that is shown to be better than each other, −1 where there is
// none.
func (r *order) winner() int {
	if len(r.sequence) < 2 {
		return -1
	}
	for _, other := range r.sequence[1:] {
		if r.behind(r.sequence[0], other) == notBehind {
			return -1
		}
	}
	return r.sequence[0]
}

// ratio is b against a by a figure, the interval at 95 %.
func (r *order) ratio(f, a, b int) *Effect {
	x, y := statistics.Mean(r.values[f][a]), statistics.Mean(r.values[f][b])
	if x <= 0 {
		return nil
	}
	e := &Effect{Ratio: y / x}
	d := r.pair(f, a, b)
	if d == nil {
		return e
	}
	e.P, e.Shown = new(d.effect.P), d.shown
	if !d.logs {
		return e
	}
	// The mean of logarithms is that of the ratio of geometric means, which is what was
	// tested.
	low, high, _ := d.effect.Interval(doubt)
	e.Ratio, e.Interval = math.Exp(d.effect.Difference), bounds(math.Exp(low), math.Exp(high))
	return e
}

// power says which true differences of the sustained rate the runs of the first two designs
// would have shown between them.
func (r *order) power() []Power {
	if len(r.sequence) < 2 {
		return nil
	}
	a, b := r.sequence[0], r.sequence[1]
	x, y := r.values[bySustained][a], r.values[bySustained][b]
	if len(x) < 2 || len(y) < 2 || !positive(x) || !positive(y) {
		return nil
	}
	deviation, freedom := statistics.Deviation(logarithms(x), logarithms(y))
	deviation = math.Max(deviation, r.figures[bySustained].grain(min(r.operations[a], r.operations[b])))
	unbiased := statistics.Unbiased(freedom)
	var list []Power
	for _, percent := range []float64{5, 20} {
		found := statistics.Detection(unbiased*math.Log1p(percent/100), deviation, r.alpha*r.figures[bySustained].part, min(len(x), len(y)))
		list = append(list, Power{percent, 100 * found})
	}
	return list
}
