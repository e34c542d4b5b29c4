package workflow_test

import (
	"fmt"
	"testing"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// Whatever replies are lost, each entity is there, and the one that they belong to with
// what a last of them has, and with what it had beside that.
func TestStoreWith(t *testing.T) {
	w := newWorld(t)
	employee := entity.Key{Partition: "Sales", Row: "000123"}
	w.put("Test", employee, text("Name", "Jones"), number("Score", 9))
	clear(w.requests)
	var all []workflow.Workflow
	for k := range 10 {
		review := thing{number: uint64(k), keys: map[string]entity.Key{"": {Partition: "Sales", Row: fmt.Sprintf("000123_%d", 2003+k)}, "employee": employee},
			properties: []entity.Property{text("Text", "good"), number("Score", 3)}}
		all = append(all, w.op("store-with", k, args{"place": "employee", "keeps": "Score"}, review))
	}
	w.race(2, 3, 25, all)
	o := w.do(&target.Operation{Verb: entity.Query, Table: "Test", Query: target.OnePartition("Sales")})
	if len(o.Rows) != 11 || o.Rows[0].Key != employee {
		t.Fatalf("the partition has %d entities, %v first; want the employee and 10 reviews", len(o.Rows), o.Rows[0].Key)
	}
	for i, row := range o.Rows {
		name, named := row.Entity.Lookup("Name")
		score, _ := row.Entity.Lookup("Score")
		_, worded := row.Entity.Lookup("Text")
		if named != (i == 0) || named && name.Text() != "Jones" || worded != (i > 0) || score.Int() != 3 {
			t.Errorf("%v has a name: %v, a text: %v, and the score %d; want what belongs to it, and 3", row.Key, named, worded, score.Int())
		}
	}
	if n := w.requests["batch"]; n < 10 || w.requests["insert-or-replace"] > 0 {
		t.Errorf("%d transactions were sent, and %d single writes; want transactions alone", n, w.requests["insert-or-replace"])
	}
}
