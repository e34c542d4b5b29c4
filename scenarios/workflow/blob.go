package workflow

import (
	"fmt"
	"net/url"
	"strings"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/target"
)

var (
	largeSize = Parameter{Name: "size", Says: "The value's size in bytes.", Type: OfCount, Default: "1200000", Least: 1, Most: 3_900_000}
	largeForm = Parameter{Name: "form", Says: "Where the value is: a blob, 64 KiB properties, or several entities.",
		Type: OfChoice, Choices: []string{"blob", "inline", "entities"}, Default: "blob"}
	largeKilled = Parameter{Name: "killed", Says: "The share of clients that crash between blob and entity.", Type: OfShare, Default: "0"}
	largeWanted = Parameter{Name: "wanted", Says: "The share of readers that need the value.", Type: OfShare, Default: "100%"}
)

// largeFirst returns the parameter of what comes first.
func largeFirst(usually string) Parameter {
	return Parameter{Name: "first", Says: "The first step.", Type: OfChoice, Choices: []string{"blob", "entity"}, Default: usually}
}

func largeStores(a Arguments) []Store {
	if a.Text("form") == "blob" {
		return []Store{{Name: largeStore}}
	}
	return nil
}

// newLargeCheck returns the check that each blob to which an entity points is there, which lists
// all blobs and then reads all entities.
func newLargeCheck(s *Setting, a Arguments) Check {
	if a.Text("form") != "blob" {
		return nil
	}
	there := make(map[string]bool)
	return newFinding("each blob to which an entity points is there", func(f *Finding) Request {
		see := func(row target.Row) {
			if name, points := row.Entity.Lookup(largePointer); points {
				f.Look(there[name.Text()], "entity %q, %q: missing blob", row.Key.Partition, row.Key.Row)
			}
		}
		return listAll(s.StoreOf(largeStore), "", func(b target.Found) { there[b.Name] = true }, func() Turn {
			return Send(ReadAll(s.Table, target.Query{}, see, End))
		})
	})
}

// largeKinds are the workflows of entities with a large value, such as a photo.
var largeKinds = []Kind{{
	Name: "large-put", Says: "Writes an entity with a large value.", Inserts: true,
	Parameters: []Parameter{largeSize, largeForm, largeFirst("blob"), largeKilled}, Counters: []string{"killed"},
	Stores: largeStores, Check: newLargeCheck,
	New: func(c *Call) Workflow {
		l := newLarge(c)
		return l.script(func() Request {
			write := entity.Change{Verb: entity.InsertOrReplace, Key: c.Subject.Key(""), Properties: c.Subject.Properties()}
			switch c.Arguments.Text("form") {
			case "inline":
				write.Properties = append(write.Properties, l.pieces(1)[0]...)
				return WriteOne(c.Table, write, target.Expected{}, nil)
			case "entities":
				var changes []entity.Change
				pieces := l.pieces(2)
				for i, key := range l.keys() {
					changes = append(changes, entity.Change{Verb: entity.InsertOrReplace, Key: key, Properties: pieces[i]})
				}
				changes[0].Properties = append(write.Properties, pieces[0]...)
				return writeTogether(c.Table, changes, target.Expected{}, nil)
			}
			write.Properties = append(write.Properties, entity.Property{Name: largePointer, Value: entity.String(blobOf(write.Key))})
			blob := l.blob(target.PutBlob, make([]byte, l.size), target.Expected{}, nil)
			owner := WriteOne(c.Table, write, target.Expected{}, nil)
			if c.Arguments.Text("first") == "entity" {
				return l.sendBoth(owner, blob)
			}
			return l.sendBoth(blob, owner)
		})
	},
}, {
	Name: "large-get", Says: "Reads an entity and, if needed, its large value.", Reads: true,
	Parameters: []Parameter{largeSize, largeForm, largeWanted}, Counters: []string{"absent", "bytes", "dangling"},
	Stores: largeStores,
	New: func(c *Call) Workflow {
		l := newLarge(c)
		wants := c.Happens("wanted")
		return l.script(func() Request {
			if c.Arguments.Text("form") == "entities" {
				list := l.keys()
				rows := filter.Rows(list[0].Partition, list[0].Row, list[len(list)-1].Row+"\x00")
				found := false
				return ReadAll(c.Table, target.Query{Range: rows}, func(row target.Row) {
					found = true
					l.Add("bytes", carried(row.Entity))
				}, func() Turn {
					if !found {
						l.Add("absent", 1)
					}
					return End()
				})
			}
			read := Read(c.Table, c.Subject.Key(""), func(a Attempt) Turn { return l.readBlob(a, wants) })
			if c.Arguments.Text("form") == "blob" && wants {
				l.Foresee(read.Operation, l.blob(target.GetBlob, nil, target.Expected{}, nil).Operation)
			}
			return read
		})
	},
}, {
	Name: "large-delete", Says: "Deletes an entity and its large value.",
	Parameters: []Parameter{largeSize, largeForm, largeFirst("entity"), largeKilled}, Counters: []string{"killed"},
	Stores: largeStores, Check: newLargeCheck,
	// If the first is missing, another client deletes the rest.
	New: func(c *Call) Workflow {
		l := newLarge(c)
		return l.script(func() Request {
			remove := func(key entity.Key) entity.Change {
				return entity.Change{Verb: entity.Delete, Key: key, Match: entity.MatchAny}
			}
			gone := target.Expected{NotFound: true}
			own := WriteOne(c.Table, remove(c.Subject.Key("")), gone, nil)
			switch {
			case c.Arguments.Text("form") == "inline":
				return own
			case c.Arguments.Text("form") == "entities":
				var changes []entity.Change
				for _, key := range l.keys() {
					changes = append(changes, remove(key))
				}
				return writeTogether(c.Table, changes, gone, nil)
			}
			blob := l.blob(target.DeleteBlob, nil, gone, nil)
			if c.Arguments.Text("first") == "blob" {
				return l.sendBoth(blob, own)
			}
			return l.sendBoth(own, blob)
		})
	},
}, {
	Name: "large-sweep", Says: "Deletes blobs without an entity; needs a phase without writes.",
	Parameters: []Parameter{largeForm}, Counters: []string{"blobs", "orphans"},
	Stores: largeStores,
	New: func(c *Call) Workflow {
		return NewScript(func(s *Script) Request {
			var names []string
			var next func() Turn
			next = func() Turn {
				for len(names) > 0 {
					name := names[0]
					names = names[1:]
					partition, row, whole := strings.Cut(name, "/")
					p, err := url.PathUnescape(partition)
					r, also := url.PathUnescape(row)
					key, some := entity.Key{Partition: p, Row: r}, whole && err == nil && also == nil
					if !some {
						continue
					}
					return Send(Read(c.Table, key, func(a Attempt) Turn {
						if Ok(a.Outcome.Status) {
							return next()
						}
						drop := target.Beside{Verb: target.DeleteBlob, Store: c.StoreOf(largeStore), Name: name}
						return Send(Aside(drop, target.Expected{NotFound: true}, func(Attempt) Turn {
							s.Add("orphans", 1)
							return next()
						}))
					}))
				}
				return End()
			}
			return listAll(c.StoreOf(largeStore), "", func(f target.Found) {
				s.Add("blobs", 1)
				names = append(names, f.Name)
			}, func() Turn { return next() })
		})
	},
}}

const (
	// largeStore is the container of the values.
	largeStore = "large"
	// largePointer is the property that names the blob, largePiece begins the names of
	// those that hold the value itself.
	largePointer = "Blob"
	largePiece   = "Piece"
	// largePieces is how many pieces of 64 KiB an entity holds of several: one less
	// than would leave no room for anything else.
	largePieces = 15
)

// blobOf returns the name of an entity's blob, which contains its key.
func blobOf(key entity.Key) string {
	return url.PathEscape(key.Partition) + "/" + url.PathEscape(key.Row)
}

// large is an operation on an entity with a large value.
type large struct {
	*Call
	*Script
	size int
	dies bool
}

func newLarge(c *Call) *large {
	return &large{Call: c, size: c.Arguments.Count("size"), dies: c.Happens("killed")}
}

// script returns the script that begins with a request.
func (l *large) script(first func() Request) *Script {
	return NewScript(func(s *Script) Request {
		l.Script = s
		return first()
	})
}

// sendBoth sends two requests, unless the client crashes after the first, or the first found nothing:
// then another client deletes the rest.
func (l *large) sendBoth(first, second Request) Request {
	first.Then = func(a Attempt) Turn {
		switch {
		case !Ok(a.Outcome.Status) && !a.Silent:
			return End()
		case l.dies:
			return l.EndWith("killed", 1)
		default:
			return Send(second)
		}
	}
	l.Foresee(first.Operation, second.Operation)
	return first
}

func (l *large) blob(verb target.BesideVerb, body []byte, expected target.Expected, then func(Attempt) Turn) Request {
	return Aside(target.Beside{Verb: verb, Store: l.StoreOf(largeStore), Name: blobOf(l.Subject.Key("")), Body: body}, expected, then)
}

// pieces returns the value as properties, for as many entities as are allowed of it.
func (l *large) pieces(entities int) [][]entity.Property {
	lists := make([][]entity.Property, 1)
	// What it holds does not matter: nothing here compresses.
	whole := entity.Binary(make([]byte, min(l.size, entity.MaxBinaryBytes)))
	for at, number := 0, 1; at < l.size; at, number = at+entity.MaxBinaryBytes, number+1 {
		if entities > 1 && len(lists[len(lists)-1]) == largePieces {
			lists = append(lists, nil)
		}
		piece := whole
		if rest := l.size - at; rest < entity.MaxBinaryBytes {
			piece = entity.Binary(make([]byte, rest))
		}
		last := len(lists) - 1
		lists[last] = append(lists[last], entity.Property{Name: fmt.Sprintf("%s%02d", largePiece, number), Value: piece})
	}
	return lists
}

// keys returns where the entities of a value lie that is split over several.
func (l *large) keys() []entity.Key {
	key := l.Subject.Key("")
	list := []entity.Key{key}
	const each = largePieces * entity.MaxBinaryBytes
	for at := each; at < l.size; at += each {
		list = append(list, entity.Key{Partition: key.Partition, Row: fmt.Sprintf("%s_%02d", key.Row, len(list)+1)})
	}
	return list
}

// readBlob reads the blob of an entity if it has one and that is wanted.
func (l *large) readBlob(a Attempt, wants bool) Turn {
	if !Ok(a.Outcome.Status) {
		return l.EndWith("absent", 1)
	}
	l.Add("bytes", carried(a.Outcome.Entity))
	if _, points := a.Outcome.Entity.Lookup(largePointer); !points || !wants {
		return End()
	}
	return Send(l.blob(target.GetBlob, nil, target.Expected{NotFound: true}, func(a Attempt) Turn {
		if Ok(a.Outcome.Status) {
			for i := range a.Outcome.Found {
				l.Add("bytes", a.Outcome.Found[i].Size)
			}
			return End()
		}
		// The entity may have been deleted since it was read.
		return Send(Read(l.Table, l.Subject.Key(""), func(a Attempt) Turn {
			if Ok(a.Outcome.Status) {
				return l.EndWith("dangling", 1)
			}
			return l.EndWith("absent", 1)
		}))
	}))
}

// carried returns how many bytes of a value an entity holds.
func carried(e entity.Packed) int64 {
	bytes := 0
	read := e.Cursor()
	for p := (entity.Property{}); read.Next(&p); {
		if strings.HasPrefix(p.Name, largePiece) {
			bytes += len(p.Value.Bytes())
		}
	}
	return int64(bytes)
}

// maxListed is how many blobs a list names at most.
const maxListed = 5000

// listAll returns the request for the names of all blobs with a prefix, list by list. It calls see
// for each.
func listAll(store, prefix string, see func(target.Found), then func() Turn) Request {
	var behind func(name, marker string) Request
	behind = func(name, marker string) Request {
		list := target.Beside{Verb: target.ListBlobs, Store: store, Name: prefix, After: name, Marker: marker}
		// A container is made by the first blob in it.
		return Aside(list, target.Expected{NotFound: true}, func(a Attempt) Turn {
			found := a.Outcome.Found
			for i := range found {
				see(found[i])
			}
			switch further := a.Outcome.Marker; {
			case further != "":
				return Send(behind(name, further))
			case len(found) == maxListed:
				return Send(behind(found[len(found)-1].Name, ""))
			}
			return then()
		})
	}
	return behind("", "")
}
