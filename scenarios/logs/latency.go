package logs

import (
	"math"
	"time"

	"loadgen/engine/accesslog"
)

// Latency is how long the requests of one operation took that were answered.
type Latency struct {
	Requests, Throttled, Failed int64
	// EndToEnd is until the reply was acknowledged, Server what of that the service worked.
	EndToEnd, Server Lengths
}

func (l *Latency) add(e *accesslog.Entry) {
	l.Requests++
	switch e.Outcome() {
	case accesslog.Throttled:
		l.Throttled++
		return
	case accesslog.Failed:
		l.Failed++
		return
	}
	if e.EndToEnd >= 0 {
		l.EndToEnd.add(e.EndToEnd)
	}
	if e.Server >= 0 {
		l.Server.add(e.Server)
	}
}

// Lengths are lengths of time, told apart by a hundredth of themselves, and whole
// milliseconds below 100.
type Lengths struct {
	n       int64
	buckets map[int32]int64
}

// steps is how many buckets a length has until it is e times as long.
const steps = 100

func (l *Lengths) add(d time.Duration) {
	if l.buckets == nil {
		l.buckets = make(map[int32]int64)
	}
	l.n++
	l.buckets[bucketOf(d)]++
}

func bucketOf(d time.Duration) int32 {
	millis := float64(d) / float64(time.Millisecond)
	if millis < 100 {
		return int32(math.Round(millis))
	}
	return 100 + int32(math.Round(steps*math.Log(millis/100)))
}

// Count returns how many there are.
func (l *Lengths) Count() int64 { return l.n }

// Quantile returns the length that a share of them does not exceed; false where fewer than
// ten lie above it.
func (l *Lengths) Quantile(share float64) (time.Duration, bool) {
	if float64(l.n)*(1-share) < 10 {
		return 0, false
	}
	rank, most := int64(math.Ceil(share*float64(l.n))), int32(0)
	for b := range l.buckets {
		most = max(most, b)
	}
	for b := int32(0); b <= most; b++ {
		if rank -= l.buckets[b]; rank <= 0 {
			return lengthOf(b), true
		}
	}
	return lengthOf(most), true
}

func lengthOf(b int32) time.Duration {
	if b <= 100 {
		return time.Duration(b) * time.Millisecond
	}
	return time.Duration(100 * math.Exp(float64(b-100)/steps) * float64(time.Millisecond))
}
