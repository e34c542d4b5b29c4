package workflow

import (
	"bytes"
	"slices"
	"time"

	"loadgen/engine/entity"
	"loadgen/target"
)

// newIndexCheck makes the check that each entity is in the list of its value only, and that lists
// name nothing else. It processes the queue first, if there is one.
//
// The check does not restore entries that a blind worker removed. It loses none itself: no other
// client writes now.
var newIndexCheck = checkOf("lists name each entity that is there, and nothing else", func(t *Tx, f *Findings, s *Setting, a Arguments) {
	x := newIndexLists(s, a)
	if x.form != indexInPartition {
		x.drain(t)
	}
	keys, values, lists := x.readAll(t)
	listed := make(map[entity.Key]int)
	for _, l := range lists {
		_, name, ids := l.parse()
		for _, id := range ids {
			key := l.entityKey(id)
			value, exists := values[key]
			if !exists {
				value = "missing"
			} else if value == name {
				listed[key]++
			}
			f.Look(exists && value == name, "the list of %s names %s, which is %s", name, keyText(key), value)
		}
	}
	for _, key := range keys {
		f.Look(listed[key] == 1, "%s is %s and is listed %d times; want once", keyText(key), values[key], listed[key])
	}
	slices.Sort(f.Examples)
})

// drain processes the queue until it stays empty for longer than the visibility timeout.
func (x *indexLists) drain(t *Tx) {
	for waited := false; ; {
		switch received := x.work(t, maxReceived, 0); {
		case len(received.Found) > 0 || received.Silent:
			// A lost reply may hold further messages.
			waited = false
		case waited:
			return
		default:
			waited = true
			t.Sleep(x.hidden + time.Second)
		}
	}
}

// readAll returns the keys and values of the indexed entities, and the lists.
func (x *indexLists) readAll(t *Tx) (keys []entity.Key, values map[entity.Key]string, lists []*indexList) {
	values = make(map[entity.Key]string)
	addList := func(row target.Row) {
		if l := (&indexList{key: row.Key}); l.unpack(row.Entity) && x.isOwn(l) {
			lists = append(lists, l)
		}
	}
	for row := range t.Rows(Query(x.Table, target.Query{})) {
		if value, found := row.Entity.Lookup(x.property); found {
			keys = append(keys, row.Key)
			values[row.Key] = value.Text()
		} else {
			addList(row)
		}
	}
	switch {
	case x.form == indexBlob:
		lists = append(lists, x.readBlobs(t)...)
	case x.table() != x.Table:
		for row := range t.Rows(Query(x.table(), target.Query{})) {
			addList(row)
		}
	}
	return keys, values, lists
}

// isOwn reports whether a list is of this index.
func (x *indexLists) isOwn(l *indexList) bool {
	return bytes.HasPrefix(l.text, []byte(x.property+"\t"))
}

// readBlobs reads the lists that are blobs.
func (x *indexLists) readBlobs(t *Tx) (lists []*indexList) {
	store := x.StoreOf(x.container)
	for _, blob := range slices.Collect(t.blobs(store, "", 1)) {
		body := t.Send(NewBesideRequest(target.Beside{Verb: target.GetBlob, Store: store, Name: blob.Name})).Found[0].Body
		if l := (&indexList{text: body}); x.isOwn(l) {
			lists = append(lists, l)
		}
	}
	return lists
}
