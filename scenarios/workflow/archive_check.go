package workflow

import (
	"fmt"
	"time"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow/machine"
	"loadgen/target"
)

const (
	// soon is how long the check hides a message: what it leaves comes back after that.
	soon = time.Second
	// aside is how long it hides one of the poison queue: as long as looking at all of
	// them takes, at the least.
	aside = 10 * time.Second
	// margin is added to a time-out, so that it is over.
	margin = 500 * time.Millisecond
)

// archived are the checks of moves. What is left on the queue is carried out first, as a
// worker does it: that a move is under way is no fault. The one on messages finds those that
// nobody can carry out and nobody puts aside, the one on entities that moves neither lose one
// nor leave it twice.
type archived struct {
	setting  *machine.Setting
	place    string
	hidden   time.Duration
	attempts int
	worker   *archiveWorker

	messages, entities *machine.Finding
	// left says that a message was left to come back soon, waited that all was looked
	// at again after as long as a worker hides one.
	left, waited bool
	// asked are the moves that messages of the poison queue ask for.
	asked map[move]bool
}

// newArchived returns a check that reads both tables, and before that, where there is a
// queue, one that drains it.
func newArchived(s *machine.Setting, a machine.Arguments) machine.Check {
	c := &archived{setting: s, place: a.Text("place"), hidden: a.Duration("hidden"), attempts: a.Count("attempts"), asked: make(map[move]bool)}
	c.entities = machine.NewFinding("each loaded entity is in one table, whole", func(*machine.Finding) machine.Request { return c.tables() })
	if a.Text("queue") == "" {
		return c.entities
	}
	c.messages = machine.NewFinding("each message was carried out, or put aside", func(f *machine.Finding) machine.Request {
		c.worker = newArchiveWorker(s, a, f.Script)
		return c.drain()
	})
	return queued{c.entities, c.messages}
}

// queued is a check of what a queue has done, once all is done.
type queued struct {
	*machine.Finding
	before *machine.Finding
}

var _ machine.Preceded = queued{}

// Before implements [machine.Preceded].
func (q queued) Before() machine.Check { return q.before }

// drain returns the requests that carry out what is left on the queue, until nothing
// has come back for longer than any worker hides it.
func (c *archived) drain() machine.Request {
	return c.worker.receive(1, soon, func(found []target.Found, unheard bool) machine.Turn {
		c.left = c.left || unheard
		switch {
		case len(found) > 0:
			c.messages.Found.Looked++
			return c.carryOut(found[0])
		case c.left:
			c.left = false
			return machine.SendAfter(soon+margin, c.drain())
		case !c.waited:
			c.waited = true
			return machine.SendAfter(c.hidden+margin, c.drain())
		default:
			return machine.Send(c.poison(false))
		}
	})
}

// carryOut carries one message out. One that nobody can carry out and that no worker
// would ever put aside would come back for ever.
func (c *archived) carryOut(m target.Found) machine.Turn {
	goOn := func() machine.Turn { return machine.Send(c.drain()) }
	if _, sound := parseMove(m.Body); !sound && c.attempts == 0 {
		c.messages.Found.Fault(fmt.Sprintf("message %q was received %d times, and nobody can carry it out", m.Body, m.Received))
		return machine.Send(c.worker.forgotten(m, goOn))
	} else if !sound && m.Received <= c.attempts {
		c.left = true
	}
	return c.worker.carryOut(m, goOn)
}

// poison returns the requests that look at the messages that were put aside. Where a
// reply was lost, what it held comes back, and they are looked at once more.
func (c *archived) poison(lost bool) machine.Request {
	b := target.Beside{Verb: target.ReceiveMessages, Store: c.worker.poison, Most: 32, Hidden: aside}
	return machine.Aside(b, target.Expected{NotFound: true}, func(a machine.Attempt) machine.Turn {
		c.messages.Found.Looked += int64(len(a.Outcome.Found))
		for _, m := range a.Outcome.Found {
			if asked, sound := parseMove(m.Body); sound {
				c.asked[asked] = true
			}
		}
		switch missed := lost || a.Silent; {
		case len(a.Outcome.Found) > 0:
			return machine.Send(c.poison(missed))
		case missed:
			return machine.SendAfter(aside+margin, c.poison(false))
		default:
			return machine.End()
		}
	})
}

// tables returns the requests that read both tables.
func (c *archived) tables() machine.Request {
	current, archive := make(map[entity.Key]entity.Packed), make(map[entity.Key]entity.Packed)
	into := func(m map[entity.Key]entity.Packed) func(target.Row) {
		return func(row target.Row) { m[row.Key] = row.Entity }
	}
	return machine.ReadAll(c.setting.Table, target.Query{}, into(current), func() machine.Turn {
		return machine.Send(machine.ReadAll(c.setting.TableOf(c.place), target.Query{}, into(archive), func() machine.Turn {
			for n := range c.setting.Loaded {
				c.look(c.setting.Member(n), current, archive)
			}
			return machine.End()
		}))
	})
}

// look takes down what became of an entity that was loaded.
func (c *archived) look(s machine.Subject, current, archive map[entity.Key]entity.Packed) {
	c.entities.Found.Looked++
	asked := moveOf(s, c.place)
	was, here := current[asked.from()]
	is, moved := archive[asked.to()]
	named := fmt.Sprintf("%q / %q", asked.Partition, asked.Row)
	switch {
	case !here && !moved:
		c.entities.Found.Fault(fmt.Sprintf("%s is in neither table", named))
	case here && !holdsAll(was, s.Properties()) || moved && !holdsAll(is, s.Properties()):
		c.entities.Found.Fault(fmt.Sprintf("%s is not what was loaded", named))
	case here && moved && !c.asked[asked]:
		// Where a worker gave up half-way, a message of the poison queue says so.
		c.entities.Found.Fault(fmt.Sprintf("%s is in both tables", named))
	}
}

// holdsAll reports whether an entity has some properties. It may have others: a run
// that verifies its writes adds one.
func holdsAll(p entity.Packed, wanted []entity.Property) bool {
	for _, w := range wanted {
		if v, some := p.Lookup(w.Name); !some || !v.Equal(w.Value) {
			return false
		}
	}
	return true
}

// newArchiveRequest returns the one request of a client: once the queue has it, the
// client need not know what becomes of it. Put twice, the move is asked for twice,
// which does no harm.
func newArchiveRequest(c *machine.Call) *machine.Script {
	asks := "requested"
	m := moveOf(c.Subject, c.Arguments.Text("place"))
	body := m.body()
	if c.Happens("malformed") {
		asks, body = "malformed", []byte(fmt.Sprintf("message %d asks for nothing", c.K))
	}
	return machine.NewScript(func(s *machine.Script) machine.Request {
		return machine.Aside(target.Beside{Verb: target.PutMessage, Store: c.StoreOf(c.Arguments.Text("queue")), Body: body}, target.Expected{},
			func(machine.Attempt) machine.Turn { return s.EndWith(asks, 1) })
	})
}

// newArchiveLook returns a reader. One that reads where the entity was first can see it
// twice, but not miss it, for it is copied before it is deleted; one that reads the
// archive first can miss it.
func newArchiveLook(c *machine.Call) *machine.Script {
	place := c.Arguments.Text("place")
	tables := []string{c.Table, c.TableOf(place)}
	keys := []entity.Key{c.Subject.Key(""), c.Subject.Key(place)}
	order := []int{0, 1}
	if c.Arguments.Text("first") == "archive" {
		order = []int{1, 0}
	}
	var there [2]bool
	return machine.NewScript(func(s *machine.Script) machine.Request {
		second := machine.Read(tables[order[1]], keys[order[1]], func(a machine.Attempt) machine.Turn {
			there[order[1]] = machine.Ok(a.Outcome.Status)
			found := map[[2]bool]string{{true, false}: "current", {false, true}: "archive", {true, true}: "both", {false, false}: "neither"}
			return s.EndWith(found[there], 1)
		})
		first := machine.Read(tables[order[0]], keys[order[0]], func(a machine.Attempt) machine.Turn {
			there[order[0]] = machine.Ok(a.Outcome.Status)
			return machine.SendAfter(c.Arguments.Duration("pause"), second)
		})
		s.Foresee(first.Operation, second.Operation)
		return first
	})
}

// newArchiveNaive returns a client that moves an entity by itself. That it finds the
// copy written already is an error to it, as it is to an insert.
func newArchiveNaive(c *machine.Call) *machine.Script {
	place, dies := c.Arguments.Text("place"), c.Happens("killed")
	m := moveOf(c.Subject, place)
	return machine.NewScript(func(s *machine.Script) machine.Request {
		w := &archiveWorker{Script: s, current: c.Table, archive: c.TableOf(place)}
		moved := func(machine.Attempt) machine.Turn { return s.EndWith("moved", 1) }
		between := func(next machine.Request) func(machine.Attempt) machine.Turn {
			return func(a machine.Attempt) machine.Turn {
				switch {
				case a.Outcome.Status == 404 && !a.Silent:
					return s.EndWith("repeated", 1)
				case dies:
					return w.EndWith("killed", 1)
				default:
					return machine.Send(next)
				}
			}
		}
		insert := func(properties []entity.Property, then func(machine.Attempt) machine.Turn) machine.Request {
			return machine.WriteOne(w.archive, entity.Change{Verb: entity.Insert, Key: m.to(), Properties: properties}, target.Expected{}, then)
		}
		read := machine.Read(w.current, m.from(), func(a machine.Attempt) machine.Turn {
			properties, err := a.Outcome.Entity.Unpack(nil)
			switch {
			case machine.Missing(a.Outcome.Status, a.Outcome.Code):
				return s.EndWith("repeated", 1)
			case !machine.Ok(a.Outcome.Status), err != nil:
				return machine.GiveUp()
			case c.Arguments.Text("first") == "copy":
				return machine.Send(insert(properties, between(w.deleted(m.from(), moved))))
			default:
				return machine.Send(w.deleted(m.from(), between(insert(properties, moved))))
			}
		})
		s.Foresee(read.Operation, insert(nil, nil).Operation, w.deleted(m.from(), nil).Operation)
		return read
	})
}
