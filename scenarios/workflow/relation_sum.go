package workflow

import (
	"loadgen/engine/entity"
	"loadgen/scenarios/workflow/machine"
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
func sumKinds() []machine.Kind {
	return []machine.Kind{{
		Name: "summed-insert", Says: "Writes a new entity and adds it to the summary of its partition: in one transaction where the summary lies there, too, else one after the other.",
		Inserts: true, Counters: []string{"restarts", "killed"},
		Parameters: []machine.Parameter{
			{Name: "summary", Says: "The place of the summary.", Type: machine.OfPlace, Required: true},
			{Name: "adds", Says: "The property that is added up.", Type: machine.OfProperty, Required: true},
			{Name: "killed", Says: "The share of the operations whose client dies between two writes.", Type: machine.OfShare, Default: "0"},
		},
		Serves: func(d *machine.Design, a machine.Arguments) []machine.Lack {
			lacks := d.PartitionWide("summary", a.Text("summary"))
			if p := d.Property(a.Text("adds")); p.Type != entity.TypeInt32 && p.Type != entity.TypeInt64 {
				lacks = append(lacks, machine.Lack{Parameter: "adds", Says: "only whole numbers add up without a rest; expected an Int32 or an Int64"})
			}
			return lacks
		},
		New:   func(c *machine.Call) machine.Workflow { return newSummedInsert(c) },
		Check: func(s *machine.Setting, a machine.Arguments) machine.Check { return newSums(s, a) },
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
	*machine.Script
	call     *machine.Call
	key      entity.Key
	table    string
	entity   entity.Change
	value    entity.Value
	together bool
	killed   bool
	restarts int
}

func newSummedInsert(c *machine.Call) *summedInsert {
	place := c.Arguments.Text("summary")
	w := &summedInsert{call: c, key: c.Subject.Key(place), table: c.TableOf(place)}
	w.entity = entity.Change{Verb: entity.Insert, Key: c.Subject.Key(""), Properties: c.Subject.Properties()}
	w.value, _ = machine.Lookup(w.entity.Properties, c.Arguments.Text("adds"))
	w.together = w.table == c.Table && w.key.Partition == w.entity.Key.Partition
	w.killed = c.Happens("killed")
	w.Script = machine.NewScript(w.begin)
	return w
}

func (w *summedInsert) begin(s *machine.Script) machine.Request {
	merge := w.write(sum{}, entity.MatchExactly(1))
	if w.together {
		s.Foresee(w.read().Operation, merge.Operation)
		return w.read()
	}
	inserted := w.entity
	inserted.Verb = entity.InsertOrReplace
	first := machine.WriteOne(w.call.Table, inserted, target.Expected{}, func(machine.Attempt) machine.Turn {
		if w.killed {
			return s.EndWith("killed", 1)
		}
		return machine.Send(w.read())
	})
	s.Foresee(first.Operation, w.read().Operation, merge.Operation)
	return first
}

// read returns the request for the summary: where there is none yet, the partition is
// added up.
func (w *summedInsert) read() machine.Request {
	return machine.Read(w.table, w.key, func(a machine.Attempt) machine.Turn {
		if machine.Ok(a.Outcome.Status) {
			return machine.Send(w.write(sumOf(a.Outcome.Entity), entity.MatchExactly(a.Outcome.Version)))
		}
		var there sum
		see := func(row target.Row) {
			if value, some := row.Entity.Lookup(w.call.Arguments.Text("adds")); some && row.Key != w.entity.Key {
				there.add(value)
			}
		}
		return machine.Send(machine.ReadAll(w.call.Table, target.OnePartition(w.entity.Key.Partition), see, func() machine.Turn {
			return machine.Send(w.write(there, entity.Match{}))
		}))
	})
}

// write returns the request that raises the summary from what it was.
func (w *summedInsert) write(was sum, match entity.Match) machine.Request {
	was.add(w.value)
	raised := entity.Change{Verb: entity.Merge, Key: w.key, Match: match, Properties: []entity.Property{
		{Name: summaryCount, Value: entity.Int64(was.count)}, {Name: summaryTotal, Value: entity.Int64(was.total)},
		{Name: summaryWrite, Value: entity.String(w.call.ID.String())}}}
	if match.IsNone() {
		raised.Verb = entity.Insert
	}
	met := target.Expected{Conflict: true, Precondition: true}
	if w.together {
		return machine.WriteTogether(w.call.Table, []entity.Change{w.entity, raised}, met, w.written)
	}
	return machine.WriteOne(w.table, raised, met, w.written)
}

func (w *summedInsert) written(a machine.Attempt) machine.Turn {
	switch {
	case machine.Ok(a.Outcome.Status):
		return machine.End()
	case !a.Silent:
		return w.restart()
	case w.together:
		return machine.Send(machine.Read(w.call.Table, w.entity.Key, func(a machine.Attempt) machine.Turn {
			if machine.Ok(a.Outcome.Status) {
				return machine.End()
			}
			return w.restart()
		}))
	default:
		return machine.Send(machine.Read(w.table, w.key, func(a machine.Attempt) machine.Turn {
			if last, _ := a.Outcome.Entity.Lookup(summaryWrite); last.Text() == w.call.ID.String() {
				return machine.End()
			}
			return w.restart()
		}))
	}
}

// restart goes back to the summary after somebody else has written it.
func (w *summedInsert) restart() machine.Turn {
	w.Add("restarts", 1)
	if w.restarts == machine.MaxRestarts {
		return machine.GiveUp()
	}
	w.restarts++
	return machine.Send(w.read())
}

// newSums returns the check that summaries are what is there, which reads all entities, and
// then the summaries.
func newSums(s *machine.Setting, a machine.Arguments) *machine.Finding {
	there := make(map[string]sum)
	count := func(row target.Row) {
		if value, some := row.Entity.Lookup(a.Text("adds")); some {
			of := there[row.Key.Partition]
			of.add(value)
			there[row.Key.Partition] = of
		}
	}
	summary := func(f *machine.Finding, row target.Row) {
		if _, some := row.Entity.Lookup(summaryCount); some {
			told, is := sumOf(row.Entity), there[row.Key.Partition]
			f.Look(told == is, "the summary of partition %s tells of %d that come to %d; there are %d that come to %d",
				row.Key.Partition, told.count, told.total, is.count, is.total)
		}
	}
	return machine.NewFinding("each summary is what is there", func(f *machine.Finding) machine.Request {
		summaries := machine.ReadAll(s.TableOf(a.Text("summary")), target.Query{}, func(row target.Row) { summary(f, row) }, machine.End)
		return machine.ReadAll(s.Table, target.Query{}, count, func() machine.Turn { return machine.Send(summaries) })
	})
}
