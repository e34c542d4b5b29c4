package figure

import (
	"slices"
	"time"

	"loadgen/results"
)

// balances are what load balancing did, of which only a simulated run tells.
func balances() []Definition {
	var list []Definition
	for _, one := range []struct {
		name, about string
		events      []string
	}{
		{"splits", "ranges that were split", []string{results.RangeSplit, results.SizeSplit}},
		{"moves", "ranges moved to another server", []string{results.RangeMoved}},
		{"merges", "ranges merged", []string{results.RangesMerged}},
	} {
		list = append(list, Definition{Name: one.name, About: one.about, Scope: OfPhases, Unit: Count, take: func(s *Selection) Value {
			number := int64(0)
			return s.balanced(func(e *results.Event) float64 {
				if slices.Contains(one.events, e.What) {
					number++
				}
				return float64(number)
			})
		}})
	}
	return append(list,
		Definition{Name: "offline", About: "maximum offline time of a moving range", Scope: OfPhases, Unit: Nanoseconds,
			take: func(s *Selection) Value {
				longest := 0.0
				return s.balanced(func(e *results.Event) float64 {
					longest = max(longest, float64(e.Decision.Until-time.Duration(e.At)))
					return longest
				})
			}},
		Definition{Name: "throttled_from", About: "start of throttling, since the load began", Scope: OfRun, Unit: Nanoseconds,
			take: func(s *Selection) Value { return s.relief(func(b *results.Balance) *float64 { return b.Throttled }) }},
		Definition{Name: "relieved_after", About: "end of throttling, since the load began", Scope: OfRun, Unit: Nanoseconds,
			take: func(s *Selection) Value { return s.relief(func(b *results.Balance) *float64 { return b.Relieved }) }})
}

const noBalancing = "load balancing is simulated only"

func (s *Selection) simulated() bool {
	m := &s.of.record.Manifest
	return m.Modelled() && m.Time == "virtual"
}

// balanced hands what load balancing did in the selection to a function, and returns what
// that came to in the end.
func (s *Selection) balanced(of func(e *results.Event) float64) Value {
	if !s.simulated() {
		return untold(noBalancing)
	}
	v := knownValue(0, 0)
	for i := range s.of.record.Events {
		e := &s.of.record.Events[i]
		at := time.Duration(e.At)
		within := s.everything || slices.ContainsFunc(s.steps, func(step Step) bool { return step.Phase.Begin <= at && at < step.end })
		if within && e.Balanced() {
			v.Value = of(e)
			v.Count++
		}
	}
	return v
}

func (s *Selection) relief(of func(*results.Balance) *float64) Value {
	b := s.of.Balance()
	switch {
	case !s.simulated():
		return untold(noBalancing)
	case b == nil:
		return untold("run without load balancing")
	case of(b) == nil:
		return untold("load never began")
	}
	return knownValue(*of(b)*float64(time.Second), 1)
}
