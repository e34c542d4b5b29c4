package procedure

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

// archived is the check that moves neither lose an entity nor leave it twice. What is
// left on the queue is carried out first, as a worker does it: that a move is under way
// is no fault.
type archived struct {
	*finding
	setting  *Setting
	place    string
	hidden   time.Duration
	attempts int
	worker   *archiveWorker

	// left says that a message was left to come back soon, waited that all was looked
	// at again after as long as a worker hides one.
	left, waited bool
	// asked are the moves that messages of the poison queue ask for.
	asked map[move]bool
}

// newArchived returns a check that drains the queue and reads both tables. Without a
// queue it only reads.
func newArchived(s *Setting, a Arguments) *finding {
	c := &archived{setting: s, place: a.Text("place"), hidden: a.Duration("hidden"), attempts: a.Count("attempts"), asked: make(map[move]bool)}
	return newFinding("each loaded entity is in one table, whole", func(f *finding) Request {
		c.finding = f
		if a.Text("queue") == "" {
			return c.tables()
		}
		c.worker = newArchiveWorker(s, a, f.Script)
		return c.drain()
	})
}

// drain returns the requests that carry out what is left on the queue, until nothing
// has come back for longer than any worker hides it.
func (c *archived) drain() Request {
	return c.worker.receive(1, soon, func(found []target.Found, unheard bool) Turn {
		c.left = c.left || unheard
		switch {
		case len(found) > 0:
			return c.carryOut(found[0])
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

// carryOut carries one message out. One that nobody can carry out and that no worker
// would ever put aside would come back for ever.
func (c *archived) carryOut(m target.Found) Turn {
	goOn := func() Turn { return Send(c.drain()) }
	if _, sound := parseMove(m.Body); !sound && c.attempts == 0 {
		c.finding.look(false, "message %q was received %d times, and nobody can carry it out", m.Body, m.Received)
		return Send(c.worker.forgotten(m, goOn))
	} else if !sound && m.Received <= c.attempts {
		c.left = true
	}
	return c.worker.carryOut(m, goOn)
}

// poison returns the requests that look at the messages that were put aside. Where a
// reply was lost, what it held comes back, and they are looked at once more.
func (c *archived) poison(lost bool) Request {
	b := target.Beside{Verb: target.ReceiveMessages, Store: c.worker.poison, Most: 32, Hidden: aside}
	return Aside(b, target.Expected{NotFound: true}, func(a Attempt) Turn {
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
			return Send(c.tables())
		}
	})
}

// tables returns the requests that read both tables.
func (c *archived) tables() Request {
	current, archive := make(map[entity.Key]entity.Packed), make(map[entity.Key]entity.Packed)
	into := func(m map[entity.Key]entity.Packed) func(target.Row) {
		return func(row target.Row) { m[row.Key] = row.Entity }
	}
	return ReadAll(c.setting.Table, target.Query{}, into(current), func() Turn {
		return Send(ReadAll(c.setting.TableOf(c.place), target.Query{}, into(archive), func() Turn {
			for n := range c.setting.Loaded {
				c.look(c.setting.Member(n), current, archive)
			}
			return End()
		}))
	})
}

// look looks for one entity in both tables.
func (c *archived) look(s Subject, current, archive map[entity.Key]entity.Packed) {
	c.findings.Looked++
	asked := moveOf(s, c.place)
	was, here := current[asked.from()]
	is, moved := archive[asked.to()]
	named := fmt.Sprintf("%q / %q", asked.Partition, asked.Row)
	switch {
	case !here && !moved:
		c.findings.Fault(fmt.Sprintf("%s is in neither table", named))
	case here && !holdsAll(was, s.Properties()) || moved && !holdsAll(is, s.Properties()):
		c.findings.Fault(fmt.Sprintf("%s is not what was loaded", named))
	case here && moved && !c.asked[asked]:
		// Where a worker gave up half-way, a message of the poison queue says so.
		c.findings.Fault(fmt.Sprintf("%s is in both tables", named))
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
