package advise

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/results"
	"loadgen/scenarios/run/runtest"
)

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
		assert.Equalf(t, row.rate > 4000, e.Used().untried(2000, true) != "", "%s: a warm table tries no range", row.sentence)
		assert.Emptyf(t, e.Used().untried(2000, false), "%s: a cold table tries its ranges", row.sentence)
		if order := e.Used().Loads[0].Keys.Order; order != "2 tails" || e.State != row.state {
			t.Errorf("%s: %s, inserts come %s; want %s, 2 tails", row.sentence, e.State, order, row.state)
		}
	}
}
