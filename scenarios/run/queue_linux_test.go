package run

import (
	"testing"
	"time"
)

func TestFilesOfWaiting(t *testing.T) {
	for _, row := range []struct {
		text   string
		waited time.Duration
		told   bool
	}{
		{"5042913 1687512 4\n", 1687512, true},
		{"0 0 0", 0, true},
		{"5042913", 0, false},
		{"", 0, false},
		{"1 x 2", 0, false},
		{"1 -2 3", -2, false},
	} {
		if waited, told := waitedOf(row.text); told != row.told || told && waited != row.waited {
			t.Errorf("waitedOf(%q) = %v, %v; want %v, %v", row.text, waited, told, row.waited, row.told)
		}
	}
	for _, row := range []struct {
		text   string
		waited time.Duration
		told   bool
	}{
		{"some avg10=38.51 avg60=19.65 avg300=15.08 total=14200254333\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n", 14200254333 * time.Microsecond, true},
		{"full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n", 0, false},
		{"some avg10=0.00", 0, false},
		{"some total=\n", 0, false},
		{"some total=9223372036854775807\n", 0, false},
		{"", 0, false},
	} {
		if waited, told := pressureOf(row.text); told != row.told || told && waited != row.waited {
			t.Errorf("pressureOf(%q) = %v, %v; want %v, %v", row.text, waited, told, row.waited, row.told)
		}
	}
}

// What each thread has waited since the reading before is added; that of one that is new
// from its beginning, of those that were there at the first reading nothing.
func TestThreadsComeAndGo(t *testing.T) {
	var q queue
	for i, row := range []struct {
		now   map[string]time.Duration
		total time.Duration
	}{
		{map[string]time.Duration{"1": 100, "2": 50}, 0},
		{map[string]time.Duration{"1": 130, "2": 50}, 30},
		{map[string]time.Duration{"1": 130, "3": 7}, 37},
		{map[string]time.Duration{"1": 131, "3": 7, "2": 5}, 43},
		{map[string]time.Duration{"1": 1}, 43},
		{map[string]time.Duration{"1": 3}, 45},
	} {
		if q.add(row.now); q.total != row.total {
			t.Errorf("after reading %d, total = %v; want %v", i, q.total, row.total)
		}
	}
	if got := new(queue).read(); got == nil || *got != 0 {
		t.Errorf("the first reading of this process = %v; want 0", got)
	}
}
