package workflow

import (
	"slices"

	"loadgen/engine/entity"
	"loadgen/target"
)

// bagKinds is the update by an older client, which reads entities with a property that its version
// lacks. A property bag keeps all properties that were read.
//
//	merge:       merge the change
//	bag, known:  get ─► replace, If-Match ─┬─ 204: done
//	              ▲                        └─ 412: again from the read
//
// After an attempt without a reply a 412 may be caused by its own success; the write is repeated.
var bagKinds = []Kind{{
	Name: "bag-update", Says: "Changes an entity that has a property unknown to the client.",
	Counters: []string{"lost", "restarts"},
	Parameters: []Parameter{
		required("changes", "The property to change.", OfProperty),
		required("unknown", "The property unknown to the client.", OfProperty),
		{Name: "writes", Says: "What is written: the change, everything read, or known properties.",
			Type: OfChoice, Choices: []string{"merge", "bag", "known"}, Default: "bag"},
	},
	Serves: func(d *Design, a Arguments) []Lack {
		return append(lackIf(a.Text("changes") == a.Text("unknown"), "unknown", "the property must differ from changes"),
			lackIf(!d.Loaded, "", "nothing to change; expected a load phase before")...)
	},
	New: func(c *Call) *Procedure {
		name := c.Arguments.Text("changes")
		value, _ := lookup(c.Fresh.Properties(), name)
		key, unknown, writes := c.Subject.Key(""), c.Arguments.Text("unknown"), c.Arguments.Text("writes")
		changed := []entity.Property{{Name: name, Value: value}}
		if writes == "merge" {
			return NewProcedure(nil, WriteOne(c.Table, entity.Change{Verb: entity.Merge, Key: key, Match: entity.MatchAny, Properties: changed}))
		}
		// A typed client keeps the properties of its version only.
		replace := func(stored entity.Packed, version entity.Ticks) (r Request, loses bool) {
			properties := Overlay(stored, changed)
			if kept := len(properties); writes == "known" {
				properties = slices.DeleteFunc(properties, func(p entity.Property) bool { return p.Name == unknown })
				loses = len(properties) < kept
			}
			return WriteOne(c.Table, entity.Change{Verb: entity.Replace, Key: key, Match: entity.MatchExactly(version), Properties: properties}, 412), loses
		}
		read := Request{Operation: reading(c.Table, key)}
		nominal, _ := replace(nil, 1)
		return NewProcedure(func(t *Tx) {
			// lost reports that an attempt without a reply may have dropped the unknown property.
			lost := false
			for range t.Restarts("restarts") {
				stored := t.Send(read)
				write, loses := replace(stored.Entity, stored.Version)
				reply := t.Send(write)
				lost = lost || loses && (reply.OK() || reply.Silent)
				if !reply.OK() {
					continue
				}
				if lost {
					t.Add("lost", 1)
				}
				return
			}
		}, read, nominal)
	},
	Check: checkOf("no property is lost", func(t *Tx, f *Findings, s *Setting, a Arguments) {
		name := a.Text("unknown")
		found := make(map[entity.Key]entity.Value)
		for row, value := range t.values(Query(s.Table, target.Query{Select: []string{name}}), name) {
			found[row.Key] = value
		}
		for n := range s.Loaded {
			subject := s.Member(n)
			want, _ := lookup(subject.Properties(), name)
			key := subject.Key("")
			value, some := found[key]
			f.Look(some && value.Equal(want), "%s of partition %s lost its %s", key.Row, key.Partition, name)
		}
	}),
}}
