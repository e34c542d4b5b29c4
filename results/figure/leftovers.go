package figure

import "loadgen/results"

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
