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
		Name: "read-linked", Says: "Reads what lies at a place, and where that holds a link, what it names: whoever does not know the second key has to read twice.",
		Reads: true, Counters: []string{"missing"},
		Parameters: []Parameter{
			{Name: "from", Says: "The place of what is read first; the entity itself unless this is given.", Type: OfPlace},
			{Name: "link", Says: "The property that is the RowKey of what is read next; nothing is read next unless this is given.", Type: OfProperty},
			{Name: "to", Says: "The place of what is read next; the entity itself unless this is given.", Type: OfPlace},
		},
		Serves: func(d *Design, a Arguments) []Lack {
			link, to := a.Text("link"), a.Text("to")
			if link == "" {
				if to != "" {
					return []Lack{{Parameter: "to", Says: "nothing names what lies at " + to + "; expected a link, or no to"}}
				}
				return nil
			}
			var lacks []Lack
			attribute, named := d.AttributeOf(link)
			if !named {
				lacks = append(lacks, Lack{Parameter: "link",
					Says: "a link is the text of a RowKey; expected a String whose value is one attribute"})
			}
			if at := d.At(to); named && at.RowKey != "{"+attribute+"}" {
				lacks = append(lacks, Lack{Parameter: "to",
					Says: "the RowKey there is " + at.RowKey + "; expected {" + attribute + "}, which is what the link holds"})
			}
			from := d.At(a.Text("from"))
			for _, name := range d.At(to).PartitionNames {
				if named && name != attribute && !slices.Contains(from.PartitionNames, name) && !slices.Contains(from.RowNames, name) {
					lacks = append(lacks, Lack{Parameter: "to", Says: "the PartitionKey there holds {" + name +
						"}, which neither the link nor the key of what is read first tells; expected a PartitionKey of what is known"})
				}
			}
			if a.Text("from") == to {
				lacks = append(lacks, Lack{Parameter: "to", Says: "a link leads elsewhere; expected another place than from"})
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
		Name: "read-together", Says: "Reads the partition of an entity, and the one at a place where that is another: one query or two.",
		Reads: true,
		Parameters: []Parameter{
			{Name: "place", Says: "The place of what belongs to the entities; there is none unless this is given.", Type: OfPlace},
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
	Name: "write-subtype", Says: "Writes a new entity where its kind belongs: with the others, or at a place of its own.",
	Inserts: true,
	Parameters: []Parameter{
		{Name: "kind", Says: "The attribute that tells kinds apart.", Type: OfAttribute, Required: true},
		{Name: "is", Says: "The kind that has a place of its own.", Type: OfName, Required: true},
		{Name: "place", Says: "Its place; it is with the others unless this is given.", Type: OfPlace},
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
	Name: "join", Says: "Reads an entity and what a small table says of it: by a lookup of its own, or from a copy of that table which the application keeps.",
	Reads: true, Counters: []string{"missing"},
	Parameters: []Parameter{
		{Name: "place", Says: "The place of what is looked up.", Type: OfPlace, Required: true},
		{Name: "refresh", Says: "After how many operations of the phase the whole table is read anew; 0 looks up each time.",
			Type: OfCount, Default: "0", Least: 0, Most: 1_000_000},
	},
	Serves: func(d *Design, a Arguments) []Lack {
		if a.Count("refresh") > 0 && d.Places[a.Text("place")].Table == "" {
			return []Lack{{Parameter: "place", Says: "the whole table is read, and it is that of the entities; expected a place with a table of its own"}}
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
