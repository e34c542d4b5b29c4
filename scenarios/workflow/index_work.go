package workflow

import (
	"strings"
	"time"

	"loadgen/engine/entity"
	"loadgen/target"
)

// indexWork is one turn of a worker: it receives messages, sets right the lists that
// each names by what the entity is by then, and deletes it. A message that is received
// twice, as where the worker died before it deleted it, or by two workers out of turn,
// does no harm: it says what to look at and not what to do.
type indexWork struct {
	*indexLists
	s      *Script
	hidden time.Duration
	most   int
	// dies is after which of the requests of the turn the worker dies, 0 for none: 1
	// once it has received, 2 once it has set right a list, 3 once it has all of a
	// message.
	dies int
}

// The requests after which a worker dies.
const (
	diesReceived = iota + 1
	diesMended
	diesUndeleted
)

// receive returns the request for messages. then gets how many were handled, and whether a lost
// reply may hold further messages, which reappear.
func (x *indexWork) receive(then func(handled int, unheard bool) Turn) Request {
	take := target.Beside{Verb: target.ReceiveMessages, Store: x.StoreOf(x.queue), Hidden: x.hidden, Most: x.most}
	return Aside(take, target.Expected{NotFound: true}, func(a Attempt) Turn {
		found := a.Outcome.Found
		if len(found) > 0 && x.dies == diesReceived {
			return x.s.EndWith("killed", 1)
		}
		unheard := a.Silent
		return x.handle(found, func() Turn { return then(len(found), unheard) })
	})
}

// handle goes through messages.
func (x *indexWork) handle(found []target.Found, then func() Turn) Turn {
	if len(found) == 0 {
		return then()
	}
	// What is not as [indexChange.message] writes it has no notes.
	var about entity.Key
	var notes []indexNote
	lines := strings.Split(string(found[0].Body), "\n")
	about.Partition, about.Row, _ = strings.Cut(lines[0], "\t")
	for _, line := range lines[1:] {
		if parts := strings.Split(line, "\t"); len(parts) == 7 {
			of := indexOf{parts[3], parts[4], parts[5], parts[6]}
			notes = append(notes, indexNote{entity.Key{Partition: parts[0], Row: parts[1]}, parts[2], of})
		}
	}
	remove := target.Beside{Verb: target.DeleteMessage, Store: x.StoreOf(x.queue), Name: found[0].Name, Receipt: found[0].Receipt}
	return x.mendAll(about, notes, func() Turn {
		if x.dies != 0 {
			return x.s.EndWith("killed", 1)
		}
		// A message that another worker received since is skipped.
		return Send(Aside(remove, target.Expected{NotFound: true}, func(Attempt) Turn {
			x.s.Add("handled", 1)
			return x.handle(found[1:], then)
		}))
	})
}

// mendAll sets one list right after another, of whichever indexes they are.
func (x *indexWork) mendAll(about entity.Key, notes []indexNote, then func() Turn) Turn {
	if len(notes) == 0 {
		return then()
	}
	lists := *x.indexLists
	lists.indexOf = notes[0].indexOf
	return Send(lists.mend(x.s, notes[0].key, about, notes[0].name, func() Turn {
		if x.dies == diesMended {
			return x.s.EndWith("killed", 1)
		}
		return x.mendAll(about, notes[1:], then)
	}))
}

func (x *indexLists) lookUp(s *Script, l *indexList) Turn {
	if len(l.ids) == 0 {
		return End()
	}
	return Send(Read(x.Table, x.named(l, l.ids[0]), func(a Attempt) Turn {
		// It may have been renamed, or deleted, since the list was written.
		if Ok(a.Outcome.Status) && x.value(a.Outcome.Entity) == l.name {
			s.Add("found", 1)
		} else {
			s.Add("stale", 1)
		}
		l.ids = l.ids[1:]
		return x.lookUp(s, l)
	}))
}
