package partition

import (
	"math"
	"time"

	"loadgen/engine/model"
)

// Times computes the times of requests. It is immutable and safe for concurrent use.
type Times struct {
	roundTrip, read, write, entity, refusal time.Duration
	scanRate                                int64
	// spread holds quantiles of a log-normal factor with mean 1, in
	// millionths: entry i is the quantile (i + ½) / (quantiles + 1).
	spread [quantiles + 1]int64
}

// quantiles is the number of intervals between the tabulated quantiles.
const quantiles = 1 << quantileBits

const quantileBits = 10

const millionth = 1_000_000

// NewTimes returns the times of a model.
func NewTimes(m *model.Model) *Times {
	t := &Times{
		roundTrip: m.RoundTrip, read: m.ReadTime, write: m.WriteTime,
		entity: m.EntityTime, refusal: m.ThrottleTime, scanRate: m.ScanRate,
	}
	// A log-normal variable of mean 1 and coefficient of variation c has
	// σ² = ln(1+c²) and µ = −σ²/2. Rounding the table to integers here, once,
	// keeps floating point out of every later instant.
	c := float64(m.TimeSpread) / 1000
	variance := math.Log1p(c * c)
	for i := range t.spread {
		q := (float64(i) + 0.5) / (quantiles + 1)
		normal := math.Sqrt2 * math.Erfinv(2*q-1)
		t.spread[i] = int64(math.Round(millionth * math.Exp(math.Sqrt(variance)*normal-variance/2)))
	}
	return t
}

// Work is a kind of request with times of its own.
type Work uint8

// The kinds of work.
const (
	// Reading is a point read.
	Reading Work = iota
	// Writing is a write, or a transaction of several.
	Writing
	// Scanning is a page of a query.
	Scanning
)

// ReplyTime returns the time from the arrival of an admitted request to its reply at
// the client: round trip, and the service's work on that many entities. The
// chance, 64 random bits, decides where in the spread the work falls.
func (t *Times) ReplyTime(work Work, entities int64, chance uint64) time.Duration {
	service := t.read
	var rest time.Duration
	switch work {
	case Writing:
		service = t.write
		rest = time.Duration(max(0, entities-1)) * t.entity
	case Scanning:
		if t.read > 0 {
			rest = time.Duration(entities * int64(time.Second) / t.scanRate)
		}
	}
	// The spread is interpolated between two quantiles.
	const fraction = 20
	i := chance >> (64 - quantileBits)
	part := int64(chance >> (64 - quantileBits - fraction) & (1<<fraction - 1))
	low, high := t.spread[i], t.spread[i+1]
	factor := low + (high-low)*part>>fraction
	return t.roundTrip + time.Duration(int64(service)*factor/millionth) + rest
}

// RoundTrip returns the part of every time between client and service, both ways.
func (t *Times) RoundTrip() time.Duration { return t.roundTrip }

// Refusal returns the time from the arrival of a refused request to its reply.
func (t *Times) Refusal() time.Duration { return t.roundTrip + t.refusal }
