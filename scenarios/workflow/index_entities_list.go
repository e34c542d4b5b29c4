package workflow

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"loadgen/engine/entity"
	"loadgen/target"
)

// indexLists are the lists of one index. It is immutable.
type indexLists struct {
	*Setting
	form, place, container, property string
	queue                            string
	hidden                           time.Duration
	blind                            bool
}

func newIndexLists(s *Setting, a Arguments) *indexLists {
	return &indexLists{Setting: s, form: a.Text("form"), place: a.Text("place"), container: a.Text("container"), property: a.Text("property"),
		queue: a.Text("queue"), hidden: a.Duration("hidden"), blind: a.Truth("blind")}
}

// indexList is a list as read and as it will be written.
type indexList struct {
	key entity.Key
	// text is the indexed property, a tab, the value of all listed entities, and an id after each
	// line feed. No key contains tabs or line feeds. The property distinguishes the lists of
	// different indexes. It may be shared with the reply: do not change it in place.
	text []byte
	// exists reports that the list was read, with this version if it is an entity, or this ETag.
	exists  bool
	version entity.Ticks
	etag    string
}

// parse returns the property, its value, and the ids.
func (l *indexList) parse() (property, value string, ids []string) {
	lines := strings.Split(string(l.text), "\n")
	property, value, _ = strings.Cut(lines[0], "\t")
	return property, value, lines[1:]
}

// add adds an id, and reports whether the list lacked it.
func (l *indexList) add(id string) bool {
	line := []byte("\n" + id)
	if bytes.HasSuffix(l.text, line) || bytes.Contains(l.text, []byte("\n"+id+"\n")) {
		return false
	}
	l.text = slices.Concat(l.text, line)
	return true
}

func (l *indexList) remove(id string) {
	l.text = bytes.Replace(bytes.TrimSuffix(l.text, []byte("\n"+id)), []byte("\n"+id+"\n"), []byte("\n"), 1)
}

// unpack reads the text from an entity's properties, and reports whether the entity is a list.
func (l *indexList) unpack(stored entity.Packed) bool {
	for number := 0; ; number++ {
		part, found := stored.Lookup(indexPart(number))
		if !found {
			return number > 0
		}
		if number == 0 {
			l.text = nil
		}
		l.text = append(l.text, part.Bytes()...)
	}
}

// indexPart returns the name of a property that has a part of a list: a property has a maximum of
// 64 KiB.
func indexPart(number int) string {
	if number == 0 {
		return "Ids"
	}
	return fmt.Sprintf("Ids%02d", number+1)
}

// list returns an empty list.
func (x *indexLists) list(key entity.Key, name string) *indexList {
	return &indexList{key: key, text: []byte(x.property + "\t" + name)}
}

// table returns the name of the table of lists that are entities.
func (x *indexLists) table() string {
	if x.form == indexInPartition {
		return x.Table
	}
	return x.TableOf(x.place)
}

// id returns the id of an entity in a list: the RowKey in its own partition.
func (x *indexLists) id(key entity.Key) string {
	if x.form == indexInPartition {
		return key.Row
	}
	return key.Partition + "\t" + key.Row
}

// entityKey returns the key of the entity with an id.
func (l *indexList) entityKey(id string) entity.Key {
	partition, row, hasPartition := strings.Cut(id, "\t")
	if !hasPartition {
		return entity.Key{Partition: l.key.Partition, Row: id}
	}
	return entity.Key{Partition: partition, Row: row}
}

func (x *indexLists) value(stored entity.Packed) string {
	value, _ := stored.Lookup(x.property)
	return value.Text()
}

// reading returns the request that reads a list, read the list.
func (x *indexLists) reading(key entity.Key) Request {
	if x.form == indexBlob {
		return NewBesideRequest(target.Beside{Verb: target.GetBlob, Store: x.StoreOf(x.container), Name: keyText(key)}, 404)
	}
	return Read(x.table(), key)
}

func (x *indexLists) read(t *Tx, key entity.Key, name string) *indexList {
	l, stored := x.list(key, name), t.Send(x.reading(key))
	switch {
	case len(stored.Found) > 0:
		l.exists, l.etag = true, stored.Found[0].ETag
		l.text = stored.Found[0].Body
	case x.form != indexBlob && stored.OK():
		l.exists, l.version = true, stored.Version
		l.unpack(stored.Entity)
	}
	return l
}

// writing returns the request that writes a list, unless another client did so since it was read,
// and whether the list fits into an entity, if it is one.
func (x *indexLists) writing(l *indexList) (r Request, fits bool) {
	if x.form == indexBlob {
		put := target.Beside{Verb: target.PutBlob, Store: x.StoreOf(x.container), Name: keyText(l.key), Body: l.text, Match: l.etag}
		switch {
		case x.blind:
			put.Match = ""
		case !l.exists:
			put.Match = target.IfAbsent
		}
		return NewBesideRequest(put, overtaken...), true
	}
	c := entity.Change{Verb: entity.Insert, Key: l.key}
	for part := range slices.Chunk(l.text, entity.MaxBinaryBytes) {
		c.Properties = append(c.Properties, entity.Property{Name: indexPart(len(c.Properties)), Value: entity.Binary(part)})
	}
	switch {
	case x.blind:
		c.Verb = entity.InsertOrReplace
	case l.exists:
		c.Verb, c.Match = entity.Replace, entity.MatchExactly(l.version)
	}
	return WriteOne(x.table(), c, overtaken...), entity.Size(c.Key, c.Properties) <= entity.MaxEntityBytes
}

// repair updates a list for one entity: it reads the list and the entity, and writes the list with
// the entity if it exists and has the list's value, else without. It always writes, so that every
// client that read the list before restarts.
func (x *indexLists) repair(t *Tx, key, own entity.Key, name string) {
	for range t.Restarts("conflicts") {
		l := x.read(t, key, name)
		stored, added := t.Send(Read(x.Table, own)), false
		if stored.OK() && x.value(stored.Entity) == name {
			added = l.add(x.id(own))
		} else {
			l.remove(x.id(own))
		}
		write, fits := x.writing(l)
		if added && !fits {
			t.Add("full", 1)
			return
		}
		if t.Send(write).OK() {
			return
		}
	}
}

// The requests after which a worker crashes.
const (
	crashReceived = iota + 1
	crashRepaired
	crashUndeleted
)

// work receives messages, repairs the lists that they name by the entities' current values, and
// deletes the messages. Receiving one twice, or two out of order, is harmless: a message names what
// to examine, not what to write. The worker crashes after a request, 0 for none.
func (x *indexLists) work(t *Tx, most, crashes int) (received Reply) {
	received = t.Send(receive(x.StoreOf(x.queue), most, x.hidden))
	t.CrashIf(len(received.Found) > 0 && crashes == crashReceived)
	for _, m := range received.Found {
		own, lines, _ := strings.Cut(string(m.Body), "\n")
		partition, row, _ := strings.Cut(own, "\t")
		for line := range strings.SplitSeq(lines, "\n") {
			// [indexChange.needRepair] writes seven fields.
			if fields := strings.Split(line, "\t"); len(fields) == 7 {
				lists := *x
				lists.form, lists.place, lists.container, lists.property = fields[3], fields[4], fields[5], fields[6]
				lists.repair(t, entity.Key{Partition: fields[0], Row: fields[1]}, entity.Key{Partition: partition, Row: row}, fields[2])
				t.CrashIf(crashes == crashRepaired)
			}
		}
		t.CrashIf(crashes != 0)
		t.Send(remove(x.StoreOf(x.queue), m))
		t.Add("handled", 1)
	}
	return received
}
