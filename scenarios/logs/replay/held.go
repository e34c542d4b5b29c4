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
// own, if the log counts more entities than it names.
type kin struct {
	like entity.Key
	// number is 0 for the entity itself.
	number int
}

// keyUnder returns its key where the entity that it is like has another one.
func (k kin) keyUnder(like entity.Key) entity.Key {
	if k.number > 0 {
		like.Row += fmt.Sprintf("~%d", k.number)
	}
	return like
}

// table is what the table of a log held, as far as the log shows: what was read, updated or
// deleted before anybody inserted it, and as many more as queries returned.
type table struct {
	of *Operations
	// singles are the operations on one entity.
	singles []*Operation
	// rows are the RowKeys that the log names of each partition, a few of each, in their order.
	rows map[string][]string
	// held are the entities that were there when the log began.
	held []kin
	// scanned are the partitions that queries read as a whole: how many entities those hold is
	// known by them alone.
	scanned map[string]bool
	// wrote are the entities that are taken for what a transaction wrote, by its number.
	wrote map[int][]entity.Key
	// store is the table while the log goes on.
	store *store.Store
	extra int
}

// tableName is that of the one table of a store; maxHeld bounds how many entities of a log
// are assumed to exist in addition to the named ones.
const (
	tableName = "log"
	maxHeld   = 1_000_000
	// stride is from one row that is taken for an example to the next, maxRows how many RowKeys
	// of a partition stand for all: as many as a transaction has.
	stride  = 61
	maxRows = 100
)

// newTable plays the operations as the log has them, and finds out what must have been there
// for its queries to return what they did.
func newTable(of *Operations) *table {
	t := &table{of: of, rows: make(map[string][]string), scanned: make(map[string]bool),
		wrote: make(map[int][]entity.Key), store: store.New()}
	for i := range of.List {
		one := &of.List[i]
		if !one.isSingle() {
			continue
		}
		t.singles = append(t.singles, one)
		if list := t.rows[one.Key.Partition]; len(list) < maxRows && !slices.Contains(list, one.Key.Row) {
			t.rows[one.Key.Partition] = append(list, one.Key.Row)
		}
	}
	for _, list := range t.rows {
		slices.Sort(list)
	}
	if of.Counts[entity.Query] == 0 {
		return t
	}
	t.store.CreateTable(tableName)
	t.assignFound()
	var ended []*Operation
	for i := range of.List {
		one := &of.List[i]
		ended = append(ended, one)
		if q := one.Query; q != nil && q.Exact && one.Entities > 0 && q.Top == 0 {
			if span := q.span(); span.Class() == filter.ClassPartitionScan {
				t.scanned[span.From.Partition] = true
			}
		}
	}
	slices.SortStableFunc(ended, func(a, b *Operation) int { return cmp.Compare(a.ended, b.ended) })
	for _, one := range ended {
		t.play(one)
	}
	t.store = nil
	return t
}

// assignFound assigns the entities that existed before an insert: an operation found
// them. Those that were first found after a transaction in their partition are taken for what
// that wrote, as many as it did; the others were there when the log began.
func (t *table) assignFound() {
	seen := make(map[entity.Key]bool)
	there := make(map[string][]*Operation)
	for _, one := range t.singles {
		if !seen[one.Key] {
			if seen[one.Key] = true; one.there {
				there[one.Key.Partition] = append(there[one.Key.Partition], one)
			}
		}
	}
	for i := range t.of.List {
		one := &t.of.List[i]
		if one.Verb != entity.Batch {
			continue
		}
		list := there[one.Key.Partition]
		for len(list) > 0 && list[0].At <= one.At {
			t.preload(kin{like: list[0].Key})
			list = list[1:]
		}
		for one.done && len(list) > 0 && int64(len(t.wrote[one.number])) < one.Entities {
			t.wrote[one.number] = append(t.wrote[one.number], list[0].Key)
			list = list[1:]
		}
		there[one.Key.Partition] = list
	}
	for _, list := range there {
		for _, one := range list {
			t.preload(kin{like: one.Key})
		}
	}
}

// play does to the table what an operation did.
func (t *table) play(one *Operation) {
	switch {
	case one.Verb == entity.Query:
		t.fill(one)
	case !one.done:
	case one.Verb == entity.Batch:
		for _, each := range t.writtenBy(one) {
			t.put(each.keyUnder(each.like))
		}
	case one.Verb == entity.Insert, one.Verb == entity.InsertOrReplace, one.Verb == entity.InsertOrMerge:
		t.put(one.Key)
	case one.Verb == entity.Delete:
		t.store.Apply(tableName, &entity.Change{Verb: entity.Delete, Key: one.Key, Match: entity.MatchAny}, entity.EarliestDateTime)
	}
}

func (t *table) put(key entity.Key) {
	t.store.Apply(tableName, &entity.Change{Verb: entity.InsertOrReplace, Key: key}, entity.EarliestDateTime)
}

// preload has an entity be there from the beginning.
func (t *table) preload(one kin) {
	t.held = append(t.held, one)
	t.put(one.keyUnder(one.like))
}

// fill adds as many entities as a query returned in addition to the known ones.
func (t *table) fill(query *Operation) {
	span := query.Query.span()
	if partition, one := span.Partition(); one && t.scanned[partition] && span.Class() != filter.ClassPartitionScan {
		return
	}
	missing := query.Entities
	for rest := span; missing > 0; {
		page, code := t.store.Scan(tableName, store.Query{Range: rest, Top: int(min(missing, 1000)), ScanLimit: 1000})
		missing -= int64(page.Scanned)
		if code != entity.OK || !page.More {
			break
		}
		rest = rest.StartingAt(page.Next)
	}
	for n := range missing {
		if t.extra == maxHeld {
			return
		}
		if span.Class() == filter.ClassPoint {
			t.preload(kin{like: span.From})
			return
		}
		t.extra++
		one := kin{t.like(span, int(n)), t.extra}
		if !span.Contains(one.keyUnder(one.like)) {
			one.like.Row = span.From.Row
		}
		t.preload(one)
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
	for i := range min(len(t.singles), maxRows) {
		if key := t.singles[(number+i)%len(t.singles)].Key; span.Contains(key) {
			return key
		}
	}
	return span.From
}

// writtenBy returns the entities that a transaction writes: those that were found after it, and
// new ones, all like one entity that the log names in its partition, another for each
// transaction: what is written together mostly has its key but for the end alike.
func (t *table) writtenBy(one *Operation) []kin {
	list := t.rows[one.Key.Partition]
	if len(list) == 0 {
		list = []string{""}
	}
	all := make([]kin, max(1, one.Entities))
	like := entity.Key{Partition: one.Key.Partition, Row: list[one.number*stride%len(list)]}
	for i := range all {
		if all[i] = (kin{like, maxHeld + 100*one.number + i + 1}); i < len(t.wrote[one.number]) {
			all[i] = kin{like: t.wrote[one.number][i]}
		}
	}
	return all
}
