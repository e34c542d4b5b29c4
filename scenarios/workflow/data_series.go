package workflow

import (
	"fmt"
	"slices"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/target"
)

var (
	seriesSlots    = count("slots", "Counts per series.", 1, maxSlots, "24")
	seriesEach     = count("per-entity", "Counts per entity, each a property.", 1, maxSlots, "24")
	seriesAt       = optional("at", "The place of the series; default: the loaded entities.", OfPlace)
	seriesComplete = truth("complete", "Whether the phase writes every count of every series.", "false")
	seriesWriting  = choice("write", "How a count is written: blind merge, ETag merge, or replace.", "merge", "etag", "replace")
	seriesFirst    = count("first", "The first count to read, from 0.", 0, maxSlots-1, "0")
	seriesWindow   = count("window", "How many counts to read; 0 reads all from the first.", 0, maxSlots, "0")
	seriesBy       = choice("by", "How a series is read: point queries or one range.", "points", "range")
)

// seriesKinds are the workflows of series of counts, such as one for each hour of
// a day: in properties of one entity, of several in one partition, or in an entity each.
var seriesKinds = []Kind{{
	Name: "series-put", Says: "Writes one count of a series, series by series.",
	Parameters: []Parameter{seriesSlots, seriesEach, seriesAt, seriesWriting, seriesComplete}, Counters: []string{"conflicts"},
	Serves: needsLoad, Check: newSeriesCheck,
	New: func(c *Call) *Procedure {
		l := newSeriesLayout(c.Arguments)
		about, slot := c.Member(c.K/uint64(l.slots)%c.Loaded), int(c.K%uint64(l.slots))
		draw := c.Chance
		table, write := c.TableOf(l.at), entity.Change{Verb: entity.InsertOrMerge, Key: l.key(about, slot/l.each), Properties: countOf(slot, &draw)}
		read, blind := Read(table, write.Key), WriteOne(table, write)
		switch c.Arguments.Text("write") {
		case "etag":
			return NewProcedure(func(t *Tx) { compareAndWrite(t, table, write) }, read, blind)
		case "replace":
			return NewProcedure(func(t *Tx) {
				replace := write
				replace.Verb, replace.Properties = entity.InsertOrReplace, Overlay(t.Send(read).Entity, write.Properties)
				t.Send(WriteOne(table, replace))
			}, read, blind)
		default:
			return NewProcedure(nil, blind)
		}
	},
}, {
	Name: "series-write", Says: "Writes all counts of a series in transactions of 100.",
	Parameters: []Parameter{seriesSlots, seriesEach, seriesAt, seriesComplete},
	Serves:     needsLoad,
	New: func(c *Call) *Procedure {
		l := newSeriesLayout(c.Arguments)
		about := c.Member(c.K % c.Loaded)
		draw := c.Chance
		changes := make([]entity.Change, l.parts())
		for slot := range l.slots {
			one := &changes[slot/l.each]
			one.Verb, one.Key = entity.InsertOrReplace, l.key(about, slot/l.each)
			one.Properties = append(one.Properties, countOf(slot, &draw)...)
		}
		var batches []Request
		for batch := range slices.Chunk(changes, entity.MaxBatchChanges) {
			batches = append(batches, transact(c.TableOf(l.at), batch))
		}
		return newSequence(batches...)
	},
	Check: newSeriesCheck,
}, {
	Name: "series-get", Says: "Reads counts of a series, and combines those of several entities.", Reads: true,
	Parameters: []Parameter{seriesSlots, seriesEach, seriesAt, seriesBy, seriesFirst, seriesWindow}, Counters: []string{"counts"},
	Serves: func(d *Design, a Arguments) []Lack {
		return append(needsLoad(d, a), lackIf(a.Count("first")+max(1, a.Count("window")) > a.Count("slots"), "window",
			"first and window exceed the slots; expected %d together at most", a.Count("slots"))...)
	},
	New: func(c *Call) *Procedure {
		l := newSeriesLayout(c.Arguments)
		first, last := c.Arguments.Count("first"), l.slots-1
		if window := c.Arguments.Count("window"); window > 0 {
			last = first + window - 1
		}
		var reads []Request
		if c.Arguments.Text("by") == "range" {
			reads = append(reads, Query(c.TableOf(l.at), l.query(c.Subject, first, last)))
		} else {
			for part := first / l.each; part <= last/l.each; part++ {
				reads = append(reads, Read(c.TableOf(l.at), l.key(c.Subject, part)))
			}
		}
		return NewProcedure(func(t *Tx) {
			for _, read := range reads {
				for page := range t.pages(read) {
					t.Add("counts", countsIn(page.Entity, first, last))
					for _, row := range page.Rows {
						t.Add("counts", countsIn(row.Entity, first, last))
					}
				}
			}
		}, reads...)
	},
}}

// newSeriesCheck returns the check that each series has all its counts, which reads one after
// another, nil where some need not be there.
func newSeriesCheck(s *Setting, a Arguments) *Check {
	if !a.Truth("complete") {
		return nil
	}
	l := newSeriesLayout(a)
	name := fmt.Sprintf("each series of %d has all its counts", l.slots)
	if l.at != "" {
		name += " at " + l.at
	}
	return newCheck(name, func(t *Tx, f *Findings) {
		for n := range s.Loaded {
			about, held := s.Member(n), int64(0)
			for row := range t.Rows(Query(s.TableOf(l.at), l.query(about, 0, l.slots-1))) {
				held += countsIn(row.Entity, 0, l.slots-1)
			}
			f.Look(held == int64(l.slots), "series %q, %q: %d of %d counts", about.Key(l.at).Partition, about.Key(l.at).Row, held, l.slots)
		}
	})
}

// maxSlots is how many counts a series has at most.
const maxSlots = 999

// needsLoad rejects a scenario without a load phase before.
func needsLoad(d *Design, _ Arguments) []Lack {
	return lackIf(!d.Loaded, "", "nothing is loaded; expected a load phase before")
}

// seriesLayout is how the counts of a series lie in entities.
type seriesLayout struct {
	at          string
	slots, each int
}

func newSeriesLayout(a Arguments) seriesLayout {
	return seriesLayout{at: a.Text("at"), slots: a.Count("slots"), each: a.Count("per-entity")}
}

func (l seriesLayout) parts() int { return (l.slots + l.each - 1) / l.each }

// key returns the key of a part, numbered from 0: the series' own key if there is one part, else
// followed by the part's number from 01.
func (l seriesLayout) key(about Subject, part int) entity.Key {
	key := about.Key(l.at)
	if l.parts() > 1 {
		width := max(2, len(fmt.Sprint(l.parts())))
		key.Row = fmt.Sprintf("%s_%0*d", key.Row, width, part+1)
	}
	return key
}

// query returns the query of the entities with some slots.
func (l seriesLayout) query(about Subject, first, last int) target.Query {
	from, to := l.key(about, first/l.each), l.key(about, last/l.each)
	// No key holds a NUL, so no key is between the last one and this.
	return target.Query{Range: filter.Rows(from.Partition, from.Row, to.Row+"\x00")}
}

// slotName returns the name of the property that is a count. Names sort as slots do.
func slotName(slot int) string { return fmt.Sprintf("Count%03d", slot+1) }

// countOf returns a count of a random value.
func countOf(slot int, draw *clock.Draw) []entity.Property {
	return []entity.Property{{Name: slotName(slot), Value: entity.Int32(int32(1 + draw.IntN(1000)))}}
}

// countsIn returns how many counts of some slots an entity has.
func countsIn(e entity.Packed, first, last int) (count int64) {
	read, from, to := e.Cursor(), slotName(first), slotName(last)
	for p := (entity.Property{}); read.Next(&p); {
		if from <= p.Name && p.Name <= to {
			count++
		}
	}
	return count
}

// compareAndWrite writes a count if the entity is unchanged since the read, and restarts otherwise.
// The next read finds a write whose reply was lost.
func compareAndWrite(t *Tx, table string, write entity.Change) {
	count := write.Properties[0]
	for restarts := range t.Restarts("conflicts") {
		read := t.Send(Read(table, write.Key))
		if found, some := read.Entity.Lookup(count.Name); restarts > 0 && some && found == count.Value {
			return
		}
		statuses := []int{404, 412}
		if write.Verb, write.Match = entity.Merge, entity.MatchExactly(read.Version); !read.OK() {
			write.Verb, write.Match, statuses = entity.Insert, entity.Match{}, []int{409}
		}
		if t.Send(WriteOne(table, write, statuses...)).OK() {
			return
		}
	}
}
