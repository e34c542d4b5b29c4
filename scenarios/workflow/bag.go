package workflow

import (
	"loadgen/engine/entity"
	"loadgen/scenarios/workflow/machine"
	"loadgen/target"
)

// bagKinds returns the update by a client of an older version, which meets entities with
// a property of which it does not know.
func bagKinds() []machine.Kind {
	return []machine.Kind{{
		Name: "bag-update", Says: "Changes a property of an entity that has one which the client's version does not know.",
		Counters: []string{"lost", "restarts"},
		Parameters: []machine.Parameter{
			{Name: "changes", Says: "The property that gets another value.", Type: machine.OfProperty, Required: true},
			{Name: "unknown", Says: "The property that the client does not know.", Type: machine.OfProperty, Required: true},
			{Name: "writes", Says: "What it writes: the change alone, all that it read with the change in it, or what it knows.",
				Type: machine.OfChoice, Choices: []string{"merge", "bag", "known"}, Default: "bag"},
		},
		Serves: func(d *machine.Design, a machine.Arguments) []machine.Lack {
			var lacks []machine.Lack
			if a.Text("changes") == a.Text("unknown") {
				lacks = append(lacks, machine.Lack{Parameter: "unknown", Says: "nobody changes what he does not know; expected another property than changes"})
			}
			if !d.Loaded {
				lacks = append(lacks, machine.Lack{Parameter: "", Says: "nothing is there to be changed; expected a load before"})
			}
			return lacks
		},
		New:   func(c *machine.Call) machine.Workflow { return newBagUpdate(c) },
		Check: func(s *machine.Setting, a machine.Arguments) machine.Check { return newKept(s, a.Text("unknown")) },
	}}
}

// bagUpdate changes an entity. A property bag is all that was read, known or not; a typed
// client keeps of that what its version knows.
//
//	merge:       merge the change
//	bag, known:  get ─► replace, If-Match ─┬─ 204: done
//	              ▲                        └─ 412: again from the read
//
// After silence a 412 may be its own success: then the same is written once more.
type bagUpdate struct {
	*machine.Script
	table          string
	key            entity.Key
	unknown, wrote string
	changed        []entity.Property
	restarts       int
	// lost says that an attempt of which nobody knows has dropped what was unknown.
	lost bool
}

// newBagUpdate returns the update of an entity that was loaded.
func newBagUpdate(c *machine.Call) *bagUpdate {
	name := c.Arguments.Text("changes")
	value, _ := machine.Lookup(c.Fresh.Properties(), name)
	u := &bagUpdate{table: c.Table, key: c.Subject.Key(""), unknown: c.Arguments.Text("unknown"), wrote: c.Arguments.Text("writes"),
		changed: []entity.Property{{Name: name, Value: value}}}
	u.Script = machine.NewScript(func(s *machine.Script) machine.Request {
		if u.wrote == "merge" {
			merge := entity.Change{Verb: entity.Merge, Key: u.key, Match: entity.MatchAny, Properties: u.changed}
			return machine.WriteOne(u.table, merge, target.Expected{}, nil)
		}
		s.Foresee(u.read().Operation, u.write(nil, 1).Operation)
		return u.read()
	})
	return u
}

func (u *bagUpdate) read() machine.Request {
	r := machine.Read(u.table, u.key, func(a machine.Attempt) machine.Turn {
		return machine.Send(u.write(a.Outcome.Entity, a.Outcome.Version))
	})
	r.Expected = target.Expected{}
	return r
}

// write returns the request that replaces what was read.
func (u *bagUpdate) write(stored entity.Packed, version entity.Ticks) machine.Request {
	var properties []entity.Property
	loses := false
	for _, p := range machine.Over(stored, u.changed) {
		if p.Name == u.unknown && u.wrote == "known" {
			loses = true
			continue
		}
		properties = append(properties, p)
	}
	replace := entity.Change{Verb: entity.Replace, Key: u.key, Match: entity.MatchExactly(version), Properties: properties}
	return machine.WriteOne(u.table, replace, target.Expected{Precondition: true}, func(a machine.Attempt) machine.Turn {
		switch {
		case !machine.Ok(a.Outcome.Status) && u.restarts == machine.MaxRestarts:
			return machine.GiveUp()
		case !machine.Ok(a.Outcome.Status):
			u.lost = u.lost || loses && a.Silent
			u.restarts++
			u.Add("restarts", 1)
			return machine.Send(u.read())
		case loses || u.lost:
			u.Add("lost", 1)
		}
		return machine.End()
	})
}

// newKept returns the check that a property is still what was loaded, which reads all
// entities.
func newKept(s *machine.Setting, name string) *machine.Finding {
	found := make(map[entity.Key]entity.Value)
	see := func(row target.Row) {
		if value, some := row.Entity.Lookup(name); some {
			found[row.Key] = value
		}
	}
	return machine.NewFinding("no property is lost", func(f *machine.Finding) machine.Request {
		return machine.ReadAll(s.Table, target.Query{Select: []string{name}}, see, func() machine.Turn {
			for n := range s.Loaded {
				subject := s.Member(n)
				want, _ := machine.Lookup(subject.Properties(), name)
				key := subject.Key("")
				value, some := found[key]
				f.Look(some && value.Equal(want), "%s of partition %s has lost its %s", key.Row, key.Partition, name)
			}
			return machine.End()
		})
	})
}
