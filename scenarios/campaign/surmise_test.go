package campaign_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios/campaign"
)

// What a workflow's queries read is due, of each partition what it holds: of fifty
// employees to a department all, in the one where they lie, and as many as nobody knows
// of where only the workflow itself writes.
func TestWorkflowsAreDueWhatTheirQueriesRead(t *testing.T) {
	for _, row := range []struct {
		use     string
		touches int
	}{{"together", 1}, {"apart", 2}} {
		s := builtin(t, "one-to-many-partition", "use="+row.use)
		preview, err := planned(t, campaign.Options{Scenario: s, Table: "company"}).Preview(1)
		require.NoError(t, err)
		reads := 0
		for k := range uint64(100) {
			var touches []campaign.Touch
			kind, due := preview.Operation(k, "company", func(touch campaign.Touch) { touches = append(touches, touch) })
			if kind != 1 {
				continue
			}
			reads++
			assert.Truef(t, due >= 30 && due <= 90 && len(touches) == row.touches && touches[0].Entities == due-int64(row.touches-1),
				"%s, operation %d: %d are due, %+v; want the fifty or so of a department", row.use, k, due, touches)
		}
		assert.Truef(t, reads >= 30, "%s: %d of 100 operations read; want about half", row.use, reads)
	}
}
