package workflow

import (
	"loadgen/engine/entity"
	"loadgen/target"
)

// copyKinds is the workflow that repairs copies.
var copyKinds = []Kind{{
	Name: "repair-copies", Says: "Compares entities with their copies and repairs the copies.",
	Alone: true, Copies: true, Counters: []string{missing, orphan, stale, "settled"},
	Serves: func(d *Design, _ Arguments) []Lack {
		if !d.Copied {
			return []Lack{{Says: "the design has no copies"}}
		}
		return nil
	},
	New: func(c *Call) Workflow {
		of := c.Copied
		return NewScript(func(s *Script) Request {
			found := newSurvey(of)
			first := found.read(func() Turn {
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
	},
	Check: func(s *Setting, _ Arguments) Check { return NewCopyCheck(s.Copied) },
}}

// mend goes through faults.
func mend(s *Script, of *Copied, list []fault) Turn {
	if len(list) == 0 {
		return End()
	}
	f, home := list[0], of.Homes[list[0].home]
	goOn := func() Turn { return mend(s, of, list[1:]) }
	done := func(Attempt) Turn {
		s.Add(f.what, 1)
		return goOn()
	}
	return Send(Read(of.Homes[0].Table, f.own, func(a Attempt) Turn {
		there := Ok(a.Outcome.Status)
		switch {
		case there && f.what == orphan, !there && f.what != orphan:
			// Another client wrote or deleted the entity since the survey.
			s.Add("settled", 1)
			return goOn()
		case !there:
			gone := entity.Change{Verb: entity.Delete, Key: f.at, Match: entity.MatchAny}
			return Send(WriteOne(home.Table, gone, target.Expected{NotFound: true}, done))
		}
		properties, err := a.Outcome.Entity.Unpack(nil)
		if err != nil {
			return GiveUp()
		}
		copied := entity.Change{Verb: entity.InsertOrReplace, Key: f.at}
		for _, p := range properties {
			if home.Holds(p.Name) && !ofRun(p.Name) {
				copied.Properties = append(copied.Properties, p)
			}
		}
		return Send(WriteOne(home.Table, copied, target.Expected{}, done))
	}))
}
