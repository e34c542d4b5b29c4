package run_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"loadgen/report/document"
	"loadgen/scenarios/run"
)

// Nothing is written down in advance: another limit moves every figure. The tag ci tries
// further ones.
func TestEveryFigureMovesWithTheModel(t *testing.T) {
	if testing.Short() {
		t.Skip("a long run")
	}
	t.Parallel()
	figuresMove(t, 1234)
	free, err := run.Run(t.Context(), run.Plan{Scenario: builtin(t, "stress", "model.profile=off", "phases.peak.each=1s")})
	if err != nil {
		t.Fatal(err)
	}
	if s := free.Summary; s.Saturation != nil || s.Throttled != 0 {
		t.Errorf("without limits: saturation %v, refused %d; want none", s.Saturation, s.Throttled)
	}
}

// figuresMove runs the stress test behind a limit of a partition, and holds all that is
// said of it to that.
func figuresMove(t *testing.T, limit float64) {
	t.Helper()
	record, err := run.Run(t.Context(), run.Plan{Scenario: builtin(t, "stress", fmt.Sprintf("model.partition_target=%v", limit))})
	if err != nil {
		t.Fatal(err)
	}
	sum := record.Summary
	if sum.Saturation == nil || math.Abs(*sum.Saturation/limit-1) > .02 {
		t.Errorf("saturation behind a limit of %v = %v; want that", limit, sum.Saturation)
		return
	}
	low, high := sum.SaturationInterval[0], sum.SaturationInterval[1]
	if low > *sum.Saturation || high < *sum.Saturation || low < .95*limit || high > 1.05*limit {
		t.Errorf("interval behind a limit of %v = %v; want it around that", limit, sum.SaturationInterval)
	}
	for _, p := range sum.Phases {
		want := max(0, 1-limit/p.Offered)
		// A step whose retries end in the next one loses some of them to it.
		if p.ShareLostSettled == nil || math.Abs(*p.ShareLostSettled-want) > .04 {
			t.Errorf("%s behind a limit of %v: share lost, settled = %v; want about %.2f", p.Name, limit, *p.ShareLostSettled, want)
		}
	}
	// What is said of the key rests on the saturation, not on the limit.
	for _, figure := range []string{
		"saturates at " + document.Rate(*sum.Saturation) + " entities/s",
		"(" + document.Rate(low) + " to " + document.Rate(high) + " in ",
		"against the model's " + document.Rate(limit) + "/s",
		fmt.Sprintf("over at least %d partitions", int(math.Ceil(4000 / *sum.Saturation * .99))),
	} {
		if !strings.Contains(sum.Verdict, figure) {
			t.Errorf("verdict behind a limit of %v = %q; want %q in it", limit, sum.Verdict, figure)
		}
	}
}
