package workflow_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
)

// Who goes by way of a copy reads both, and says which of the two is not there.
func TestReadThrough(t *testing.T) {
	own, copied := entity.Key{Partition: "Sales", Row: "000223"}, entity.Key{Partition: "Sales", Row: "jonesj@contoso.com"}
	about := thing{keys: map[string]entity.Key{"": own, workflow.AtCopy("by-email"): copied}}
	for _, row := range []struct {
		sentence  string
		own, copy bool
		gets      int
		counts    map[string]int64
	}{
		{"both are there", true, true, 2, map[string]int64{}},
		{"the copy is not there yet", true, false, 1, map[string]int64{"missing": 1}},
		{"the copy is of what is gone", false, true, 2, map[string]int64{"astray": 1}},
		{"neither is there", false, false, 1, map[string]int64{"missing": 1}},
	} {
		for _, lost := range []int{0, 30} {
			w := newWorld(t, workflow.AtCopy("by-email")+"=ByEmail")
			if row.own {
				w.put("Test", own)
			}
			if row.copy {
				w.put("TestByEmail", copied)
			}
			p := w.op("read-through", 0, args{"copy": "by-email"}, about)
			nominal := workflow.Requests(p)
			assert.Truef(t, len(nominal) == 2 && nominal[0].Change.Key == copied && nominal[1].Change.Key == own, "%s: it foresees %v", row.sentence, nominal)
			w.raceWell(5, 1, lost, []workflow.Workflow{p})
			assert.Equal(t, row.counts, counted(p), row.sentence)
			assert.True(t, lost > 0 || w.requests["get"] == row.gets, row.sentence)
		}
	}
}
