package run

import (
	"math"
	"os"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCollectAt(t *testing.T) {
	const megabyte = 1 << 20
	for entities, want := range map[int64]int{
		-1: 400, 0: 400,
		96 * megabyte:  400, // the most that is eased in full
		256 * megabyte: 200, // from there on what lies is bounded, not its share
		576 * megabyte: 100, // as much lives as may lie
		640 * megabyte: 100,
		math.MaxInt64:  100,
	} {
		assert.Equalf(t, want, collectAt(entities), "collectAt(%d)", entities)
	}
}

func TestEaseCollector(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(77))
	p := &Plan{Scenario: library(t, "stress"), On: Embedded}
	campaign, err := p.campaign(time.Time{})
	require.NoError(t, err)
	percent := func() int {
		now := debug.SetGCPercent(100)
		debug.SetGCPercent(now)
		return now
	}
	t.Setenv("GOGC", "") // has the test put back what was there
	for given, want := range map[string]int{"50": 77, "": 400} {
		os.Setenv("GOGC", given)
		if given == "" {
			os.Unsetenv("GOGC")
		}
		restore := p.easeCollector(campaign)
		during := percent()
		restore()
		if after := percent(); during != want || after != 77 {
			t.Errorf("with GOGC %q garbage is collected at %d %%, and after the run at %d; want %d and 77", given, during, after, want)
		}
	}
}
