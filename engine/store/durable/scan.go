package durable

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"loadgen/engine/entity"
	"loadgen/engine/store"
)

// Get returns an entity. The code is TableNotFound or ResourceNotFound if there is
// none.
func (s *Store) Get(name string, k entity.Key) (entity.Packed, entity.Code) {
	if !s.enter() {
		return nil, entity.InternalError
	}
	defer s.alive.RUnlock()
	t := s.find(name)
	if t == nil {
		return nil, entity.TableNotFound
	}
	const usual = 256
	key := appendPartition(make([]byte, 0, usual), t.number, k.Partition)
	prefix := len(key)
	value, exists, err := s.read(append(key, entity.SortKey(k.Row)...))
	if err == nil && s.options.Sync {
		err = s.guards.waitForFlush(key[:prefix])
	}
	switch {
	case err != nil:
		s.fail(err)
		return nil, entity.InternalError
	case !exists:
		return nil, entity.ResourceNotFound
	}
	return value, entity.OK
}

// Scan reads one page, as the store in memory does. It shows all partitions at one
// instant.
func (s *Store) Scan(name string, q store.Query) (store.Page, entity.Code) {
	if !s.enter() {
		return store.Page{}, entity.InternalError
	}
	defer s.alive.RUnlock()
	t := s.find(name)
	if t == nil {
		return store.Page{}, entity.TableNotFound
	}
	if q.Range.Empty() {
		return store.Page{}, entity.OK
	}
	c := &scan{query: q, top: q.Top}
	if c.top <= 0 || c.top > store.MaxPage {
		c.top = store.MaxPage
	}
	c.bounds.LowerBound = appendRow(nil, t.number, q.Range.From)
	c.bounds.UpperBound = numbered(nil, kindRow, t.number+1)
	if q.Range.Bounded {
		c.bounds.UpperBound = appendRow(nil, t.number, q.Range.To)
	}
	err := c.read(s.db)
	if err == nil && s.options.Sync {
		var prefix []byte
		if pk, one := q.Range.Partition(); one {
			prefix = appendPartition(nil, t.number, pk)
		}
		err = s.guards.waitForFlush(prefix)
	}
	if err != nil {
		s.fail(err)
		return store.Page{}, entity.InternalError
	}
	return c.page, entity.OK
}

// scan is a page in the making.
type scan struct {
	query  store.Query
	top    int
	bounds pebble.IterOptions
	page   store.Page

	// prefix is what the keys of the partition begin with that is being read.
	prefix    []byte
	partition string
	// rowKeys are the sort keys of the rows that were added without being looked at, one
	// after the other, ends where each ends; first is the first of these rows.
	rowKeys []byte
	ends    []int
	first   int
	// room is where the entities of the page go.
	room []byte
}

// read fills the page.
func (c *scan) read(db *pebble.DB) error {
	if bytes.Compare(c.bounds.LowerBound, c.bounds.UpperBound) >= 0 {
		return nil
	}
	rows, err := db.NewIter(&c.bounds)
	if err != nil {
		return err
	}
	var fault error
	for valid := rows.First(); valid && fault == nil && !c.page.More; valid = rows.Next() {
		fault = c.row(rows)
	}
	c.nameRows()
	return cmp.Or(fault, rows.Error(), rows.Close())
}

// row adds the row that the iterator stands on, if it is to be kept and there is room.
func (c *scan) row(rows *pebble.Iterator) error {
	key := rows.Key()
	if c.prefix == nil || !bytes.HasPrefix(key, c.prefix) {
		c.nameRows()
		length := partitionLength(key)
		if length == 0 {
			return ErrDamaged
		}
		c.prefix = append(c.prefix[:0], key[:length]...)
		prefix := c.prefix
		sorted := make([]byte, 0, len(prefix)-rowKeyStart)
		for i := rowKeyStart; i < len(prefix)-2; i++ {
			if sorted = append(sorted, prefix[i]); prefix[i] == escapeByte {
				i++
			}
		}
		c.partition = entity.FromSortKey(string(sorted))
	}
	if len(c.page.Rows) == c.top || c.query.ScanLimit > 0 && c.page.Scanned >= c.query.ScanLimit {
		c.page.Next, c.page.More = entity.Key{Partition: c.partition, Row: entity.FromSortKey(string(key[len(c.prefix):]))}, true
		return nil
	}
	c.count()
	value, err := rows.ValueAndErr()
	if err != nil {
		return err
	}
	row := store.Row{Key: entity.Key{Partition: c.partition}}
	if c.query.Keep == nil {
		c.rowKeys = append(c.rowKeys, key[len(c.prefix):]...)
		c.ends = append(c.ends, len(c.rowKeys))
	} else {
		row.Key.Row = entity.FromSortKey(string(key[len(c.prefix):]))
		if !c.query.Keep(row.Key, value) {
			return nil
		}
	}
	// Those of a page share a few blocks of memory.
	const block = 64 << 10
	if cap(c.room)-len(c.room) < len(value) {
		c.room = make([]byte, 0, max(len(value), min(block, max(1<<10, 4*cap(c.room)))))
	}
	begin := len(c.room)
	c.room = append(c.room, value...)
	row.Entity = entity.Packed(c.room[begin:len(c.room):len(c.room)])
	// The room for rows grows fourfold, up to what the page can hold.
	const few = 16
	if n := len(c.page.Rows); n == cap(c.page.Rows) {
		c.page.Rows = slices.Grow(c.page.Rows, min(max(few, 3*n), c.top-n))
	}
	c.page.Rows = append(c.page.Rows, row)
	return nil
}

// count says that one more entity of the partition was read.
func (c *scan) count() {
	c.page.Scanned++
	if last := len(c.page.Spans) - 1; last >= 0 && c.page.Spans[last].PartitionKey == c.partition {
		c.page.Spans[last].Scanned++
		return
	}
	c.page.Spans = append(c.page.Spans, store.Span{PartitionKey: c.partition, Scanned: 1})
}

// nameRows gives the rows that were added without being looked at their RowKeys, which
// share one text.
func (c *scan) nameRows() {
	if c.query.Keep == nil {
		text, begin := string(c.rowKeys), 0
		for i, end := range c.ends {
			c.page.Rows[c.first+i].Key.Row = entity.FromSortKey(text[begin:end])
			begin = end
		}
	}
	c.rowKeys, c.ends, c.first = c.rowKeys[:0], c.ends[:0], len(c.page.Rows)
}
