package replay

import (
	"cmp"
	"fmt"
	"slices"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/store"
)

// kin is an entity that the log names, or one like it: in its place, under a RowKey of its
// own, where the log tells of more entities than it names.
type kin struct {
	like entity.Key
	// number is 0 for the entity itself.
	number int
}

// under returns its key where the entity that it is like has another one.
func (k kin) under(like entity.Key) entity.Key {
	if k.number > 0 {
		like.Row += fmt.Sprintf("~%d", k.number)
	}
	return like
}

// table is what the table of a log held, as far as the log shows: what was read, updated or
// deleted before anybody inserted it, and as many more as queries returned.
type table struct {
	of *Operations
	// rows are the RowKeys that the log names of each partition, a few of each, in their order.
	rows map[string][]string
	// held are the entities that were there when the log began.
	held []kin
	// scanned are the partitions that queries read as a whole: how many entities those hold is
	// told by them alone.
	scanned map[string]bool
	// wrote are the entities that are taken for what a transaction wrote, by its place.
	wrote map[int][]entity.Key
	// store is the table while the log goes on.
	store *store.Store
	extra int
}

// tableName is that of the one table of a store; mostHeld bounds how many entities of a log
// are taken to be there beyond those that it names.
const (
	tableName = "log"
	mostHeld  = 1_000_000
	// stride is from one row that is taken for an example to the next, mostRows how many RowKeys
	// of a partition stand for all: as many as a transaction has.
	stride   = 61
	mostRows = 100
)

// newTable plays the operations as the log has them, and finds out what must have been there
// for its queries to return what they did.
func newTable(of *Operations) *table {
	t := &table{of: of, rows: make(map[string][]string), scanned: make(map[string]bool),
		wrote: make(map[int][]entity.Key), store: store.New()}
	for i := range of.List {
		key := &of.List[i].Key
		if list := t.rows[key.Partition]; len(list) < mostRows && !slices.Contains(list, key.Row) {
			t.rows[key.Partition] = append(list, key.Row)
		}
	}
	for _, list := range t.rows {
		slices.Sort(list)
	}
	if len(of.Queries) == 0 {
		return t
	}
	t.store.CreateTable(tableName)
	t.found()
	for i := range of.Queries {
		q := &of.Queries[i]
		if span := q.span(); span.Class() == filter.ClassPartitionScan && q.Exact && q.Returned > 0 && q.Top == 0 {
			t.scanned[span.From.Partition] = true
		}
	}
	steps := of.order()
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(of.ended(a), of.ended(b)) })
	for _, s := range steps {
		t.play(s)
	}
	t.store = nil
	return t
}

// found tells the entities that were there before anybody inserted them: an operation found
// them. Those that were first found after a transaction in their partition are taken for what
// that wrote, as many as it did; the others were there when the log began.
func (t *table) found() {
	seen := make(map[entity.Key]bool)
	there := make(map[string][]*Operation)
	for i := range t.of.List {
		if one := &t.of.List[i]; !seen[one.Key] {
			if seen[one.Key] = true; one.there {
				there[one.Key.Partition] = append(there[one.Key.Partition], one)
			}
		}
	}
	for place := range t.of.Transactions {
		one := &t.of.Transactions[place]
		list := there[one.Partition]
		for len(list) > 0 && list[0].At <= one.At {
			t.hold(kin{like: list[0].Key})
			list = list[1:]
		}
		for one.done && len(list) > 0 && int64(len(t.wrote[place])) < one.Entities {
			t.wrote[place] = append(t.wrote[place], list[0].Key)
			list = list[1:]
		}
		there[one.Partition] = list
	}
	for _, list := range there {
		for _, one := range list {
			t.hold(kin{like: one.Key})
		}
	}
}

// play does to the table what was carried out of an operation.
func (t *table) play(s step) {
	switch s.verb {
	case entity.Query:
		t.fill(&t.of.Queries[s.place])
		return
	case entity.Batch:
		for _, one := range t.written(s.place) {
			if t.of.Transactions[s.place].done {
				t.put(one.under(one.like))
			}
		}
		return
	}
	one := &t.of.List[s.place]
	switch s.verb {
	case entity.Insert, entity.InsertOrReplace, entity.InsertOrMerge:
		if one.done {
			t.put(one.Key)
		}
	case entity.Delete:
		if one.done {
			t.store.Apply(tableName, &entity.Change{Verb: entity.Delete, Key: one.Key, Match: entity.MatchAny}, entity.EarliestDateTime)
		}
	}
}

func (t *table) put(key entity.Key) {
	t.store.Apply(tableName, &entity.Change{Verb: entity.InsertOrReplace, Key: key}, entity.EarliestDateTime)
}

// hold has an entity be there from the beginning.
func (t *table) hold(one kin) {
	t.held = append(t.held, one)
	t.put(one.under(one.like))
}

// fill has as many more entities be there as a query returned beyond those that are known.
func (t *table) fill(q *Query) {
	span := q.span()
	if partition, one := span.Partition(); one && t.scanned[partition] && span.Class() != filter.ClassPartitionScan {
		return
	}
	missing := q.Returned
	for rest := span; missing > 0; {
		page, code := t.store.Scan(tableName, store.Query{Range: rest, Top: int(min(missing, 1000)), ScanLimit: 1000})
		missing -= int64(page.Scanned)
		if code != entity.OK || !page.More {
			break
		}
		rest = rest.StartingAt(page.Next)
	}
	for n := range missing {
		if t.extra == mostHeld {
			return
		}
		if span.Class() == filter.ClassPoint {
			t.hold(kin{like: span.From})
			return
		}
		t.extra++
		one := kin{t.like(span, int(n)), t.extra}
		if !span.Contains(one.under(one.like)) {
			one.like.Row = span.From.Row
		}
		t.hold(one)
	}
}

// like returns an entity of a range that the log names, another one for each number, or where
// it names none the beginning of the range.
func (t *table) like(span filter.Range, number int) entity.Key {
	if partition, one := span.Partition(); one {
		list := t.rows[partition]
		for i := range list {
			key := entity.Key{Partition: partition, Row: list[(number+i)%len(list)]}
			if span.Contains(key) {
				return key
			}
		}
		return entity.Key{Partition: partition, Row: span.From.Row}
	}
	for i := range min(len(t.of.List), mostRows) {
		if key := t.of.List[(number+i)%len(t.of.List)].Key; span.Contains(key) {
			return key
		}
	}
	return span.From
}

// written returns the entities that a transaction writes: those that were found after it, and
// new ones, all like one entity that the log names in its partition, another for each
// transaction: what is written together mostly has its key but for the end alike.
func (t *table) written(place int) []kin {
	one := &t.of.Transactions[place]
	list := t.rows[one.Partition]
	if len(list) == 0 {
		list = []string{""}
	}
	all := make([]kin, max(1, one.Entities))
	like := entity.Key{Partition: one.Partition, Row: list[place*stride%len(list)]}
	for i := range all {
		if all[i] = (kin{like, mostHeld + 100*place + i + 1}); i < len(t.wrote[place]) {
			all[i] = kin{like: t.wrote[place][i]}
		}
	}
	return all
}
