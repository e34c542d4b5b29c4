package figure

import "fmt"

// limits say where a load saturates.
func limits() []Definition {
	return []Definition{{Name: "saturation", Scope: OfPhases, Unit: PerSecond, Better: Higher, take: saturation,
		About: "entities per second at which the load meets a limit: the median of the whole seconds, from the second one of each step on, " +
			"in which 1 % of the attempts are throttled and less is served than asked, where there are three and they are half of those with as much load"}}
}

// saturation is told where the throttling of exactly one limit was met.
func saturation(s *Selection) Value {
	if r := s.of.record; r.Capture != nil || r.Manifest.Spread != nil || Spreads(r) && r.Manifest.PartitionKey == "" {
		// What several partitions are served while load balancing works is no
		// saturation of anything.
		return untold("load balancing changes what several partitions are served")
	}
	v := untold("nothing was throttled to speak of")
	for _, ladder := range s.of.Ladders() {
		if !s.holds(ladder) {
			continue
		}
		one := ladder.Saturation()
		switch {
		case !one.Told && !v.Told && ladder.Throttling != Unthrottled:
			v.Why = one.Why
		case one.Told && !v.Told:
			v = one
		case one.Told && !v.agrees(one):
			return untold(fmt.Sprintf("parts of the load meet different limits, %.0f and %.0f entities/s", v.Value, one.Value))
		case one.Told && one.Count > v.Count:
			v = one
		}
	}
	return v
}

// holds reports whether the selection takes in steps of a ladder.
func (s *Selection) holds(l Ladder) bool {
	for _, step := range s.steps {
		if step.Phase.Stage == l.Stage {
			return true
		}
	}
	return false
}

// agrees reports whether two limits are the same within 2 %.
func (v Value) agrees(other Value) bool {
	const near = 1.02
	return v.Value <= near*other.Value && other.Value <= near*v.Value
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
