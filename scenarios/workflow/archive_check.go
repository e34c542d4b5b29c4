package workflow

import (
	"fmt"
	"time"

	"loadgen/engine/entity"
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

// archived are the checks of moves. They first carry out the remaining messages as a worker does.
// One finds messages that fail and are never put aside, the other entities that a move lost or
// duplicated.
type archived struct {
	setting  *Setting
	place    string
	hidden   time.Duration
	attempts int
	worker   *archiveWorker

	messages, entities *Finding
	// left says that a message was left to come back soon, waited that all was looked
	// at again after as long as a worker hides one.
	left, waited bool
	// asked are the moves that messages of the poison queue ask for.
	asked map[move]bool
}

// newArchived returns a check that reads both tables, after one that drains the queue if there is
// one.
func newArchived(s *Setting, a Arguments) Check {
	c := &archived{setting: s, place: a.Text("place"), hidden: a.Duration("hidden"), attempts: a.Count("attempts"), asked: make(map[move]bool)}
	c.entities = newFinding("each loaded entity is in one table, whole", func(*Finding) Request { return c.tables() })
	if a.Text("queue") == "" {
		return c.entities
	}
	c.messages = newFinding("each message was carried out, or put aside", func(f *Finding) Request {
		c.worker = newArchiveWorker(s, a, f.Script)
		return c.drain()
	})
	return queued{c.entities, c.messages}
}

// queued is a check of what a queue has done, once all is done.
type queued struct {
	*Finding
	before *Finding
}

var _ Preceded = queued{}

// Preparation implements [Preceded].
func (q queued) Preparation() Check { return q.before }

// drain returns the requests that process the queue until no message returned for longer than the
// visibility timeout.
func (c *archived) drain() Request {
	return c.worker.receive(1, soon, func(found []target.Found, unheard bool) Turn {
		c.left = c.left || unheard
		switch {
		case len(found) > 0:
			c.messages.Found.Looked++
			// A malformed message that no worker puts aside would return forever.
			m := found[0]
			goOn := func() Turn { return Send(c.drain()) }
			if _, sound := parseMove(m.Body); !sound && c.attempts == 0 {
				c.messages.Found.Fault(fmt.Sprintf("message %q was received %d times and is malformed", m.Body, m.Received))
				return Send(c.worker.forgotten(m, goOn))
			} else if !sound && m.Received <= c.attempts {
				c.left = true
			}
			return c.worker.carryOut(m, goOn)
		case c.left:
			c.left = false
			return SendAfter(soon+margin, c.drain())
		case !c.waited:
			c.waited = true
			return SendAfter(c.hidden+margin, c.drain())
		default:
			return Send(c.poison(false))
		}
	})
}

// poison returns the requests that read the poison queue. After a lost reply its messages reappear,
// and it is read again.
func (c *archived) poison(lost bool) Request {
	b := target.Beside{Verb: target.ReceiveMessages, Store: c.worker.poison, Most: 32, Hidden: aside}
	return Aside(b, target.Expected{NotFound: true}, func(a Attempt) Turn {
		c.messages.Found.Looked += int64(len(a.Outcome.Found))
		for _, m := range a.Outcome.Found {
			if asked, sound := parseMove(m.Body); sound {
				c.asked[asked] = true
			}
		}
		switch missed := lost || a.Silent; {
		case len(a.Outcome.Found) > 0:
			return Send(c.poison(missed))
		case missed:
			return SendAfter(aside+margin, c.poison(false))
		default:
			return End()
		}
	})
}

// tables returns the requests that read both tables and records where each loaded entity is.
func (c *archived) tables() Request {
	current, archive := make(map[entity.Key]entity.Packed), make(map[entity.Key]entity.Packed)
	into := func(m map[entity.Key]entity.Packed) func(target.Row) {
		return func(row target.Row) { m[row.Key] = row.Entity }
	}
	return ReadAll(c.setting.Table, target.Query{}, into(current), func() Turn {
		return Send(ReadAll(c.setting.TableOf(c.place), target.Query{}, into(archive), func() Turn {
			for n := range c.setting.Loaded {
				subject := c.setting.Member(n)
				c.entities.Found.Looked++
				asked := moveOf(subject, c.place)
				was, here := current[asked.source()]
				is, moved := archive[asked.destination()]
				named := fmt.Sprintf("%q / %q", asked.Partition, asked.Row)
				switch {
				case !here && !moved:
					c.entities.Found.Fault(fmt.Sprintf("%s is in neither table", named))
				case here && !holdsAll(was, subject.Properties()) || moved && !holdsAll(is, subject.Properties()):
					c.entities.Found.Fault(fmt.Sprintf("%s differs from the loaded entity", named))
				case here && moved && !c.asked[asked]:
					// Where a worker gave up half-way, a message of the poison queue says so.
					c.entities.Found.Fault(fmt.Sprintf("%s is in both tables", named))
				}
			}
			return End()
		}))
	})
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

// newArchiveNaive returns a client that moves an entity without a queue. An existing copy is an
// error.
func newArchiveNaive(c *Call) *Script {
	place, dies := c.Arguments.Text("place"), c.Happens("killed")
	m := moveOf(c.Subject, place)
	return NewScript(func(s *Script) Request {
		w := &archiveWorker{Script: s, current: c.Table, archive: c.TableOf(place)}
		moved := func(Attempt) Turn { return s.EndWith("moved", 1) }
		between := func(next Request) func(Attempt) Turn {
			return func(a Attempt) Turn {
				switch {
				case a.Outcome.Status == 404 && !a.Silent:
					return s.EndWith("repeated", 1)
				case dies:
					return w.EndWith("killed", 1)
				default:
					return Send(next)
				}
			}
		}
		insert := func(properties []entity.Property, then func(Attempt) Turn) Request {
			return WriteOne(w.archive, entity.Change{Verb: entity.Insert, Key: m.destination(), Properties: properties}, target.Expected{}, then)
		}
		read := Read(w.current, m.source(), func(a Attempt) Turn {
			properties, err := a.Outcome.Entity.Unpack(nil)
			switch {
			case Missing(a.Outcome.Status, a.Outcome.Code):
				return s.EndWith("repeated", 1)
			case !Ok(a.Outcome.Status), err != nil:
				return GiveUp()
			case c.Arguments.Text("first") == "copy":
				return Send(insert(properties, between(w.deleted(m.source(), moved))))
			default:
				return Send(w.deleted(m.source(), between(insert(properties, moved))))
			}
		})
		s.Foresee(read.Operation, insert(nil, nil).Operation, w.deleted(m.source(), nil).Operation)
		return read
	})
}
