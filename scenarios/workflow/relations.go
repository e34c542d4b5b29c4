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
			optional("from", "The first place; default: the entity itself.", OfPlace),
			optional("link", "The property that holds the second RowKey; default: none.", OfProperty),
			optional("to", "The second place; default: the entity itself.", OfPlace),
		},
		Serves: func(d *Design, a Arguments) []Lack {
			link, to := a.Text("link"), a.Text("to")
			if link == "" {
				return lackIf(to != "", "to", "no link leads to %s; expected link, or no to", to)
			}
			from, at := d.Place(a.Text("from")), d.Place(to)
			attribute, named := d.AttributeOf(link)
			lacks := append(lackIf(!named, "link", "a link is a RowKey; expected a String of one attribute"),
				lackIf(named && at.RowKey != "{"+attribute+"}", "to", "the RowKey is %s; expected {%s}, as in the link", at.RowKey, attribute)...)
			for _, name := range at.PartitionNames {
				lacks = append(lacks, lackIf(named && name != attribute && !slices.Contains(from.names(), name), "to",
					"the PartitionKey holds {%s}, unknown to the reader; expected attributes of the link or first key", name)...)
			}
			return append(lacks, lackIf(a.Text("from") == to, "to", "expected a place other than from")...)
		},
		New: func(c *Call) Workflow {
			from, link, to := c.Arguments.Text("from"), c.Arguments.Text("link"), c.Arguments.Text("to")
			first, linked := Read(c.TableOf(from), c.Subject.Key(from)), Read(c.TableOf(to), c.Subject.Key(to))
			if link == "" {
				return newSequence(first)
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
			optional("place", "The place of related entities; default: none.", OfPlace),
		},
		New: func(c *Call) Workflow {
			place := c.Arguments.Text("place")
			own, there := c.Subject.Key("").Partition, c.Subject.Key(place).Partition
			all := []Request{Query(c.Table, target.OnePartition(own))}
			if own != there || c.TableOf(place) != c.Table {
				all = append(all, Query(c.TableOf(place), target.OnePartition(there)))
			}
			return newSequence(all...)
		},
	},
}

// subtypeKinds is how entities of two kinds are written.
var subtypeKinds = []Kind{{
	Name: "write-subtype", Says: "Inserts an entity at the place of its kind.",
	Inserts: true,
	Parameters: []Parameter{
		required("kind", "The attribute with the kind.", OfAttribute),
		required("is", "The kind with its own place.", OfName),
		optional("place", "The kind's place; default: with the others.", OfPlace),
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
		required("place", "The lookup table's place.", OfPlace),
		count("refresh", "Operations between cache refreshes; 0: no cache.", 0, 1_000_000, "0"),
	},
	Serves: func(d *Design, a Arguments) []Lack {
		return lackIf(a.Count("refresh") > 0 && d.Places[a.Text("place")].Table == "", "place",
			"the lookup table holds the entities; expected a separate table")
	},
	// Each n-th operation of a phase reads the small table for itself and those that follow it:
	// which they are does not depend on when they come to their end.
	New: func(c *Call) Workflow {
		place, refresh := c.Arguments.Text("place"), uint64(c.Arguments.Count("refresh"))
		own, looked := Read(c.Table, c.Subject.Key("")), Read(c.TableOf(place), c.Subject.Key(place))
		switch {
		case refresh == 0:
			return newSequence(own, looked)
		case c.K%refresh == 0:
			return newSequence(Query(c.TableOf(place), target.Query{Range: filter.All()}), own)
		default:
			return newSequence(own)
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
		required("place", "The parent's place, in the same partition.", OfPlace),
		required("keeps", "The property to copy to the parent.", OfProperty),
	},
	Serves: func(d *Design, a Arguments) []Lack {
		there := d.Places[a.Text("place")]
		return lackIf(there.Table != d.Own.Table || there.PartitionKey != d.Own.PartitionKey, "place",
			"a transaction needs one partition; expected the design's partition_key and no table")
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
