package workflow

import (
	"loadgen/engine/entity"
	"loadgen/target"
)

// The properties of a summary: how many entities it is of, and their total.
const (
	summaryCount = "SummaryCount"
	summaryTotal = "SummaryTotal"
)

// sumKinds is the insert that keeps a summary of its partition.
var sumKinds = []Kind{{
	Name: "summed-insert", Says: "Inserts an entity and adds it to its partition's summary.",
	Inserts: true, Counters: []string{"restarts", "killed", "unknown"},
	Parameters: []Parameter{
		{Name: "summary", Says: "The summary's place.", Type: OfPlace, Required: true},
		{Name: "adds", Says: "The property to add up.", Type: OfProperty, Required: true},
		{Name: "killed", Says: "The share of clients that crash between two writes.", Type: OfShare, Default: "0"},
	},
	Serves: func(d *Design, a Arguments) []Lack { return addsUp(d, a, "summary") },
	New: func(c *Call) Workflow {
		place := c.Arguments.Text("summary")
		w := &summedInsert{call: c, key: c.Subject.Key(place), table: c.TableOf(place)}
		w.entity = entity.Change{Verb: entity.Insert, Key: c.Subject.Key(""), Properties: c.Subject.Properties()}
		w.value, _ = lookup(w.entity.Properties, c.Arguments.Text("adds"))
		w.together = w.table == c.Table && w.key.Partition == w.entity.Key.Partition
		w.killed = c.Happens("killed")
		w.Script = NewScript(func(s *Script) Request {
			merge := w.write(sum{}, nil, entity.MatchExactly(1))
			if w.together {
				s.Foresee(w.read().Operation, merge.Operation)
			} else {
				s.Foresee(w.read().Operation, w.store(nil).Operation, merge.Operation)
			}
			return w.read()
		})
		return w
	},
	Check: func(s *Setting, a Arguments) Check {
		there := make(map[string]sum)
		count := func(row target.Row) {
			if value, some := row.Entity.Lookup(a.Text("adds")); some {
				of := there[row.Key.Partition]
				of.add(value)
				there[row.Key.Partition] = of
			}
		}
		summary := func(f *Finding, row target.Row) {
			if _, some := row.Entity.Lookup(summaryCount); some {
				told, is := sumOf(row.Entity), there[row.Key.Partition]
				f.Look(told == is, "summary of partition %s: %d entities, sum %d; want %d, sum %d",
					row.Key.Partition, told.count, told.total, is.count, is.total)
			}
		}
		return newFinding("each summary is what is there", func(f *Finding) Request {
			summaries := ReadAll(s.TableOf(a.Text("summary")), target.Query{}, func(row target.Row) { summary(f, row) }, End)
			return ReadAll(s.Table, target.Query{}, count, func() Turn { return Send(summaries) })
		})
	},
}}

// addsUp returns what keeps a property from being added up by partitions, at the place that a
// parameter names.
func addsUp(d *Design, a Arguments, place string) []Lack {
	lacks := d.PartitionWide(place, a.Text(place))
	if p := d.Property(a.Text("adds")); p.Type != entity.TypeInt32 && p.Type != entity.TypeInt64 {
		lacks = append(lacks, Lack{Parameter: "adds", Says: "expected an Int32 or an Int64"})
	}
	return lacks
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
//	               ▲                                            ├─ 412, 409: restart
//	               │                                            └─ no reply ─► get entity ─► there: done, else restart
//	               └── 404 ─► read the partition, add it up ─► insert + insert summary
//	separate:  get summary ─► write entity ─► (crash: not in the summary) ─► merge summary, If-Match ─┬─ 204: done
//	               │                                    ▲                                            ├─ 412 ─► get summary
//	               │                                    │                                            └─ no reply ─► get summary
//	               └── 404 ─► read the partition, add it up ─► insert summary
//
// In the second form no entity is written before a summary exists, so the initial sum never
// includes an entity that is added again later. A summary holds the ids of its last writers, so
// that a client recognizes its own success after a lost reply. If more writes followed than it
// holds, the operation fails as unknown rather than count twice.
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
	// stored reports that the entity is written in a separate request.
	stored bool
	// newest is the id that the summary had first when it was read.
	newest string
}

// read returns the request for the summary. Without one it adds up the partition.
func (w *summedInsert) read() Request {
	return Read(w.table, w.key, func(a Attempt) Turn {
		if Ok(a.Outcome.Status) {
			return w.update(sumOf(a.Outcome.Entity), historyOf(a.Outcome.Entity), a.Outcome.Version)
		}
		var there sum
		see := func(row target.Row) {
			if value, some := row.Entity.Lookup(w.call.Arguments.Text("adds")); some && row.Key != w.entity.Key {
				there.add(value)
			}
		}
		return Send(ReadAll(w.call.Table, target.OnePartition(w.entity.Key.Partition), see, func() Turn {
			if w.together {
				return Send(w.write(there, nil, entity.Match{}))
			}
			// That there is a summary by now, its own or another's, is as good.
			made := entity.Change{Verb: entity.Insert, Key: w.key, Properties: there.properties()}
			return Send(WriteOne(w.table, made, target.Expected{Conflict: true}, func(a Attempt) Turn {
				if Ok(a.Outcome.Status) {
					return w.update(there, nil, a.Outcome.Version)
				}
				return Send(w.read())
			}))
		}))
	})
}

// update continues with an existing summary: it writes the entity, if that is a separate request,
// then the summary.
func (w *summedInsert) update(was sum, ids History, version entity.Ticks) Turn {
	w.newest = ids.Newest()
	raise := w.write(was, ids, entity.MatchExactly(version))
	if w.together || w.stored {
		return Send(raise)
	}
	return Send(w.store(func(Attempt) Turn {
		w.stored = true
		if w.killed {
			return w.EndWith("killed", 1)
		}
		return Send(raise)
	}))
}

// store returns the separate request that writes the entity. The key is unique to the operation, so
// a repeated write is safe.
func (w *summedInsert) store(then func(Attempt) Turn) Request {
	c := w.entity
	c.Verb = entity.InsertOrReplace
	return WriteOne(w.call.Table, c, target.Expected{}, then)
}

// properties returns what a summary says.
func (t sum) properties() []entity.Property {
	return []entity.Property{{Name: summaryCount, Value: entity.Int64(t.count)}, {Name: summaryTotal, Value: entity.Int64(t.total)}}
}

// write returns the request that raises the summary from what it was, and whose ids it had.
func (w *summedInsert) write(was sum, ids History, match entity.Match) Request {
	was.add(w.value)
	raised := entity.Change{Verb: entity.Merge, Key: w.key, Match: match, Properties: was.properties()}
	met := target.Expected{Conflict: true, Precondition: true}
	if !w.together {
		raised.Properties = append(raised.Properties, entity.Property{Name: HistoryProperty, Value: entity.String(ids.Prepend(w.call.ID))})
		return WriteOne(w.table, raised, met, w.wrote)
	}
	if match.IsNone() {
		raised.Verb = entity.Insert
	}
	return writeTogether(w.call.Table, []entity.Change{w.entity, raised}, met, w.wrote)
}

func (w *summedInsert) wrote(a Attempt) Turn {
	switch {
	case Ok(a.Outcome.Status):
		return End()
	case !a.Silent:
		return w.restart()
	case w.together:
		return Send(Read(w.call.Table, w.entity.Key, func(a Attempt) Turn {
			if Ok(a.Outcome.Status) {
				return End()
			}
			return w.restart()
		}))
	default:
		return Send(Read(w.table, w.key, func(a Attempt) Turn {
			switch done, told := historyOf(a.Outcome.Entity).Recall(w.call.ID, w.newest); {
			case done:
				return End()
			case told:
				return w.restart()
			default:
				w.Add("unknown", 1)
				return GiveUp()
			}
		}))
	}
}

// restart reads the summary again after another client's write.
func (w *summedInsert) restart() Turn {
	w.Add("restarts", 1)
	if w.restarts == MaxRestarts {
		return GiveUp()
	}
	w.restarts++
	return Send(w.read())
}
