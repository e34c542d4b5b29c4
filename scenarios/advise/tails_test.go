package advise

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/results"
	"loadgen/scenarios/run/runtest"
)

// Inserts of two regions fall on two places: what a file of such keys carries, before load
// balancing and after it.
func TestKeysOfTwoTailsCarryTwoTargets(t *testing.T) {
	text := columns("PartitionKey,RowKey,instant", 4000, func(i int) string {
		return fmt.Sprintf("%d_%d,r,2026-05-01T%02d:%02d:%02dZ", i%2, 100_000_000+i, i/3600, i/60%60, i%60)
	})
	const bears = "2 × 2,000 = 4,000/s"
	for _, row := range []struct {
		perSecond float64
		state     string
		order     Verdict
	}{{0, results.Holds, Warning}, {3900, results.Holds, Warning}, {4100, results.DoesNotHold, Error}} {
		k := judgedKeys(t, text, row.perSecond)
		f := findingOf(k.Findings, "insert-order")
		if k.State != row.state || f.Verdict != row.order || !strings.Contains(f.Evidence, bears) || !strings.Contains(k.Verdict, bears) {
			t.Errorf("at %.0f/s: %s, %s\n%s\n%s\nwant %s, %s, and both to say %q", row.perSecond, k.State, f.Verdict, k.Verdict, f.Evidence, row.state, row.order, bears)
		}
		if k.Spread.Order != "2 tails" || k.Spread.Tails != 2 || k.FullPlace != 4000 {
			t.Errorf("at %.0f/s: order %s of %d tails, full at %.0f; want 2 tails at 4,000", row.perSecond, k.Spread.Order, k.Spread.Tails, k.FullPlace)
		}
	}
}

func TestDesignOfTwoTails(t *testing.T) {
	for _, row := range []struct {
		sentence, start string
		rate            int
		order           Verdict
		state           string
	}{
		{"within the target of one range", "cold", 1500, Good, results.Holds},
		{"within those of two", "cold", 3000, Note, results.DoesNotHold},
		{"near those of two", "cold", 3600, Warning, results.DoesNotHold},
		{"beyond those of two", "cold", 8000, Error, results.DoesNotHold},
		{"beyond those of two, where a warm start tries no range", "warm", 8000, Error, results.CannotTell},
		{"within those of two, on a warm start", "warm", 3000, Note, results.Holds},
	} {
		e := explained(t, runtest.Parse(t, file(t, "two-tails"), "start="+row.start, fmt.Sprintf("phases.orders.arrivals.constant=%d", row.rate), "phases.orders.for=1s"))
		f := findingOf(e.Findings, "insert-order")
		assert.Truef(t, f.Verdict == row.order && strings.Contains(f.Evidence, "2 × 2,000 = 4,000/s"),
			"%s: %s, %s; want %s, and 4,000/s", row.sentence, f.Verdict, f.Evidence, row.order)
		if order := e.Used().Loads[0].Keys.Order; order != "2 tails" || e.State != row.state {
			t.Errorf("%s: %s, inserts come %s; want %s, 2 tails", row.sentence, e.State, order, row.state)
		}
	}
}
