package copies

import (
	"loadgen/engine/entity"
	"loadgen/scenarios/workflow/machine"
	"loadgen/target"
)

// Kinds returns the workflow that repairs copies.
func Kinds() []machine.Kind {
	return []machine.Kind{{
		Name: "repair-copies", Says: "Compares all entities with their copies, and writes or deletes each copy that is not as its entity is.",
		Alone: true, Copies: true, Counters: []string{missing, orphan, stale, "settled"},
		Serves: func(d *machine.Design, _ machine.Arguments) []machine.Lack {
			if !d.Copied {
				return []machine.Lack{{Says: "the design has no copies; expected copies in it"}}
			}
			return nil
		},
		New:   func(c *machine.Call) machine.Workflow { return newRepair(c.Copied) },
		Check: func(s *machine.Setting, _ machine.Arguments) machine.Check { return NewCheck(s.Copied) },
	}}
}

// newRepair returns a survey, and for each copy that is not as it should be a read of its
// entity and then a write: while others go on writing, what was surveyed may have settled by
// itself. Each write can be carried out twice.
func newRepair(of *machine.Copied) *machine.Script {
	return machine.NewScript(func(s *machine.Script) machine.Request {
		found := newSurvey(of)
		first := found.read(func() machine.Turn {
			var list []fault
			found.faults(func(f fault) { list = append(list, f) })
			return mend(s, of, list)
		})
		var reads []target.Operation
		seen := make(map[string]bool)
		for _, home := range of.Homes {
			if !seen[home.Table] {
				seen[home.Table] = true
				reads = append(reads, target.Operation{Verb: entity.Query, Table: home.Table})
			}
		}
		s.Foresee(reads...)
		return first
	})
}

// mend goes through faults.
func mend(s *machine.Script, of *machine.Copied, list []fault) machine.Turn {
	if len(list) == 0 {
		return machine.End()
	}
	f, home := list[0], of.Homes[list[0].home]
	goOn := func() machine.Turn { return mend(s, of, list[1:]) }
	done := func(machine.Attempt) machine.Turn {
		s.Add(f.what, 1)
		return goOn()
	}
	return machine.Send(machine.Read(of.Homes[0].Table, f.own, func(a machine.Attempt) machine.Turn {
		there := machine.Ok(a.Outcome.Status)
		switch {
		case there && f.what == orphan, !there && f.what != orphan:
			// Somebody has written the entity, or deleted it, since the survey.
			s.Add("settled", 1)
			return goOn()
		case !there:
			gone := entity.Change{Verb: entity.Delete, Key: f.at, Match: entity.MatchAny}
			return machine.Send(machine.WriteOne(home.Table, gone, target.Expected{NotFound: true}, done))
		}
		properties, err := a.Outcome.Entity.Unpack(nil)
		if err != nil {
			return machine.GiveUp()
		}
		copied := entity.Change{Verb: entity.InsertOrReplace, Key: f.at}
		for _, p := range properties {
			if home.Holds(p.Name) && !ofRun(p.Name) {
				copied.Properties = append(copied.Properties, p)
			}
		}
		return machine.Send(machine.WriteOne(home.Table, copied, target.Expected{}, done))
	}))
}
