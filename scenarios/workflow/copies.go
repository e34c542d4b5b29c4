package workflow

import (
	"slices"

	"loadgen/engine/entity"
	"loadgen/target"
)

// copyKinds are the workflows of copies under other keys, in the same partition or in others: the
// documents' secondary indexes.
var copyKinds = []Kind{{
	Name: "repair-copies", Says: "Compares entities with their copies and repairs the copies.",
	Alone: true, Copies: true, Counters: []string{missing, orphan, stale, "settled"},
	Serves: func(d *Design, _ Arguments) []Lack { return lackIf(!d.Copied, "", "the design has no copies") },
	New: func(c *Call) *Procedure {
		var reads []Request
		for _, table := range c.Copied.tables() {
			reads = append(reads, Query(table, target.Query{}))
		}
		return NewProcedure(func(t *Tx) {
			c.Copied.survey(t, func(state copyState) {
				if state.what != "" {
					c.Copied.repair(t, state)
				}
			})
		}, reads...)
	},
	Check: func(s *Setting, _ Arguments) *Check { return NewCopyCheck(s.Copied) },
}}

// NewCopyCheck returns the check that each entity has its copies, and each copy its entity, with
// the same values. A design without copies has none.
func NewCopyCheck(c *Copied) *Check {
	return newCheck("each entity has its copies, and each copy its entity", func(t *Tx, found *Findings) {
		c.survey(t, func(f copyState) {
			name, at, own := c.Homes[f.home].Name, keyText(f.at), keyText(f.own)
			switch f.what {
			case missing:
				found.Look(false, "%s lacks copy %s at %s", own, name, at)
			case orphan:
				found.Look(false, "copy %s at %s: entity %s is missing", name, at, own)
			default:
				found.Look(f.what != stale, "copy %s at %s differs from %s", name, at, own)
			}
		})
	})
}

func keyText(k entity.Key) string { return k.Partition + "/" + k.Row }

// tables returns the tables of entities and of copies.
func (c *Copied) tables() []string {
	var list []string
	for _, home := range c.Homes {
		if !slices.Contains(list, home.Table) {
			list = append(list, home.Table)
		}
	}
	return list
}

// copyState is the state of one copy, which exists or should exist.
type copyState struct {
	// what is the fault, empty for none.
	what string
	// own is the key of the entity, at that of the copy in home.
	own, at entity.Key
	home    int
}

// The faults of copies, which are the names of the counters of repairs.
const (
	missing = "missing"
	orphan  = "orphaned"
	stale   = "stale"
)

// survey reads all tables, one after another, and visits the states of all copies, in the order of
// the writes. Concurrent writes may look like faults: only after a run is the result certain.
func (c *Copied) survey(t *Tx, visit func(copyState)) {
	tables := make(map[string]map[entity.Key]entity.Packed)
	for _, table := range c.tables() {
		tables[table] = t.entities(table)
	}
	entities := tables[c.Homes[0].Table]
	c.All(func(keys []entity.Key, has []bool) {
		stored, exists := entities[keys[0]]
		for home := 1; home < len(keys); home++ {
			copied, found := tables[c.Homes[home].Table][keys[home]]
			state := copyState{own: keys[0], at: keys[home], home: home}
			switch {
			case !has[home] || !exists && !found:
				continue
			case !found:
				state.what = missing
			case !exists:
				state.what = orphan
			case !c.agrees(copied, stored):
				state.what = stale
			}
			visit(state)
		}
	})
}

// agrees reports whether a copy matches its entity. It may have fewer properties; padding and write
// ids differ.
func (c *Copied) agrees(copied, stored entity.Packed) bool {
	list, err := copied.Unpack(nil)
	return err == nil && !slices.ContainsFunc(list, func(p entity.Property) bool {
		value, found := stored.Lookup(p.Name)
		return !isWriteID(p.Name) && p.Name != c.Filler && (!found || !value.Equal(p.Value))
	})
}

func isWriteID(property string) bool { return property == IDProperty || property == HistoryProperty }

// repair writes a copy anew from its entity, or deletes it if the entity is gone.
func (c *Copied) repair(t *Tx, f copyState) {
	home := c.Homes[f.home]
	read := t.Send(Read(c.Homes[0].Table, f.own))
	switch {
	case read.OK() == (f.what == orphan):
		// Another client wrote or deleted the entity since the survey.
		t.Add("settled", 1)
		return
	case !read.OK():
		t.Send(WriteOne(home.Table, deletion(f.at), 404))
	default:
		properties := slices.DeleteFunc(t.properties(read), func(p entity.Property) bool { return !home.Holds(p.Name) || isWriteID(p.Name) })
		t.Send(WriteOne(home.Table, entity.Change{Verb: entity.InsertOrReplace, Key: f.at, Properties: properties}))
	}
	t.Add(f.what, 1)
}
