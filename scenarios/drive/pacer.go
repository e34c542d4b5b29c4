package drive

import (
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"loadgen/scenarios/arrival"
)

// Pacer makes a schedule one of vegeta's pacers. An attacker that keeps up
// sends hit n at the schedule's instant n and stops after the last.
func Pacer(s arrival.Schedule) vegeta.Pacer { return pacer{s} }

type pacer struct{ schedule arrival.Schedule }

// Pace implements vegeta.Pacer.
func (p pacer) Pace(elapsed time.Duration, hits uint64) (time.Duration, bool) {
	if hits >= p.schedule.Len() {
		return 0, true
	}
	return max(0, p.schedule.At(hits)-elapsed), false
}

// Rate implements vegeta.Pacer.
func (p pacer) Rate(elapsed time.Duration) float64 { return p.schedule.Rate(elapsed) }
