package workflow

import (
	"fmt"
	"slices"
	"time"

	"loadgen/engine/entity"
)

// The forms of an index entity.
const (
	// indexTogether: in the partition of what it lists, written by one transaction.
	indexTogether = "partition"
	// indexApart: an entity in another partition or table, kept by a queue.
	indexApart = "place"
	// indexBlob: a blob, kept by a queue.
	indexBlob = "blob"
)

// What indexes need of a phase that gives nothing else.
const (
	longestHidden = 10 * time.Minute
	// mostReceived is how many messages a queue hands out at once.
	mostReceived = 32
)

var (
	indexAttribute = Parameter{Name: "attribute", Says: "The attribute whose values entities are listed by.", Type: OfAttribute, Required: true}
	indexKilled    = Parameter{Name: "killed", Says: "The share of the clients that die between two requests of theirs to the table and the queue.", Type: OfShare, Default: "0"}
	indexAnnounced = Parameter{Name: "announced", Says: "When the message is put on the queue: before the entity is written, hidden at first, or after it.",
		Type: OfChoice, Choices: []string{"first", "last"}, Default: "first"}
)

// indexChanging returns the kind of a change that keeps its lists right.
func indexChanging(name, says string, inserts bool, counters []string, first func(x *indexChange) Request) Kind {
	return Kind{Name: name, Says: says, Inserts: inserts, Counters: counters,
		Parameters: slices.Concat(indexParameters(), []Parameter{indexAttribute, indexAnnounced, indexKilled}),
		Serves: func(d *Design, a Arguments) []Lack {
			return indexLacks(d, a, name == "index-rename")
		},
		Stores: indexStores, Check: newIndexCheck,
		New: func(c *Call) Workflow {
			return NewScript(func(s *Script) Request {
				x := &indexChange{indexLists: newIndexLists(c.Setting, c.Arguments), call: c, s: s}
				x.killed = c.Happens("killed")
				x.name = c.Fresh.Value(c.Arguments.Text("attribute"))
				return first(x)
			})
		}}
}

// indexKinds are the workflows of index entities: lists of what has one value of
// a property that is not in the key, such as a last name.
var indexKinds = []Kind{
	indexChanging("index-add", "Writes a new entity and enters it in the list of those that have its value.", true,
		[]string{"conflicts", "full", "killed"}, (*indexChange).add),
	indexChanging("index-delete", "Deletes an entity and strikes it off the list it is in.", false,
		[]string{"conflicts", "gone", "killed"}, (*indexChange).remove),
	indexChanging("index-rename", "Gives an entity the value of a new one, and moves it from one list to another.", false,
		[]string{"conflicts", "full", "gone", "killed"}, (*indexChange).rename),
	{Name: "index-lookup", Says: "Reads a list, and then each entity that it names.", Reads: true,
		Parameters: append(indexPlaced(), indexAttribute), Counters: []string{"found", "stale", "empty"},
		Serves: func(d *Design, a Arguments) []Lack { return indexLacks(d, a, false) },
		Stores: indexContainers,
		New: func(c *Call) Workflow {
			x, attribute := newIndexLists(c.Setting, c.Arguments), c.Arguments.Text("attribute")
			name := c.Subject.Value(attribute)
			return NewScript(func(s *Script) Request {
				first := x.read(c.Subject.Key(x.place), name, func(l *indexList) Turn {
					if len(l.ids) == 0 {
						s.Add("empty", 1)
					}
					return x.lookUp(s, l)
				})
				s.Foresee(first.Operation, Read(x.Table, c.Subject.Key(""), nil).Operation)
				return first
			})
		},
	},
	{Name: "index-build", Says: "Enters entities that were loaded in their lists: operation k the one of number k.",
		Parameters: append(indexParameters(), indexAttribute), Counters: []string{"conflicts", "full"},
		Serves: func(d *Design, a Arguments) []Lack { return indexLacks(d, a, false) },
		Stores: indexStores, Check: newIndexCheck,
		// Whatever changes meanwhile, its list is right in the end, as by a worker.
		New: func(c *Call) Workflow {
			x := newIndexLists(c.Setting, c.Arguments)
			return NewScript(func(s *Script) Request {
				subject := c.Subject
				if c.K < c.Loaded {
					subject = c.Member(c.K)
				}
				key, name := subject.Key(""), subject.Value(c.Arguments.Text("attribute"))
				list := c.KeyWith(subject, x.place, c.Arguments.Text("attribute"), name)
				first := x.mend(s, list, key, name, End)
				sketch := x.write(x.list(list, name), nil)
				s.Foresee(first.Operation, Read(x.Table, key, nil).Operation, sketch.Operation)
				return first
			})
		},
	},
	{Name: "index-work", Says: "Receives messages on what has changed, and sets right the lists that they name.",
		Alone: true, Parameters: slices.Concat(indexParameters(), []Parameter{
			{Name: "most", Says: "How many messages are received at once at most.", Type: OfCount, Least: 1, Most: mostReceived, Default: "1"},
			{Name: "killed", Says: "The share of the turns in which the worker dies between two requests.", Type: OfShare, Default: "0"}}),
		Counters: []string{"conflicts", "full", "handled", "idle", "killed"},
		Serves: func(d *Design, a Arguments) []Lack {
			if a.Text("form") == indexTogether {
				return []Lack{{Parameter: "form", Says: "lists in the partition of their entities are written with them, and nothing is put on a queue; expected form: place, or blob"}}
			}
			return nil
		},
		Stores: indexStores, Check: newIndexCheck,
		New: func(c *Call) Workflow {
			return NewScript(func(s *Script) Request {
				x := &indexWork{newIndexLists(c.Setting, c.Arguments), s, c.Arguments.Duration("hidden"), c.Arguments.Count("most"), 0}
				if draw := c.Chance; draw.Float64() < c.Arguments.Share("killed") {
					x.dies = diesReceived + draw.IntN(diesUndeleted)
				}
				return x.receive(func(handled int, _ bool) Turn {
					if handled == 0 {
						s.Add("idle", 1)
					}
					return End()
				})
			})
		},
	},
}

// indexPlaced returns the parameters that say where lists are.
func indexPlaced() []Parameter {
	return []Parameter{
		{Name: "form", Says: "What a list is: an entity in the partition of those that it lists, one elsewhere, or a blob.",
			Type: OfChoice, Choices: []string{indexTogether, indexApart, indexBlob}, Default: indexTogether},
		{Name: "place", Says: "The place where the list lies; a blob is called by the two keys.", Type: OfPlace, Required: true},
		{Name: "property", Says: "The property that has the value which entities are listed by.", Type: OfProperty, Required: true},
		{Name: "container", Says: "The container of lists that are blobs.", Type: OfName, Default: "lists"},
	}
}

func indexParameters() []Parameter {
	return append(indexPlaced(),
		Parameter{Name: "queue", Says: "The queue by which lists apart from their entities are kept.", Type: OfName, Default: "changes"},
		Parameter{Name: "hidden", Says: "For how long a message is hidden: once put before the entity is written, and each time it is received. One value for all operations.",
			Type: OfDuration, Least: int64(time.Second), Most: int64(longestHidden), Default: "30s"},
		Parameter{Name: "blind", Says: "Whether lists are written over whatever is there by then.", Type: OfTruth, Default: "false"})
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
	if a.Text("form") == indexTogether {
		return nil
	}
	return append(indexContainers(a), Store{Name: a.Text("queue"), Queue: true})
}

func indexLacks(d *Design, a Arguments, renames bool) []Lack {
	name, place := a.Text("attribute"), d.Places[a.Text("place")]
	var lacks []Lack
	lack := func(parameter, format string, values ...any) {
		lacks = append(lacks, Lack{Parameter: parameter, Says: fmt.Sprintf(format, values...)})
	}
	if p := d.Property(a.Text("property")); p.Name != "" && (p.Attribute != name || p.Type != entity.TypeString) {
		lack("property", "property %s has another value than the text of {%s}; expected value: \"{%s}\", which entities are listed by", p.Name, name, name)
	}
	own := slices.Concat(d.Own.PartitionNames, d.Own.RowNames)
	if renames && slices.Contains(own, name) {
		lack("attribute", "the key of an entity holds {%s}, and one that is renamed keeps its key; expected keys without it", name)
	}
	names := slices.Concat(place.PartitionNames, place.RowNames)
	if !slices.Contains(names, name) {
		lack("place", "the list lies at %q and %q for any {%s}; expected a key that holds it", place.PartitionKey, place.RowKey, name)
	}
	// What lies at the place may be no list, or none that form allows.
	together := a.Text("form") == indexTogether
	apart := slices.IndexFunc(names, func(attribute string) bool { return attribute != name && slices.Contains(d.Own.RowNames, attribute) })
	missing := func(attribute string) bool { return !slices.Contains(names, attribute) }
	switch {
	case together && (place.Table != d.Own.Table || place.PartitionKey != d.Own.PartitionKey):
		lack("place", "a transaction lies in one partition of one table; expected the list in the table of the entities, "+
			"with partition_key %q, or form: place", d.Own.PartitionKey)
	case apart >= 0:
		lack("place", "the list's key holds {%s}, which sets entities apart, so that each is alone in its list; expected keys without it",
			names[apart])
	case len(own) > 0 && !slices.ContainsFunc(own, missing):
		lack("place", "the list's key holds all that an entity's does, so that each is alone in its list; expected keys with less")
	}
	return lacks
}
