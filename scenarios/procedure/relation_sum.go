package procedure

import (
	"loadgen/engine/entity"
	"loadgen/target"
)

// The properties of a summary: how many entities it is of, their total, and whose write
// made it what it is.
const (
	summaryCount = "SummaryCount"
	summaryTotal = "SummaryTotal"
	summaryWrite = "SummaryWrite"
)

// sumKinds returns the insert that keeps a summary of its partition.
func sumKinds() []Kind {
	return []Kind{{
		Name: "summed-insert", Says: "Writes a new entity and adds it to the summary of its partition: in one transaction where the summary lies there, too, else one after the other.",
		Inserts: true, Tallies: []string{"restarts", "killed"},
		Parameters: []Parameter{
			{Name: "summary", Says: "The place of the summary.", Type: OfPlace, Required: true},
			{Name: "adds", Says: "The property that is added up.", Type: OfProperty, Required: true},
			{Name: "killed", Says: "The share of the operations whose client dies between two writes.", Type: OfShare, Default: "0"},
		},
		Serves: func(d *Design, a Arguments) []Lack {
			lacks := d.partitionWide("summary", a.Text("summary"))
			if p := d.property(a.Text("adds")); p.Type != entity.TypeInt32 && p.Type != entity.TypeInt64 {
				lacks = append(lacks, Lack{"adds", "only whole numbers add up without a rest; expected an Int32 or an Int64"})
			}
			return lacks
		},
		New:   func(c *Call) Procedure { return newSummedInsert(c) },
		Check: func(s *Setting, a Arguments) Check { return newSums(s, a) },
	}}
}

// sum is how many entities there are, and what they come to.
type sum struct{ count, total int64 }

func (t *sum) add(value entity.Value) { t.count, t.total = t.count+1, t.total+value.Int() }

// sumOf returns what a summary holds.
func sumOf(p entity.Packed) sum {
	count, _ := p.Lookup(summaryCount)
	total, _ := p.Lookup(summaryTotal)
	return sum{count.Int(), total.Int()}
}

// summedInsert writes an entity and the summary of its partition.
//
//	together:  get summary ─► insert + merge summary, If-Match ─┬─ 204: done
//	               ▲                                            ├─ 412, 409, nothing silent: restart
//	               │                                            └─ after silence ─► get entity ─► there: done, else restart
//	               └── 404 ─► read the partition, add it up ─► insert + insert summary
//	apart:     write entity ─► (dies: not in the summary) ─► get summary ─► merge summary, If-Match
//
// Apart, a client that meets a conflict after silence knows its own success only as long
// as nobody has written since: it may count twice.
type summedInsert struct {
	*Script
	call     *Call
	key      entity.Key
	table    string
	entity   entity.Change
	value    entity.Value
	together bool
	killed   bool
	restarts int
}

func newSummedInsert(c *Call) *summedInsert {
	place := c.Arguments.Text("summary")
	w := &summedInsert{call: c, key: c.Subject.Key(place), table: c.TableOf(place)}
	w.entity = entity.Change{Verb: entity.Insert, Key: c.Subject.Key(""), Properties: c.Subject.Properties()}
	w.value, _ = lookup(w.entity.Properties, c.Arguments.Text("adds"))
	w.together = w.table == c.Table && w.key.Partition == w.entity.Key.Partition
	draw := c.Chance
	w.killed = draw.Float64() < c.Arguments.Share("killed")
	w.Script = NewScript(w.begin)
	return w
}

// begin returns the first request.
func (w *summedInsert) begin(s *Script) Request {
	merge := w.write(sum{}, entity.MatchExactly(1))
	if w.together {
		s.Foresee(w.read().Operation, merge.Operation)
		return w.read()
	}
	inserted := w.entity
	inserted.Verb = entity.InsertOrReplace
	first := WriteOne(w.call.Table, inserted, target.Expected{}, func(Attempt) Turn {
		if w.killed {
			s.Add("killed", 1)
			return End()
		}
		return Send(w.read())
	})
	s.Foresee(first.Operation, w.read().Operation, merge.Operation)
	return first
}

// read returns the request for the summary: where there is none yet, the partition is
// added up.
func (w *summedInsert) read() Request {
	return Read(w.table, w.key, func(a Attempt) Turn {
		if ok(a.Outcome.Status) {
			return Send(w.write(sumOf(a.Outcome.Entity), entity.MatchExactly(a.Outcome.Version)))
		}
		var there sum
		see := func(row target.Row) {
			if value, some := row.Entity.Lookup(w.call.Arguments.Text("adds")); some && row.Key != w.entity.Key {
				there.add(value)
			}
		}
		return Send(ReadAll(w.call.Table, target.OnePartition(w.entity.Key.Partition), see, func() Turn {
			return Send(w.write(there, entity.Match{}))
		}))
	})
}

// write returns the request that raises the summary from what it was.
func (w *summedInsert) write(was sum, match entity.Match) Request {
	was.add(w.value)
	raised := entity.Change{Verb: entity.Merge, Key: w.key, Match: match, Properties: []entity.Property{
		{Name: summaryCount, Value: entity.Int64(was.count)}, {Name: summaryTotal, Value: entity.Int64(was.total)},
		{Name: summaryWrite, Value: entity.String(w.call.ID.String())}}}
	if match.IsNone() {
		raised.Verb = entity.Insert
	}
	met := target.Expected{Conflict: true, Precondition: true}
	if w.together {
		return WriteTogether(w.call.Table, []entity.Change{w.entity, raised}, met, w.written)
	}
	return WriteOne(w.table, raised, met, w.written)
}

// written is told of an attempt at the summary.
func (w *summedInsert) written(a Attempt) Turn {
	switch {
	case ok(a.Outcome.Status):
		return End()
	case !a.Silent:
		return w.restart()
	case w.together:
		return Send(Read(w.call.Table, w.entity.Key, func(a Attempt) Turn {
			if ok(a.Outcome.Status) {
				return End()
			}
			return w.restart()
		}))
	default:
		return Send(Read(w.table, w.key, func(a Attempt) Turn {
			if last, _ := a.Outcome.Entity.Lookup(summaryWrite); last.Text() == w.call.ID.String() {
				return End()
			}
			return w.restart()
		}))
	}
}

// restart goes back to the summary after somebody else has written it.
func (w *summedInsert) restart() Turn {
	w.Add("restarts", 1)
	if w.restarts == MaxRestarts {
		return GiveUp()
	}
	w.restarts++
	return Send(w.read())
}

// newSums returns the check that summaries are what is there, which reads all entities, and
// then the summaries.
func newSums(s *Setting, a Arguments) *finding {
	there := make(map[string]sum)
	count := func(row target.Row) {
		if value, some := row.Entity.Lookup(a.Text("adds")); some {
			of := there[row.Key.Partition]
			of.add(value)
			there[row.Key.Partition] = of
		}
	}
	summary := func(f *finding, row target.Row) {
		if _, some := row.Entity.Lookup(summaryCount); some {
			told, is := sumOf(row.Entity), there[row.Key.Partition]
			f.look(told == is, "the summary of partition %s tells of %d that come to %d; there are %d that come to %d",
				row.Key.Partition, told.count, told.total, is.count, is.total)
		}
	}
	return newFinding("each summary is what is there", func(f *finding) Request {
		summaries := ReadAll(s.TableOf(a.Text("summary")), target.Query{}, func(row target.Row) { summary(f, row) }, End)
		return ReadAll(s.Table, target.Query{}, count, func() Turn { return Send(summaries) })
	})
}
