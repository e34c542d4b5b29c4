package logs

import (
	"time"

	"loadgen/engine/accesslog"
	"loadgen/results"
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

// Lengths are lengths of time, which logs have in whole milliseconds.
type Lengths struct{ histogram results.Histogram }

func (l *Lengths) add(d time.Duration) { l.histogram.Record(d) }

// Quantile returns the length that a share of them does not exceed; false where fewer than
// ten lie above it.
func (l *Lengths) Quantile(share float64) (time.Duration, bool) {
	micros, told := l.histogram.Quantile(share)
	return (time.Duration(micros) * time.Microsecond).Round(time.Millisecond), told
}
