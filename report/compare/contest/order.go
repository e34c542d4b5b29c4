package contest

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"loadgen/report/compare/statistics"
)

// order is how designs come in under one profile.
type order struct {
	figures []criterion
	names   []string
	// values has each figure of each design, by figure and design, pairs each figure's.
	values [][][]float64
	pairs  [][]pair
	// operations are how many the smallest run of each design had.
	operations []int64
	// tiers are the designs, the best first; those of a tier are not shown to differ.
	tiers [][]int
	// behind is the figure by which a design came behind the first tier, −1 for that.
	behind []int
}

// newOrder ranks designs by their trials. Names have to be in their order already, so
// that what is computed does not depend on that of the arms.
func newOrder(names []string, trials [][]Trial, o Options) *order {
	r := &order{figures: criteria(o.Price), names: names, behind: make([]int, len(names))}
	all := make([]int, len(names))
	for i := range all {
		all[i], r.behind[i] = i, -1
	}
	for i := range trials {
		r.operations = append(r.operations, fewest(trials[i]))
	}
	for f := range r.figures {
		values := make([][]float64, len(trials))
		for i := range trials {
			values[i] = told(trials[i], r.figures[f].of)
		}
		r.values = append(r.values, values)
		r.pairs = append(r.pairs, r.figures[f].pairs(values, r.operations, o.alpha()))
	}
	if len(all) > 0 {
		r.tiers = r.divide(all, 0)
	}
	for _, tier := range r.tiers {
		r.sort(tier, bySustained)
	}
	return r
}

// fewest is how many operations the smallest of some runs had.
func fewest(trials []Trial) int64 {
	least := int64(0)
	for i := range trials {
		if n := trials[i].Events; i == 0 || n < least {
			least = n
		}
	}
	return least
}

// divide splits designs by a figure, and those between which it shows no difference by
// the next. A tier is what is not shown to differ from its leader, so that it has one
// however the others lie: that a is not told from b, nor b from c, does not make a and c
// alike.
func (r *order) divide(members []int, f int) [][]int {
	if len(members) == 1 || f == len(r.figures) {
		return [][]int{members}
	}
	members = slices.Clone(members)
	r.sort(members, f)
	var tiers [][]int
	for len(members) > 0 {
		leader := members[0]
		var tier, rest []int
		for _, one := range members {
			if one != leader && r.shown(f, leader, one) {
				rest = append(rest, one)
				if r.behind[one] < 0 {
					r.behind[one] = f
				}
				continue
			}
			tier = append(tier, one)
		}
		tiers = append(tiers, r.divide(tier, f+1)...)
		members = rest
	}
	return tiers
}

// sort puts designs into the order of a figure's means, the best first, then of names. One
// whose figure is not told comes last.
func (r *order) sort(members []int, f int) {
	slices.SortStableFunc(members, func(a, b int) int {
		x, y := r.values[f][a], r.values[f][b]
		byMean := cmp.Compare(statistics.Mean(x), statistics.Mean(y))
		switch {
		case len(x) == 0 || len(y) == 0:
			byMean = cmp.Compare(min(1, len(y)), min(1, len(x)))
		case r.figures[f].higher:
			byMean = -byMean
		}
		return cmp.Or(byMean, strings.Compare(r.names[a], r.names[b]))
	})
}

// shown says whether a figure shows two designs to differ.
func (r *order) shown(f, a, b int) bool {
	d := r.pair(f, a, b)
	return d != nil && d.shown
}

// pair returns what a figure says of two designs, nil where it cannot tell.
func (r *order) pair(f, a, b int) *pair {
	for i := range r.pairs[f] {
		if d := &r.pairs[f][i]; d.a == min(a, b) && d.b == max(a, b) {
			return d
		}
	}
	return nil
}

// winner is the one design of the first tier, −1 where several share it or none is
// behind it.
func (r *order) winner() int {
	if len(r.tiers) > 1 && len(r.tiers[0]) == 1 {
		return r.tiers[0][0]
	}
	return -1
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
	e.P, e.Adjusted, e.Shown = new(d.effect.P), new(d.adjusted), d.shown
	if !d.logs {
		return e
	}
	// The mean of logarithms is that of the ratio of geometric means, which is what was
	// tested.
	low, high, _ := d.effect.Interval(doubt)
	middle := d.effect.Difference
	if a > b {
		low, middle, high = -high, -middle, -low
	}
	e.Ratio, e.Interval = math.Exp(middle), bounds(math.Exp(low), math.Exp(high))
	return e
}

// power says which true differences of the sustained rate would have been found between
// two of the designs, at the strictest level that Holm's correction asks of one.
func (r *order) power(alpha float64) []Power {
	least, designs := 0, 0
	var logs [][]float64
	grain := 0.0
	for i, values := range r.values[bySustained] {
		if len(values) > 1 && positive(values) {
			if designs++; designs == 1 || len(values) < least {
				least = len(values)
			}
			logs = append(logs, logarithms(values))
			grain = math.Max(grain, r.figures[bySustained].grain(r.operations[i]))
		}
	}
	if designs < 2 {
		return nil
	}
	deviation, freedom := statistics.Deviation(logs...)
	deviation = math.Max(deviation, grain)
	level := alpha * r.figures[bySustained].part / float64(max(1, len(r.pairs[bySustained])))
	unbiased := statistics.Unbiased(freedom)
	var list []Power
	for _, percent := range []float64{5, 20} {
		list = append(list, Power{percent, 100 * statistics.Detection(unbiased*math.Log1p(percent/100), deviation, level, least)})
	}
	return list
}
