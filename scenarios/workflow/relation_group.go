package workflow

import (
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/target"
)

// groupName is the property of a group's own entity that holds its name.
const groupName = "Name"

// groupKinds is the write of a group's own entity, and of what its members repeat
// of it.
var groupKinds = []Kind{{
	Name: "write-group", Says: "Renames a group, and its members if they repeat the name.",
	Counters: []string{"rewritten", "killed"},
	Parameters: []Parameter{
		{Name: "place", Says: "The place of the group's entity.", Type: OfPlace, Required: true},
		{Name: "name", Says: "The name: a new one, or the entity's RowKey.",
			Type: OfChoice, Choices: []string{"new", "own"}, Default: "new"},
		{Name: "copied", Says: "The members' property with the name; default: none.", Type: OfProperty},
		{Name: "killed", Says: "The share of clients that crash before a transaction.", Type: OfShare, Default: "0"},
	},
	Serves: func(d *Design, a Arguments) []Lack {
		place, copied := a.Text("place"), a.Text("copied")
		if copied == "" {
			return nil
		}
		lacks := d.PartitionWide("place", place)
		if p := d.Property(copied); p.Type != entity.TypeString && p.Type != 0 {
			lacks = append(lacks, Lack{Parameter: "copied", Says: "a name must be a String"})
		}
		if copied == groupName {
			lacks = append(lacks, Lack{Parameter: "copied", Says: "the group's entity is identified by " + groupName + "; expected another property"})
		}
		return lacks
	},
	New: func(c *Call) Workflow { return newWriteGroup(c) },
	Check: func(s *Setting, a Arguments) Check {
		if a.Text("copied") == "" {
			return nil
		}
		place, copied := a.Text("place"), a.Text("copied")
		named := make(map[string]string)
		group := func(row target.Row) {
			if name, some := row.Entity.Lookup(groupName); some {
				named[row.Key.Partition] = name.Text()
			}
		}
		member := func(f *Finding, row target.Row) {
			name, some := row.Entity.Lookup(copied)
			own, known := named[row.Key.Partition]
			if some && known {
				f.Look(name.Text() == own, "%s of partition %s names its group %q; want %q", row.Key.Row, row.Key.Partition, name.Text(), own)
			}
		}
		return newFinding("members bear the name of their group", func(f *Finding) Request {
			members := ReadAll(s.Table, target.Query{}, func(row target.Row) { member(f, row) }, End)
			return ReadAll(s.TableOf(place), target.Query{}, group, func() Turn { return Send(members) })
		})
	},
}}

// newWriteGroup returns the naming of a group: one write, and where members repeat the
// name one query for them and a transaction for every hundred.
func newWriteGroup(c *Call) *Script {
	place, copied := c.Arguments.Text("place"), c.Arguments.Text("copied")
	key := c.Subject.Key(place)
	name := entity.String(key.Row)
	if c.Arguments.Text("name") == "new" {
		name = entity.String("name " + c.ID.String())
	}
	draw := c.Chance
	killed := draw.Float64() < c.Arguments.Share("killed")
	return NewScript(func(s *Script) Request {
		var members []entity.Change
		// dies is the member before whose transaction the client dies.
		dies := -1
		var rewrite func(from int) Turn
		rewrite = func(from int) Turn {
			switch from {
			case dies:
				return s.EndWith("killed", 1)
			case len(members):
				return End()
			}
			some := members[from:min(from+entity.MaxBatchChanges, len(members))]
			return Send(writeTogether(c.Table, some, target.Expected{}, func(Attempt) Turn {
				s.Add("rewritten", int64(len(some)))
				return rewrite(from + len(some))
			}))
		}
		see := func(row target.Row) {
			if _, member := row.Entity.Lookup(copied); member {
				members = append(members, entity.Change{Verb: entity.Merge, Key: row.Key, Match: entity.MatchAny,
					Properties: []entity.Property{{Name: copied, Value: name}}})
			}
		}
		partition := target.Query{Range: filter.OnePartition(c.Subject.Key("").Partition), Select: []string{copied}}
		find := ReadAll(c.Table, partition, see, func() Turn {
			if transactions := (len(members) + entity.MaxBatchChanges - 1) / entity.MaxBatchChanges; killed && transactions > 0 {
				dies = draw.IntN(transactions) * entity.MaxBatchChanges
			}
			return rewrite(0)
		})
		change := entity.Change{Verb: entity.InsertOrMerge, Key: key, Properties: []entity.Property{{Name: groupName, Value: name}}}
		own := WriteOne(c.TableOf(place), change, target.Expected{}, func(Attempt) Turn {
			if copied == "" {
				return End()
			}
			return Send(find)
		})
		if copied != "" {
			s.Foresee(own.Operation, find.Operation)
		}
		return own
	})
}
