package compare

import "math/rand/v2"

// What the tests hold against other ways to the same answer.
var (
	HodgesLehmann = hodgesLehmann
	Student       = student
	BetaShare     = betaShare
	SameNumber    = sameNumber
	Correlated    = correlated
)

// SignFlip returns the p-value and the interval of a sign-flip test.
func SignFlip(logs []float64, level float64, seed uint64) (p, low, high float64, told, exact bool) {
	f := signFlip(logs, level, seed)
	return f.p, f.low, f.high, f.told, f.exact
}

// Divide returns the clearest split of values, and how clear it is.
func Divide(values []float64) (at int, clarity float64) {
	return newDivider(len(values)).divide(values)
}

// Permuted returns the p-value of the clearest split.
func Permuted(values []float64, limit float64, rng *rand.Rand) float64 {
	d := newDivider(len(values))
	_, clarity := d.divide(values)
	return d.permuted(values, clarity, limit, rng)
}
