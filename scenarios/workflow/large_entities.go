package workflow

import (
	"fmt"
	"net/url"
	"strings"

	"loadgen/engine/entity"
	"loadgen/target"
)

var (
	largeSize   = count("size", "The value's size in bytes.", 1, 3_900_000, "1200000")
	largeForm   = choice("form", "Where the value is: a blob, or 64 KiB properties of the entity.", "blob", "inline")
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
func newLargeCheck(s *Setting, a Arguments) *Check {
	if a.Text("form") != "blob" {
		return nil
	}
	return newCheck("each blob to which an entity points is there", func(t *Tx, f *Findings) {
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
	New: func(c *Call) *Procedure {
		l := newLarge(c)
		write := entity.Change{Verb: entity.InsertOrReplace, Key: l.key, Properties: c.Subject.Properties()}
		if c.Arguments.Text("form") == "inline" {
			write.Properties = append(write.Properties, l.pieces()...)
			return NewProcedure(nil, WriteOne(c.Table, write))
		}
		write.Properties = append(write.Properties, entity.Property{Name: largePointer, Value: entity.String(blobOf(l.key))})
		return l.sendBoth(l.blob(target.PutBlob, make([]byte, l.size)), WriteOne(c.Table, write))
	},
}, {
	Name: "large-get", Says: "Reads an entity and, if needed, its large value.", Reads: true,
	Parameters: []Parameter{largeSize, largeForm, largeWanted}, Counters: []string{"absent", "bytes", "dangling"},
	Stores: largeStores,
	New: func(c *Call) *Procedure {
		l, wants := newLarge(c), c.Happens("wanted")
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
	New: func(c *Call) *Procedure {
		l := newLarge(c)
		own := WriteOne(c.Table, deletion(l.key), 404)
		if c.Arguments.Text("form") == "inline" {
			return NewProcedure(nil, own)
		}
		return l.sendBoth(l.blob(target.DeleteBlob, nil, 404), own)
	},
}, {
	Name: "large-sweep", Says: "Deletes blobs without an entity; needs a phase without writes.",
	Parameters: []Parameter{largeForm}, Counters: []string{"blobs", "orphans"},
	Stores: largeStores,
	New: func(c *Call) *Procedure {
		store := c.StoreOf(largeStore)
		return NewProcedure(func(t *Tx) {
			var names []string
			for blob := range t.blobs(store, "", maxListed) {
				t.Add("blobs", 1)
				names = append(names, blob.Name)
			}
			for _, name := range names {
				if key, ok := ownerOf(name); ok && !t.Send(Read(c.Table, key)).OK() {
					t.Send(NewBesideRequest(target.Beside{Verb: target.DeleteBlob, Store: store, Name: name}, 404))
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
	return NewBesideRequest(target.Beside{Verb: verb, Store: l.StoreOf(largeStore), Name: blobOf(l.key), Body: body}, statuses...)
}

// pieces returns the value as properties.
func (l *large) pieces() (all []entity.Property) {
	// Zeros will do: nothing compresses requests.
	zeros := make([]byte, min(l.size, entity.MaxBinaryBytes))
	for at := 0; at < l.size; at += entity.MaxBinaryBytes {
		piece := entity.Binary(zeros[:min(l.size-at, entity.MaxBinaryBytes)])
		all = append(all, entity.Property{Name: fmt.Sprintf("%s%02d", largePiece, len(all)+1), Value: piece})
	}
	return all
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
