package workflow

import (
	"time"

	"loadgen/engine/entity"
	"loadgen/target"
)

// The steps after which a worker can die. After the last one but the message nothing is
// left to be done, but the message.
const (
	anyStep     = "any"
	stepReceive = "received"
	stepRead    = "read"
	stepCopy    = "copied"
	stepDelete  = "deleted"
)

func archiveSteps() []string { return []string{stepReceive, stepRead, stepCopy, stepDelete} }

// archiveWorker carries out what messages ask for. Every step can be carried out twice,
// also by two workers at once: the copy is written over itself, and what is deleted
// already need not be.
type archiveWorker struct {
	*Script
	// current and archive are tables, queue and poison queues.
	current, archive string
	queue, poison    string
	// attempts is how often a message is received before it is poison, 0 for ever.
	attempts int
	// dies returns the step of a message after which the worker dies, "" for none.
	dies func() string
}

// newArchiveWorker returns one that never dies and adds to a script's counters.
func newArchiveWorker(s *Setting, a Arguments, script *Script) *archiveWorker {
	return &archiveWorker{Script: script, current: s.Table, archive: s.TableOf(a.Text("place")),
		queue: s.StoreOf(a.Text("queue")), poison: s.StoreOf(a.Text("poison")), attempts: a.Count("attempts"),
		dies: func() string { return "" }}
}

// receive returns the request for messages. A missing queue is empty: the first message creates it.
// then gets whether a lost reply may hold further messages, which reappear.
func (w *archiveWorker) receive(most int, hidden time.Duration, then func(found []target.Found, unheard bool) Turn) Request {
	return Aside(target.Beside{Verb: target.ReceiveMessages, Store: w.queue, Most: most, Hidden: hidden}, target.Expected{NotFound: true},
		func(a Attempt) Turn { return then(a.Outcome.Found, a.Silent) })
}

// carryOutAll carries messages out, one after another.
func (w *archiveWorker) carryOutAll(found []target.Found) Turn {
	if len(found) == 0 {
		return End()
	}
	return w.carryOut(found[0], func() Turn { return w.carryOutAll(found[1:]) })
}

// carryOut carries one message out and goes on, unless the worker dies: then the
// message comes back, sooner or later.
func (w *archiveWorker) carryOut(m target.Found, goOn func() Turn) Turn {
	if w.attempts > 0 && m.Received > w.attempts {
		// It is put onto its own queue first, so that it can be there twice but is never lost.
		return Send(Aside(target.Beside{Verb: target.PutMessage, Store: w.poison, Body: m.Body}, target.Expected{}, func(Attempt) Turn {
			w.Add("poisoned", 1)
			return Send(w.forgotten(m, goOn))
		}))
	}
	if m.Received > 1 {
		w.Add("again", 1)
	}
	dies := w.dies()
	if dies == stepReceive {
		return w.EndWith("killed", 1)
	}
	asked, sound := parseMove(m.Body)
	if !sound {
		w.Add("malformed", 1)
		return goOn()
	}
	gone := w.deleted(asked.source(), func(a Attempt) Turn {
		if Ok(a.Outcome.Status) || a.Silent {
			w.Add("moved", 1)
		} else {
			w.Add("repeated", 1)
		}
		if dies == stepDelete {
			return w.EndWith("killed", 1)
		}
		return Send(w.forgotten(m, goOn))
	})
	return Send(Read(w.current, asked.source(), func(a Attempt) Turn {
		switch {
		case Missing(a.Outcome.Status, a.Outcome.Code):
			// Another worker moved it and crashed, or another message requested it.
			w.Add("repeated", 1)
			return Send(w.forgotten(m, goOn))
		case !Ok(a.Outcome.Status):
			return GiveUp()
		case dies == stepRead:
			return w.EndWith("killed", 1)
		}
		properties, err := a.Outcome.Entity.Unpack(nil)
		if err != nil {
			return GiveUp()
		}
		return Send(w.copied(asked.destination(), properties, func(Attempt) Turn {
			if dies == stepCopy {
				return w.EndWith("killed", 1)
			}
			return Send(gone)
		}))
	}))
}

// copied returns the request that writes an entity to the archive, there or not.
func (w *archiveWorker) copied(key entity.Key, properties []entity.Property, then func(Attempt) Turn) Request {
	return WriteOne(w.archive, entity.Change{Verb: entity.InsertOrReplace, Key: key, Properties: properties}, target.Expected{}, then)
}

// deleted returns the request that deletes an entity where it was, if it is there.
func (w *archiveWorker) deleted(key entity.Key, then func(Attempt) Turn) Request {
	return WriteOne(w.current, entity.Change{Verb: entity.Delete, Key: key, Match: entity.MatchAny}, target.Expected{NotFound: true}, then)
}

// forgotten returns the request that deletes a message. Where the worker took longer
// than the message was hidden, another has it, and will find that all is done.
func (w *archiveWorker) forgotten(m target.Found, goOn func() Turn) Request {
	return Aside(target.Beside{Verb: target.DeleteMessage, Store: w.queue, Name: m.Name, Receipt: m.Receipt}, target.Expected{NotFound: true},
		func(a Attempt) Turn {
			if !Ok(a.Outcome.Status) && !a.Silent {
				w.Add("overtaken", 1)
			}
			return goOn()
		})
}
