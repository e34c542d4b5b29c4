package run

import (
	"math"
	"os"
	"runtime/debug"
	"testing"

	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
)

func TestCollectAt(t *testing.T) {
	const megabyte = 1 << 20
	for _, row := range []struct {
		name     string
		entities int64
		want     int
	}{
		{"nothing stored", 0, 400},
		{"less than nothing", -1, 400},
		{"the most that is eased in full", 96 * megabyte, 400},
		{"from there on what lies is bounded, not its share", 256 * megabyte, 200},
		{"as much lives as may lie", 576 * megabyte, 100},
		{"more lives", 640 * megabyte, 100},
		{"more than can be counted", math.MaxInt64, 100},
	} {
		if got := collectAt(row.entities); got != row.want {
			t.Errorf("%s: collectAt(%d) = %d; want %d", row.name, row.entities, got, row.want)
		}
	}
}

func TestEaseCollector(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(77))
	stress, err := scenarios.Builtin("stress")
	if err != nil {
		t.Fatal(err)
	}
	campaign, err := campaign.NewCampaign(campaign.Options{Scenario: stress, Table: "stress"})
	if err != nil {
		t.Fatal(err)
	}
	// now returns the percentage that is set.
	now := func() int {
		percent := debug.SetGCPercent(100)
		debug.SetGCPercent(percent)
		return percent
	}
	t.Setenv("GOGC", "50")
	restore := (&Plan{On: Embedded}).easeCollector(campaign)
	if got := now(); got != 77 {
		t.Errorf("where GOGC is set, garbage is collected at %d %%; want it left alone", got)
	}
	restore()
	// Setenv puts back what was there before the test.
	os.Unsetenv("GOGC")
	restore = (&Plan{On: Embedded}).easeCollector(campaign)
	if got := now(); got != 400 {
		t.Errorf("in a run, garbage is collected at %d %%; want 400", got)
	}
	restore()
	if got := now(); got != 77 {
		t.Errorf("after a run, garbage is collected at %d %%; want 77 as before", got)
	}
}
