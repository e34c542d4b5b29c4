package workflow

import (
	"loadgen/engine/entity"
	"loadgen/target"
)

// indexChange writes, deletes or renames an entity and updates its lists. In the entity's
// partition one transaction writes both under the ETags read, and restarts after a conflict.
// Elsewhere a message names the lists, and a worker repairs them:
//
//	announced first:  message, hidden ─► entity    a crash between leaves nothing to repair
//	announced last:   entity ─► message            a crash between leaves a wrong list
//
// A message that is first must stay hidden until the entity is written, or the list stays wrong.
type indexChange struct {
	*indexLists
	call     *Call
	s        *Script
	name     string
	restarts int
	killed   bool
	// touched are the lists that a message has to name.
	touched []indexNote
}

// together reports whether one transaction writes the entity and its lists.
func (x *indexChange) together() bool { return x.form == indexTogether }

// listed returns the key of the list of the entity's kind that has a name.
func (x *indexChange) listed(name string) entity.Key {
	return x.KeyWith(x.call.Subject, x.place, x.call.Arguments.Text("attribute"), name)
}

// loaded returns the name that the entity was loaded with.
func (x *indexChange) loaded() string {
	return x.call.Subject.Value(x.call.Arguments.Text("attribute"))
}

func (x *indexChange) own() entity.Key { return x.call.Subject.Key("") }

// retry restarts at the read, unless the limit of restarts is reached.
func (x *indexChange) retry(first func(x *indexChange) Request) Turn {
	x.s.Add("conflicts", 1)
	if x.restarts++; x.restarts > MaxRestarts {
		return GiveUp()
	}
	return Send(first(x))
}

// full ends the operation: a list takes no more.
func (x *indexChange) full() Turn {
	x.s.Add("full", 1)
	return GiveUp()
}

func (x *indexChange) insert() entity.Change {
	return entity.Change{Verb: entity.Insert, Key: x.own(), Properties: x.call.Subject.Properties()}
}

// add writes a new entity. No other operation writes its key.
func (x *indexChange) add() Request {
	if !x.together() {
		x.touch(x.name)
		write := WriteOne(x.Table, x.insert(), target.Expected{Conflict: true}, func(Attempt) Turn { return x.finish() })
		return x.announce(write, write.Operation)
	}
	first := x.read(x.listed(x.name), x.name, func(l *indexList) Turn {
		if l.enter(x.id(x.own())); !x.fits(l) {
			return x.full()
		}
		both := []entity.Change{x.insert(), x.change(l)}
		return Send(writeTogether(x.Table, both, overtaken, func(a Attempt) Turn {
			own := a.Outcome.Status == 409 && a.Outcome.FailedIndex == 0
			if Ok(a.Outcome.Status) || own {
				return End()
			}
			return x.retry((*indexChange).add)
		}))
	})
	x.foresee(first.Operation, x.insert(), x.sketch(x.name))
	return first
}

func (x *indexChange) remove() Request {
	gone := func() entity.Change {
		return entity.Change{Verb: entity.Delete, Key: x.own(), Match: entity.MatchAny}
	}
	first := Read(x.Table, x.own(), func(a Attempt) Turn {
		if !Ok(a.Outcome.Status) {
			return x.recordMissing()
		}
		name, change := x.value(a.Outcome.Entity), gone()
		change.Match = entity.MatchExactly(a.Outcome.Version)
		if !x.together() {
			return x.writeEntity(change, (*indexChange).remove, name)
		}
		return Send(x.read(x.listed(name), name, func(l *indexList) Turn {
			all := []entity.Change{change}
			if l.there {
				l.strike(x.id(x.own()))
				all = append(all, x.change(l))
			}
			return Send(x.transact(all, (*indexChange).remove))
		}))
	})
	x.foresee(first.Operation, gone(), x.sketch(x.loaded()))
	return first
}

// rename gives an entity the new one's name. Carried out twice, as where its reply was
// lost and another client renamed the entity in between, it is as if it had come late.
func (x *indexChange) rename() Request {
	merge := entity.Change{Verb: entity.Merge, Key: x.own(), Match: entity.MatchAny,
		Properties: []entity.Property{{Name: x.property, Value: entity.String(x.name)}}}
	first := Read(x.Table, x.own(), func(a Attempt) Turn {
		if !Ok(a.Outcome.Status) {
			return x.recordMissing()
		}
		old, change := x.value(a.Outcome.Entity), merge
		change.Match = entity.MatchExactly(a.Outcome.Version)
		switch {
		case old == x.name:
			return x.finish()
		case !x.together():
			return x.writeEntity(change, (*indexChange).rename, old, x.name)
		}
		return Send(x.read(x.listed(old), old, func(from *indexList) Turn {
			return Send(x.read(x.listed(x.name), x.name, func(to *indexList) Turn {
				from.strike(x.id(x.own()))
				if to.enter(x.id(x.own())); !x.fits(to) {
					return x.full()
				}
				three := []entity.Change{change, x.change(from), x.change(to)}
				return Send(x.transact(three, (*indexChange).rename))
			}))
		}))
	})
	x.foresee(first.Operation, merge, x.sketch(x.loaded()), x.sketch(x.name))
	return first
}

// recordMissing records a missing entity, unless this operation deleted it, and continues.
func (x *indexChange) recordMissing() Turn {
	if x.restarts == 0 {
		x.s.Add("gone", 1)
	}
	return x.finish()
}

func (x *indexChange) transact(all []entity.Change, first func(x *indexChange) Request) Request {
	return writeTogether(x.Table, all, overtaken, func(a Attempt) Turn {
		if Ok(a.Outcome.Status) {
			return End()
		}
		return x.retry(first)
	})
}

// writeEntity writes the entity if its lists are elsewhere: the named lists need an update.
func (x *indexChange) writeEntity(change entity.Change, first func(x *indexChange) Request, names ...string) Turn {
	for _, name := range names {
		x.touch(name)
	}
	return Send(x.announce(WriteOne(x.Table, change, overtaken, func(a Attempt) Turn {
		if Ok(a.Outcome.Status) {
			return x.finish()
		}
		return x.retry(first)
	})))
}

// foresee sets the expected requests: reads and a transaction for lists in the same partition; else
// the write and the message.
func (x *indexChange) foresee(first target.Operation, all ...entity.Change) {
	if !x.together() {
		write, announce := WriteOne(x.Table, all[0], overtaken, nil).Operation, x.message(nil).Operation
		if x.announcesFirst() {
			write, announce = announce, write
		}
		x.s.Foresee(first, write, announce)
		return
	}
	nominal := []target.Operation{first}
	for _, list := range all[1:] {
		if list.Key != first.Change.Key {
			nominal = append(nominal, Read(x.Table, list.Key, nil).Operation)
		}
	}
	x.s.Foresee(append(nominal, writeTogether(x.Table, all, overtaken, nil).Operation)...)
}

// sketch returns what the write of a list looks like, for forecasts.
func (x *indexChange) sketch(name string) entity.Change {
	return x.change(x.list(x.listed(name), name))
}
