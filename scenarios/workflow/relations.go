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
			first, linked := Read(c.TableOf(from), c.Subject.Key(from)), Read(c.TableOf(to), c.Subject.Key(to))
			if link == "" {
				return newReads(first)
			}
			return NewProcedure(func(t *Tx) {
				name, some := t.Send(first).Entity.Lookup(link)
				// The reader knows from the design what the second key holds besides the link.
				key := entity.Key{Partition: c.Subject.Key(to).Partition, Row: name.Text()}
				if !some || !t.Send(Read(c.TableOf(to), key)).OK() {
					t.Add("missing", 1)
				}
			}, first, linked)
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
			all := []Request{Query(c.Table, target.OnePartition(own))}
			if own != there || c.TableOf(place) != c.Table {
				all = append(all, Query(c.TableOf(place), target.OnePartition(there)))
			}
			return newReads(all...)
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
		return NewProcedure(nil, WriteOne(c.TableOf(place), change))
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
		own, looked := Read(c.Table, c.Subject.Key("")), Read(c.TableOf(place), c.Subject.Key(place))
		switch {
		case refresh == 0:
			return newReads(own, looked)
		case c.K%refresh == 0:
			return newReads(Query(c.TableOf(place), target.Query{Range: filter.All()}), own)
		default:
			return newReads(own)
		}
	},
}}

// parentKinds is the insert of an entity that belongs to another one, under a compound key.
var parentKinds = []Kind{{
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
		return NewProcedure(nil, transact(c.Table, []entity.Change{
			{Verb: entity.InsertOrReplace, Key: c.Subject.Key(""), Properties: c.Subject.Properties()},
			{Verb: entity.InsertOrMerge, Key: c.Subject.Key(c.Arguments.Text("place")), Properties: kept},
		}))
	},
}}

// parallelKinds are the queries of several partitions. A workflow is sequential: how many are under
// way at once is up to the clients of its phase.
var parallelKinds = []Kind{{
	// All partitions of what was loaded are read by one query each.
	Name: "read-set", Says: "Reads a set of loaded partitions, one query each.",
	Reads: true, Counters: []string{"partitions", "entities"},
	Parameters: []Parameter{
		{Name: "sets", Says: "The number of sets that partitions are divided into.",
			Type: OfCount, Required: true, Least: 1, Most: 1_000_000},
	},
	Serves: needsLoad,
	// Operation k is about the set of that number, counted round.
	New: func(c *Call) Workflow {
		// No set is empty, and there are no more sets than partitions; their lengths differ by one
		// at most.
		partitions := c.Partitions()
		all := uint64(len(partitions))
		sets := min(uint64(c.Arguments.Count("sets")), all)
		at := c.K % sets
		set := partitions[at*all/sets : (at+1)*all/sets]
		queries := make([]Request, len(set))
		for i, partition := range set {
			queries[i] = Query(c.Table, target.OnePartition(partition))
		}
		return NewProcedure(func(t *Tx) {
			for _, partition := range queries {
				entities := int64(0)
				for page := range t.pages(partition) {
					entities += int64(len(page.Rows))
				}
				t.Add("partitions", 1)
				t.Add("entities", entities)
			}
		}, queries...)
	},
}}
