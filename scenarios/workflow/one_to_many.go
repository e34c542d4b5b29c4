package workflow

import (
	"slices"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/target"
)

// moveKinds is the change of a member's group. If the group is the PartitionKey, no transaction can
// change it: two requests write the member into one partition and delete it from another.
//
//	by-member:                merge the group
//	by-group, copy-first:     get ─► write the new ─► (crash: two members) ─► delete the old
//	by-group, delete-first:   get ─► delete the old ─► (crash: no member) ─► write the new
//
// No condition spans two partitions: two concurrent moves of a member leave it in both groups.
var moveKinds = []Kind{{
	Name: "move", Says: "Moves a member to another group.", Counters: []string{"killed", "elsewhere"},
	Parameters: []Parameter{
		required("member", "The property that identifies a member.", OfProperty),
		required("group", "The property with the member's group.", OfProperty),
		choice("keyed", "Whether the PartitionKey is the member's or the group's.", "by-member", "by-group"),
		choice("order", "The first of the two requests of a move.", "copy-first", "delete-first"),
		share("killed", "The share of clients that crash between two requests."),
	},
	Serves: func(d *Design, a Arguments) []Lack {
		group, named := d.AttributeOf(a.Text("group"))
		switch {
		case !named:
			return lackIf(true, "group", "expected a String of one attribute")
		case a.Text("group") == a.Text("member"):
			return lackIf(true, "member", "the property must differ from group")
		}
		byGroup := a.Text("keyed") == "by-group"
		alone := slices.Equal(d.Own.PartitionNames, []string{group}) && !slices.Contains(d.Own.RowNames, group)
		return slices.Concat(
			lackIf(!d.Loaded, "", "nothing to move; expected a load phase before"),
			lackIf(byGroup && !alone, "keyed", "the PartitionKey is %s, the RowKey %s; expected {%s} as the PartitionKey's only attribute",
				d.Own.PartitionKey, d.Own.RowKey, group),
			lackIf(!byGroup && slices.Contains(d.Own.names(), group), "keyed", "the keys hold {%s}, which moves change; expected by-group", group))
	},
	New: func(c *Call) *Procedure {
		name, source := c.Arguments.Text("group"), c.Subject.Key("")
		group, _ := lookup(c.Fresh.Properties(), name)
		changed := []entity.Property{{Name: name, Value: group}}
		if c.Arguments.Text("keyed") == "by-member" {
			return NewProcedure(nil, WriteOne(c.Table, entity.Change{Verb: entity.Merge, Key: source, Match: entity.MatchAny, Properties: changed}))
		}
		destination := entity.Key{Partition: c.Fresh.Key("").Partition, Row: source.Row}
		written := func(properties []entity.Property) Request {
			return WriteOne(c.Table, entity.Change{Verb: entity.InsertOrReplace, Key: destination, Properties: properties})
		}
		read, deleted := Read(c.Table, source), WriteOne(c.Table, deletion(source), 404)
		return NewProcedure(func(t *Tx) {
			member := t.Send(read)
			if !member.OK() || destination == source {
				t.Add("elsewhere", 1)
				return
			}
			t.sendBoth(written(Overlay(member.Entity, changed)), deleted, c.Arguments.Text("order") == "delete-first", c.Happens("killed"))
		}, read, written(c.Subject.Properties()), deleted)
	},
	Check: checkOf("each member is there once", func(t *Tx, f *Findings, s *Setting, a Arguments) {
		member, found := a.Text("member"), make(map[entity.Value]int)
		for _, value := range t.values(Query(s.Table, target.Query{}), member) {
			found[value]++
		}
		for n := range s.Loaded {
			subject := s.Member(n)
			value, _ := lookup(subject.Properties(), member)
			f.Look(found[value] == 1, "member %q exists %d times", subject.Key("").Row, found[value])
		}
	}),
}}

// groupName is the property of a group's own entity that holds its name.
const groupName = "Name"

// groupKinds is the write of a group's own entity and of the name that its members repeat.
var groupKinds = []Kind{{
	Name: "write-group", Says: "Renames a group, and its members if they repeat the name.",
	Counters: []string{"rewritten", "killed"},
	Parameters: []Parameter{
		required("place", "The place of the group's entity.", OfPlace),
		choice("name", "The name: a new one, or the entity's RowKey.", "new", "own"),
		optional("copied", "The members' property with the name; default: none.", OfProperty),
		share("killed", "The share of clients that crash before a transaction."),
	},
	Serves: func(d *Design, a Arguments) []Lack {
		place, copied := a.Text("place"), a.Text("copied")
		if copied == "" {
			return nil
		}
		p := d.Property(copied)
		return slices.Concat(d.PartitionWide("place", place),
			lackIf(p.Type != entity.TypeString && p.Type != 0, "copied", "a name must be a String"),
			lackIf(copied == groupName, "copied", "the group's entity is identified by %s; expected another property", groupName))
	},
	New: newWriteGroup,
	Check: func(s *Setting, a Arguments) *Check {
		if a.Text("copied") == "" {
			return nil
		}
		return newCheck("members bear the name of their group", func(t *Tx, f *Findings) {
			names := make(map[string]string)
			for row, name := range t.values(Query(s.TableOf(a.Text("place")), target.Query{}), groupName) {
				names[row.Key.Partition] = name.Text()
			}
			for row, copied := range t.values(Query(s.Table, target.Query{}), a.Text("copied")) {
				if name, known := names[row.Key.Partition]; known {
					f.Look(copied.Text() == name, "%s of partition %s names its group %q; want %q", row.Key.Row, row.Key.Partition, copied.Text(), name)
				}
			}
		})
	},
}}

// newWriteGroup returns the workflow that names a group: one write and, if members repeat the name, a
// query for them and a transaction for every hundred.
func newWriteGroup(c *Call) *Procedure {
	place, copied := c.Arguments.Text("place"), c.Arguments.Text("copied")
	key := c.Subject.Key(place)
	name := entity.String(key.Row)
	if c.Arguments.Text("name") == "new" {
		name = entity.String("name " + c.ID.String())
	}
	change := entity.Change{Verb: entity.InsertOrMerge, Key: key, Properties: []entity.Property{{Name: groupName, Value: name}}}
	own := WriteOne(c.TableOf(place), change)
	if copied == "" {
		return NewProcedure(nil, own)
	}
	find := Query(c.Table, target.Query{Range: filter.OnePartition(c.Subject.Key("").Partition), Select: []string{copied}})
	return NewProcedure(func(t *Tx) {
		t.Send(own)
		var members []entity.Change
		for row := range t.values(find, copied) {
			members = append(members, entity.Change{Verb: entity.Merge, Key: row.Key, Match: entity.MatchAny,
				Properties: []entity.Property{{Name: copied, Value: name}}})
		}
		hundreds := slices.Collect(slices.Chunk(members, entity.MaxBatchChanges))
		// crashes is the transaction before which the client crashes.
		draw, crashes := c.Chance, -1
		if draw.Float64() < c.Arguments.Share("killed") && len(hundreds) > 0 {
			crashes = draw.IntN(len(hundreds))
		}
		for i, changes := range hundreds {
			t.CrashIf(i == crashes)
			t.Send(transact(c.Table, changes))
			t.Add("rewritten", int64(len(changes)))
		}
	}, own, find)
}
