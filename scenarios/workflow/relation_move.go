package workflow

import (
	"slices"

	"loadgen/engine/entity"
	"loadgen/target"
)

// moveKinds is how a member changes its group. Where the group is the
// PartitionKey, no transaction does so: the member is written into one partition and
// deleted from another, by two requests.
//
//	by-member:                merge the group
//	by-group, copy-first:     get ─► write there ─► (dies: two) ─► delete here
//	by-group, delete-first:   get ─► delete here ─► (dies: none) ─► write there
//
// Nor does a condition hold in two partitions: two who move one member at once leave it
// in both groups.
var moveKinds = []Kind{{
	Name: "move", Says: "Moves a member to another group.", Counters: []string{"killed", "elsewhere"},
	Parameters: []Parameter{
		{Name: "member", Says: "The property that identifies a member.", Type: OfProperty, Required: true},
		{Name: "group", Says: "The property with the member's group.", Type: OfProperty, Required: true},
		{Name: "keyed", Says: "Whether the PartitionKey is the member's or the group's.",
			Type: OfChoice, Choices: []string{"by-member", "by-group"}, Default: "by-member"},
		{Name: "order", Says: "The first of the two requests of a move.",
			Type: OfChoice, Choices: []string{"copy-first", "delete-first"}, Default: "copy-first"},
		{Name: "killed", Says: "The share of clients that crash between two requests.", Type: OfShare, Default: "0"},
	},
	Serves: func(d *Design, a Arguments) []Lack {
		var lacks []Lack
		group, named := d.AttributeOf(a.Text("group"))
		switch {
		case !named:
			return []Lack{{Parameter: "group", Says: "expected a String of one attribute"}}
		case a.Text("group") == a.Text("member"):
			return []Lack{{Parameter: "member", Says: "the property must differ from group"}}
		}
		if !d.Loaded {
			lacks = append(lacks, Lack{Parameter: "", Says: "nothing to move; expected a load phase before"})
		}
		inRow := slices.Contains(d.Own.RowNames, group)
		inKey := inRow || slices.Contains(d.Own.PartitionNames, group)
		alone := slices.Equal(d.Own.PartitionNames, []string{group}) && !inRow
		switch byGroup := a.Text("keyed") == "by-group"; {
		case byGroup && !alone:
			lacks = append(lacks, Lack{Parameter: "keyed", Says: "the PartitionKey is " + d.Own.PartitionKey + ", the RowKey " + d.Own.RowKey +
				"; expected {" + group + "} as the PartitionKey's only attribute"})
		case !byGroup && inKey:
			lacks = append(lacks, Lack{Parameter: "keyed",
				Says: "the keys hold {" + group + "}, which moves change; expected by-group"})
		}
		return lacks
	},
	New: func(c *Call) Workflow {
		name, here := c.Arguments.Text("group"), c.Subject.Key("")
		group, _ := lookup(c.Fresh.Properties(), name)
		changed := []entity.Property{{Name: name, Value: group}}
		if c.Arguments.Text("keyed") == "by-member" {
			return NewScript(func(*Script) Request {
				merge := entity.Change{Verb: entity.Merge, Key: here, Match: entity.MatchAny, Properties: changed}
				return WriteOne(c.Table, merge, target.Expected{}, nil)
			})
		}
		there := entity.Key{Partition: c.Fresh.Key("").Partition, Row: here.Row}
		killed := c.Happens("killed")
		return NewScript(func(s *Script) Request {
			written := func(properties []entity.Property, then func(Attempt) Turn) Request {
				put := entity.Change{Verb: entity.InsertOrReplace, Key: there, Properties: properties}
				return WriteOne(c.Table, put, target.Expected{}, then)
			}
			deleted := func(then func(Attempt) Turn) Request {
				remove := entity.Change{Verb: entity.Delete, Key: here, Match: entity.MatchAny}
				return WriteOne(c.Table, remove, target.Expected{NotFound: true}, then)
			}
			between := func(next Request) func(Attempt) Turn {
				return func(Attempt) Turn {
					if killed {
						return s.EndWith("killed", 1)
					}
					return Send(next)
				}
			}
			read := Read(c.Table, here, func(a Attempt) Turn {
				if !Ok(a.Outcome.Status) || there == here {
					return s.EndWith("elsewhere", 1)
				}
				properties := Overlay(a.Outcome.Entity, changed)
				if c.Arguments.Text("order") == "delete-first" {
					return Send(deleted(between(written(properties, nil))))
				}
				return Send(written(properties, between(deleted(nil))))
			})
			s.Foresee(read.Operation, written(c.Subject.Properties(), nil).Operation, deleted(nil).Operation)
			return read
		})
	},
	Check: func(s *Setting, a Arguments) Check {
		member := a.Text("member")
		found := make(map[entity.Value]int)
		see := func(row target.Row) {
			if who, some := row.Entity.Lookup(member); some {
				found[who]++
			}
		}
		return newFinding("each member is there once", func(f *Finding) Request {
			return ReadAll(s.Table, target.Query{}, see, func() Turn {
				for n := range s.Loaded {
					subject := s.Member(n)
					who, _ := lookup(subject.Properties(), member)
					f.Look(found[who] == 1, "member %q exists %d times", subject.Key("").Row, found[who])
				}
				return End()
			})
		})
	},
}}
