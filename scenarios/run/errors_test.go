package run

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
)

// What ended a run is what came first, whatever failed in the end.
func TestEndOf(t *testing.T) {
	stop := &drive.Stop{Second: 3, Why: errors.New("too much is throttled")}
	after := fmt.Errorf("%w: the table cannot be dropped", campaign.ErrAfterLoad)
	for _, row := range []struct {
		phrase   string
		ended    error
		validity string
		by       results.EndedBy
	}{
		{"nothing", nil, results.Valid, ""},
		{"somebody", context.Canceled, results.Partial, ""},
		{"somebody, and the table stays", errors.Join(context.Canceled, after), results.Partial, ""},
		{"the budget of billed transactions", ErrBudget, results.Partial, ""},
		{"a budget of the scenario", stop, results.Partial, results.EndedByStopOn},
		{"a budget of the scenario, and the table stays", errors.Join(stop, after), results.Partial, results.EndedByStopOn},
		{"a silent target", fmt.Errorf("%w for 1m0s", drive.ErrSilent), results.Partial, results.EndedByTarget},
		{"a table that cannot be dropped", after, results.Partial, results.EndedByTarget},
		{"a file called target.bin on a full disk", errors.New("target.bin: no space left on device"), results.Partial, ""},
	} {
		validity, _, by := endOf(row.ended)
		assert.Truef(t, validity == row.validity && by == row.by, "%s: %s, by %q", row.phrase, validity, by)
	}
}
