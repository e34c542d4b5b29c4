package workflow

import (
	"slices"
	"strings"

	"loadgen/engine/entity"
	"loadgen/target"
)

// copyKinds are the workflows of copies under other keys, in the same partition or in others: the
// documents' secondary indexes.
var copyKinds = []Kind{{
	// A reader finds an entity through a partial copy, which contains the entity's key.
	//
	//	get copy ─┬─ 200 ─► get entity ─┬─ 200: done
	//	          │                     └─ 404: astray, the copy's entity is gone
	//	          └─ 404: missing, there is no copy
	//
	// The key is computed, not read from the copy.
	Name: "read-through", Says: "Reads a partial copy, then the entity.",
	Reads: true, Counters: []string{"missing", "astray"},
	Parameters: []Parameter{required("copy", "The copy to read first.", OfCopy)},
	New: func(c *Call) Workflow {
		place := AtCopy(c.Arguments.Text("copy"))
		part, whole := Read(c.TableOf(place), c.Subject.Key(place)), Read(c.Table, c.Subject.Key(""))
		return NewProcedure(func(t *Tx) {
			if t.Send(part).Missing() {
				t.Add("missing", 1)
			} else if t.Send(whole).Missing() {
				t.Add("astray", 1)
			}
		}, part, whole)
	},
}, {
	Name: "repair-copies", Says: "Compares entities with their copies and repairs the copies.",
	Alone: true, Copies: true, Counters: []string{missing, orphan, stale, "settled"},
	Serves: func(d *Design, _ Arguments) []Lack { return lackIf(!d.Copied, "", "the design has no copies") },
	New: func(c *Call) Workflow {
		var reads []Request
		for _, table := range c.Copied.tables() {
			reads = append(reads, Query(table, target.Query{}))
		}
		return NewProcedure(func(t *Tx) {
			faults, _ := c.Copied.survey(t)
			for _, f := range faults {
				c.Copied.repair(t, f)
			}
		}, reads...)
	},
	Check: func(s *Setting, _ Arguments) Check { return NewCopyCheck(s.Copied) },
}}

// NewCopyCheck returns the check that each entity has its copies, and each copy its entity, with
// the same values. A design without copies has none.
func NewCopyCheck(of *Copied) Check {
	return newFinding("each entity has its copies, and each copy its entity", func(t *Tx, found *Findings) {
		faults, looked := of.survey(t)
		found.Looked = looked
		for _, f := range faults {
			name, at, own := of.Homes[f.home].Name, keyText(f.at), keyText(f.own)
			switch f.what {
			case missing:
				found.Fault(own + " lacks copy " + name + " at " + at)
			case orphan:
				found.Fault("copy " + name + " at " + at + ": entity " + own + " is missing")
			default:
				found.Fault("copy " + name + " at " + at + " differs from " + own)
			}
		}
	})
}

func keyText(k entity.Key) string { return strings.Join([]string{k.Partition, k.Row}, "/") }

// tables returns the tables of entities and of copies.
func (of *Copied) tables() []string {
	var list []string
	for _, home := range of.Homes {
		if !slices.Contains(list, home.Table) {
			list = append(list, home.Table)
		}
	}
	return list
}

// fault is one copy that is not as it should be.
type fault struct {
	what string
	// own is the entity's key, at that of the copy in home.
	own, at entity.Key
	home    int
}

// The ways in which a copy is wrong, which are the names of what repairs count.
const (
	missing = "missing"
	orphan  = "orphaned"
	stale   = "stale"
)

// survey reads all tables, one after another. It returns each faulty copy, in the order of the
// writes, and how many copies there are, or should be. Concurrent writes may look like faults: only
// after a run is the result certain.
func (of *Copied) survey(t *Tx) (faults []fault, looked int64) {
	tables := make(map[string]map[entity.Key]entity.Packed)
	for _, table := range of.tables() {
		tables[table] = t.entities(table)
	}
	own := tables[of.Homes[0].Table]
	of.All(func(keys []entity.Key, has []bool) {
		stored, there := own[keys[0]]
		for home := 1; home < len(keys); home++ {
			copied, found := tables[of.Homes[home].Table][keys[home]]
			f := fault{own: keys[0], at: keys[home], home: home}
			switch {
			case !has[home] || !there && !found:
				continue
			case !found:
				f.what = missing
			case !there:
				f.what = orphan
			case !of.agrees(copied, stored):
				f.what = stale
			}
			if looked++; f.what != "" {
				faults = append(faults, f)
			}
		}
	})
	return faults, looked
}

// agrees reports whether a copy matches its entity. It may have fewer properties; padding and write
// ids differ.
func (of *Copied) agrees(copied, stored entity.Packed) bool {
	list, err := copied.Unpack(nil)
	return err == nil && !slices.ContainsFunc(list, func(p entity.Property) bool {
		is, some := stored.Lookup(p.Name)
		return !ofRun(p.Name) && p.Name != of.Filler && (!some || !is.Equal(p.Value))
	})
}

func ofRun(property string) bool { return property == IDProperty || property == HistoryProperty }

// repair writes a copy anew from its entity, or deletes it if the entity is gone.
func (of *Copied) repair(t *Tx, f fault) {
	home := of.Homes[f.home]
	read := t.Send(Read(of.Homes[0].Table, f.own))
	switch {
	case read.OK() == (f.what == orphan):
		// Another client wrote or deleted the entity since the survey.
		t.Add("settled", 1)
		return
	case !read.OK():
		t.Send(WriteOne(home.Table, deletion(f.at), 404))
	default:
		copied := entity.Change{Verb: entity.InsertOrReplace, Key: f.at}
		for _, p := range t.properties(read) {
			if home.Holds(p.Name) && !ofRun(p.Name) {
				copied.Properties = append(copied.Properties, p)
			}
		}
		t.Send(WriteOne(home.Table, copied))
	}
	t.Add(f.what, 1)
}
