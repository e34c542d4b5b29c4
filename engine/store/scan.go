package store

import (
	"slices"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
)

// MaxPage is how many entities a page holds at most.
const MaxPage = 1000

// Query asks for one page of a key range.
type Query struct {
	Range filter.Range
	// Top is the greatest number of entities wanted; 0, like anything beyond
	// [MaxPage], stands for that.
	Top int
	// ScanLimit is how many entities a page reads at most, kept or not; 0 sets
	// no bound.
	ScanLimit int
	// Keep drops the entities that it returns false for; they were scanned all
	// the same. Nil keeps all. It runs without any lock.
	Keep func(entity.Key, entity.Packed) bool
}

// Page is a part of the answer to a query, in the order of the index.
type Page struct {
	// Rows are the entities kept. The slice is the caller's, the entities are
	// the store's.
	Rows []Row
	// Scanned is how many entities were read.
	Scanned int
	// Spans says where, in the order of the index.
	Spans []Span
	// Next is the first key that the page left unread, where More is set: the
	// query goes on at [loadgen/engine/filter.Range.StartingAt] Next, whether or not that
	// entity is still there.
	Next entity.Key
	// More says that the page ended before the range did, with something left
	// to read.
	More bool
}

// EndAtPartition ends the page where its second partition begins.
func (p *Page) EndAtPartition() {
	if len(p.Spans) < 2 {
		return
	}
	p.Next, p.More = entity.Key{Partition: p.Spans[1].PartitionKey}, true
	p.Spans, p.Scanned = p.Spans[:1], p.Spans[0].Scanned
	end := slices.IndexFunc(p.Rows, func(r Row) bool { return r.Key.Partition != p.Spans[0].PartitionKey })
	if end >= 0 {
		p.Rows = p.Rows[:end]
	}
}

// Row is one entity of a page.
type Row = entity.Row

// Span is how many entities a page read in one partition, at least one.
type Span struct {
	PartitionKey string
	Scanned      int
}

// Scan reads one page. The only fault is a missing table (TableNotFound); a
// range that holds nothing is an empty page.
func (s *Store) Scan(name string, q Query) (Page, entity.Code) {
	t := s.find(name)
	if t == nil {
		return Page{}, entity.TableNotFound
	}
	if q.Range.Empty() {
		return Page{}, entity.OK
	}
	c := &scan{
		keep: q.Keep, top: q.Top, scanLimit: q.ScanLimit, bounded: q.Range.Bounded,
		fromPK: entity.SortKey(q.Range.From.Partition), fromRK: entity.SortKey(q.Range.From.Row),
		toPK: entity.SortKey(q.Range.To.Partition), toRK: entity.SortKey(q.Range.To.Row),
	}
	if c.top <= 0 || c.top > MaxPage {
		c.top = MaxPage
	}
	if _, one := q.Range.Partition(); one {
		if p := t.lookup(c.fromPK); p != nil {
			c.read(p)
		}
		return c.page, entity.OK
	}
	t.snapshot().Ascend(c.fromPK, func(pk string, p *partition) bool {
		return (!c.bounded || pk < c.toPK || pk == c.toPK && c.toRK != "") && c.read(p)
	})
	return c.page, entity.OK
}

// scan is a page in the making.
type scan struct {
	keep      func(entity.Key, entity.Packed) bool
	top       int
	scanLimit int
	// The bounds of the range as sort keys.
	fromPK, fromRK string
	toPK, toRK     string
	bounded        bool

	page Page
	// last says that the range ends in the partition that is being read.
	last bool
}

// full reports whether the page may read no further entity.
func (c *scan) full() bool {
	return len(c.page.Rows) == c.top || c.scanLimit > 0 && c.page.Scanned >= c.scanLimit
}

// read adds a partition's part of the range to the page, as it is now, and
// reports whether to go on with the next partition.
func (c *scan) read(p *partition) bool {
	from := ""
	if p.key == c.fromPK {
		from = c.fromRK
	}
	c.last = c.bounded && p.key == c.toPK
	before := c.page.Scanned
	if c.keep == nil {
		c.readAll(p, from)
	} else {
		c.readKept(p, from)
	}
	if n := c.page.Scanned - before; n > 0 {
		c.page.Spans = append(c.page.Spans, Span{p.name, n})
	}
	return !c.page.More
}

// readAll adds rows that are kept whatever they hold. There are no more of them
// than the page has room for, so that they can be collected under the lock, in
// microseconds: after a snapshot, the next write to each node of the tree would
// have to copy it, and writers that share their partition with readers would pay
// for them.
func (c *scan) readAll(p *partition, from string) {
	first := len(c.page.Rows)
	p.mu.RLock()
	p.rows.Ascend(from, func(rk string, e entity.Packed) bool {
		switch {
		case c.last && rk >= c.toRK:
			return false
		case c.full():
			c.page.Next, c.page.More = entity.Key{Partition: p.name, Row: rk}, true
			return false
		}
		c.page.Scanned++
		c.add(Row{Key: entity.Key{Partition: p.name, Row: rk}, Entity: e})
		return true
	})
	p.mu.RUnlock()
	for i := first; i < len(c.page.Rows); i++ {
		key := &c.page.Rows[i].Key
		key.Row = entity.FromSortKey(key.Row)
	}
	c.page.Next.Row = entity.FromSortKey(c.page.Next.Row)
}

// readKept adds the rows that are kept. The number of rows to look at is unknown,
// nor how long that takes, so that it goes over a snapshot.
func (c *scan) readKept(p *partition, from string) {
	key := entity.Key{Partition: p.name}
	// A copy takes the same short time however many rows there are.
	p.mu.Lock()
	rows := p.rows.Copy()
	p.mu.Unlock()
	rows.Ascend(from, func(rk string, e entity.Packed) bool {
		if c.last && rk >= c.toRK {
			return false
		}
		key.Row = entity.FromSortKey(rk)
		if c.full() {
			c.page.Next, c.page.More = key, true
			return false
		}
		c.page.Scanned++
		if c.keep(key, e) {
			c.add(Row{Key: key, Entity: e})
		}
		return true
	})
}

// add appends a row. The room grows fourfold, up to what the page can hold: most
// queries want a handful or everything.
func (c *scan) add(row Row) {
	const few = 16
	if n := len(c.page.Rows); n == cap(c.page.Rows) {
		c.page.Rows = slices.Grow(c.page.Rows, min(max(few, 3*n), c.top-n))
	}
	c.page.Rows = append(c.page.Rows, row)
}
