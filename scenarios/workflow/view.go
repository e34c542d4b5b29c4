package workflow

import (
	"slices"
	"strings"
	"time"

	"loadgen/engine/entity"
	"loadgen/target"
)

// viewOf is the property of a view that names the partition which it is of.
const viewOf = "ViewOf"

// viewParameters returns what all workflows of views take, and more.
func viewParameters(more ...Parameter) []Parameter {
	return append([]Parameter{
		{Name: "view", Says: "The view's place.", Type: OfPlace, Required: true},
		{Name: "adds", Says: "The property to add up.", Type: OfProperty, Required: true},
		{Name: "queue", Says: "The queue of view changes.", Type: OfName, Default: "views"},
		{Name: "hidden", Says: "The visibility timeout of messages, the same for all operations.",
			Type: OfDuration, Least: int64(time.Second), Most: int64(maxHidden), Default: "30s"},
	}, more...)
}

func viewLacks(d *Design, a Arguments) []Lack { return addsUp(d, a, "view") }

func viewQueues(a Arguments) []Store { return []Store{{Name: a.Text("queue"), Queue: true}} }

// viewKinds are the workflows of materialized views: a worker stores a query's result next to the
// data and can rebuild it at any time.
var viewKinds = []Kind{{
	Name: "view-put", Says: "Inserts an entity, then enqueues a rebuild of its view.",
	Inserts: true, Counters: []string{"killed"}, Serves: viewLacks, Stores: viewQueues, Check: newViewCheck,
	Parameters: viewParameters(Parameter{Name: "killed", Says: "The share of clients that crash before the message.",
		Type: OfShare, Default: "0"}),
	New: func(c *Call) Workflow {
		key, view := c.Subject.Key(""), c.Subject.Key(c.Arguments.Text("view"))
		note := strings.Join([]string{key.Partition, view.Partition, view.Row}, "\t")
		return NewScript(func(s *Script) Request {
			announce := Aside(target.Beside{Verb: target.PutMessage, Store: c.StoreOf(c.Arguments.Text("queue")), Body: []byte(note)}, target.Expected{}, nil)
			// No other operation writes its key.
			insert := entity.Change{Verb: entity.Insert, Key: key, Properties: c.Subject.Properties()}
			write := WriteOne(c.Table, insert, target.Expected{Conflict: true}, func(Attempt) Turn {
				if c.Happens("killed") {
					return s.EndWith("killed", 1)
				}
				return Send(announce)
			})
			s.Foresee(write.Operation, announce.Operation)
			return write
		})
	},
}, {
	Name: "view-work", Says: "Receives messages and rebuilds the views that they name.",
	Alone: true, Counters: []string{"handled", "idle", "made", "restarts"}, Serves: viewLacks, Stores: viewQueues, Check: newViewCheck,
	Parameters: viewParameters(Parameter{Name: "most", Says: "Maximum messages per request.",
		Type: OfCount, Least: 1, Most: maxReceived, Default: "1"}),
	New: func(c *Call) Workflow {
		return NewScript(func(s *Script) Request {
			w := &viewWork{newViews(c.Setting, c.Arguments, s), max(1, c.Arguments.Count("most"))}
			return w.receive(func(handled int, _ bool) Turn {
				if handled == 0 {
					s.Add("idle", 1)
				}
				return End()
			})
		})
	},
}, {
	Name: "view-build", Says: "Rebuilds the view of an entity's partition.",
	Counters: []string{"made", "restarts"}, Serves: viewLacks, Stores: viewQueues, Check: newViewCheck, Parameters: viewParameters(),
	New: func(c *Call) Workflow {
		key := c.Subject.Key("")
		return NewScript(func(s *Script) Request {
			return newViews(c.Setting, c.Arguments, s).make(key.Partition, c.Subject.Key(c.Arguments.Text("view")), End)
		})
	},
}}

// views are those of the partitions of a table. It is immutable.
type views struct {
	*Setting
	s                  *Script
	place, adds, queue string
	hidden             time.Duration
}

func newViews(s *Setting, a Arguments, script *Script) *views {
	return &views{s, script, a.Text("view"), a.Text("adds"), s.StoreOf(a.Text("queue")), a.Duration("hidden")}
}

// make returns the request that rebuilds a view: it reads the view, adds up the partition, and
// writes the view under the ETag read. Of two concurrent rebuilds the later one restarts.
//
//	get view ─► read the partition, add it up ─► write the view, If-Match ─┬─ 204: done
//	    ▲                                                                  └─ 412, 409 ─┐
//	    └───────────────────────────────────────────────────────────────────────────────┘
func (v *views) make(partition string, key entity.Key, then func() Turn) Request {
	restarts := 0
	var from func() Request
	from = func() Request {
		return Read(v.TableOf(v.place), key, func(a Attempt) Turn {
			change := entity.Change{Verb: entity.Insert, Key: key}
			if Ok(a.Outcome.Status) {
				change.Verb, change.Match = entity.Replace, entity.MatchExactly(a.Outcome.Version)
			}
			var there sum
			see := func(row target.Row) {
				if value, some := row.Entity.Lookup(v.adds); some {
					there.add(value)
				}
			}
			return Send(ReadAll(v.Table, target.OnePartition(partition), see, func() Turn {
				change.Properties = append(there.properties(), entity.Property{Name: viewOf, Value: entity.String(partition)})
				return Send(WriteOne(v.TableOf(v.place), change, overtaken, func(a Attempt) Turn {
					if Ok(a.Outcome.Status) {
						v.s.Add("made", 1)
						return then()
					}
					v.s.Add("restarts", 1)
					if restarts++; restarts > MaxRestarts {
						return GiveUp()
					}
					return Send(from())
				}))
			}))
		})
	}
	return from()
}

// viewWork is one turn of a worker.
type viewWork struct {
	*views
	most int
}

// receive returns the request for messages. then gets how many were handled, and whether a lost
// reply may hold further messages, which reappear.
func (w *viewWork) receive(then func(handled int, unheard bool) Turn) Request {
	take := target.Beside{Verb: target.ReceiveMessages, Store: w.queue, Hidden: w.hidden, Most: w.most}
	return Aside(take, target.Expected{NotFound: true}, func(a Attempt) Turn {
		found, unheard := a.Outcome.Found, a.Silent
		var notes []string
		for _, one := range found {
			if note := string(one.Body); strings.Count(note, "\t") == 2 && !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
		return w.rebuildAll(notes, func() Turn {
			return w.remove(found, func() Turn { return then(len(found), unheard) })
		})
	})
}

// rebuildAll rebuilds the views that messages name.
func (w *viewWork) rebuildAll(notes []string, then func() Turn) Turn {
	if len(notes) == 0 {
		return then()
	}
	parts := strings.Split(notes[0], "\t")
	return Send(w.make(parts[0], entity.Key{Partition: parts[1], Row: parts[2]}, func() Turn { return w.rebuildAll(notes[1:], then) }))
}

// remove deletes handled messages from the queue, except those that another worker received since.
func (w *viewWork) remove(found []target.Found, then func() Turn) Turn {
	if len(found) == 0 {
		return then()
	}
	one := target.Beside{Verb: target.DeleteMessage, Store: w.queue, Name: found[0].Name, Receipt: found[0].Receipt}
	return Send(Aside(one, target.Expected{NotFound: true}, func(Attempt) Turn {
		w.s.Add("handled", 1)
		return w.remove(found[1:], then)
	}))
}

// newViewCheck returns the check that each partition has a view of its content, after the queue was
// processed.
func newViewCheck(s *Setting, a Arguments) Check {
	return newFinding("each view is what is there", func(f *Finding) Request {
		w, rests := &viewWork{newViews(s, a, f.Script), maxReceived}, false
		var drain func() Request
		drain = func() Request {
			return w.receive(func(handled int, unheard bool) Turn {
				switch {
				case handled > 0 || unheard:
					rests = false
					return Send(drain())
				case rests:
					return Send(w.compare(f))
				}
				// What was received and not removed is hidden still.
				rests = true
				return SendAfter(w.hidden+time.Second, drain())
			})
		}
		return drain()
	})
}

// compare returns the request that begins to hold all views to all entities.
func (v *views) compare(f *Finding) Request {
	there, told := make(map[string]sum), make(map[string]sum)
	see := func(row target.Row) {
		if of, view := row.Entity.Lookup(viewOf); view {
			told[of.Text()] = sumOf(row.Entity)
		} else if value, some := row.Entity.Lookup(v.adds); some {
			of := there[row.Key.Partition]
			of.add(value)
			there[row.Key.Partition] = of
		}
	}
	judge := func() Turn {
		var partitions []string
		for partition := range there {
			partitions = append(partitions, partition)
		}
		slices.Sort(partitions)
		for _, partition := range partitions {
			is, view := there[partition], told[partition]
			f.Look(is == view, "view of partition %s: %d entities, sum %d; want %d, sum %d",
				partition, view.count, view.total, is.count, is.total)
		}
		return End()
	}
	return ReadAll(v.Table, target.Query{}, see, func() Turn {
		if v.TableOf(v.place) == v.Table {
			return judge()
		}
		return Send(readAllExpecting(v.TableOf(v.place), target.Query{}, target.Expected{NotFound: true}, see, judge))
	})
}
