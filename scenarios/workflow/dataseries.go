package workflow

import (
	"fmt"
	"slices"
	"strings"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/target"
)

var (
	seriesSlots = Parameter{Name: "slots", Says: "Counts per series.", Type: OfCount, Default: "24", Least: 1, Most: maxSlots}
	seriesEach  = Parameter{Name: "per-entity", Says: "Counts per entity, each a property.",
		Type: OfCount, Default: "24", Least: 1, Most: maxSlots}
	seriesAt       = Parameter{Name: "at", Says: "The place of the series; default: the loaded entities.", Type: OfPlace}
	seriesComplete = Parameter{Name: "complete", Says: "Whether the phase writes every count of every series.",
		Type: OfTruth, Default: "false"}
	seriesWriting = Parameter{Name: "write", Says: "How a count is written: blind merge, ETag merge, or replace.",
		Type: OfChoice, Choices: []string{"merge", "etag", "replace"}, Default: "merge"}
	seriesBy = Parameter{Name: "by", Says: "How a series is read: point queries or one range.",
		Type: OfChoice, Choices: []string{"points", "range"}, Default: "points"}
)

// seriesKinds are the workflows of series of counts, such as one for each hour of
// a day: in properties of one entity, of several in one partition, or in an entity each.
var seriesKinds = []Kind{{
	Name: "series-put", Says: "Writes one count of a series, series by series.",
	Parameters: []Parameter{seriesSlots, seriesEach, seriesAt, seriesWriting, seriesComplete}, Counters: []string{"conflicts"},
	Serves: needsLoad, Check: newSeriesCheck,
	New: func(c *Call) Workflow {
		l := newSeriesLayout(c.Arguments)
		about, slot := turn(c, l.slots)
		draw := c.Chance
		p := &seriesPut{table: c.TableOf(l.at), key: l.key(about, slot/l.each),
			count: entity.Property{Name: slotName(slot), Value: entity.Int32(int32(1 + draw.IntN(1000)))}}
		return NewScript(func(s *Script) Request {
			p.Script = s
			blind := p.write(entity.InsertOrMerge, entity.Match{}, p.count)
			reads := Read(p.table, p.key, p.changed)
			switch c.Arguments.Text("write") {
			case "etag":
				s.Foresee(reads.Operation, blind.Operation)
				return reads
			case "replace":
				reads = Read(p.table, p.key, func(a Attempt) Turn {
					return Send(p.write(entity.InsertOrReplace, entity.Match{}, Overlay(a.Outcome.Entity, []entity.Property{p.count})...))
				})
				s.Foresee(reads.Operation, blind.Operation)
				return reads
			default:
				return blind
			}
		})
	},
}, {
	Name: "series-write", Says: "Writes all counts of a series in transactions of 100.",
	Parameters: []Parameter{seriesSlots, seriesEach, seriesAt, seriesComplete},
	Serves:     needsLoad,
	New: func(c *Call) Workflow {
		l := newSeriesLayout(c.Arguments)
		about, _ := turn(c, 1)
		draw := c.Chance
		changes := make([]entity.Change, l.parts())
		for slot := range l.slots {
			one := &changes[slot/l.each]
			one.Verb, one.Key = entity.InsertOrReplace, l.key(about, slot/l.each)
			one.Properties = append(one.Properties, entity.Property{Name: slotName(slot), Value: entity.Int32(int32(1 + draw.IntN(1000)))})
		}
		return NewScript(func(s *Script) Request {
			batches := slices.Collect(slices.Chunk(changes, entity.MaxBatchChanges))
			return s.InTurn(len(batches), func(i int, next func() Turn) Request {
				return writeTogether(c.TableOf(l.at), batches[i], target.Expected{}, func(Attempt) Turn { return next() })
			})
		})
	},
	Check: newSeriesCheck,
}, {
	Name: "series-get", Says: "Reads all counts of a series.", Reads: true,
	Parameters: []Parameter{seriesSlots, seriesEach, seriesAt, seriesBy}, Counters: []string{"counts"},
	Serves: needsLoad,
	New: func(c *Call) Workflow {
		l := newSeriesLayout(c.Arguments)
		table := c.TableOf(l.at)
		return NewScript(func(s *Script) Request {
			if c.Arguments.Text("by") == "range" {
				see := func(row target.Row) { s.Add("counts", int64(countsIn(row.Entity))) }
				return ReadAll(table, l.query(c.Subject), see, End)
			}
			return s.InTurn(l.parts(), func(part int, next func() Turn) Request {
				return Read(table, l.key(c.Subject, part), func(a Attempt) Turn {
					s.Add("counts", int64(countsIn(a.Outcome.Entity)))
					return next()
				})
			})
		})
	},
}}

// newSeriesCheck returns the check that each series has all its counts, which reads one after
// another, nil where some need not be there.
func newSeriesCheck(s *Setting, a Arguments) Check {
	if !a.Truth("complete") {
		return nil
	}
	l := newSeriesLayout(a)
	name := fmt.Sprintf("each series of %d has all its counts", l.slots)
	if l.at != "" {
		name += " at " + l.at
	}
	return newFinding(name, func(f *Finding) Request {
		return InTurn(int(s.Loaded), func(i int, next func() Turn) Request {
			about, held := s.Member(uint64(i)), 0
			return ReadAll(s.TableOf(l.at), l.query(about), func(row target.Row) { held += countsIn(row.Entity) }, func() Turn {
				f.Look(held == l.slots, "series %q, %q: %d of %d counts", about.Key(l.at).Partition, about.Key(l.at).Row, held, l.slots)
				return next()
			})
		})
	})
}

// maxSlots is how many counts a series has at most.
const maxSlots = 999

// needsLoad rejects a scenario without a load phase before.
func needsLoad(d *Design, _ Arguments) []Lack {
	if d.Loaded {
		return nil
	}
	return []Lack{{Says: "nothing is loaded; expected a load phase before"}}
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

func (l seriesLayout) query(about Subject) target.Query {
	first, last := l.key(about, 0), l.key(about, l.parts()-1)
	// No key holds a NUL, so that nothing comes between the last one and this.
	return target.Query{Range: filter.Rows(first.Partition, first.Row, last.Row+"\x00")}
}

// slotPrefix begins the names of the properties that are counts.
const slotPrefix = "Count"

func slotName(slot int) string { return fmt.Sprintf("%s%03d", slotPrefix, slot+1) }

func countsIn(e entity.Packed) int {
	count := 0
	read := e.Cursor()
	for p := (entity.Property{}); read.Next(&p); {
		if strings.HasPrefix(p.Name, slotPrefix) {
			count++
		}
	}
	return count
}

// turn returns the loaded entity and the position of operation k, with each positions per entity.
func turn(c *Call, each int) (about Subject, position int) {
	k := c.K % (c.Loaded * uint64(each))
	return c.Member(k / uint64(each)), int(k % uint64(each))
}

// seriesPut is the write of one count under way.
type seriesPut struct {
	*Script
	table    string
	key      entity.Key
	count    entity.Property
	restarts int
}

// write returns a write of the entity that has the count.
func (p *seriesPut) write(verb entity.Verb, match entity.Match, properties ...entity.Property) Request {
	c := entity.Change{Verb: verb, Key: p.key, Properties: properties, Match: match}
	return WriteOne(p.table, c, target.Expected{}, nil)
}

// changed writes the count if the entity is unchanged, and restarts otherwise. The next read finds
// a write whose reply was lost.
func (p *seriesPut) changed(a Attempt) Turn {
	found, some := a.Outcome.Entity.Lookup(p.count.Name)
	switch {
	case p.restarts > MaxRestarts:
		return GiveUp()
	case p.restarts > 0 && some && found == p.count.Value:
		return End()
	}
	r := p.write(entity.Merge, entity.MatchExactly(a.Outcome.Version), p.count)
	r.Expected = target.Expected{Precondition: true, NotFound: true}
	if !Ok(a.Outcome.Status) {
		r = p.write(entity.Insert, entity.Match{}, p.count)
		r.Expected = target.Expected{Conflict: true}
	}
	r.Then = func(a Attempt) Turn {
		if Ok(a.Outcome.Status) {
			return End()
		}
		p.restarts++
		p.Add("conflicts", 1)
		return Send(Read(p.table, p.key, p.changed))
	}
	return Send(r)
}
