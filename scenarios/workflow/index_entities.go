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

// indexChanging returns the kind of a change that updates the lists.
func indexChanging(name, says string, inserts bool, counters []string, change func(x *indexChange) *Procedure) Kind {
	return Kind{Name: name, Says: says, Inserts: inserts, Counters: counters,
		Parameters: slices.Concat(indexParameters(), []Parameter{indexAttribute, indexAnnounced, indexKilled}),
		Serves: func(d *Design, a Arguments) []Lack {
			return indexLacks(d, a, name == "index-rename")
		},
		Stores: indexStores, Check: newIndexCheck,
		New: func(c *Call) Workflow { return change(newIndexChange(c)) },
	}
}

// indexKinds are the workflows of index entities: lists of what has one value of
// a property that is not in the key, such as a last name.
var indexKinds = []Kind{
	indexChanging("index-add", "Inserts an entity and adds it to its list.", true,
		[]string{"conflicts", "full", "killed"}, (*indexChange).add),
	indexChanging("index-delete", "Deletes an entity and removes it from its list.", false,
		[]string{"conflicts", "gone", "killed"}, (*indexChange).remove),
	indexChanging("index-rename", "Changes an entity's value and moves it to another list.", false,
		[]string{"conflicts", "full", "gone", "killed"}, (*indexChange).rename),
	{Name: "index-lookup", Says: "Reads a list, then its entities.", Reads: true,
		Parameters: append(indexPlaced(), indexAttribute), Counters: []string{"found", "stale", "empty"},
		Serves: func(d *Design, a Arguments) []Lack { return indexLacks(d, a, false) },
		Stores: indexContainers,
		New: func(c *Call) Workflow {
			x := newIndexLists(c.Setting, c.Arguments)
			key, name := c.Subject.Key(x.place), c.Subject.Value(c.Arguments.Text("attribute"))
			return NewProcedure(func(t *Tx) {
				list := x.read(t, key, name)
				_, _, ids := list.parse()
				if len(ids) == 0 {
					t.Add("empty", 1)
				}
				for _, id := range ids {
					// It may have been renamed, or deleted, since the list was written.
					if listed := t.Send(Read(x.Table, list.entityKey(id))); listed.OK() && x.value(listed.Entity) == name {
						t.Add("found", 1)
					} else {
						t.Add("stale", 1)
					}
				}
			}, x.reading(key), Read(x.Table, c.Subject.Key("")))
		},
	},
	{Name: "index-build", Says: "Adds loaded entities to their lists, one per operation.",
		Parameters: append(indexParameters(), indexAttribute), Counters: []string{"conflicts", "full"},
		Serves: func(d *Design, a Arguments) []Lack { return indexLacks(d, a, false) },
		Stores: indexStores, Check: newIndexCheck,
		// Whatever changes meanwhile, its list is right in the end, as by a worker.
		New: func(c *Call) Workflow {
			x, subject := newIndexLists(c.Setting, c.Arguments), c.Subject
			if c.K < c.Loaded {
				subject = c.Member(c.K)
			}
			key, name := subject.Key(""), subject.Value(c.Arguments.Text("attribute"))
			list := c.KeyWith(subject, x.place, c.Arguments.Text("attribute"), name)
			write, _ := x.writing(x.list(list, name))
			return NewProcedure(func(t *Tx) { x.repair(t, list, key, name) }, x.reading(list), Read(x.Table, key), write)
		},
	},
	{Name: "index-work", Says: "Receives messages and repairs the lists that they name.",
		Alone: true, Parameters: slices.Concat(indexParameters(), []Parameter{
			queueMost,
			share("killed", "The share of turns in which the worker crashes.")}),
		Counters: []string{"conflicts", "full", "handled", "idle", "killed"},
		Serves: func(d *Design, a Arguments) []Lack {
			return lackIf(a.Text("form") == indexInPartition, "form", "lists in the entities' partition need no queue; expected form: place, or blob")
		},
		Stores: indexStores, Check: newIndexCheck,
		New: func(c *Call) Workflow {
			x, most, crashes := newIndexLists(c.Setting, c.Arguments), c.Arguments.Count("most"), 0
			if draw := c.Chance; draw.Float64() < c.Arguments.Share("killed") {
				crashes = crashReceived + draw.IntN(crashUndeleted)
			}
			return NewProcedure(func(t *Tx) {
				work(t, func(t *Tx) (int, bool) { return x.work(t, most, crashes) })
			}, receive(x.StoreOf(x.queue), most, x.hidden))
		},
	},
}

// indexPlaced returns the parameters that say where lists are.
func indexPlaced() []Parameter {
	return []Parameter{
		choice("form", "The form of a list: an entity in the same partition, elsewhere, or a blob.", indexInPartition, indexElsewhere, indexBlob),
		required("place", "The list's place; a blob is named by its keys.", OfPlace),
		required("property", "The property with the indexed value.", OfProperty),
		{Name: "container", Says: "The container of blob lists.", Type: OfName, Default: "lists"},
	}
}

func indexParameters() []Parameter {
	return append(indexPlaced(),
		Parameter{Name: "queue", Says: "The queue of list changes.", Type: OfName, Default: "changes"},
		queueHidden,
		truth("blind", "Whether lists are overwritten without an ETag.", "false"))
}

// indexContainers returns the container of lists that are blobs, indexStores the queue
// with it.
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
	// What lies at the place may be no list, or none that form allows.
	apart := slices.IndexFunc(names, func(attribute string) bool { return attribute != name && slices.Contains(d.Own.RowNames, attribute) })
	missing := func(attribute string) bool { return !slices.Contains(names, attribute) }
	switch {
	case a.Text("form") == indexInPartition && (place.Table != d.Own.Table || place.PartitionKey != d.Own.PartitionKey):
		return append(lacks, lackIf(true, "place", "a transaction needs one partition; expected the list in the entities' table "+
			"with partition_key %q, or form: place", d.Own.PartitionKey)...)
	case apart >= 0:
		return append(lacks, lackIf(true, "place", "the list's key holds {%s}, which is unique; expected keys without it", names[apart])...)
	default:
		return append(lacks, lackIf(len(own) > 0 && !slices.ContainsFunc(own, missing), "place",
			"the list's key holds all attributes of an entity's key; expected fewer")...)
	}
}
