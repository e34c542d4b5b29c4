package campaign_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"loadgen/engine"
	"loadgen/engine/entity"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
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
			w.engine.Submit(0, &engine.Request{Account: "a", Table: "stress", Verb: verb})
		}
		record, err := w.run(t, context.Background(), &drive.Virtual{Target: w.target}, campaign.Options{Scenario: s, Table: "stress", Reuse: true})
		if row.throttled {
			if !errors.Is(err, campaign.ErrPreparation) || !strings.Contains(fmt.Sprint(err), string(entity.TableBeingDeleted)) {
				t.Errorf("a name that is kept for %s: Run = %v; want ErrPreparation with %s", row.delay, err, entity.TableBeingDeleted)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var begins time.Duration
		for _, p := range record.Phases {
			if p.Name == "load" {
				begins = p.Begin
			}
		}
		if (begins >= 40*time.Second) != row.waits || begins > time.Minute {
			t.Errorf("a name that is kept for %s: loading began at %v", row.delay, begins)
		}
	}
}
