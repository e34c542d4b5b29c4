package statistics

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat/distuv"
)

// Means compares the means of unpaired runs.
type Means struct {
	// Difference is the mean of B less that of A.
	Difference float64
	// P is the two-sided p-value. It is 1 if there are too few runs, and 0 if two constants
	// differ.
	P float64
	// Error is the standard error of the difference, Freedom its degrees of freedom. Both are 0
	// if there are too few runs, or no variance on either side.
	Error, Freedom float64
	// Known means that each side has at least two runs.
	Known bool
}

// Welch compares two means by B. L. Welch's test (1947), which allows different variances.
// minDeviation is a lower bound of each side's standard deviation, for sides of few runs.
func Welch(a, b []float64, minDeviation float64) Means {
	n, m := float64(len(a)), float64(len(b))
	if n == 0 || m == 0 {
		return Means{P: 1}
	}
	found := Means{Difference: Mean(b) - Mean(a), P: 1}
	if n < 2 || m < 2 {
		return found
	}
	found.Known = true
	minVariance := minDeviation * minDeviation
	ofA, ofB := math.Max(Squares(a)/(n-1), minVariance)/n, math.Max(Squares(b)/(m-1), minVariance)/m
	switch {
	case found.Difference == 0 && ofA+ofB == 0:
		return found
	case ofA+ofB == 0:
		found.P = 0
		return found
	}
	found.Error = math.Sqrt(ofA + ofB)
	// Shares of the variance, since squares of small variances underflow.
	shareA, shareB := ofA/(ofA+ofB), ofB/(ofA+ofB)
	found.Freedom = 1 / (shareA*shareA/(n-1) + shareB*shareB/(m-1))
	found.P = twoSided(found.Difference/found.Error, found.Freedom)
	return found
}

// Interval returns the differences that the test does not reject at a level alpha between 0 and
// 1, and false if there are too few runs.
func (m Means) Interval(alpha float64) (low, high float64, ok bool) {
	if !m.Known {
		return 0, 0, false
	}
	room := 0.0
	if m.Error > 0 {
		room = m.Error * Critical(alpha, m.Freedom)
	}
	return m.Difference - room, m.Difference + room, true
}

// MeanInterval returns the mean of values and its interval at a level alpha, assuming a normal
// distribution, and false for fewer than two values.
func MeanInterval(values []float64, alpha float64) (middle, low, high float64, ok bool) {
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
		room = math.Sqrt(spread/(n-1)/n) * Critical(alpha, n-1)
	}
	return middle, middle - room, middle + room, true
}

// twoSided returns the probability of Student's distribution outside ±t.
func twoSided(t, freedom float64) float64 {
	return 2 * distuv.StudentsT{Sigma: 1, Nu: freedom}.CDF(-math.Abs(t))
}

// Critical returns the t whose two-sided probability is alpha.
func Critical(alpha, freedom float64) float64 {
	return -distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile(alpha / 2)
}

// Detection returns the power of [Welch]: the probability of finding a true difference at a
// level, with n runs per side and a standard deviation. It is 0 for n below 2, and 1 without
// deviation.
//
// It is the tail of the non-central t distribution with 2n − 2 degrees of freedom outside the
// bound of Welch's test. That bound has fewer degrees of freedom, since the test estimates
// the share w of one side in the variance: (n−1) / (w² + (1−w)²). With equal variances
// the mean of the denominator is (1 + 1/n) / 2.
func Detection(difference, deviation, alpha float64, n int) float64 {
	switch {
	case n < 2 || difference == 0:
		return 0
	case deviation == 0:
		return 1
	}
	runs := float64(n)
	shift := math.Abs(difference) / (deviation * math.Sqrt(2/runs))
	bound := Critical(alpha, 2*runs*(runs-1)/(runs+1))
	// If the estimated deviation is s times the true one, t exceeds its bound if a normal variable
	// around the shift exceeds s times the bound. Simpson's rule integrates this over the density
	// of s, chi over the root of its freedom, in the range around 1 with any weight.
	freedom := 2*runs - 2
	chi, reach := distuv.ChiSquared{K: freedom}, 8/math.Sqrt(2*freedom)
	at, found := floats.Span(make([]float64, 201), math.Max(1e-9, 1-reach), 1+reach), make([]float64, 201)
	for i, s := range at {
		density := 2 * freedom * s * chi.Prob(freedom*s*s)
		found[i] = density * (distuv.UnitNormal.CDF(shift-s*bound) + distuv.UnitNormal.CDF(-shift-s*bound))
	}
	return math.Min(1, integrate.Simpsons(at, found))
}

// Deviation returns the standard deviation within groups, pooled over groups of at least two
// values, and its degrees of freedom, 0 if there is no such group.
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

// Unbiased returns the factor that corrects ratios to a deviation with few degrees of freedom,
// which are too large on average (Hedges 1981). It is 0 below two.
func Unbiased(freedom int) float64 {
	if freedom < 2 {
		return 0
	}
	v := float64(freedom)
	above, _ := math.Lgamma(v / 2)
	below, _ := math.Lgamma((v - 1) / 2)
	return math.Exp(above-below) * math.Sqrt(2/v)
}
