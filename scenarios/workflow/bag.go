package workflow

import (
	"loadgen/engine/entity"
	"loadgen/target"
)

// bagKinds is the update by an older client, which meets entities with a property that its version
// lacks.
var bagKinds = []Kind{{
	Name: "bag-update", Says: "Changes an entity that has a property unknown to the client.",
	Counters: []string{"lost", "restarts"},
	Parameters: []Parameter{
		{Name: "changes", Says: "The property to change.", Type: OfProperty, Required: true},
		{Name: "unknown", Says: "The property unknown to the client.", Type: OfProperty, Required: true},
		{Name: "writes", Says: "What is written: the change, everything read, or known properties.",
			Type: OfChoice, Choices: []string{"merge", "bag", "known"}, Default: "bag"},
	},
	Serves: func(d *Design, a Arguments) []Lack {
		var lacks []Lack
		if a.Text("changes") == a.Text("unknown") {
			lacks = append(lacks, Lack{Parameter: "unknown", Says: "the property must differ from changes"})
		}
		if !d.Loaded {
			lacks = append(lacks, Lack{Parameter: "", Says: "nothing to change; expected a load phase before"})
		}
		return lacks
	},
	New: func(c *Call) Workflow {
		name := c.Arguments.Text("changes")
		value, _ := lookup(c.Fresh.Properties(), name)
		u := &bagUpdate{table: c.Table, key: c.Subject.Key(""), unknown: c.Arguments.Text("unknown"), wrote: c.Arguments.Text("writes"),
			changed: []entity.Property{{Name: name, Value: value}}}
		u.Script = NewScript(func(s *Script) Request {
			if u.wrote == "merge" {
				merge := entity.Change{Verb: entity.Merge, Key: u.key, Match: entity.MatchAny, Properties: u.changed}
				return WriteOne(u.table, merge, target.Expected{}, nil)
			}
			s.Foresee(u.read().Operation, u.write(nil, 1).Operation)
			return u.read()
		})
		return u
	},
	Check: func(s *Setting, a Arguments) Check {
		name := a.Text("unknown")
		found := make(map[entity.Key]entity.Value)
		see := func(row target.Row) {
			if value, some := row.Entity.Lookup(name); some {
				found[row.Key] = value
			}
		}
		return newFinding("no property is lost", func(f *Finding) Request {
			return ReadAll(s.Table, target.Query{Select: []string{name}}, see, func() Turn {
				for n := range s.Loaded {
					subject := s.Member(n)
					want, _ := lookup(subject.Properties(), name)
					key := subject.Key("")
					value, some := found[key]
					f.Look(some && value.Equal(want), "%s of partition %s lost its %s", key.Row, key.Partition, name)
				}
				return End()
			})
		})
	},
}}

// bagUpdate changes an entity. A property bag has everything that was read; a typed client keeps
// the properties of its version.
//
//	merge:       merge the change
//	bag, known:  get ─► replace, If-Match ─┬─ 204: done
//	              ▲                        └─ 412: again from the read
//
// After an attempt without a reply a 412 may be its own success; the write is repeated.
type bagUpdate struct {
	*Script
	table          string
	key            entity.Key
	unknown, wrote string
	changed        []entity.Property
	restarts       int
	// lost reports that an attempt without a reply may have dropped the unknown property.
	lost bool
}

func (u *bagUpdate) read() Request {
	r := Read(u.table, u.key, func(a Attempt) Turn {
		return Send(u.write(a.Outcome.Entity, a.Outcome.Version))
	})
	r.Expected = target.Expected{}
	return r
}

// write returns the request that replaces what was read.
func (u *bagUpdate) write(stored entity.Packed, version entity.Ticks) Request {
	var properties []entity.Property
	loses := false
	for _, p := range Overlay(stored, u.changed) {
		if p.Name == u.unknown && u.wrote == "known" {
			loses = true
			continue
		}
		properties = append(properties, p)
	}
	replace := entity.Change{Verb: entity.Replace, Key: u.key, Match: entity.MatchExactly(version), Properties: properties}
	return WriteOne(u.table, replace, target.Expected{Precondition: true}, func(a Attempt) Turn {
		switch {
		case !Ok(a.Outcome.Status) && u.restarts == MaxRestarts:
			return GiveUp()
		case !Ok(a.Outcome.Status):
			u.lost = u.lost || loses && a.Silent
			u.restarts++
			u.Add("restarts", 1)
			return Send(u.read())
		case loses || u.lost:
			u.Add("lost", 1)
		}
		return End()
	})
}
