package workflow

import (
	"slices"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/target"
)

// linkKinds are the reads of entities that belong together.
var linkKinds = []Kind{
	{
		Name: "read-linked", Says: "Reads a place and, through its link, a second entity.",
		Reads: true, Counters: []string{"missing"},
		Parameters: []Parameter{
			{Name: "from", Says: "The first place; default: the entity itself.", Type: OfPlace},
			{Name: "link", Says: "The property that holds the second RowKey; default: none.", Type: OfProperty},
			{Name: "to", Says: "The second place; default: the entity itself.", Type: OfPlace},
		},
		Serves: func(d *Design, a Arguments) []Lack {
			link, to := a.Text("link"), a.Text("to")
			if link == "" {
				if to != "" {
					return []Lack{{Parameter: "to", Says: "no link leads to " + to + "; expected link, or no to"}}
				}
				return nil
			}
			var lacks []Lack
			attribute, named := d.AttributeOf(link)
			if !named {
				lacks = append(lacks, Lack{Parameter: "link",
					Says: "a link is a RowKey; expected a String of one attribute"})
			}
			if at := d.Place(to); named && at.RowKey != "{"+attribute+"}" {
				lacks = append(lacks, Lack{Parameter: "to",
					Says: "the RowKey is " + at.RowKey + "; expected {" + attribute + "}, as in the link"})
			}
			from := d.Place(a.Text("from"))
			for _, name := range d.Place(to).PartitionNames {
				if named && name != attribute && !slices.Contains(from.PartitionNames, name) && !slices.Contains(from.RowNames, name) {
					lacks = append(lacks, Lack{Parameter: "to", Says: "the PartitionKey holds {" + name +
						"}, unknown to the reader; expected attributes of the link or first key"})
				}
			}
			if a.Text("from") == to {
				lacks = append(lacks, Lack{Parameter: "to", Says: "expected a place other than from"})
			}
			return lacks
		},
		New: func(c *Call) Workflow {
			from, link, to := c.Arguments.Text("from"), c.Arguments.Text("link"), c.Arguments.Text("to")
			return NewScript(func(s *Script) Request {
				met := func(a Attempt) Turn {
					if !Ok(a.Outcome.Status) {
						s.Add("missing", 1)
					}
					return End()
				}
				if link == "" {
					return Read(c.TableOf(from), c.Subject.Key(from), met)
				}
				first := Read(c.TableOf(from), c.Subject.Key(from), func(a Attempt) Turn {
					name, some := a.Outcome.Entity.Lookup(link)
					if !some {
						return met(Attempt{Outcome: &target.Outcome{Status: 404}})
					}
					// Of the second key the reader knows what the design says, and the rest by
					// the link.
					key := entity.Key{Partition: c.Subject.Key(to).Partition, Row: name.Text()}
					return Send(Read(c.TableOf(to), key, met))
				})
				s.Foresee(first.Operation, Read(c.TableOf(to), c.Subject.Key(to), nil).Operation)
				return first
			})
		},
	},
	{
		Name: "read-together", Says: "Reads the entity's partition and, if different, a related one.",
		Reads: true,
		Parameters: []Parameter{
			{Name: "place", Says: "The place of related entities; default: none.", Type: OfPlace},
		},
		New: func(c *Call) Workflow {
			place := c.Arguments.Text("place")
			own, there := c.Subject.Key("").Partition, c.Subject.Key(place).Partition
			return NewScript(func(s *Script) Request {
				pass := func(target.Row) {}
				if own == there && c.TableOf(place) == c.Table {
					return ReadAll(c.Table, target.OnePartition(own), pass, End)
				}
				second := ReadAll(c.TableOf(place), target.OnePartition(there), pass, End)
				first := ReadAll(c.Table, target.OnePartition(own), pass, func() Turn { return Send(second) })
				s.Foresee(first.Operation, second.Operation)
				return first
			})
		},
	},
}

// subtypeKinds is how entities of two kinds are written.
var subtypeKinds = []Kind{{
	Name: "write-subtype", Says: "Inserts an entity at the place of its kind.",
	Inserts: true,
	Parameters: []Parameter{
		{Name: "kind", Says: "The attribute with the kind.", Type: OfAttribute, Required: true},
		{Name: "is", Says: "The kind with its own place.", Type: OfName, Required: true},
		{Name: "place", Says: "The kind's place; default: with the others.", Type: OfPlace},
	},
	New: func(c *Call) Workflow {
		place := ""
		if c.Subject.Value(c.Arguments.Text("kind")) == c.Arguments.Text("is") {
			place = c.Arguments.Text("place")
		}
		change := entity.Change{Verb: entity.InsertOrReplace, Key: c.Subject.Key(place), Properties: c.Subject.Properties()}
		return NewScript(func(*Script) Request {
			return WriteOne(c.TableOf(place), change, target.Expected{}, nil)
		})
	},
}}

// joinKinds is the join that an application does itself.
var joinKinds = []Kind{{
	Name: "join", Says: "Reads an entity and a lookup table, directly or from a cache.",
	Reads: true, Counters: []string{"missing"},
	Parameters: []Parameter{
		{Name: "place", Says: "The lookup table's place.", Type: OfPlace, Required: true},
		{Name: "refresh", Says: "Operations between cache refreshes; 0: no cache.",
			Type: OfCount, Default: "0", Least: 0, Most: 1_000_000},
	},
	Serves: func(d *Design, a Arguments) []Lack {
		if a.Count("refresh") > 0 && d.Places[a.Text("place")].Table == "" {
			return []Lack{{Parameter: "place", Says: "the lookup table holds the entities; expected a separate table"}}
		}
		return nil
	},
	// Each n-th operation of a phase reads the small table for itself and those that follow it:
	// which they are does not depend on when they come to their end.
	New: func(c *Call) Workflow {
		place, refresh := c.Arguments.Text("place"), uint64(c.Arguments.Count("refresh"))
		return NewScript(func(s *Script) Request {
			met := func(then func() Turn) func(a Attempt) Turn {
				return func(a Attempt) Turn {
					if !Ok(a.Outcome.Status) {
						s.Add("missing", 1)
					}
					return then()
				}
			}
			looked := Read(c.TableOf(place), c.Subject.Key(place), met(End))
			if refresh == 0 {
				first := Read(c.Table, c.Subject.Key(""), met(func() Turn { return Send(looked) }))
				s.Foresee(first.Operation, looked.Operation)
				return first
			}
			alone := Read(c.Table, c.Subject.Key(""), met(End))
			if c.K%refresh != 0 {
				return alone
			}
			table := ReadAll(c.TableOf(place), target.Query{Range: filter.All()}, func(target.Row) {}, func() Turn { return Send(alone) })
			s.Foresee(table.Operation, alone.Operation)
			return table
		})
	},
}}
