package compare

import "math"

// student returns the two-sided p-value of Student's test with a common variance:
// how likely means as far apart are, were both sides normal and alike. It is 1 where
// there are too few values to tell, and 0 where two constants differ.
func student(before, after []float64) float64 {
	n, m := float64(len(before)), float64(len(after))
	freedom := n + m - 2
	if freedom <= 0 {
		return 1
	}
	apart := mean(after) - mean(before)
	if apart == 0 {
		return 1
	}
	within := squares(before) + squares(after)
	if within == 0 {
		return 0
	}
	t2 := apart * apart / (within / freedom * (1/n + 1/m))
	return betaShare(freedom/2, 0.5, freedom/(freedom+t2))
}

// squares returns the sum of the squared distances from the mean.
func squares(values []float64) float64 {
	centre, sum := mean(values), 0.0
	for _, value := range values {
		sum += (value - centre) * (value - centre)
	}
	return sum
}

// betaShare returns the regularised incomplete beta function of a, b > 0 at x from
// 0 to 1 (Abramowitz and Stegun 26.5.8): which share of a beta distribution lies
// below x.
func betaShare(a, b, x float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	// The fraction converges fast below the mean; above it the other tail is taken.
	case x > (a+1)/(a+b+2):
		return 1 - betaShare(b, a, 1-x)
	}
	logAB, _ := math.Lgamma(a + b)
	logA, _ := math.Lgamma(a)
	logB, _ := math.Lgamma(b)
	front := math.Exp(logAB-logA-logB+a*math.Log(x)+b*math.Log1p(-x)) / a
	return front * betaFraction(a, b, x)
}

// betaFraction evaluates the continued fraction from the front (Lentz).
func betaFraction(a, b, x float64) float64 {
	const steps, tiny = 300, 1e-300
	whole := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	c := 1.0
	d := 1 / whole(1-(a+b)*x/(a+1))
	value := d
	for i := 1; i <= steps; i++ {
		k := float64(i)
		even := k * (b - k) * x / ((a + 2*k - 1) * (a + 2*k))
		odd := -(a + k) * (a + b + k) * x / ((a + 2*k) * (a + 2*k + 1))
		for _, term := range []float64{even, odd} {
			d = 1 / whole(1+term*d)
			c = whole(1 + term/c)
			value *= c * d
		}
		if math.Abs(c*d-1) < 1e-15 {
			break
		}
	}
	return value
}
