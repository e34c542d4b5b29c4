package campaign_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
	"loadgen/scenarios/campaign"
	"loadgen/target"
)

// A table that was deleted lately keeps its name for a while: a run on it waits until it
// can have it, for minutes and not for ever.
func TestRunWaitsForTheNameOfADeletedTable(t *testing.T) {
	for _, row := range []struct {
		delay     string
		waits     bool
		throttled bool
	}{{"0", false, false}, {"40s", true, false}, {"1h", true, true}} {
		s := small(t, "model.name_delay="+row.delay)
		w := newWorld(t, s, nil)
		for _, verb := range []entity.Verb{entity.CreateTable, entity.DeleteTable} {
			w.Submit(0, &target.Operation{Table: "stress", Verb: verb})
		}
		o := stress(s)
		o.Reuse = true
		r := w.run(t, o)
		if row.throttled {
			assert.Truef(t, errors.Is(r.ended, campaign.ErrPreparation) && strings.Contains(fmt.Sprint(r.ended), string(entity.TableBeingDeleted)),
				"a name that is kept for %s: Run = %v; want ErrPreparation with %s", row.delay, r.ended, entity.TableBeingDeleted)
			continue
		}
		var begins time.Duration
		for _, p := range recorded(t, r).Phases {
			if p.Name == "load" {
				begins = p.Begin
			}
		}
		assert.Truef(t, (begins >= 40*time.Second) == row.waits && begins <= time.Minute,
			"a name that is kept for %s: loading began at %v", row.delay, begins)
	}
}
