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
		{"scheduled", "operations due = sent + dropped", Neither, scheduled, nil},
		{"sent", "operations with a sent attempt", Neither, sent, nil},
		{"dropped", "operations never sent", Lower, func(k *results.KindStats) int64 { return k.Dropped }, scheduled},
		{"late", "first attempts sent over 5 ms late", Lower, func(k *results.KindStats) int64 { return k.Late }, sent},
		{"operations", "operations completed, successful or not", Neither, operations, nil},
		{"succeeded", "successful operations", Higher, func(k *results.KindStats) int64 { return k.Succeeded }, operations},
		{"lost_operations", "operations due without success: given up, failed or dropped", Lower, lostOperations, scheduled},
		{"requests", "attempts with retries and further pages = ok + throttled + failed", Neither, attempts, nil},
		{"ok", "attempts that succeeded", Higher, func(k *results.KindStats) int64 { return k.Ok }, attempts},
		{"handled", "ok attempts with expected 404, 409 or 412", Neither,
			func(k *results.KindStats) int64 { return k.Handled }, attempts},
		{"throttled", "attempts answered 503, 429, 504 or 500 OperationTimedOut", Lower,
			func(k *results.KindStats) int64 { return k.Throttled }, attempts},
		{"failed", "attempts neither ok nor throttled", Lower, func(k *results.KindStats) int64 { return k.Failed }, attempts},
		{"retries", "attempts that repeated a request", Lower, func(k *results.KindStats) int64 { return k.Retries }, attempts},
		{"line_held", "attempts delayed by the client's line over 100 ms or half their time", Lower,
			func(k *results.KindStats) int64 { return k.LineHeld }, attempts},
		{"limit_held", "share of attempts delayed or dropped by the operation's rate limit", Lower,
			func(k *results.KindStats) int64 { return k.LimitHeld }, func(k *results.KindStats) int64 { return k.Attempts + k.Cut }},
		{"first_throttled", "throttled first attempts", Lower, func(k *results.KindStats) int64 { return k.FirstThrottled }, sent},
		{"counted", "entities inserted, updated, deleted or scanned", Neither, counted, nil},
		{"returned", "entities in replies", Neither, func(k *results.KindStats) int64 { return k.Returned }, counted},
	} {
		list = append(list, Definition{Name: c.name, About: c.about, Scope: OfOperations, Unit: Count, Better: c.better, Part: c.whole != nil,
			take: func(s *Selection) Value {
				sum := s.counts()
				part := c.of(&sum)
				switch {
				case s.in == Share && c.whole != nil:
					return ratio(part, c.whole(&sum), "share of nothing")
				case s.in == PerSecond:
					return perSecond(float64(part), s.seconds(), part)
				case len(s.steps) == 0:
					return untold("no phase reported")
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
		{"lost_writes", "acknowledged writes that are missing", Lower, func(a *results.Audit) int64 { return a.Lost }},
		{"doubled_writes", "excess increments of counters", Lower, func(a *results.Audit) int64 { return a.Doubled }},
		{"unknown_writes", "writes with unknown outcome", Neither,
			func(a *results.Audit) int64 { return a.Unknown }},
		{"overwritten", "entities last written outside the run", Neither,
			func(a *results.Audit) int64 { return a.Overwritten }},
		{"conflicts", "write replies after another writer", Neither,
			func(a *results.Audit) int64 { return a.ForeignConflicts }},
	} {
		list = append(list, Definition{Name: one.name, About: one.about, Scope: OfRun, Unit: Count, Better: one.better,
			take: func(s *Selection) Value {
				if s.of.record.Audit == nil {
					return untold("writes not verified")
				}
				return knownValue(float64(one.of(s.of.record.Audit)), s.of.record.Audit.Writes)
			}})
	}
	return append(list,
		Definition{Name: "violations", About: "invariant violations after the run", Scope: OfRun, Unit: Count,
			Better: Lower, take: func(s *Selection) Value {
				list := s.of.record.Invariants
				if len(list) == 0 {
					return untold("nothing was checked")
				}
				sum, looked := int64(0), int64(0)
				for i := range list {
					sum, looked = sum+list[i].Faults, looked+list[i].Looked
				}
				return knownValue(float64(sum), looked)
			}},
		Definition{Name: "counter", About: "a count that the operation's workflow names", Scope: OfCounter, Unit: Count, take: func(s *Selection) Value {
			for _, c := range s.of.record.Counters {
				if c.Operation == s.ref.Operation && c.Name == s.ref.Counter {
					return knownValue(float64(c.Count), c.Count)
				}
			}
			return untold("workflow counted none")
		}})
}
