package procedure

// The tallies of a reader that goes by way of a copy.
const (
	readThroughMissing = "missing"
	readThroughAstray  = "astray"
)

// readThroughKind returns the procedure of a reader who finds an entity by a copy that
// keeps a part of it: the copy tells the entity's own key, and the rest is read there.
//
//	get copy ─┬─ 200 ─► get entity ─┬─ 200: done
//	          │                     └─ 404: astray, the copy is of what is gone
//	          └─ 404: missing, the copy is not there yet, or no more
//
// Which key the copy tells is known beforehand and is not read out of it.
func readThroughKind() Kind {
	return Kind{
		Name: "read-through", Says: "Reads a copy that has a part of an entity, and then the entity itself.",
		Reads: true, Tallies: []string{readThroughMissing, readThroughAstray},
		Parameters: []Parameter{{Name: "copy", Says: "The copy that is found by what the reader knows.", Type: OfCopy, Required: true}},
		New:        func(c *Call) Procedure { return newReadThrough(c) },
	}
}

// newReadThrough returns the two reads.
func newReadThrough(c *Call) *Script {
	place := AtCopy(c.Arguments.Text("copy"))
	return NewScript(func(s *Script) Request {
		unless := func(tally string, then Turn) func(a Attempt) Turn {
			return func(a Attempt) Turn {
				if missing(a.Outcome.Status, a.Outcome.Code) {
					s.Add(tally, 1)
					return End()
				}
				return then
			}
		}
		whole := Read(c.Table, c.Subject.Key(""), unless(readThroughAstray, End()))
		part := Read(c.TableOf(place), c.Subject.Key(place), unless(readThroughMissing, Send(whole)))
		s.Foresee(part.Operation, whole.Operation)
		return part
	})
}
