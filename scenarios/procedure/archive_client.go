package procedure

import (
	"fmt"

	"loadgen/engine/entity"
	"loadgen/target"
)

// newArchiveRequest returns the one request of a client: once the queue has it, the
// client need not know what becomes of it. Put twice, the move is asked for twice,
// which does no harm.
func newArchiveRequest(c *Call) *Script {
	draw, asks := c.Chance, "requested"
	m := moveOf(c.Subject, c.Arguments.Text("place"))
	body := m.body()
	if draw.Float64() < c.Arguments.Share("malformed") {
		asks, body = "malformed", []byte(fmt.Sprintf("message %d asks for nothing", c.K))
	}
	return NewScript(func(s *Script) Request {
		return Aside(target.Beside{Verb: target.PutMessage, Store: c.StoreOf(c.Arguments.Text("queue")), Body: body}, target.Expected{},
			func(Attempt) Turn {
				s.Add(asks, 1)
				return End()
			})
	})
}

// newArchiveLook returns a reader. One that reads where the entity was first can see it
// twice, but not miss it, for it is copied before it is deleted; one that reads the
// archive first can miss it.
func newArchiveLook(c *Call) *Script {
	place := c.Arguments.Text("place")
	tables := []string{c.Table, c.TableOf(place)}
	keys := []entity.Key{c.Subject.Key(""), c.Subject.Key(place)}
	order := []int{0, 1}
	if c.Arguments.Text("first") == "archive" {
		order = []int{1, 0}
	}
	var there [2]bool
	return NewScript(func(s *Script) Request {
		second := Read(tables[order[1]], keys[order[1]], func(a Attempt) Turn {
			there[order[1]] = ok(a.Outcome.Status)
			s.Add(map[[2]bool]string{{true, false}: "current", {false, true}: "archive", {true, true}: "both", {false, false}: "neither"}[there], 1)
			return End()
		})
		first := Read(tables[order[0]], keys[order[0]], func(a Attempt) Turn {
			there[order[0]] = ok(a.Outcome.Status)
			return SendAfter(c.Arguments.Duration("pause"), second)
		})
		s.Foresee(first.Operation, second.Operation)
		return first
	})
}

// newArchiveNaive returns a client that moves an entity by itself. That it finds the
// copy written already is an error to it, as it is to an insert.
func newArchiveNaive(c *Call) *Script {
	draw, place := c.Chance, c.Arguments.Text("place")
	dies := draw.Float64() < c.Arguments.Share("killed")
	m := moveOf(c.Subject, place)
	return NewScript(func(s *Script) Request {
		w := &archiveWorker{Script: s, current: c.Table, archive: c.TableOf(place)}
		moved := func(Attempt) Turn {
			s.Add("moved", 1)
			return End()
		}
		between := func(next Request) func(Attempt) Turn {
			return func(a Attempt) Turn {
				switch {
				case a.Outcome.Status == 404 && !a.Silent:
					s.Add("repeated", 1)
					return End()
				case dies:
					return w.died()
				default:
					return Send(next)
				}
			}
		}
		insert := func(properties []entity.Property, then func(Attempt) Turn) Request {
			return WriteOne(w.archive, entity.Change{Verb: entity.Insert, Key: m.to(), Properties: properties}, target.Expected{}, then)
		}
		read := Read(w.current, m.from(), func(a Attempt) Turn {
			properties, err := a.Outcome.Entity.Unpack(nil)
			switch {
			case missing(a.Outcome.Status, a.Outcome.Code):
				s.Add("repeated", 1)
				return End()
			case !ok(a.Outcome.Status), err != nil:
				return GiveUp()
			case c.Arguments.Text("first") == "copy":
				return Send(insert(properties, between(w.deleted(m.from(), moved))))
			default:
				return Send(w.deleted(m.from(), between(insert(properties, moved))))
			}
		})
		s.Foresee(read.Operation, insert(nil, nil).Operation, w.deleted(m.from(), nil).Operation)
		return read
	})
}
