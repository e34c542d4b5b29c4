package workflow

import (
	"slices"

	"loadgen/engine/entity"
	"loadgen/target"
)

// The counters of a reader of partitions.
const (
	fanOutPartitions = "partitions"
	fanOutEntities   = "entities"
)

// The counters of a reader that goes by way of a copy.
const (
	readThroughMissing = "missing"
	readThroughAstray  = "astray"
)

// fanOutKinds are the workflows of several partitions, or of an entity and another one. A
// workflow is sequential: how many are under way at once is up to the clients of its phase.
var fanOutKinds = []Kind{{
	// A reader finds an entity through a partial copy, which contains the entity's key.
	//
	//	get copy ─┬─ 200 ─► get entity ─┬─ 200: done
	//	          │                     └─ 404: astray, the copy's entity is gone
	//	          └─ 404: missing, there is no copy
	//
	// The key is computed, not read from the copy.
	Name: "read-through", Says: "Reads a partial copy, then the entity.",
	Reads: true, Counters: []string{readThroughMissing, readThroughAstray},
	Parameters: []Parameter{{Name: "copy", Says: "The copy to read first.", Type: OfCopy, Required: true}},
	New: func(c *Call) Workflow {
		place := AtCopy(c.Arguments.Text("copy"))
		return NewScript(func(s *Script) Request {
			unless := func(counter string, then Turn) func(a Attempt) Turn {
				return func(a Attempt) Turn {
					if Missing(a.Outcome.Status, a.Outcome.Code) {
						return s.EndWith(counter, 1)
					}
					return then
				}
			}
			whole := Read(c.Table, c.Subject.Key(""), unless(readThroughAstray, End()))
			part := Read(c.TableOf(place), c.Subject.Key(place), unless(readThroughMissing, Send(whole)))
			s.Foresee(part.Operation, whole.Operation)
			return part
		})
	},
}, {
	// An entity belongs to another one of its partition: both are written in one transaction, or
	// neither.
	Name: "store-with", Says: "Inserts an entity and updates a property of its parent in one transaction.",
	Inserts: true,
	Parameters: []Parameter{
		{Name: "place", Says: "The parent's place, in the same partition.", Type: OfPlace, Required: true},
		{Name: "keeps", Says: "The property to copy to the parent.", Type: OfProperty, Required: true},
	},
	Serves: func(d *Design, a Arguments) []Lack {
		there := d.Places[a.Text("place")]
		if there.Table == d.Own.Table && there.PartitionKey == d.Own.PartitionKey {
			return nil
		}
		return []Lack{{Parameter: "place", Says: "a transaction needs one partition; expected the design's partition_key and no table"}}
	},
	// Sent twice the transaction leaves the same.
	New: func(c *Call) Workflow {
		keeps := c.Arguments.Text("keeps")
		kept := slices.DeleteFunc(c.Subject.Properties(), func(p entity.Property) bool { return p.Name != keeps })
		return NewScript(func(*Script) Request {
			return writeTogether(c.Table, []entity.Change{
				{Verb: entity.InsertOrReplace, Key: c.Subject.Key(""), Properties: c.Subject.Properties()},
				{Verb: entity.InsertOrMerge, Key: c.Subject.Key(c.Arguments.Text("place")), Properties: kept},
			}, target.Expected{}, nil)
		})
	},
}, {
	// All partitions of what was loaded are read by one query each.
	Name: "read-set", Says: "Reads a set of loaded partitions, one query each.",
	Reads: true, Counters: []string{fanOutPartitions, fanOutEntities},
	Parameters: []Parameter{
		{Name: "sets", Says: "The number of sets that partitions are divided into.",
			Type: OfCount, Required: true, Least: 1, Most: 1_000_000},
	},
	Serves: func(d *Design, _ Arguments) []Lack {
		if d.Loaded {
			return nil
		}
		return []Lack{{Says: "nothing is loaded; expected a load phase before"}}
	},
	// Operation k is about the set of that number, counted round.
	New: func(c *Call) Workflow {
		// No set is empty, and there are no more sets than partitions; their lengths differ by one
		// at most.
		partitions := c.Partitions()
		all := uint64(len(partitions))
		sets := min(uint64(c.Arguments.Count("sets")), all)
		at := c.K % sets
		set := partitions[at*all/sets : (at+1)*all/sets]
		return NewScript(func(s *Script) Request {
			return s.InTurn(len(set), func(i int, next func() Turn) Request {
				entities := int64(0)
				return ReadAll(c.Table, target.OnePartition(set[i]), func(target.Row) { entities++ }, func() Turn {
					s.Add(fanOutPartitions, 1)
					s.Add(fanOutEntities, entities)
					return next()
				})
			})
		})
	},
}}
