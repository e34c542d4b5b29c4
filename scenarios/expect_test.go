package scenarios_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// expecting is the race with claims.
func expecting(list string) string { return race + "expect:\n" + list }

func TestExpectationsOfAScenario(t *testing.T) {
	text := expecting(`  - p99(get) < 20ms
  - throttled < 1%
  - "share_lost(peak 20.5/s) <= 0.1%"
  - offered("NYC") < 2000
  - counted(merge, peak) / returned(*, peak) <= 1.2
  - length(load) < 1m
  - 'requests(load) == 0'
`)
	want := []string{"p99(get) < 20ms", "throttled < 1%", "share_lost(peak 20.5/s) <= 0.1%", `offered("NYC") < 2000`,
		"counted(merge, peak) / returned(*, peak) <= 1.2", "length(load) < 1m", "requests(load) == 0"}
	s := reread(t, text)
	assert.Equal(t, want, s.Expect)
	require.NoError(t, s.Set("expect.1", "throttled < 2%"))
	assert.Equal(t, "throttled < 2%", s.Expect[1])
	require.NoError(t, s.Set("expect", "[throttled < 3%]"))
	assert.Equal(t, []string{"throttled < 3%"}, s.Expect)
	require.NoError(t, s.Set("expect", "[]"))
	assert.Empty(t, s.Expect)
	require.NoError(t, s.Set("expect", "[p99(sve) < 1ms]"), "what a claim is of is left to Validate")
	faults := s.Validate()
	require.Len(t, faults, 1)
	assert.ErrorContains(t, faults[0], "--set expect: byte 4: ", "the unknown name where it was set")
}
