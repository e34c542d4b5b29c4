package workflow_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// worker is an employee of a department, as tests have them.
func worker(n int, department string, further ...entity.Property) thing {
	return thing{number: uint64(n),
		keys: map[string]entity.Key{"": {Partition: department, Row: fmt.Sprintf("%04d", n)}, "department": {Partition: department, Row: "department"},
			"badge": {Partition: department, Row: fmt.Sprint("badge ", n)}},
		values:     args{"kind": []string{"Employee", "Customer"}[n%2]},
		properties: append([]entity.Property{text("Employee", fmt.Sprint(n)), text("Department", department), number("Salary", 100+n)}, further...)}
}

// workers returns so many, in departments of a hundred.
func workers(count int, further ...entity.Property) (list []thing) {
	for n := range count {
		list = append(list, worker(n, fmt.Sprint("d", n/100), further...))
	}
	return list
}

func TestReadsOfWhatBelongsTogether(t *testing.T) {
	badge := text("Badge", "badge 1")
	linked, lone, lost := worker(1, "a", badge), worker(2, "a"), worker(3, "a", text("Badge", "none"))
	for _, row := range []struct {
		says, kind string
		k          int
		given      args
		about      thing
		sends      []string
		missing    int64
	}{
		{"what lies at a place is one read", "read-linked", 0, args{"from": "badge"}, linked, []string{"get badges"}, 0},
		{"what is not there is missing", "read-linked", 0, args{"from": "badge"}, lone, []string{"get badges"}, 1},
		{"behind a link it is two", "read-linked", 0, args{"link": "Badge", "to": "badge"}, linked, []string{"get", "get badges"}, 0},
		{"without the link nobody knows where to go on", "read-linked", 0, args{"link": "Badge", "to": "badge"}, lone, []string{"get"}, 1},
		{"a link can lead nowhere", "read-linked", 0, args{"link": "Badge", "to": "badge"}, lost, []string{"get", "get badges"}, 1},
		{"what is in the partition is one query", "read-together", 0, args{"place": "department"}, linked, []string{"query"}, 0},
		{"another table is a second one", "read-together", 0, args{"place": "badge"}, linked, []string{"query", "query badges"}, 0},
		{"no place is one query", "read-together", 0, nil, linked, []string{"query"}, 0},
		{"a lookup each time is two reads", "join", 5, args{"place": "badge"}, linked, []string{"get", "get badges"}, 0},
		{"what is not there is not found by a lookup", "join", 5, args{"place": "badge"}, lone, []string{"get", "get badges"}, 1},
		{"one of ten reads the small table", "join", 20, args{"place": "badge", "refresh": "10"}, linked, []string{"query badges", "get"}, 0},
		{"the others know it", "join", 21, args{"place": "badge", "refresh": "10"}, linked, []string{"get"}, 0},
	} {
		w := newWorld(t, "badge=badges")
		w.load(linked, lone, lost)
		w.put("Testbadges", entity.Key{Partition: "a", Row: "badge 1"})
		p := w.op(row.kind, row.k, row.given, row.about)
		var foreseen []string
		for _, op := range p.Requests() {
			foreseen = append(foreseen, sentTo(&op))
		}
		var sent []string
		w.watch(p, func(op *target.Operation) { sent = append(sent, sentTo(op)) })
		assert.Truef(t, slices.Equal(sent, row.sends) && counted(p)["missing"] == row.missing,
			"%s: it sent %q and missed %d; want %q and %d", row.says, sent, counted(p)["missing"], row.sends, row.missing)
		assert.Truef(t, row.missing != 0 || slices.Equal(foreseen, sent),
			"%s: foreseen were %q, sent %q", row.says, foreseen, sent)
	}
}

// sentTo names a request.
func sentTo(op *target.Operation) string {
	name := op.Verb.String()
	if further := op.Table[len("Test"):]; further != "" {
		name += " " + further
	}
	return name
}

// move returns operation n that moves a member to another department.
func (w *world) move(n int, one thing, to, keyed, order, killed string) *workflow.Procedure {
	given := args{"member": "Employee", "group": "Department", "keyed": keyed, "order": order, "killed": killed}
	return w.op("move", n, given, one, worker(9000+n, to))
}

// Keyed by the member, moves lose nobody, whatever replies are lost; keyed by the group
// they lose as many as clients die, and no more.
func TestMovesBetweenGroups(t *testing.T) {
	for _, row := range []struct{ keyed, order string }{{"by-member", "copy-first"}, {"by-group", "copy-first"}, {"by-group", "delete-first"}} {
		w := newWorld(t)
		list := workers(80)
		w.load(list...)
		all := several(80, func(n int) *workflow.Procedure {
			return w.move(n, list[n], fmt.Sprint("to", n%7), row.keyed, row.order, "30%")
		})
		w.raceWell(3, 6, 30, all)
		killed := total(all, "killed")
		w.finds("move", args{"member": "Employee", "group": "Department"}, killed, 80)
		assert.Truef(t, killed >= 10 || row.keyed != "by-group", "%v: %d clients died; want ten at least", row, killed)
	}
}

// A move keeps all properties. A second move from the old place, or one to the same place, finds
// nothing to do.
func TestMoveKeepsTheMember(t *testing.T) {
	for _, order := range []string{"copy-first", "delete-first"} {
		w := newWorld(t)
		one := worker(0, "d0", text("Note", "kept"))
		w.load(one)
		all := []*workflow.Procedure{w.move(0, one, "new", "by-group", order, "0"), w.move(0, one, "new", "by-group", order, "0"),
			w.move(0, worker(0, "new"), "new", "by-group", order, "0")}
		w.runAll(all)
		stored, _ := w.get("Test", entity.Key{Partition: "new", Row: "0000"})
		_, remains := w.get("Test", one.keys[""])
		assert.Equal(t, "false new kept 2", fmt.Sprint(remains, " ", value(stored, "Department").Text(), " ", value(stored, "Note").Text(), " ", total(all, "elsewhere")), order)
	}
}

// What a client that dies leaves behind depends on what came first; two who move one
// member at once leave it twice, for no condition holds in both partitions.
func TestMovesThatGoWrong(t *testing.T) {
	for _, row := range []struct {
		says, keyed, order, killed string
		movers                     int
		want                       string
	}{
		{"a member that is moved in place is there once", "by-member", "copy-first", "100%", 1, "[d0 of to1]"},
		{"copied first it is there twice", "by-group", "copy-first", "100%", 1, "[d0 of d0 to1 of to1]"},
		{"deleted first it is not there", "by-group", "delete-first", "100%", 1, "[]"},
		{"two at once leave two", "by-group", "copy-first", "0", 2, "[to1 of to1 to2 of to2]"},
	} {
		w := newWorld(t)
		one := worker(0, "d0")
		w.load(one)
		var all []*course
		for n := range row.movers {
			all = append(all, begun(w.move(n, one, fmt.Sprint("to", n+1), row.keyed, row.order, row.killed)))
		}
		// In step, so that each has read before another writes.
		for !all[0].ended {
			for _, c := range all {
				w.steps(c, 1)
			}
		}
		found := []string{}
		for _, one := range w.do(&target.Operation{Verb: entity.Query, Table: "Test"}).Rows {
			found = append(found, one.Key.Partition+" of "+value(one.Entity, "Department").Text())
		}
		assert.True(t, all[0].ok && w.finish(all[len(all)-1]), row.says)
		assert.Equal(t, row.want, fmt.Sprint(found), row.says)
	}
}

// Whatever replies are lost, each entity is there, and the one that they belong to with
// what a last of them has, and with what it had beside that.
func TestStoreWith(t *testing.T) {
	w := newWorld(t)
	employee := entity.Key{Partition: "Sales", Row: "000123"}
	w.put("Test", employee, text("Name", "Jones"), number("Score", 9))
	clear(w.requests)
	all := several(10, func(k int) *workflow.Procedure {
		review := thing{number: uint64(k), keys: map[string]entity.Key{"": {Partition: "Sales", Row: fmt.Sprintf("000123_%d", 2003+k)}, "employee": employee},
			properties: []entity.Property{text("Text", "good"), number("Score", 3)}}
		return w.op("store-with", k, args{"place": "employee", "keeps": "Score"}, review)
	})
	w.race(2, 3, 25, all)
	o := w.do(&target.Operation{Verb: entity.Query, Table: "Test", Query: target.OnePartition("Sales")})
	require.Len(t, o.Rows, 11)
	assert.Equal(t, employee, o.Rows[0].Key)
	for i, row := range o.Rows {
		name, named := row.Entity.Lookup("Name")
		score, _ := row.Entity.Lookup("Score")
		_, worded := row.Entity.Lookup("Text")
		assert.Truef(t, named == (i == 0) && (!named || name.Text() == "Jones") && worded == (i > 0) && score.Int() == 3,
			"%v has a name: %v, a text: %v, and the score %d; want what belongs to it, and 3", row.Key, named, worded, score.Int())
	}
	assert.True(t, w.requests["batch"] >= 10 && w.requests["insert-or-replace"] == 0, w.requests)
}

// transfers returns so many between five accounts, of whose clients the half dies.
func (w *world) transfers(count int, keyed string) []*workflow.Procedure {
	given := args{"from": "payer", "to": "payee", "killed": "50%", "keyed": keyed}
	return several(count, func(k int) *workflow.Procedure {
		about := thing{number: uint64(k), keys: map[string]entity.Key{"": {Partition: fmt.Sprintf("t%04d", k), Row: "transfer"}},
			values: map[string]string{"payer": fmt.Sprint(k % 5), "payee": fmt.Sprint((k + 1) % 5)}}
		return w.op("transfer", k, given, about)
	})
}

// However attempts interleave and get lost, transfers keyed by their own id sum to zero, also those
// whose client gave up. Keyed by account, a client that crashes leaves one leg only.
func TestTransfersSumToZero(t *testing.T) {
	for seed := range uint64(20) {
		w := newWorld(t)
		w.race(seed, 6, 30, w.transfers(40, "by-transfer"))
		w.holds("transfer", nil, 30)
	}
	w := newWorld(t)
	killed := total(w.runAll(w.transfers(40, "by-account")), "killed")
	w.finds("transfer", nil, killed, 40)
	assert.GreaterOrEqual(t, killed, int64(10))
}

// crowded returns a world with three departments of so many, who repeat its name.
func crowded(t *testing.T, each int) *world {
	w := newWorld(t, "department=groups")
	var list []thing
	for n := range 3 * each {
		department := fmt.Sprint("d", n/each)
		list = append(list, worker(n, department, text("Called", department)))
	}
	w.load(list...)
	return w
}

// renames returns the naming of the departments in turn.
func (w *world) renames(count int, given args) (all []*workflow.Procedure) {
	given["place"] = "department"
	for n := range count {
		one := worker(n, fmt.Sprint("d", n%3))
		one.keys["department"] = entity.Key{Partition: one.keys[""].Partition, Row: one.keys[""].Partition}
		all = append(all, w.op("write-group", n, given, one))
	}
	return all
}

var called = args{"place": "department", "copied": "Called"}

func TestWriteGroup(t *testing.T) {
	for _, row := range []struct {
		says, name, copied, requests string
		faults, rewritten            int64
	}{
		{"with the group alone it is one write", "new", "", "map[insert-or-merge:1]", 250, 0},
		{"named as members call it, nothing differs", "own", "", "map[insert-or-merge:1]", 0, 0},
		{"in members it is one for each hundred", "new", "Called", "map[batch:3 insert-or-merge:1 query:1]", 0, 250},
	} {
		w := crowded(t, 250)
		all := w.renames(1, args{"name": row.name, "copied": row.copied})
		w.raceWell(0, 1, 0, all)
		assert.Equal(t, row.requests, fmt.Sprint(w.requests), row.says)
		assert.Equal(t, row.rewritten, total(all, "rewritten"), row.says)
		w.finds("write-group", called, row.faults, 250)
	}
	assert.Nil(t, newWorld(t).checkOf("write-group", args{"copied": ""}), "members repeat nothing")
}

// One after another, names agree whatever is lost; of clients that die, those who were not
// reached keep the old one, however few there are.
func TestGroupsOfDeadClients(t *testing.T) {
	for _, row := range []struct {
		killed string
		each   int
	}{{"0", 250}, {"100%", 250}, {"50%", 250}, {"50%", 3}, {"100%", 100}, {"100%", 101}} {
		w := crowded(t, row.each)
		all := w.renames(30, args{"copied": "Called", "killed": row.killed})
		w.raceWell(7, 1, 30, all)
		reached := map[int64]bool{}
		for _, p := range all {
			if counts := counted(p); counts["killed"] > 0 {
				reached[counts["rewritten"]] = true
			}
		}
		// Each naming gives another name: those whom the last did not reach have none of it.
		w.finds("write-group", called, int64(3*row.each)-total(all[len(all)-3:], "rewritten"), int64(3*row.each))
		died := total(all, "killed")
		assert.Truef(t, died == map[string]int64{"0": 0, "100%": 30}[row.killed] || row.killed == "50%" && died >= 5 && died <= 25,
			"killed %s of %d: %d of 30 clients crashed", row.killed, row.each, died)
		assert.Truef(t, row.killed != "100%" || len(reached) == (row.each+99)/100, "groups of %d: clients died after %v; want before each transaction", row.each, reached)
	}
}
