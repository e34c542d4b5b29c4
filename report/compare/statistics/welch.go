package statistics

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat/distuv"
)

// Means is the difference of two means, of B from A, by runs that are not paired.
type Means struct {
	// Difference is the mean of B less that of A.
	Difference float64
	// P is two-sided: how likely means as far apart are, were both sides normal with
	// one mean, whatever their spreads. It is 1 where there are too few runs to tell, and 0
	// where two constants differ.
	P float64
	// Error is the standard error of the difference, Freedom its degrees of freedom; both
	// are 0 where there are too few runs, or all of a side are the same on both.
	Error, Freedom float64
	// Told says that there are two runs or more on either side.
	Told bool
}

// Welch compares two means by B. L. Welch's test (1947), which does not assume that
// both sides vary alike. Its figures have to be finite. Each side is known to vary by a
// standard deviation at least, however alike its few runs have come out.
func Welch(a, b []float64, least float64) Means {
	n, m := float64(len(a)), float64(len(b))
	if n == 0 || m == 0 {
		return Means{P: 1}
	}
	found := Means{Difference: Mean(b) - Mean(a), P: 1}
	if n < 2 || m < 2 {
		return found
	}
	found.Told = true
	ofA, ofB := math.Max(Squares(a)/(n-1), least*least)/n, math.Max(Squares(b)/(m-1), least*least)/m
	switch {
	case found.Difference == 0 && ofA+ofB == 0:
		return found
	case ofA+ofB == 0:
		found.P = 0
		return found
	}
	found.Error = math.Sqrt(ofA + ofB)
	// The shares of the variance, not the variances, so that the squares of small ones
	// cannot vanish.
	shareA, shareB := ofA/(ofA+ofB), ofB/(ofA+ofB)
	found.Freedom = 1 / (shareA*shareA/(n-1) + shareB*shareB/(m-1))
	found.P = beyond(found.Difference/found.Error, found.Freedom)
	return found
}

// Interval returns the differences that the test would not reject at a level of
// significance from 0 to 1, both exclusively, and false where it is not told.
func (m Means) Interval(alpha float64) (low, high float64, told bool) {
	if !m.Told {
		return 0, 0, false
	}
	room := 0.0
	if m.Error > 0 {
		room = m.Error * critical(alpha, m.Freedom)
	}
	return m.Difference - room, m.Difference + room, true
}

// MeanInterval returns the mean of some figures, and the interval that holds the mean of
// all such runs but for a share alpha of cases, were they normal; false where there are
// fewer than two.
func MeanInterval(values []float64, alpha float64) (middle, low, high float64, told bool) {
	n := float64(len(values))
	if n == 0 {
		return 0, 0, 0, false
	}
	middle = Mean(values)
	if n < 2 {
		return middle, middle, middle, false
	}
	room := 0.0
	if spread := Squares(values); spread > 0 {
		room = math.Sqrt(spread/(n-1)/n) * critical(alpha, n-1)
	}
	return middle, middle - room, middle + room, true
}

// Student returns the two-sided p-value of Student's test with a common variance: how
// likely means as far apart are, were both sides normal and alike. It is 1 where there are
// too few values to tell, and 0 where two constants differ.
func Student(before, after []float64) float64 {
	n, m := float64(len(before)), float64(len(after))
	freedom, apart := n+m-2, Mean(after)-Mean(before)
	if freedom <= 0 || apart == 0 {
		return 1
	}
	within := Squares(before) + Squares(after)
	return beyond(apart/math.Sqrt(within/freedom*(1/n+1/m)), freedom)
}

// beyond returns how much of Student's distribution lies as far out as t, on both sides.
func beyond(t, freedom float64) float64 {
	return 2 * distuv.StudentsT{Sigma: 1, Nu: freedom}.CDF(-math.Abs(t))
}

// critical returns the t beyond which, on both sides together, a share alpha of
// Student's distribution lies.
func critical(alpha, freedom float64) float64 {
	return -distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile(alpha / 2)
}

// Detection returns how often, from 0 to 1, [Welch] finds a true difference of two means
// at a level of significance, when the runs of either side, n each, vary by a standard
// deviation. It is 0 where n is below 2, and 1 where nothing varies.
//
// It is the non-central distribution of t with 2n − 2 degrees of freedom, beyond the bound
// that Welch's test sets: that rests on fewer, for it estimates how they lie on the two
// sides. With w the share of one side in the variance, they are (n−1) / (w² + (1−w)²), and
// where both vary alike the mean of the denominator is (1 + 1/n) / 2.
func Detection(difference, deviation, alpha float64, n int) float64 {
	switch {
	case n < 2 || difference == 0:
		return 0
	case deviation == 0:
		return 1
	}
	runs := float64(n)
	shift := math.Abs(difference) / (deviation * math.Sqrt(2/runs))
	bound := critical(alpha, 2*runs*(runs-1)/(runs+1))
	// Given that the runs seem to vary s times as much as they do, t is beyond its bound
	// where a normal variable about the shift is beyond s times that. So the probability is
	// summed over the density of s, which is that of chi over the root of its freedom, by
	// Simpson's rule, as far about 1 as it has any weight.
	freedom := 2*runs - 2
	chi, reach := distuv.ChiSquared{K: freedom}, 8/math.Sqrt(2*freedom)
	at, found := floats.Span(make([]float64, 201), math.Max(1e-9, 1-reach), 1+reach), make([]float64, 201)
	for i, s := range at {
		density := 2 * freedom * s * chi.Prob(freedom*s*s)
		found[i] = density * (distuv.UnitNormal.CDF(shift-s*bound) + distuv.UnitNormal.CDF(-shift-s*bound))
	}
	return math.Min(1, integrate.Simpsons(at, found))
}

// Deviation returns the standard deviation within groups of figures, pooled over those
// of two or more, and its degrees of freedom, 0 where there is no such group.
func Deviation(groups ...[]float64) (deviation float64, freedom int) {
	sum := 0.0
	for _, group := range groups {
		if len(group) > 1 {
			sum += Squares(group)
			freedom += len(group) - 1
		}
	}
	if freedom == 0 {
		return 0, 0
	}
	return math.Sqrt(sum / float64(freedom)), freedom
}

// Unbiased returns what a ratio to a deviation of so many degrees of freedom has to be
// multiplied by, so that it is right on the average: few runs vary less than many more
// often than not, and ratios to what they do seem greater (Hedges 1981). It is 0 below two.
func Unbiased(freedom int) float64 {
	if freedom < 2 {
		return 0
	}
	v := float64(freedom)
	above, _ := math.Lgamma(v / 2)
	below, _ := math.Lgamma((v - 1) / 2)
	return math.Exp(above-below) * math.Sqrt(2/v)
}
