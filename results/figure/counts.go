package figure

import (
	"loadgen/results"
)

// count is a figure that is counted, and what it is a part of, nil for nothing.
type count struct {
	name, about string
	better      Better
	of, whole   func(k *results.KindStats) int64
}

// counts are those of operations, of attempts and of entities.
func counts() []Definition {
	scheduled := func(k *results.KindStats) int64 { return k.Scheduled }
	sent := func(k *results.KindStats) int64 { return k.Sent }
	operations := func(k *results.KindStats) int64 { return k.Operations }
	attempts := func(k *results.KindStats) int64 { return k.Attempts }
	counted := func(k *results.KindStats) int64 { return k.Counted }
	var list []Definition
	for _, c := range []count{
		{"scheduled", "operations that became due = sent + dropped", Neither, scheduled, nil},
		{"sent", "operations whose first attempt was sent", Neither, sent, nil},
		{"dropped", "operations that were due and never sent", Lower, func(k *results.KindStats) int64 { return k.Dropped }, scheduled},
		{"late", "first attempts sent more than 5 ms after they were due", Lower, func(k *results.KindStats) int64 { return k.Late }, sent},
		{"operations", "operations that were completed, with success or without", Neither, operations, nil},
		{"succeeded", "operations that ended with success", Higher, func(k *results.KindStats) int64 { return k.Succeeded }, operations},
		{"lost_operations", "operations that were due and did not succeed: given up, failed or dropped", Lower, lostOperations, scheduled},
		{"requests", "attempts made, retries and further pages included = ok + throttled + failed", Neither, attempts, nil},
		{"ok", "attempts that succeeded", Higher, func(k *results.KindStats) int64 { return k.Ok }, attempts},
		{"handled", "ok attempts answered 404, 409 or 412, as the operation expects", Neither,
			func(k *results.KindStats) int64 { return k.Handled }, attempts},
		{"throttled", "attempts answered 503, 429, 504 or 500 OperationTimedOut: the service was busy", Lower,
			func(k *results.KindStats) int64 { return k.Throttled }, attempts},
		{"failed", "attempts that were neither ok nor throttled", Lower, func(k *results.KindStats) int64 { return k.Failed }, attempts},
		{"retries", "attempts that sent a request once more", Lower, func(k *results.KindStats) int64 { return k.Retries }, attempts},
		{"line_held", "attempts that waited for the client's line behind others, for over 100 ms or half of their time", Lower,
			func(k *results.KindStats) int64 { return k.LineHeld }, attempts},
		{"limit_held", "attempts that the operation's own rate limit held back, of those made or cut", Lower,
			func(k *results.KindStats) int64 { return k.LimitHeld }, func(k *results.KindStats) int64 { return k.Attempts + k.Cut }},
		{"first_throttled", "first attempts that were throttled", Lower, func(k *results.KindStats) int64 { return k.FirstThrottled }, sent},
		{"counted", "entities counted by the documented rule: inserted, updated, deleted or scanned", Neither, counted, nil},
		{"returned", "entities that replies held", Neither, func(k *results.KindStats) int64 { return k.Returned }, counted},
	} {
		list = append(list, Definition{Name: c.name, About: c.about, Scope: OfOperations, Unit: Count, Better: c.better, Part: c.whole != nil,
			take: func(s *Selection) Value {
				sum := s.counts()
				part := c.of(&sum)
				switch {
				case s.in == Share && c.whole != nil:
					return ratio(part, c.whole(&sum), "it is a share of nothing")
				case s.in == PerSecond:
					return perSecond(float64(part), s.seconds(), part)
				case len(s.steps) == 0:
					return untold("no phase was reported")
				}
				return knownValue(float64(part), part)
			}})
	}
	return list
}

// lostOperations counts the operations that were due and did not succeed: whatever became of them.
func lostOperations(k *results.KindStats) int64 { return max(0, k.Scheduled-k.Succeeded) }

func perSecond(number, seconds float64, count int64) Value {
	if seconds <= 0 {
		return untold("no time passed")
	}
	return knownValue(number/seconds, count)
}

// leftovers are of writes that were verified after the run, of what must hold of what was left
// behind, and of what workflows counted.
func leftovers() []Definition {
	var list []Definition
	for _, one := range []struct {
		name, about string
		better      Better
		of          func(a *results.Audit) int64
	}{
		{"lost_writes", "acknowledged writes that are not there", Lower, func(a *results.Audit) int64 { return a.Lost }},
		{"doubled_writes", "how many times too often counters were raised", Lower, func(a *results.Audit) int64 { return a.Doubled }},
		{"unknown_writes", "writes of which nobody knows whether they were carried out", Neither,
			func(a *results.Audit) int64 { return a.Unknown }},
		{"overwritten", "entities written last by somebody whom the run does not know", Neither,
			func(a *results.Audit) int64 { return a.Overwritten }},
		{"conflicts", "replies to writes that somebody else was faster than", Neither,
			func(a *results.Audit) int64 { return a.ForeignConflicts }},
	} {
		list = append(list, Definition{Name: one.name, About: one.about, Scope: OfRun, Unit: Count, Better: one.better,
			take: func(s *Selection) Value {
				if s.of.record.Audit == nil {
					return untold("the writes were not verified")
				}
				return knownValue(float64(one.of(s.of.record.Audit)), s.of.record.Audit.Writes)
			}})
	}
	return append(list,
		Definition{Name: "violations", About: "in how many things that were left behind something does not hold that must", Scope: OfRun, Unit: Count,
			Better: Lower, take: func(s *Selection) Value {
				list := s.of.record.Invariants
				if len(list) == 0 {
					return untold("nothing was looked at after the run")
				}
				sum, looked := int64(0), int64(0)
				for i := range list {
					sum, looked = sum+list[i].Faults, looked+list[i].Looked
				}
				return knownValue(float64(sum), looked)
			}},
		Definition{Name: "counter", About: "what an operation's workflow counts under a name", Scope: OfCounter, Unit: Count, take: func(s *Selection) Value {
			for _, c := range s.of.record.Counters {
				if c.Operation == s.ref.Operation && c.Name == s.ref.Counter {
					return knownValue(float64(c.Count), c.Count)
				}
			}
			return untold("the workflow counted nothing of that name")
		}})
}
