package drive

import (
	"slices"

	"loadgen/engine/entity"
	"loadgen/scenarios"
)

// stock is what was loaded before a phase: how many entities, and, for who asks,
// how they lie in partitions. To know that takes a walk over all of them.
type stock struct {
	loaded int64
	census func() *census
}

// stock returns that of what is loaded before a phase.
func (c *Campaign) stock(phase int) stock {
	return stock{int64(c.Scenario.Loaded(phase)), func() *census { return c.census(phase) }}
}

// total returns how many entities a scan of the table reads: the marker lies there
// too.
func (s stock) total() int64 { return s.loaded + 1 }

// census is how many entities were loaded into each partition, in the order of the
// index.
type census struct {
	keys []string
	// upTo are how many entities the partitions up to each hold together.
	upTo []int64
}

// census returns that of what is loaded before a phase.
func (c *Campaign) census(phase int) *census {
	loaded := c.Scenario.Loaded(phase)
	if c.counted != nil && c.countedOf == loaded {
		return c.counted
	}
	members := make(map[string]int64)
	for n := range loaded {
		members[c.generator.PartitionKey(n)]++
	}
	all := new(census)
	for key := range members {
		all.keys = append(all.keys, key)
	}
	slices.SortFunc(all.keys, comparePartitions)
	sum := int64(0)
	for _, key := range all.keys {
		sum += members[key]
		all.upTo = append(all.upTo, sum)
	}
	c.counted, c.countedOf = all, loaded
	return all
}

func comparePartitions(a, b string) int {
	return entity.Key{Partition: a}.Compare(entity.Key{Partition: b})
}

// loaded returns how many entities all partitions hold together.
func (s *census) loaded() int64 {
	if len(s.upTo) == 0 {
		return 0
	}
	return s.upTo[len(s.upTo)-1]
}

// of returns how many entities a partition holds.
func (s *census) of(partitionKey string) int64 {
	at, there := slices.BinarySearchFunc(s.keys, partitionKey, comparePartitions)
	if !there {
		return 0
	}
	return s.between(at, at)
}

// mean returns how many entities a partition holds on the average, rounded up.
func (s *census) mean() int64 {
	most := int64(max(1, len(s.keys)))
	return (s.loaded() + most - 1) / most
}

// window returns the first and the last of so many partitions that follow one
// another from one on, and how many entities are between them. Where too few
// follow, those before make up for it.
func (s *census) window(partitionKey string, partitions int) (first, last string, entities int64) {
	from, _ := slices.BinarySearchFunc(s.keys, partitionKey, comparePartitions)
	from = max(0, min(from, len(s.keys)-partitions))
	to := min(from+partitions, len(s.keys)) - 1
	first, last = s.keys[from], s.keys[to]
	entities = s.between(from, to)
	if comparePartitions(first, markerPartition) <= 0 && comparePartitions(markerPartition, last) <= 0 {
		entities++
	}
	return first, last, entities
}

// between returns how many entities the partitions at from to to hold.
func (s *census) between(from, to int) int64 {
	if from == 0 {
		return s.upTo[to]
	}
	return s.upTo[to] - s.upTo[from-1]
}

// dueOf returns how many entities an operation of a phase is due to count, on the
// average over the partitions that it can go to, and how many requests it takes.
func (c *Campaign) dueOf(operations []scenarios.OperationSpec, spec *scenarios.OperationSpec) (entities, requests int64) {
	if spec.Verb != entity.Query {
		entities = int64(spec.Offers())
		if spec.ReadFirst {
			return entities, 2
		}
		return entities, 1
	}
	phase := c.phaseOf(operations)
	switch spec.Class {
	case scenarios.ClassPoint:
		entities = 1
	case scenarios.ClassPartitionScan:
		entities = c.census(phase).mean()
		if phase < len(c.Scenario.Phases) && len(c.Scenario.Phases[phase].Traffic.Keys) == 1 {
			entities = c.census(phase).of(c.Scenario.Phases[phase].Traffic.Keys[0])
		}
	case scenarios.ClassPartitionRange:
		entities = c.census(phase).mean() * int64(spec.Partitions)
	case scenarios.ClassTableScan:
		entities = c.stock(phase).total()
	default:
		entities = int64(spec.Rows)
	}
	entities = mostRead(spec, entities)
	return entities, (entities + pageOf(spec) - 1) / pageOf(spec)
}

// phaseOf returns the phase that has these operations, and the number of phases
// where none has.
func (c *Campaign) phaseOf(operations []scenarios.OperationSpec) int {
	for i := range c.Scenario.Phases {
		own := c.Scenario.Phases[i].Operations()
		if len(own) > 0 && len(operations) > 0 && &own[0] == &operations[0] {
			return i
		}
	}
	return len(c.Scenario.Phases)
}
