package backoff

import (
	"math"
	"time"
)

// Cubic is botocore's adaptive mode: a rate that follows TCP CUBIC (RFC 8312).
// The first throttled attempt turns it on. A throttled attempt at time T sets
//
//	Wmax = min(measured rate, current limit)   rate = β · Wmax
//	K = ∛(Wmax · (1 − β) / C)
//
// and an accepted one t seconds after it sets rate = C · (t − K)³ + Wmax; never
// above twice the measured rate, never below 0.5/s. C = 0.4, β = 0.7.
type Cubic struct {
	// Beta is β and Scale is C, both in thousandths; Least is in attempts per
	// second.
	Beta, Scale int64
	Least       float64

	meter  meter
	bucket bucket
	on     bool
	// peak is Wmax, since the time of the last throttled attempt.
	peak  float64
	since time.Duration
}

// NewCubic returns a limiter with botocore's values.
func NewCubic() *Cubic { return &Cubic{Beta: 700, Scale: 400, Least: 0.5} }

// Rate returns the current limit in attempts per second, and false before there is one.
func (c *Cubic) Rate() (float64, bool) { return c.bucket.rate, c.on }

// Plateau returns K, the time from the last throttled attempt until the rate reaches
// Wmax.
func (c *Cubic) Plateau() time.Duration {
	return time.Duration(math.Cbrt(c.peak*(1-float64(c.Beta)/1000)/(float64(c.Scale)/1000)) * float64(time.Second))
}

// Admit implements [Limiter].
func (c *Cubic) Admit(now time.Duration, _ Try, _ float64) (Grant, bool) {
	if !c.on {
		c.meter.add(now)
		return Grant{}, true
	}
	hold := c.bucket.spend(now)
	c.meter.add(now + hold)
	return Grant{Hold: hold}, true
}

// Record implements [Limiter].
func (c *Cubic) Record(now time.Duration, _ Grant, answer Answer) {
	measured := c.meter.rate(now)
	if answer == Throttled {
		c.peak = measured
		if c.on {
			c.peak = min(measured, c.bucket.rate)
		} else {
			c.bucket = bucket{at: now}
		}
		c.on, c.since = true, now
		c.setRate(now, c.peak*float64(c.Beta)/1000)
		return
	}
	if !c.on {
		return
	}
	t := (now - c.since - c.Plateau()).Seconds()
	c.setRate(now, min(float64(c.Scale)/1000*t*t*t+c.peak, 2*measured))
}

func (c *Cubic) setRate(now time.Duration, rate float64) {
	c.bucket.fill(now)
	c.bucket.rate = max(c.Least, rate)
}

// Validate returns the faults of the limiter, each wrapped around [ErrInvalid].
func (c *Cubic) Validate() []error {
	var faults faultList
	faults.when(c.Beta <= 0 || c.Beta >= 1000, "beta is %d thousandths; expected 1 to 999", c.Beta)
	faults.when(c.Scale <= 0, notPositive, "scale", c.Scale)
	faults.when(!(c.Least > 0) || math.IsInf(c.Least, 0), notPositive, "least", c.Least)
	return faults
}
