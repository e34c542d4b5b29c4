//go:build ci

package main

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/results"
)

// Three processes begin together, twenty times: the median of their skews is 5 ms at most, and
// none exceeds by more than 50 ms what the processes themselves were kept from running; a
// machine that was taken away meanwhile is given three tries. What each sends is what the plan
// says, every time.
func TestTwentyStartsOfThree(t *testing.T) {
	program, told := binary(t), ""
	for range 3 {
		if told = startsOfThree(t, program, 20); told == "" {
			return
		}
		t.Log(told)
	}
	t.Errorf("in none of three tries: %s", told)
}

// startsOfThree says what is wrong with the skews of so many starts, empty for nothing. Most of
// the time nothing is done: two follow one another at a time.
func startsOfThree(t *testing.T, program string, starts int) string {
	var mu sync.Mutex
	var skews, beyond []time.Duration
	t.Run("starts", func(t *testing.T) {
		for lane := range 2 {
			t.Run(fmt.Sprint(lane), func(t *testing.T) {
				t.Parallel()
				for range starts / 2 {
					skew, stall := startOfThree(t, program)
					mu.Lock()
					skews, beyond = append(skews, skew), append(beyond, skew-stall)
					mu.Unlock()
				}
			})
		}
	})
	if len(skews) < starts {
		t.FailNow()
	}
	slices.Sort(skews)
	median, most := skews[len(skews)/2], slices.Max(beyond)
	t.Logf("skew: median %v, greatest %v, beyond what stood still %v", median, skews[len(skews)-1], most)
	if median > 5*time.Millisecond || most > 50*time.Millisecond {
		return fmt.Sprintf("skews have a median of %v, and %v beyond what stood still; want 5ms and 50ms at most", median, most)
	}
	return ""
}

// startOfThree returns the skew of a start, and how long one of the processes stood still.
func startOfThree(t *testing.T, program string) (skew, stall time.Duration) {
	record := fleetRun(t, program, 3, 60, "1s", 2*time.Minute)
	fleet := record.Manifest.Fleet
	if fleet == nil || len(fleet.Members) != 3 || record.Validity != results.Valid {
		t.Fatalf("the run is %s, %v, of %+v; want a valid one of three", record.Validity, record.Reasons, fleet)
	}
	sum := int64(0)
	for _, m := range fleet.Members {
		stall = max(stall, m.Stall)
		sum += m.Scheduled
		assert.Truef(t, m.Planned != nil && *m.Planned == m.Scheduled && m.BeganLate != nil && m.ClockBound <= 5*time.Millisecond,
			"%+v; want as many operations as planned, when it began, and a clock that is known to 5 ms", m)
	}
	if all := record.Total(results.Everything).Scheduled; sum != all {
		t.Errorf("the members have %d operations, the run %d", sum, all)
	}
	return fleet.Skew, stall
}

// An operation takes a member of a fleet of two no more of the processor, but for a tenth, than
// the member of a fleet of one: in one of five pairs of runs that follow each other, every member
// at the same rate. Two fleets of one run at once, so that in both halves of a pair the machine
// does as much: what members cost one another by sharing its cores is no cost of the fleet.
func TestAMemberMoreCostsNoMore(t *testing.T) {
	const rate = 1500
	program, told := binary(t), ""
	for pair := range 5 {
		var apart [2]*results.Record
		t.Run(fmt.Sprint("apart ", pair), func(t *testing.T) {
			for i := range apart {
				t.Run(fmt.Sprint(i), func(t *testing.T) {
					t.Parallel()
					apart[i] = fleetRun(t, program, 1, rate, "3s", 2*time.Minute)
				})
			}
		})
		if t.Failed() {
			return
		}
		one, two := cpuOfAnAttempt(apart[:]...), cpuOfAnAttempt(fleetRun(t, program, 2, 2*rate, "3s", 2*time.Minute))
		told = fmt.Sprintf("%v of CPU an operation with one member, %v with two", one, two)
		t.Log(told)
		if float64(two) <= 1.1*float64(one) {
			return
		}
	}
	t.Errorf("in none of five pairs: %s; want a tenth more at most", told)
}

// cpuOfAnAttempt is what an attempt took the generators of these runs.
func cpuOfAnAttempt(records ...*results.Record) time.Duration {
	cpu, attempts := time.Duration(0), int64(0)
	for _, record := range records {
		cpu += record.Generator.CPU
		attempts += record.Total(results.Everything).Attempts
	}
	return cpu / time.Duration(attempts)
}
