package backoff

import (
	"math"
	"time"
)

// bucket lets attempts go at a rate: each takes a token, and waits for it where
// there is none.
type bucket struct {
	// rate is in attempts per second, tokens what has been saved up: negative
	// where attempts wait already.
	rate, tokens float64
	at           time.Duration
}

// spend returns how long to wait for a token; at most one second's are saved up.
func (b *bucket) spend(now time.Duration) time.Duration {
	b.fill(now)
	b.tokens--
	if b.tokens >= 0 {
		return 0
	}
	return time.Duration(-b.tokens / b.rate * float64(time.Second))
}

func (b *bucket) fill(now time.Duration) {
	b.tokens = min(b.tokens+b.rate*max(0, now-b.at).Seconds(), max(b.rate, 1))
	b.at = max(b.at, now)
}

// AIMD limits a client to a rate that rises linearly and falls by a factor: additive
// increase, multiplicative decrease (D. Chiu, R. Jain, 1989). A throttled attempt
// multiplies the rate by Decrease, at most once an interval; every interval without
// one adds Increase. There is no limit before the first throttled attempt, which sets the
// rate to Decrease of the measured rate.
type AIMD struct {
	// Increase is in attempts per second, Decrease in thousandths.
	Increase float64
	Decrease int64
	// Interval is that of both; Least is the lowest rate.
	Interval time.Duration
	Least    float64

	meter   meter
	bucket  bucket
	on      bool
	changed time.Duration
}

// NewAIMD returns a limiter that adds 1/s every 100 ms, and halves.
func NewAIMD() *AIMD {
	return &AIMD{Increase: 1, Decrease: 500, Interval: 100 * time.Millisecond, Least: 0.5}
}

// Rate returns the current limit in attempts per second, and false before there is one.
func (a *AIMD) Rate() (float64, bool) { return a.bucket.rate, a.on }

// Admit implements [Limiter].
func (a *AIMD) Admit(now time.Duration, _ Try, _ float64) (Grant, bool) {
	if !a.on {
		a.meter.add(now)
		return Grant{}, true
	}
	a.rise(now)
	return Grant{Hold: a.bucket.spend(now)}, true
}

// Record implements [Limiter].
func (a *AIMD) Record(now time.Duration, _ Grant, answer Answer) {
	switch {
	case answer != Throttled:
		if a.on {
			a.rise(now)
		}
	case !a.on:
		rate := max(a.Least, a.meter.rate(now)*float64(a.Decrease)/1000)
		a.on, a.changed, a.bucket = true, now, bucket{rate: rate, at: now}
	case now >= a.changed+a.Interval:
		a.bucket.fill(now)
		a.bucket.rate = max(a.Least, a.bucket.rate*float64(a.Decrease)/1000)
		a.changed = now
	}
}

// rise adds what the intervals since the last change bring.
func (a *AIMD) rise(now time.Duration) {
	if a.Interval <= 0 {
		return
	}
	if intervals := (now - a.changed) / a.Interval; intervals > 0 {
		a.bucket.fill(now)
		a.bucket.rate += a.Increase * float64(intervals)
		a.changed += intervals * a.Interval
	}
}

// Validate returns the faults of the limiter, each wrapped around [ErrInvalid].
func (a *AIMD) Validate() []error {
	var faults faultList
	faults.when(!(a.Increase > 0) || math.IsInf(a.Increase, 0), notPositive, "increase", a.Increase)
	faults.when(a.Decrease <= 0 || a.Decrease >= 1000, "decrease is %d thousandths; expected 1 to 999", a.Decrease)
	faults.when(a.Interval <= 0, notPositive, "interval", a.Interval)
	faults.when(!(a.Least > 0) || math.IsInf(a.Least, 0), notPositive, "least", a.Least)
	return faults
}

// meter measures the rate of sent attempts, in buckets of half a second, smoothed
// as botocore does: 0.8 of the new, 0.2 of the old.
type meter struct {
	bucket   int64
	count    float64
	measured float64
}

const meterBucket = 500 * time.Millisecond

func (m *meter) add(now time.Duration) {
	m.pass(now)
	m.count++
}

// rate returns the measured rate in attempts per second; within the first half
// second it is the mean since its start.
func (m *meter) rate(now time.Duration) float64 {
	m.pass(now)
	if m.measured == 0 {
		return m.count / max(now-time.Duration(m.bucket)*meterBucket, time.Millisecond).Seconds()
	}
	return m.measured
}

func (m *meter) pass(now time.Duration) {
	if bucket := int64(now / meterBucket); bucket > m.bucket {
		rate := m.count / (float64(bucket-m.bucket) * meterBucket.Seconds())
		m.measured = 0.8*rate + 0.2*m.measured
		m.bucket, m.count = bucket, 0
	}
}
