package workflow

import (
	"slices"

	"loadgen/engine/entity"
)

// The forms of an index entity.
const (
	// indexInPartition: an entity in the partition of its entities, written by one transaction.
	indexInPartition = "partition"
	// indexElsewhere: an entity in another partition or table, kept by a queue.
	indexElsewhere = "place"
	// indexBlob: a blob, kept by a queue.
	indexBlob = "blob"
)

var (
	indexAttribute = required("attribute", "The attribute to index.", OfAttribute)
	indexKilled    = share("killed", "The share of clients that crash between two requests.")
	indexAnnounced = choice("announced", "When the message is enqueued: before or after the entity.", "first", "last")
)

// indexWriting adds the common parts of the kinds that write the lists of entities.
func indexWriting(k Kind, parameters ...Parameter) Kind {
	k.Parameters = slices.Concat(indexParameters(), []Parameter{indexAttribute}, parameters)
	k.Stores, k.Check = indexStores, newIndexCheck
	k.Serves = func(d *Design, a Arguments) []Lack { return indexLacks(d, a, k.Name == "index-rename") }
	return k
}

// indexKinds are the workflows of index entities: lists of the entities with one value of a property
// that is not in the key, such as a last name.
var indexKinds = []Kind{
	indexWriting(Kind{Name: "index-add", Says: "Inserts an entity and adds it to its list.",
		Inserts: true, Counters: []string{"conflicts", "full", "killed"},
		New: func(c *Call) *Procedure { return newIndexChange(c).add() }}, indexAnnounced, indexKilled),
	indexWriting(Kind{Name: "index-delete", Says: "Deletes an entity and removes it from its list.",
		Counters: []string{"conflicts", "gone", "killed"},
		New:      func(c *Call) *Procedure { return newIndexChange(c).remove() }}, indexAnnounced, indexKilled),
	indexWriting(Kind{Name: "index-rename", Says: "Changes an entity's value and moves it to another list.",
		Counters: []string{"conflicts", "full", "gone", "killed"},
		New:      func(c *Call) *Procedure { return newIndexChange(c).rename() }}, indexAnnounced, indexKilled),
	indexWriting(Kind{Name: "index-build", Says: "Adds loaded entities to their lists, one per operation.",
		Counters: []string{"conflicts", "full"},
		// Concurrent changes repair the list as a worker does.
		New: func(c *Call) *Procedure {
			x, subject, attribute := newIndexLists(c.Setting, c.Arguments), c.Subject, c.Arguments.Text("attribute")
			if c.K < c.Loaded {
				subject = c.Member(c.K)
			}
			key, name := subject.Key(""), subject.Value(attribute)
			list := c.KeyWith(subject, x.place, attribute, name)
			write, _ := x.writing(x.list(list, name))
			return NewProcedure(func(t *Tx) { x.repair(t, list, key, name) }, x.reading(list), Read(x.Table, key), write)
		}}),
	{Name: "index-lookup", Says: "Reads a list, then its entities.", Reads: true,
		Parameters: append(listParameters(), indexAttribute), Counters: []string{"found", "stale", "empty"},
		Serves: func(d *Design, a Arguments) []Lack { return indexLacks(d, a, false) },
		Stores: indexContainers,
		New: func(c *Call) *Procedure {
			x := newIndexLists(c.Setting, c.Arguments)
			key, name := c.Subject.Key(x.place), c.Subject.Value(c.Arguments.Text("attribute"))
			return NewProcedure(func(t *Tx) {
				list := x.read(t, key, name)
				_, _, ids := list.parse()
				if len(ids) == 0 {
					t.Add("empty", 1)
				}
				for _, id := range ids {
					// It may have been renamed or deleted since the list was written.
					if listed := t.Send(Read(x.Table, list.entityKey(id))); listed.OK() && x.value(listed.Entity) == name {
						t.Add("found", 1)
					} else {
						t.Add("stale", 1)
					}
				}
			}, x.reading(key), Read(x.Table, c.Subject.Key("")))
		}},
	{Name: "index-work", Says: "Receives messages and repairs the lists that they name.",
		Alone: true, Counters: []string{"conflicts", "full", "handled", "idle", "killed"},
		Parameters: append(indexParameters(), queueBatch, share("killed", "The share of turns in which the worker crashes.")),
		Serves: func(d *Design, a Arguments) []Lack {
			return lackIf(a.Text("form") == indexInPartition, "form", "lists in the entities' partition need no queue; expected form: place, or blob")
		},
		Stores: indexStores, Check: newIndexCheck,
		New: func(c *Call) *Procedure {
			x, most, crashes := newIndexLists(c.Setting, c.Arguments), c.Arguments.Count("most"), 0
			if draw := c.Chance; draw.Float64() < c.Arguments.Share("killed") {
				crashes = crashReceived + draw.IntN(crashUndeleted)
			}
			return NewProcedure(func(t *Tx) {
				if received := x.work(t, most, crashes); len(received.Found) == 0 {
					t.Add("idle", 1)
				}
			}, receive(x.StoreOf(x.queue), most, x.hidden))
		}},
}

// listParameters returns the parameters of the places of lists.
func listParameters() []Parameter {
	return []Parameter{
		choice("form", "The form of a list: an entity in the same partition, elsewhere, or a blob.", indexInPartition, indexElsewhere, indexBlob),
		required("place", "The list's place; a blob is named by its keys.", OfPlace),
		required("property", "The property with the indexed value.", OfProperty),
		{Name: "container", Says: "The container of blob lists.", Type: OfName, Default: "lists"},
	}
}

func indexParameters() []Parameter {
	return append(listParameters(),
		Parameter{Name: "queue", Says: "The queue of list changes.", Type: OfName, Default: "changes"},
		queueHidden,
		truth("blind", "Whether lists are overwritten without an ETag.", "false"))
}

// indexContainers returns the container of lists that are blobs, indexStores also the queue.
func indexContainers(a Arguments) []Store {
	if a.Text("form") != indexBlob {
		return nil
	}
	return []Store{{Name: a.Text("container")}}
}

func indexStores(a Arguments) []Store {
	if a.Text("form") == indexInPartition {
		return nil
	}
	return append(indexContainers(a), Store{Name: a.Text("queue"), Queue: true})
}

func indexLacks(d *Design, a Arguments, renames bool) []Lack {
	name, place := a.Text("attribute"), d.Places[a.Text("place")]
	own, names, p := d.Own.names(), place.names(), d.Property(a.Text("property"))
	lacks := slices.Concat(
		lackIf(p.Name != "" && (p.Attribute != name || p.Type != entity.TypeString), "property",
			"property %s is not the text of {%s}; expected value: \"{%s}\"", p.Name, name, name),
		lackIf(renames && slices.Contains(own, name), "attribute", "the entity's key holds {%s}, which changes; expected keys without it", name),
		lackIf(!slices.Contains(names, name), "place",
			"the list is at %q, %q for any {%s}; expected a key with it", place.PartitionKey, place.RowKey, name))
	// Such keys leave no place for a list, or none that the form allows.
	unique := slices.IndexFunc(names, func(attribute string) bool { return attribute != name && slices.Contains(d.Own.RowNames, attribute) })
	missing := func(attribute string) bool { return !slices.Contains(names, attribute) }
	switch {
	case a.Text("form") == indexInPartition && (place.Table != d.Own.Table || place.PartitionKey != d.Own.PartitionKey):
		return append(lacks, lackIf(true, "place", "a transaction needs one partition; expected the list in the entities' table "+
			"with partition_key %q, or form: place", d.Own.PartitionKey)...)
	case unique >= 0:
		return append(lacks, lackIf(true, "place", "the list's key holds {%s}, which is unique; expected keys without it", names[unique])...)
	default:
		return append(lacks, lackIf(len(own) > 0 && !slices.ContainsFunc(own, missing), "place",
			"the list's key holds all attributes of an entity's key; expected fewer")...)
	}
}
