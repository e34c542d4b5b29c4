package workflow_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
	all := several(10, func(k int) workflow.Workflow {
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
