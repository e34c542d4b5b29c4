package scenarios_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stretchr/testify/assert"
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
	assert.Empty(t, cmp.Diff(want, s.Expect), "Expect")
	if err := s.Set("expect.1", "throttled < 2%"); err != nil || s.Expect[1] != "throttled < 2%" {
		t.Errorf("Set(expect.1) = %v and %q; want the other claim", err, s.Expect)
	}
	if err := s.Set("expect", "[throttled < 3%]"); err != nil || !slices.Equal(s.Expect, []string{"throttled < 3%"}) {
		t.Errorf("Set(expect) = %v and %q; want one claim", err, s.Expect)
	}
	if err := s.Set("expect", "[]"); err != nil || len(s.Expect) > 0 {
		t.Errorf("Set(expect) = %v and %q; want none", err, s.Expect)
	}
	if err := s.Set("expect", "[p99(sve) < 1ms]"); err != nil {
		t.Errorf("Set(expect) = %v; want it left to Validate", err)
	}
	if faults := s.Validate(); len(faults) != 1 || !strings.Contains(faults[0].Error(), "--set expect: byte 4: ") {
		t.Errorf("Validate() = %v; want the unknown name where it was set", faults)
	}
}
