package workflow

import (
	"loadgen/scenarios/workflow/machine"
	"loadgen/target"
)

// mostListed is how many blobs a list names at most.
const mostListed = 5000

// listAll returns the request for the names of all blobs with a prefix, list by list:
// see is told of each.
func listAll(store, prefix string, see func(target.Found), then func() machine.Turn) machine.Request {
	var behind func(name, marker string) machine.Request
	behind = func(name, marker string) machine.Request {
		list := target.Beside{Verb: target.ListBlobs, Store: store, Name: prefix, After: name, Marker: marker}
		// A container is made by the first blob in it.
		return machine.Aside(list, target.Expected{NotFound: true}, func(a machine.Attempt) machine.Turn {
			found := a.Outcome.Found
			for i := range found {
				see(found[i])
			}
			switch further := a.Outcome.Marker; {
			case further != "":
				return machine.Send(behind(name, further))
			case len(found) == mostListed:
				return machine.Send(behind(found[len(found)-1].Name, ""))
			}
			return then()
		})
	}
	return behind("", "")
}

// newLargeSweep returns the search for blobs whose entity is not there.
func newLargeSweep(c *machine.Call) *machine.Script {
	return machine.NewScript(func(s *machine.Script) machine.Request {
		var names []string
		var next func() machine.Turn
		next = func() machine.Turn {
			for len(names) > 0 {
				name := names[0]
				names = names[1:]
				key, some := ownerOf(name)
				if !some {
					continue
				}
				return machine.Send(machine.Read(c.Table, key, func(a machine.Attempt) machine.Turn {
					if machine.Ok(a.Outcome.Status) {
						return next()
					}
					drop := target.Beside{Verb: target.DeleteBlob, Store: c.StoreOf(largeStore), Name: name}
					return machine.Send(machine.Aside(drop, target.Expected{NotFound: true}, func(machine.Attempt) machine.Turn {
						s.Add("orphans", 1)
						return next()
					}))
				}))
			}
			return machine.End()
		}
		return listAll(c.StoreOf(largeStore), "", func(f target.Found) {
			s.Add("blobs", 1)
			names = append(names, f.Name)
		}, func() machine.Turn { return next() })
	})
}

// newPointing returns the check that each blob to which an entity points is there, which
// lists all blobs and then reads all entities.
func newPointing(s *machine.Setting) *machine.Finding {
	there := make(map[string]bool)
	return machine.NewFinding("each blob to which an entity points is there", func(f *machine.Finding) machine.Request {
		see := func(row target.Row) {
			if name, points := row.Entity.Lookup(largePointer); points {
				f.Look(there[name.Text()], "the entity %q, %q points to a blob that is not there", row.Key.Partition, row.Key.Row)
			}
		}
		return listAll(s.StoreOf(largeStore), "", func(b target.Found) { there[b.Name] = true }, func() machine.Turn {
			return machine.Send(machine.ReadAll(s.Table, target.Query{}, see, machine.End))
		})
	})
}
