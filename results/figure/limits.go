package figure

import (
	"fmt"
	"slices"
)

// saturation is told where the throttling of exactly one limit was met.
func saturation(s *Selection) Value {
	if r := s.of.record; r.Capture != nil || r.Manifest.Spread != nil || Spreads(r) && r.Manifest.PartitionKey == "" {
		// What several partitions are served while load balancing works is no
		// saturation of anything.
		return untold("load balancing changes what several partitions are served")
	}
	// Two limits are the same within 2 %.
	const near = 1.02
	v := untold("nothing was throttled to speak of")
	for _, ladder := range s.of.Ladders() {
		if !slices.ContainsFunc(s.steps, func(step Step) bool { return step.Phase.Stage == ladder.Stage }) {
			continue
		}
		one := ladder.Saturation()
		switch {
		case !one.Told && !v.Told && ladder.Throttling != Unthrottled:
			v.Why = one.Why
		case one.Told && !v.Told:
			v = one
		case one.Told && max(v.Value, one.Value) > near*min(v.Value, one.Value):
			return untold(fmt.Sprintf("parts of the load meet different limits, %.0f and %.0f entities/s", v.Value, one.Value))
		case one.Told && one.Count > v.Count:
			v = one
		}
	}
	return v
}

// Saturation returns where the stretch of load saturates, or why it cannot be told.
func (l *Ladder) Saturation() Value {
	switch l.Throttling {
	case Limited, Queued:
		v := knownValue(l.Rate, int64(l.Used))
		v.Interval = &[2]float64{l.Low, l.High}
		return v
	case Unthrottled:
		return untold("nothing was throttled to speak of")
	case Moving:
		return untold(fmt.Sprintf("the throttling changes: from %.0f to %.0f entities/s were served in single seconds", l.Low, l.High))
	case Sporadic:
		return untold("the throttling is sporadic: it takes the same share of any load")
	case Brief:
		return untold(fmt.Sprintf("throttling in %d of the seconds alone, too few to show a limit", l.Seconds))
	case Outage:
		return untold("nothing was served while it was throttled: an outage, and no limit")
	case Carried:
		return untold("retries got through: less than 1 % was lost")
	default:
		return untold("one rate does not tell a limit from sporadic throttling")
	}
}
