package workflow

import (
	"fmt"
	"slices"
	"strings"

	"loadgen/engine/entity"
	"loadgen/target"
)

// indexList is a list as read and as it will be written. Line feeds and tabs separate entries; no
// key contains them.
type indexList struct {
	key entity.Key
	// of is the property that it lists by, name the value that the listed entities have,
	// ids what names them.
	of, name string
	ids      []string
	// there says that there was one, which then had this version, or this ETag.
	there   bool
	version entity.Ticks
	etag    string
}

// add adds an id, and reports whether the list lacked it.
func (l *indexList) add(id string) bool {
	if slices.Contains(l.ids, id) {
		return false
	}
	l.ids = append(l.ids, id)
	return true
}

func (l *indexList) remove(id string) {
	l.ids = slices.DeleteFunc(l.ids, func(one string) bool { return one == id })
}

// text returns the property with the name, which distinguishes the lists of different indexes, and
// the ids, one per line.
func (l *indexList) text() string {
	return strings.Join(append([]string{l.of + "\t" + l.name}, l.ids...), "\n")
}

func (l *indexList) fill(text string) {
	lines := strings.Split(text, "\n")
	l.of, l.name, _ = strings.Cut(lines[0], "\t")
	l.ids = lines[1:]
}

// indexProperty begins the names of the properties that a list lies in: one has 64 KiB
// at most, and so there are as many as it takes.
const indexProperty = "Ids"

// properties returns the list as the properties of an entity.
func (l *indexList) properties() []entity.Property {
	var list []entity.Property
	for part := range slices.Chunk([]byte(l.text()), entity.MaxBinaryBytes) {
		list = append(list, entity.Property{Name: indexPart(len(list)), Value: entity.Binary(part)})
	}
	return list
}

func indexPart(number int) string {
	if number == 0 {
		return indexProperty
	}
	return fmt.Sprintf("%s%02d", indexProperty, number+1)
}

// unpack sets the list to what an entity has, and reports whether that is one.
func (l *indexList) unpack(stored entity.Packed) bool {
	var text strings.Builder
	for number := 0; ; number++ {
		part, some := stored.Lookup(indexPart(number))
		if !some {
			l.fill(text.String())
			return number > 0
		}
		text.WriteString(string(part.Bytes()))
	}
}

// indexOf identifies an index of a run by form, place and property.
type indexOf struct{ form, place, container, property string }

// indexLists is where the lists of one index lie. It is immutable.
type indexLists struct {
	*Setting
	indexOf
	queue string
	blind bool
}

func newIndexLists(s *Setting, a Arguments) *indexLists {
	return &indexLists{Setting: s, indexOf: indexOf{a.Text("form"), a.Text("place"), a.Text("container"), a.Text("property")},
		queue: a.Text("queue"), blind: a.Truth("blind")}
}

// list returns the list of a name while nothing is in it.
func (x *indexLists) list(key entity.Key, name string) *indexList {
	return &indexList{key: key, of: x.property, name: name}
}

// table returns the name of the table of lists that are entities.
func (x *indexLists) table() string {
	if x.form == indexTogether {
		return x.Table
	}
	return x.TableOf(x.place)
}

// id returns the name of an entity in a list: the RowKey in its own partition.
func (x *indexLists) id(key entity.Key) string {
	if x.form == indexTogether {
		return key.Row
	}
	return key.Partition + "\t" + key.Row
}

// named returns the key of the entity that an id of a list names.
func (x *indexLists) named(l *indexList, id string) entity.Key {
	partition, row, apart := strings.Cut(id, "\t")
	if !apart {
		return entity.Key{Partition: l.key.Partition, Row: id}
	}
	return entity.Key{Partition: partition, Row: row}
}

func (x *indexLists) value(stored entity.Packed) string {
	value, _ := stored.Lookup(x.property)
	return value.Text()
}

func blobName(key entity.Key) string { return key.Partition + "/" + key.Row }

// reading returns the request that reads a list, read the list.
func (x *indexLists) reading(key entity.Key) Request {
	if x.form == indexBlob {
		return Beside(target.Beside{Verb: target.GetBlob, Store: x.StoreOf(x.container), Name: blobName(key)}, 404)
	}
	return Read(x.table(), key)
}

func (x *indexLists) read(t *Tx, key entity.Key, name string) *indexList {
	l, stored := x.list(key, name), t.Send(x.reading(key))
	switch {
	case len(stored.Found) > 0:
		l.there, l.etag = true, stored.Found[0].ETag
		l.fill(string(stored.Found[0].Body))
	case x.form != indexBlob && stored.OK():
		l.there, l.version = true, stored.Version
		l.unpack(stored.Entity)
	}
	return l
}

// change returns the write of a list that is an entity: over what was read alone, unless
// that is done blindly.
func (x *indexLists) change(l *indexList) entity.Change {
	c := entity.Change{Verb: entity.Insert, Key: l.key, Properties: l.properties()}
	switch {
	case x.blind:
		c.Verb = entity.InsertOrReplace
	case l.there:
		c.Verb, c.Match = entity.Replace, entity.MatchExactly(l.version)
	}
	return c
}

// fits reports whether a list is not too long for what it lies in.
func (x *indexLists) fits(l *indexList) bool {
	return x.form == indexBlob || entity.Size(l.key, l.properties()) <= entity.MaxEntityBytes
}

// writing returns the request that writes a list, unless another client did so since it was read.
func (x *indexLists) writing(l *indexList) Request {
	if x.form != indexBlob {
		return WriteOne(x.table(), x.change(l), overtaken...)
	}
	put := target.Beside{Verb: target.PutBlob, Store: x.StoreOf(x.container), Name: blobName(l.key), Body: []byte(l.text()), Match: l.etag}
	switch {
	case x.blind:
		put.Match = ""
	case !l.there:
		put.Match = target.IfAbsent
	}
	return Beside(put, overtaken...)
}

// repair updates a list for one entity: it reads the list and the entity, and writes the list with
// the entity if it exists and has the list's value, else without. It always writes, so that every
// client that read the list before restarts.
func (x *indexLists) repair(t *Tx, key, about entity.Key, name string) {
	for range t.Restarts("conflicts") {
		l := x.read(t, key, name)
		stored := t.Send(Read(x.Table, about))
		if !stored.OK() || x.value(stored.Entity) != name {
			l.remove(x.id(about))
		} else if l.add(x.id(about)) && !x.fits(l) {
			t.Add("full", 1)
			return
		}
		if t.Send(x.writing(l)).OK() {
			return
		}
	}
}
