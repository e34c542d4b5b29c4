package statistics

import "math"

// Beyond is compared with tables.
var Beyond = twoSided

// Student returns the two-sided p-value of Student's test with a common variance. It is 1 if
// there are too few values, and 0 if two constants differ.
func Student(before, after []float64) float64 {
	n, m := float64(len(before)), float64(len(after))
	freedom, difference := n+m-2, Mean(after)-Mean(before)
	if freedom <= 0 || difference == 0 {
		return 1
	}
	within := Squares(before) + Squares(after)
	return twoSided(difference/math.Sqrt(within/freedom*(1/n+1/m)), freedom)
}
