package scenarios

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"loadgen/engine/entity"
	"loadgen/engine/nearest"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/keys"
	"loadgen/scenarios/workflow"
)

// The bounds of partitions that are named, and of a spread.
const (
	maxSpread = 10_000
	// maxSpreadRate is the greatest rate of all partitions together.
	maxSpreadRate = 10_000_000
	// minThink is the shortest pause that is one.
	minThink = time.Millisecond
)

// unlessZero leaves a value out when it is written at zero.
type unlessZero struct {
	fields.Binding
	zero func() bool
}

func (v unlessZero) Write() *fields.Node {
	if v.zero() {
		return nil
	}
	return v.Binding.Write()
}

// partitionsValue is a number of partitions, or a list of their keys. The word all sets all,
// and is none of them where that is nil.
func partitionsValue(count *int, named *[]string, all *bool) fields.Binding {
	number := fields.Whole[int]{Into: count, Least: 1, Most: maxSpread,
		Expected: fmt.Sprintf("a number from 1 to %d, or a list of PartitionKeys", maxSpread)}
	list := fields.ListOf(named, 1, maxSpread, "PartitionKeys", func(key *string) fields.Binding { return fields.Text{Into: key} })
	either := fields.Either{{Binding: number, Given: func() bool { return len(*named) == 0 && (all == nil || !*all) }},
		{Binding: list, Takes: fields.List, Given: func() bool { return len(*named) > 0 }}}
	if all != nil {
		either = append(either, fields.Shape{Binding: fields.Word(all, "all", ""), Text: "all", Given: func() bool { return *all }})
	}
	return either
}

// searched is how many entities are searched for partitions where none are
// loaded.
const searched = 100_000

// Witnesses returns for each partition that a phase offers to the first entity of the scenario's
// generator that falls into it, of those loaded before, or of the scenario's first 100,000 where none are.
// If there are too few, or more than 10,000, the error wraps [ErrNoPartition].
func (s *Scenario) Witnesses(g *keys.Generator, phase int) ([]uint64, error) {
	among := s.Loaded(phase)
	if among == 0 {
		among = searched
	}
	t := s.Phases[phase].Offered()
	if len(t.Keys) > 0 {
		return namedWitnesses(g, t.Keys, among)
	}
	known := make(map[string]bool)
	var order []uint64
	for n := range among {
		if key := g.PartitionKey(n); !known[key] {
			known[key] = true
			order = append(order, n)
		}
		if t.Partitions > 0 && len(order) == t.Partitions {
			return order, nil
		}
		if len(order) > maxSpread {
			return nil, nearest.Faultf(ErrNoPartition, "loaded entities have over %d partitions; expected a number, or keys",
				maxSpread)
		}
	}
	if t.Partitions > 0 {
		return nil, nearest.Faultf(ErrNoPartition, "the first %d entities have %d partitions; expected at most that many",
			among, len(order))
	}
	return order, nil
}

// compared bounds how many partitions are searched for the nearest to a
// mistyped one, in how many entities.
const (
	comparedPartitions = 2000
	comparedEntities   = 100_000
)

// namedWitnesses looks for partitions until all are found.
func namedWitnesses(g *keys.Generator, named []string, among uint64) ([]uint64, error) {
	places := make(map[string][]int, len(named))
	for i, key := range named {
		places[key] = append(places[key], i)
	}
	found, counts := make([]uint64, len(named)), make(map[string]int)
	for n := uint64(0); n < among && len(places) > 0; n++ {
		key := g.PartitionKey(n)
		if n < comparedEntities {
			counts[key]++
		}
		for _, i := range places[key] {
			found[i] = n
		}
		delete(places, key)
	}
	for _, key := range named {
		if _, missing := places[key]; missing {
			largest := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
				return cmp.Or(cmp.Compare(counts[b], counts[a]), entity.Compare(a, b))
			})
			near, _ := nearest.Name(key, largest[:min(len(largest), comparedPartitions)])
			return nil, nearest.Faultf(ErrNoPartition, "none of the %d loaded entities has PartitionKey %s; nearest: %q",
				among, fields.TextNode(key).ShortText(), near)
		}
	}
	return found, nil
}

// aimed checks the partitions that a phase offers to, and that
// what its operations need is there.
func (c *checker) aimed(i int, path string) {
	seen := map[string]bool{}
	for j, key := range c.Phases[i].Offered().Keys {
		if seen[key] {
			c.add(fmt.Sprintf("%s.partitions.%d", path, j), "PartitionKey %q occurs twice; expected each once", key)
			return
		}
		seen[key] = true
	}
	if c.needy(i, path) {
		c.yielded(i, path+".partitions")
	}
}

// yielded checks that the scenario has the partitions that a phase offers to.
func (c *checker) yielded(i int, path string) {
	if !c.sound(c.designPath(), "attributes", "entity", "seed") {
		return
	}
	g, err := c.generator()
	if err != nil {
		return
	}
	if _, err := c.Witnesses(g, i); errors.Is(err, ErrNoPartition) {
		c.add(path, "%s", nearest.What(err))
	}
}

// needy reports the first operation that needs entities if there are none.
func (c *checker) needy(i int, path string) bool {
	list := c.Phases[i].Operations()
	for j := range list {
		o := &list[j]
		if !o.NeedsEntities() || c.Loaded(i) > 0 {
			continue
		}
		if at := fmt.Sprintf("%s.operations.%d", path, j); o.Workflow != "" {
			c.add(at+".workflow", "workflow %s needs loaded entities; expected a load first", o.Workflow)
		} else {
			c.add(at+".verb",
				"%s needs loaded entities; expected a load first, or another verb, such as %s",
				o.Verb, entity.InsertOrMerge)
		}
		return false
	}
	return true
}

// NeedsEntities reports whether the operation fails, or finds nothing, where no
// entity is there. One that goes on at the token of another run is about what that has left.
func (o *OperationSpec) NeedsEntities() bool {
	if elsewhere := o.From.Token != "" || o.From.File != ""; elsewhere && (o.Class == ClassPartitionScan || o.Class == ClassTableScan) {
		return false
	}
	if kind := workflow.Find(o.Workflow); kind != nil {
		return !kind.Inserts && !kind.Alone
	}
	switch o.Writes() {
	case entity.Insert, entity.InsertOrMerge, entity.InsertOrReplace:
		return false
	default:
		return true
	}
}

// Reads reports whether the scenario looks at what it wrote: it counts, gets, queries,
// or searches for the key of what it updates, so that entities have to be kept.
func (s *Scenario) Reads() bool {
	for _, o := range s.EachOperation {
		if o.Verb == entity.Get || o.Verb == entity.Query || o.ReadFirst || len(o.By) > 0 || o.Workflow != "" {
			return true
		}
	}
	return slices.ContainsFunc(s.Phases, func(p Phase) bool { return p.Count != nil })
}
