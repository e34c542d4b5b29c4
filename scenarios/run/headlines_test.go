package run_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"loadgen/engine/entity"
	"loadgen/results"
)

// headline is a target of a known nature, what it is offered, and what is true of that.
type headline struct {
	name  string
	world world
	retry string
	load  [][3]string
	// operations, where set, are offered in place of inserts.
	operations string
	peak       float64
	// states are those that are true; saturation is in entities per second, within a share of
	// it, 0 for none that may be claimed.
	states             []string
	saturation, within float64
	says               string
}

// queueOf is a queue of slots that serves so many requests a second.
func queueOf(slots int, perSecond float64) world {
	return world{slots: make([]time.Duration, slots), service: time.Duration(float64(slots) / perSecond * 1e9)}
}

func headlines() []headline {
	const holds, fails, saturates, untold = results.Holds, results.DoesNotHold, results.Saturates, results.CannotTell
	ladder := func(rates string) [][3]string { return shaped("{steps: {rates: [" + rates + "], each: 8s}}") }
	constant := func(rate, length string) [][3]string {
		return [][3]string{{"load", "{constant: " + rate + "}", length}}
	}
	noise := func(share float64, status int) world {
		return world{share: share, status: status, code: map[int]entity.Code{500: "InternalError", 503: "ServerBusy"}[status]}
	}
	burst := world{limit: 300, burst: 10}
	limitedNoise := noise(.02, 503)
	limitedNoise.limit, limitedNoise.burst = 430, .1
	mixed := "[{name: put, verb: insert, weight: 50}, {name: replace, verb: insert-or-replace, weight: 50}]"
	return []headline{
		{name: "a queue of four slots, in a ladder", world: queueOf(4, 376), retry: "none", load: ladder("200, 300, 400, 500"),
			states: []string{saturates}, saturation: 376, within: .02, says: "queues instead of refusing"},
		{name: "the queue at one rate", world: queueOf(4, 376), retry: "short", load: constant("500", "20s"), states: []string{saturates}, saturation: 376, within: .02},
		{name: "the queue below its capacity", world: queueOf(4, 376), retry: "none", load: constant("350", "20s"), states: []string{holds}},
		{name: "a queue of slow slots below its capacity", world: queueOf(32, 100), retry: "none", load: constant("90", "20s"), states: []string{holds}},
		{name: "a peak above what a queue answers", world: queueOf(4, 376), retry: "none", load: ladder("200, 300, 400, 500, 600, 800"), peak: 400,
			states: []string{fails}, saturation: 376, within: .02},
		{name: "a peak below what a queue answers", world: queueOf(4, 376), retry: "none", load: ladder("150, 225, 300, 375, 450, 600"), peak: 300,
			states: []string{holds}, saturation: 376, within: .02},
		{name: "an outage in the first half", world: world{offline: blip(1, 4)}, retry: "none", load: constant("200", "10s"), states: []string{fails}, says: "does not hold"},
		{name: "an outage in the last half", world: world{offline: blip(6, 2)}, retry: "none", load: constant("200", "10s"), states: []string{fails}},
		{name: "a peak with an outage in its first half", world: world{offline: blip(17, 2)}, retry: "none", load: ladder("200, 300, 400, 500"), peak: 400,
			states: []string{fails}, says: "25 % lost"},
		{name: "a rush at the begin, far beyond a limit", world: world{limit: 400, burst: .1}, retry: "none",
			load: [][3]string{{"rush", "{constant: 1200}", "3s"}, {"calm", "{constant: 20}", "7s"}}, states: []string{fails, saturates, untold}, saturation: 400, within: .02},
		{name: "0.5 % of 503 at every rate", world: noise(.005, 503), retry: "short", load: ladder("200, 300, 400"), states: []string{holds}},
		{name: "1 % of 503 at every rate", world: noise(.01, 503), retry: "short", load: ladder("200, 300, 400"), states: []string{holds}},
		{name: "2 % of 503 at every rate", world: noise(.02, 503), retry: "short", load: ladder("200, 300, 400"), states: []string{holds}, says: "sporadic"},
		{name: "5 % of 500 at every rate", world: noise(.05, 500), retry: "short", load: ladder("200, 300, 400"), states: []string{holds}},
		{name: "2 % of 503 at one rate, which retries answer", world: noise(.02, 503), retry: "short", load: constant("400", "20s"), states: []string{holds}},
		{name: "5 % of 500 that nobody retries", world: noise(.05, 500), retry: "none", load: ladder("200, 300, 400"), states: []string{fails}},
		{name: "a peak with 2 % of 503 at every rate", world: noise(.02, 503), retry: "short", load: ladder("200, 300, 400, 500"), peak: 400, states: []string{holds}},
		{name: "2 % of 503, and a limit", world: limitedNoise, retry: "short", load: ladder("200, 300, 500, 650"), states: []string{saturates}, saturation: 430, within: .02},
		{name: "a peak below that limit", world: limitedNoise, retry: "short", load: ladder("200, 300, 400, 500, 600, 800"), peak: 400, states: []string{holds}, saturation: 430, within: .02},
		{name: "a limit on inserts alone", world: world{limit: 75, burst: .1, insertsOnly: true}, retry: "none", load: ladder("100, 200, 400"), operations: mixed,
			states: []string{saturates}, saturation: 75, within: .03, says: "replaceload is not limited"},
		{name: "a bucket of 3,000, emptied on the way", world: burst, retry: "none", load: ladder("200, 300, 400, 500, 600, 800"),
			states: []string{saturates}, saturation: 300, within: .02, says: "about 3,000"},
		{name: "a peak that the bucket carried", world: burst, retry: "none", load: ladder("200, 300, 400, 500, 600, 800"), peak: 400, states: []string{fails}, saturation: 300, within: .02},
		{name: "a limit that varies by a tenth", world: world{limit: 300, burst: .1, varies: .1}, retry: "none", load: ladder("200, 250, 400, 600"),
			states: []string{saturates}, saturation: 300, within: .05},
		{name: "a limit that falls by a fifth", world: world{limit: 300, burst: .1, drifts: -.0065}, retry: "none", load: ladder("320, 400, 500, 600"), states: []string{fails, saturates}, saturation: 280, within: .2},
		{name: "a limit that somebody else takes a third of", world: world{limit: 300, burst: .1, other: 1. / 3}, retry: "none", load: ladder("100, 150, 250, 400"),
			states: []string{saturates}, saturation: 200, within: .02, says: "not measured"},
		{name: "requests of any size under a limit of bytes", world: world{limit: 300, burst: .1, sized: true}, retry: "none", load: ladder("200, 270, 400, 600"),
			states: []string{saturates}, saturation: 300, within: .03},
		{name: "a phase of one second", world: world{}, retry: "none", load: constant("200", "1s"), states: []string{holds, untold}},
		{name: "a step shorter than its response time", world: queueOf(1, .2), retry: "none", load: constant("10", "3s"), states: []string{fails, saturates, untold}, saturation: .2, within: 9},
	}
}

func TestHeadlines(t *testing.T) {
	leftOutWhenShort(t)
	t.Parallel()
	for _, row := range headlines() {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			text := inserts(row.retry, row.load...)
			if row.operations != "" {
				text = strings.Replace(text, "[{name: putload, verb: insert}]", strings.NewReplacer("name: put", "name: putload", "name: replace", "name: replaceload").Replace(row.operations), 1)
			}
			s := loaded(t, &row.world, text, row.peak).Summary
			if !slices.Contains(row.states, s.State) || !strings.Contains(strings.ToLower(s.Verdict), row.says) {
				t.Errorf("%s; want %v and %q: %s", s.State, row.states, row.says, s.Verdict)
			}
			switch {
			case s.Saturation == nil && row.saturation > 0 && !slices.Contains(row.states, results.CannotTell), s.Saturation != nil && row.saturation == 0:
				t.Errorf("saturation %s; want %v: %s", told(s.Saturation), row.saturation, s.Verdict)
			case s.Saturation != nil && math.Abs(*s.Saturation/row.saturation-1) > row.within:
				t.Errorf("saturation %v; want %v: %s", *s.Saturation, row.saturation, s.Verdict)
			}
			for _, phase := range s.Phases {
				if limit := row.world.limit; limit > 0 && row.world.burst <= .1 && row.operations == "" && !row.world.sized && phase.Served > 1.1*limit*(1+row.world.varies) {
					t.Errorf("%s served %v/s above a limit of %v", phase.Name, phase.Served, limit)
				}
			}
		})
	}
}

// A low rate is offered and served as it was asked for.
func TestLowRatesAreExact(t *testing.T) {
	t.Parallel()
	for _, rate := range []float64{0.3, 0.7, 1, 3, 7.5} {
		s := loaded(t, new(world), inserts("none", [3]string{"load", fmt.Sprintf("{constant: %v}", rate), "40s"}), 0).Summary
		if p := s.Phases[0]; p.Offered != rate || p.Served != rate || s.State != results.Holds {
			t.Errorf("%v/s: offered %v, served %v, %s; want both as asked, and holds", rate, p.Offered, p.Served, s.State)
		}
	}
}

// Wherever an overload ends, it is not reported as a rate that holds.
func TestAnOverloadOfAnyLengthDoesNotHold(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		world func() world
	}{
		{"a limit", func() world { return world{limit: 400, burst: .1} }},
		{"a queue", func() world { return queueOf(4, 376) }},
		{"a slow queue", func() world { return queueOf(32, 40) }},
		{"an outage", func() world { return world{offline: blip(0, .5)} }},
	} {
		for seconds := 1; seconds <= 12; seconds++ {
			w := row.world()
			s := loaded(t, &w, inserts("none", [3]string{"load", "{constant: 500}", fmt.Sprintf("%ds", seconds)}), 0).Summary
			if s.State == results.Holds {
				t.Errorf("%s, %d s: %s", row.name, seconds, s.Verdict)
			}
		}
	}
}
