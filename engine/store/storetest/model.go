package storetest

import (
	"slices"
	"strings"
	"unicode/utf16"

	"loadgen/engine/entity"
	"loadgen/engine/store"
)

// The keys of the random tests: few enough to meet often, awkward in order and
// in form.
var (
	partitionKeys = []string{"", "a", "O'Brien", "10 km", "\uE000", "\U0001F3C3", "\U0001F3C3b", "Zürich__Full"}
	rowKeys       = []string{"", "1", "11", "2", "'", "''", "é", "\uD7FF", "\uFFFF", "\U00010000", "\U0010FFFF", "x y"}
	tableNames    = []string{"Races", "races", "RACES", "Other", "missing"}
)

// naive is a store said once more: a map for each table, sorted when asked.
type naive struct {
	names  map[string]string
	tables map[string]map[entity.Key]naiveEntity
	// newest is the greatest version that each key of a table ever had.
	newest map[string]map[entity.Key]entity.Ticks
	// notes are those of tables, and of the account under no name.
	notes map[string]string
}

type naiveEntity struct {
	version    entity.Ticks
	properties []entity.Property
}

func newNaive() *naive {
	return &naive{map[string]string{}, map[string]map[entity.Key]naiveEntity{}, map[string]map[entity.Key]entity.Ticks{}, map[string]string{}}
}

func (n *naive) create(name string) entity.Code {
	folded := strings.ToLower(name)
	if n.tables[folded] != nil {
		return entity.TableAlreadyExists
	}
	n.names[folded], n.tables[folded] = name, map[entity.Key]naiveEntity{}
	n.newest[folded] = map[entity.Key]entity.Ticks{}
	return entity.OK
}

func (n *naive) drop(name string) entity.Code {
	folded := strings.ToLower(name)
	if n.tables[folded] == nil {
		return entity.ResourceNotFound
	}
	delete(n.names, folded)
	delete(n.tables, folded)
	delete(n.notes, folded)
	return entity.OK
}

func (n *naive) note(name, text string) entity.Code {
	folded := strings.ToLower(name)
	if n.tables[folded] == nil && name != "" {
		return entity.TableNotFound
	}
	n.notes[folded] = text
	return entity.OK
}

// possible returns the code of a valid change on a table as it stands.
func (n *naive) possible(name string, c *entity.Change) entity.Code {
	table := n.tables[strings.ToLower(name)]
	if table == nil {
		return entity.TableNotFound
	}
	stored, exists := table[c.Key]
	switch c.Verb {
	case entity.Insert:
		if exists {
			return entity.EntityAlreadyExists
		}
	case entity.Replace, entity.Merge, entity.Delete:
		if !exists {
			return entity.ResourceNotFound
		}
		if !c.Match.Accepts(stored.version) {
			return entity.ConditionNotSatisfied
		}
	}
	return entity.OK
}

// carryOut makes a possible change, which the store gave this version.
func (n *naive) carryOut(name string, c *entity.Change, version entity.Ticks) {
	folded := strings.ToLower(name)
	table := n.tables[folded]
	if c.Verb == entity.Delete {
		delete(table, c.Key)
		return
	}
	merged := slices.Clone(c.Properties)
	if c.Verb == entity.Merge || c.Verb == entity.InsertOrMerge {
		merged = slices.Clone(table[c.Key].properties)
		for _, p := range c.Properties {
			i := slices.IndexFunc(merged, func(q entity.Property) bool { return q.Name == p.Name })
			if i < 0 {
				merged = append(merged, p)
			} else {
				merged[i] = p
			}
		}
	}
	table[c.Key] = naiveEntity{version, merged}
	n.newest[folded][c.Key] = version
}

// sorted returns a table's keys in the order of the index, taken literally.
func (n *naive) sorted(name string) []entity.Key {
	var keys []entity.Key
	for k := range n.tables[strings.ToLower(name)] {
		keys = append(keys, k)
	}
	units := func(s string) []uint16 { return utf16.Encode([]rune(s)) }
	slices.SortFunc(keys, func(a, b entity.Key) int {
		if c := slices.Compare(units(a.Partition), units(b.Partition)); c != 0 {
			return c
		}
		return slices.Compare(units(a.Row), units(b.Row))
	})
	return keys
}

// scan is a page by the book.
func (n *naive) scan(name string, q store.Query) (keys []entity.Key, page store.Page) {
	top := q.Top
	if top == 0 || top > 1000 {
		top = 1000
	}
	for _, k := range n.sorted(name) {
		if !q.Range.Contains(k) {
			continue
		}
		if len(keys) == top || q.ScanLimit > 0 && page.Scanned == q.ScanLimit {
			page.Next, page.More = k, true
			return keys, page
		}
		page.Scanned++
		if last := len(page.Spans) - 1; last >= 0 && page.Spans[last].PartitionKey == k.Partition {
			page.Spans[last].Scanned++
		} else {
			page.Spans = append(page.Spans, store.Span{PartitionKey: k.Partition, Scanned: 1})
		}
		if q.Keep == nil || q.Keep(k, nil) {
			keys = append(keys, k)
		}
	}
	return keys, page
}
