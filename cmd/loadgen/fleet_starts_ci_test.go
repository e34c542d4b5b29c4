//go:build ci

package main

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

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
		if m.Planned == nil || *m.Planned != m.Scheduled || m.BeganLate == nil || m.ClockBound > 5*time.Millisecond {
			t.Errorf("%+v; want as many operations as planned, when it began, and a clock that is known to 5 ms", m)
		}
	}
	if all := record.Total(results.Everything).Scheduled; sum != all {
		t.Errorf("the members have %d operations, the run %d", sum, all)
	}
	return fleet.Skew, stall
}

// An operation takes two members no more of the processor, but for a tenth, than one: in one of
// three pairs of runs that follow each other, each member at the same rate.
func TestAMemberMoreCostsNoMore(t *testing.T) {
	const rate = 1500
	program, told := binary(t), ""
	each := func(members int) float64 {
		record := fleetRun(t, program, members, members*rate, "3s", 2*time.Minute)
		return float64(record.Generator.CPU) / float64(record.Total(results.Everything).Attempts)
	}
	for range 3 {
		one, two := each(1), each(2)
		told = fmt.Sprintf("%.1f µs of CPU an operation with one member, %.1f with two", one/1000, two/1000)
		t.Log(told)
		if two <= 1.1*one {
			return
		}
	}
	t.Errorf("in none of three pairs: %s; want a tenth more at most", told)
}
