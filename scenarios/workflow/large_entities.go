package workflow

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/target"
)

var (
	largeSize   = count("size", "The value's size in bytes.", 1, 3_900_000, "1200000")
	largeForm   = choice("form", "Where the value is: a blob, 64 KiB properties, or several entities.", "blob", "inline", "entities")
	largeKilled = share("killed", "The share of clients that crash between blob and entity.")
	largeWanted = Parameter{Name: "wanted", Says: "The share of readers that need the value.", Type: OfShare, Default: "100%"}
)

// largeFirst returns the parameter of the first step.
func largeFirst(value string) Parameter {
	return Parameter{Name: "first", Says: "The first step.", Type: OfChoice, Choices: []string{"blob", "entity"}, Default: value}
}

func largeStores(a Arguments) []Store {
	if a.Text("form") == "blob" {
		return []Store{{Name: largeStore}}
	}
	return nil
}

// newLargeCheck returns the check that each blob to which an entity points exists. It lists all blobs
// and then reads all entities.
func newLargeCheck(s *Setting, a Arguments) Check {
	if a.Text("form") != "blob" {
		return nil
	}
	return newFinding("each blob to which an entity points is there", func(t *Tx, f *Findings) {
		blobs := make(map[string]bool)
		for blob := range t.blobs(s.StoreOf(largeStore), "", maxListed) {
			blobs[blob.Name] = true
		}
		for row, name := range t.values(Query(s.Table, target.Query{}), largePointer) {
			f.Look(blobs[name.Text()], "entity %q, %q: missing blob", row.Key.Partition, row.Key.Row)
		}
	})
}

// largeKinds are the workflows of entities with a large value, such as a photo.
var largeKinds = []Kind{{
	Name: "large-put", Says: "Writes an entity with a large value.", Inserts: true,
	Parameters: []Parameter{largeSize, largeForm, largeFirst("blob"), largeKilled}, Counters: []string{"killed"},
	Stores: largeStores, Check: newLargeCheck,
	New: func(c *Call) Workflow {
		l := newLarge(c)
		write := entity.Change{Verb: entity.InsertOrReplace, Key: l.key, Properties: c.Subject.Properties()}
		switch c.Arguments.Text("form") {
		case "inline":
			write.Properties = append(write.Properties, l.pieces(math.MaxInt)[0]...)
			return NewProcedure(nil, WriteOne(c.Table, write))
		case "entities":
			var changes []entity.Change
			pieces := l.pieces(largePieces)
			for i, key := range l.keys() {
				changes = append(changes, entity.Change{Verb: entity.InsertOrReplace, Key: key, Properties: pieces[i]})
			}
			changes[0].Properties = append(write.Properties, pieces[0]...)
			return NewProcedure(nil, transact(c.Table, changes))
		}
		write.Properties = append(write.Properties, entity.Property{Name: largePointer, Value: entity.String(blobOf(l.key))})
		return l.sendBoth(l.blob(target.PutBlob, make([]byte, l.size)), WriteOne(c.Table, write))
	},
}, {
	Name: "large-get", Says: "Reads an entity and, if needed, its large value.", Reads: true,
	Parameters: []Parameter{largeSize, largeForm, largeWanted}, Counters: []string{"absent", "bytes", "dangling"},
	Stores: largeStores,
	New: func(c *Call) Workflow {
		l, wants := newLarge(c), c.Happens("wanted")
		if c.Arguments.Text("form") == "entities" {
			keys := l.keys()
			rows := Query(c.Table, target.Query{Range: filter.Rows(l.key.Partition, l.key.Row, keys[len(keys)-1].Row+"\x00")})
			return NewProcedure(func(t *Tx) {
				found := false
				for row := range t.Rows(rows) {
					found = true
					t.Add("bytes", pieceBytes(row.Entity))
				}
				if !found {
					t.Add("absent", 1)
				}
			}, rows)
		}
		own, blob := Read(c.Table, l.key), l.blob(target.GetBlob, nil, 404)
		foreseen := []Request{own}
		if c.Arguments.Text("form") == "blob" && wants {
			foreseen = append(foreseen, blob)
		}
		return NewProcedure(func(t *Tx) {
			owner := t.Send(own)
			if !owner.OK() {
				t.Add("absent", 1)
				return
			}
			t.Add("bytes", pieceBytes(owner.Entity))
			if _, points := owner.Entity.Lookup(largePointer); !points || !wants {
				return
			}
			value := t.Send(blob)
			for i := range value.Found {
				t.Add("bytes", value.Found[i].Size)
			}
			switch {
			case value.OK():
			case t.Send(own).OK():
				t.Add("dangling", 1)
			default:
				// The entity was deleted since it was read.
				t.Add("absent", 1)
			}
		}, foreseen...)
	},
}, {
	Name: "large-delete", Says: "Deletes an entity and its large value.",
	Parameters: []Parameter{largeSize, largeForm, largeFirst("entity"), largeKilled}, Counters: []string{"killed"},
	Stores: largeStores, Check: newLargeCheck,
	// If the first is missing, another client deletes the rest.
	New: func(c *Call) Workflow {
		l := newLarge(c)
		own := WriteOne(c.Table, deletion(l.key), 404)
		switch c.Arguments.Text("form") {
		case "inline":
			return NewProcedure(nil, own)
		case "entities":
			var changes []entity.Change
			for _, key := range l.keys() {
				changes = append(changes, deletion(key))
			}
			return NewProcedure(nil, transact(c.Table, changes, 404))
		}
		return l.sendBoth(l.blob(target.DeleteBlob, nil, 404), own)
	},
}, {
	Name: "large-sweep", Says: "Deletes blobs without an entity; needs a phase without writes.",
	Parameters: []Parameter{largeForm}, Counters: []string{"blobs", "orphans"},
	Stores: largeStores,
	New: func(c *Call) Workflow {
		store := c.StoreOf(largeStore)
		return NewProcedure(func(t *Tx) {
			var names []string
			for blob := range t.blobs(store, "", maxListed) {
				t.Add("blobs", 1)
				names = append(names, blob.Name)
			}
			for _, name := range names {
				if key, ok := ownerOf(name); ok && !t.Send(Read(c.Table, key)).OK() {
					t.Send(Beside(target.Beside{Verb: target.DeleteBlob, Store: store, Name: name}, 404))
					t.Add("orphans", 1)
				}
			}
		}, blobsAfter(store, "", "", ""))
	},
}}

const (
	// largeStore is the container of the values.
	largeStore = "large"
	// largePointer is the property with the blob's name, largePiece is the prefix of the properties
	// with the value.
	largePointer = "Blob"
	largePiece   = "Piece"
	// largePieces is the maximum number of 64 KiB pieces per entity, if there are several entities. One
	// more would leave no room for other properties.
	largePieces = 15
)

// blobOf returns the name of an entity's blob, which contains its key.
func blobOf(key entity.Key) string {
	return url.PathEscape(key.Partition) + "/" + url.PathEscape(key.Row)
}

// ownerOf returns the key of the entity that a blob belongs to, and false for any other blob.
func ownerOf(blob string) (key entity.Key, ok bool) {
	partition, row, found := strings.Cut(blob, "/")
	p, partitionErr := url.PathUnescape(partition)
	r, rowErr := url.PathUnescape(row)
	return entity.Key{Partition: p, Row: r}, found && partitionErr == nil && rowErr == nil
}

// large is an operation on an entity with a large value.
type large struct {
	*Call
	key  entity.Key
	size int
}

func newLarge(c *Call) *large {
	return &large{Call: c, key: c.Subject.Key(""), size: c.Arguments.Count("size")}
}

// sendBoth sends two requests, in the order that the operation's parameter sets, unless the client
// crashes between them, or the first found nothing: then another client deletes the rest.
func (l *large) sendBoth(blob, owner Request) *Procedure {
	first, second := blob, owner
	if l.Arguments.Text("first") == "entity" {
		first, second = owner, blob
	}
	return NewProcedure(func(t *Tx) {
		if reply := t.Send(first); reply.OK() || reply.Silent {
			t.CrashIf(l.Happens("killed"))
			t.Send(second)
		}
	}, first, second)
}

func (l *large) blob(verb target.BesideVerb, body []byte, statuses ...int) Request {
	return Beside(target.Beside{Verb: verb, Store: l.StoreOf(largeStore), Name: blobOf(l.key), Body: body}, statuses...)
}

// pieces returns the value as properties, in lists of a maximum length each.
func (l *large) pieces(maxLength int) (lists [][]entity.Property) {
	// Zeros will do: nothing compresses requests.
	zeros := make([]byte, min(l.size, entity.MaxBinaryBytes))
	var all []entity.Property
	for at := 0; at < l.size; at += entity.MaxBinaryBytes {
		piece := entity.Binary(zeros[:min(l.size-at, entity.MaxBinaryBytes)])
		all = append(all, entity.Property{Name: fmt.Sprintf("%s%02d", largePiece, len(all)+1), Value: piece})
	}
	return slices.Collect(slices.Chunk(all, maxLength))
}

// keys returns the keys of the entities that hold a value.
func (l *large) keys() []entity.Key {
	list := []entity.Key{l.key}
	for at := largePieces * entity.MaxBinaryBytes; at < l.size; at += largePieces * entity.MaxBinaryBytes {
		list = append(list, entity.Key{Partition: l.key.Partition, Row: fmt.Sprintf("%s_%02d", l.key.Row, len(list)+1)})
	}
	return list
}

// pieceBytes returns the number of bytes of a value in an entity.
func pieceBytes(e entity.Packed) (size int64) {
	read := e.Cursor()
	for p := (entity.Property{}); read.Next(&p); {
		if strings.HasPrefix(p.Name, largePiece) {
			size += int64(len(p.Value.Bytes()))
		}
	}
	return size
}
