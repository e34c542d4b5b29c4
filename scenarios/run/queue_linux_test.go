package run

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestFilesOfWaiting(t *testing.T) {
	const none = time.Duration(-1)
	check := func(name string, read func(string) (time.Duration, bool), rows map[string]time.Duration) {
		for text, want := range rows {
			waited, told := read(text)
			assert.Truef(t, told == (want != none) && (!told || waited == want), "%s(%q) = %v, %v", name, text, waited, told)
		}
	}
	check("waitedOf", waitedOf, map[string]time.Duration{
		"5042913 1687512 4\n": 1687512, "0 0 0": 0, "5042913": none, "": none, "1 x 2": none, "1 -2 3": none})
	const full = "full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n"
	check("pressureOf", pressureOf, map[string]time.Duration{
		"some avg10=38.51 avg60=19.65 avg300=15.08 total=14200254333\n" + full: 14200254333 * time.Microsecond,
		full: none, "some avg10=0.00": none, "some total=\n": none, "some total=9223372036854775807\n": none, "": none})
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
		q.add(row.now)
		assert.Equalf(t, row.total, q.total, "after reading %d", i)
	}
	got := new(queue).read()
	assert.Truef(t, got != nil && *got == 0, "the first reading of this process = %v; want 0", got)
}
