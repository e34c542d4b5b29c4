package procedure

import "loadgen/target"

// The tallies of a reader of partitions.
const (
	fanOutPartitions = "partitions"
	fanOutEntities   = "entities"
)

// fanOutKinds returns the procedures that read all partitions of what was loaded by one
// query each. A procedure is sequential: how many are under way at once is up to the
// clients of its phase.
func fanOutKinds() []Kind {
	sets := Parameter{Name: "sets", Says: "Into how many sets of neighbours the partitions are divided; as many as there are partitions give each operation one.",
		Type: OfCount, Required: true, Least: 1, Most: 1_000_000}
	return []Kind{readThroughKind(), storeWithKind(), {
		Name: "read-set", Says: "Reads a set of the partitions that were loaded, by one query each, one after another.",
		Reads: true, Parameters: []Parameter{sets}, Tallies: []string{fanOutPartitions, fanOutEntities},
		Serves: func(d *Design, _ Arguments) []Lack {
			if d.Loaded {
				return nil
			}
			return []Lack{{Says: "it reads the partitions that were loaded, and nothing is loaded before; expected a load first"}}
		},
		New: func(c *Call) Procedure { return newReadSet(c) },
	}}
}

// newReadSet returns the reading of one set: operation k is about that of number k,
// counted round.
func newReadSet(c *Call) *Script {
	set := setOf(c.Partitions(), uint64(c.Arguments.Count("sets")), c.K)
	query := func(i int) target.Query { return target.OnePartition(set[i]) }
	return NewScript(func(s *Script) Request {
		var nominal []target.Operation
		for i := range set {
			nominal = append(nominal, ReadAll(c.Table, query(i), nil, nil).Operation)
		}
		s.Foresee(nominal...)
		var read func(i int) Request
		read = func(i int) Request {
			entities := int64(0)
			return ReadAll(c.Table, query(i), func(target.Row) { entities++ }, func() Turn {
				s.Add(fanOutPartitions, 1)
				s.Add(fanOutEntities, entities)
				if i+1 == len(set) {
					return End()
				}
				return Send(read(i + 1))
			})
		}
		return read(0)
	})
}

// setOf returns one of so many sets of neighbours, by a number that is counted round. No
// set is empty, and there are no more sets than partitions; their lengths differ by one
// at most.
func setOf(partitions []string, sets, number uint64) []string {
	all := uint64(len(partitions))
	sets = min(sets, all)
	at := number % sets
	return partitions[at*all/sets : (at+1)*all/sets]
}
