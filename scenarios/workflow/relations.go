package workflow

import (
	"slices"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/target"
)

// relationKinds are the workflows of related entities.
var relationKinds = []Kind{{
	Name: "read-linked", Says: "Reads a place and, through its link, a second entity.",
	Reads: true, Counters: []string{"missing"},
	Parameters: []Parameter{
		optional("from", "The first place; default: the entity itself.", OfPlace),
		optional("link", "The property that holds the second RowKey; default: none.", OfProperty),
		optional("to", "The second place; default: the entity itself.", OfPlace),
	},
	Serves: linkLacks,
	New: func(c *Call) *Procedure {
		from, link, to := c.Arguments.Text("from"), c.Arguments.Text("link"), c.Arguments.Text("to")
		first, linked := Read(c.TableOf(from), c.Subject.Key(from)), Read(c.TableOf(to), c.Subject.Key(to))
		if link == "" {
			return newSequence(first)
		}
		return NewProcedure(func(t *Tx) {
			row, found := t.Send(first).Entity.Lookup(link)
			// The reader knows from the design what the second key holds besides the link.
			key := entity.Key{Partition: c.Subject.Key(to).Partition, Row: row.Text()}
			if !found || !t.Send(Read(c.TableOf(to), key)).OK() {
				t.Add("missing", 1)
			}
		}, first, linked)
	},
}, {
	Name: "read-together", Says: "Reads the entity's partition and, if different, a related one.",
	Reads:      true,
	Parameters: []Parameter{optional("place", "The place of related entities; default: none.", OfPlace)},
	New: func(c *Call) *Procedure {
		place := c.Arguments.Text("place")
		own, related := c.Subject.Key("").Partition, c.Subject.Key(place).Partition
		queries := []Request{Query(c.Table, target.OnePartition(own))}
		if own != related || c.TableOf(place) != c.Table {
			queries = append(queries, Query(c.TableOf(place), target.OnePartition(related)))
		}
		return newSequence(queries...)
	},
}, {
	Name: "write-subtype", Says: "Inserts an entity at the place of its kind.",
	Inserts: true,
	Parameters: []Parameter{
		required("kind", "The attribute with the kind.", OfAttribute),
		required("is", "The kind with its own place.", OfName),
		optional("place", "The kind's place; default: with the others.", OfPlace),
	},
	New: func(c *Call) *Procedure {
		place := ""
		if c.Subject.Value(c.Arguments.Text("kind")) == c.Arguments.Text("is") {
			place = c.Arguments.Text("place")
		}
		change := entity.Change{Verb: entity.InsertOrReplace, Key: c.Subject.Key(place), Properties: c.Subject.Properties()}
		return NewProcedure(nil, WriteOne(c.TableOf(place), change))
	},
}, {
	Name: "join", Says: "Reads an entity and a lookup table, directly or from a cache.",
	Reads: true, Counters: []string{"missing"},
	Parameters: []Parameter{
		required("place", "The lookup table's place.", OfPlace),
		count("refresh", "Operations between cache refreshes; 0: no cache.", 0, 1_000_000, "0"),
	},
	Serves: func(d *Design, a Arguments) []Lack {
		return lackIf(a.Count("refresh") > 0 && d.Places[a.Text("place")].Table == "", "place",
			"the lookup table holds the entities; expected a separate table")
	},
	// Each n-th operation of a phase reads the lookup table for itself and the operations after it,
	// whenever those end.
	New: func(c *Call) *Procedure {
		place, refresh := c.Arguments.Text("place"), uint64(c.Arguments.Count("refresh"))
		own := Read(c.Table, c.Subject.Key(""))
		switch {
		case refresh == 0:
			return newSequence(own, Read(c.TableOf(place), c.Subject.Key(place)))
		case c.K%refresh == 0:
			return newSequence(Query(c.TableOf(place), target.Query{Range: filter.WholeTable()}), own)
		default:
			return newSequence(own)
		}
	},
}, {
	// Both are written in one transaction, or neither. A repeated transaction is harmless.
	Name: "store-with", Says: "Inserts an entity and updates a property of its parent in one transaction.",
	Inserts: true,
	Parameters: []Parameter{
		required("place", "The parent's place, in the same partition.", OfPlace),
		required("keeps", "The property to copy to the parent.", OfProperty),
	},
	Serves: func(d *Design, a Arguments) []Lack {
		parent := d.Places[a.Text("place")]
		return lackIf(parent.Table != d.Own.Table || parent.PartitionKey != d.Own.PartitionKey, "place",
			"a transaction needs one partition; expected the design's partition_key and no table")
	},
	New: func(c *Call) *Procedure {
		name := c.Arguments.Text("keeps")
		copied := slices.DeleteFunc(c.Subject.Properties(), func(p entity.Property) bool { return p.Name != name })
		return NewProcedure(nil, transact(c.Table, []entity.Change{
			{Verb: entity.InsertOrReplace, Key: c.Subject.Key(""), Properties: c.Subject.Properties()},
			{Verb: entity.InsertOrMerge, Key: c.Subject.Key(c.Arguments.Text("place")), Properties: copied},
		}))
	},
}, {
	// A workflow is sequential: the clients of its phase decide how many queries are in flight.
	Name: "read-set", Says: "Reads a set of loaded partitions, one query each.",
	Reads: true, Counters: []string{"partitions", "entities"},
	Parameters: []Parameter{{Name: "sets", Says: "The number of sets that partitions are divided into.",
		Type: OfCount, Required: true, Least: 1, Most: 1_000_000}},
	Serves: needsLoad,
	New: func(c *Call) *Procedure {
		// No set is empty, and their lengths differ by one at most.
		partitions := c.Partitions()
		total := uint64(len(partitions))
		sets := min(uint64(c.Arguments.Count("sets")), total)
		number := c.K % sets
		var queries []Request
		for _, partition := range partitions[number*total/sets : (number+1)*total/sets] {
			queries = append(queries, Query(c.Table, target.OnePartition(partition)))
		}
		return NewProcedure(func(t *Tx) {
			for _, query := range queries {
				entities := int64(0)
				for page := range t.pages(query) {
					entities += int64(len(page.Rows))
				}
				t.Add("partitions", 1)
				t.Add("entities", entities)
			}
		}, queries...)
	},
}}

// linkLacks returns what a design lacks for a reader that follows a link.
func linkLacks(d *Design, a Arguments) []Lack {
	link, to := a.Text("link"), a.Text("to")
	if link == "" {
		return lackIf(to != "", "to", "no link leads to %s; expected link, or no to", to)
	}
	from, at := d.Place(a.Text("from")), d.Place(to)
	attribute, linked := d.AttributeOf(link)
	if !linked {
		return append(lackIf(true, "link", "a link is a RowKey; expected a String of one attribute"),
			lackIf(a.Text("from") == to, "to", "expected a place other than from")...)
	}
	lacks := lackIf(at.RowKey != "{"+attribute+"}", "to", "the RowKey is %s; expected {%s}, as in the link", at.RowKey, attribute)
	for _, name := range at.PartitionNames {
		lacks = append(lacks, lackIf(name != attribute && !slices.Contains(from.names(), name), "to",
			"the PartitionKey holds {%s}, unknown to the reader; expected attributes of the link or first key", name)...)
	}
	return append(lacks, lackIf(a.Text("from") == to, "to", "expected a place other than from")...)
}
