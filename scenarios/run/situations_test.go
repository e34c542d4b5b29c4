package run_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"loadgen/results"
)

// situation is a world, the load that it meets, and what is right to say of them.
type situation struct {
	name  string
	world world
	retry string
	load  [][3]string
	// kinds of throttling, stretch by stretch; saturation in entities per second, 0 for
	// none that may be claimed; validity is valid where it is empty.
	kinds      string
	saturation float64
	validity   string
	// says and never are parts of the verdict.
	says, never string
}

// blip is from an instant on, in seconds of the load, for so long.
func blip(from, length float64) [2]time.Duration {
	return [2]time.Duration{time.Duration(from * 1e9), time.Duration((from + length) * 1e9)}
}

func steady(rate string) [][3]string {
	return [][3]string{{"load", "{constant: " + rate + "}", "30s"}}
}

func shaped(arrivals string) [][3]string { return [][3]string{{"load", arrivals, "40s"}} }

// situations are those in which a headline went wrong, or could.
func situations() []situation {
	ladder := shaped("{steps: {rates: [600, 900, 1500, 2000], each: 8s}}")
	limit := func(rate float64) world { return world{limit: rate, burst: .1} }
	const spread, holds = "needs keys that spread it", "holds"
	return []situation{
		{"half a second of 503s at 200/s shows no limit", world{offline: blip(9.3, .5)}, "none", steady("200"), "brief", 0, "", "no limit shows", spread},
		{"a second of them neither", world{offline: blip(9.3, 1)}, "none", steady("200"), "brief", 0, "", "no limit shows", spread},
		{"nor three", world{offline: blip(9.3, 3)}, "none", steady("200"), "brief", 0, "", "no limit shows", spread},
		{"nor three that retries carry", world{offline: blip(9.3, 3)}, "documented", steady("200"), "brief", 0, "", "no limit shows", spread},
		{"half a second at 1,500/s", world{offline: blip(9.3, .5)}, "short", steady("1500"), "brief", 0, "", "no limit shows", spread},
		{"a second at 1,500/s", world{offline: blip(9.3, 1)}, "short", steady("1500"), "brief", 0, "", "no limit shows", spread},
		{"three seconds at 1,500/s", world{offline: blip(9.3, 3)}, "short", steady("1500"), "brief", 0, "", "no limit shows", spread},
		{"a blip in the last half is not held", world{offline: blip(22.3, 1)}, "none", steady("200"), "brief", 0, "", "does not hold 200", "saturates"},
		{"a blip in a ladder", world{offline: blip(28, 1)}, "none", ladder, "brief", 0, "", "no limit shows", spread},
		{"a target frozen for three seconds is throttled by nobody", world{frozen: blip(10, 3)}, "none", steady("200"), "none", 0, "", holds, "saturates"},
		{"an outage of most of the load is no limit", world{offline: blip(5, 22)}, "none", steady("200"), "outage", 0, "", "an outage", spread},
		{"a limit of 1,200 at 1,500/s", limit(1200), "none", steady("1500"), "limit", 1200, "", "saturates at 1,200", ""},
		{"with retries", limit(1200), "short", steady("1500"), "limit", 1200, "", "saturates at 1,200", ""},
		{"at 1,210/s it is not held", limit(1200), "none", steady("1210"), "none", 0, "", "does not hold 1,210", "holds 1,210"},
		{"nor with retries", limit(1200), "short", steady("1210"), "carried by retries", 0, "", "about at its limit", "holds 1,210"},
		{"a limit in a ramp", limit(1200), "none", shaped("{ramp: {from: 100, to: 2000}}"), "limit", 1200, "", "saturates at 1,200", ""},
		{"in a ramp with retries", limit(1200), "short", shaped("{ramp: {from: 100, to: 2000}}"), "limit", 1200, "", "saturates at 1,200", ""},
		{"in bursts of two seconds, without retries", limit(1200), "none", shaped("{burst: {base: 150, peak: 2000, every: 5s, length: 2s}}"), "limit", 1200, "", "saturates at 1,20", ""},
		{"in bursts of a second, which spend what was saved up", limit(1200), "none", shaped("{burst: {base: 150, peak: 3000, every: 5s, length: 1s}}"), "bursts", 0, "", "bursts of 2 s and more would", "saturates at"},
		{"in bursts", limit(1200), "short", shaped("{burst: {base: 300, peak: 2000, every: 10s, length: 4s}}"), "limit", 1200, "", "saturates at 1,200", ""},
		{"in a sine", limit(1200), "short", shaped("{sine: {mean: 1000, amplitude: 800, period: 20s}}"), "limit", 1200, "", "saturates at 1,200", ""},
		{"in random arrivals", limit(1200), "none", shaped("{poisson: 1300}"), "limit", 1200, "", "saturates at 1,20", ""},
		{"in a ladder", limit(1200), "short", ladder, "limit", 1200, "", "saturates at 1,200", ""},
		{"in a ladder with an outage", world{limit: 1200, burst: .1, offline: blip(28, 1)}, "short", ladder, "limit", 1200, "", "saturates at 1,200", ""},
		{"beside sporadic throttling", world{limit: 1200, burst: .1, share: .1}, "none", ladder, "limit", 1200, "", "saturates at 1,200", ""},
		{"a limit beyond the load", limit(3000), "short", ladder, "none", 0, "", "holds 2,000", "saturates"},
		{"a limit that moves is not one", world{limit: 1200, then: 800, moves: 15 * time.Second, burst: .1}, "short", steady("1500"),
			"changing", 0, "", "no one limit", spread},
		{"1 % of 503s without a limit", world{share: .01}, "none", steady("1000"), "limit or sporadic", 0, "", "a second rate", spread},
		{"5 %", world{share: .05}, "none", steady("1000"), "limit or sporadic", 0, "", "a second rate", spread},
		{"30 %", world{share: .3}, "none", steady("1000"), "limit or sporadic", 0, "", "a second rate", spread},
		{"30 %, of which retries carry most", world{share: .3}, "short", steady("1000"), "", 0, "", "", spread},
		{"10 % in a ladder", world{share: .1}, "none", ladder, "sporadic", 0, "", "sporadic", spread},
		{"30 % in a ramp", world{share: .3}, "none", shaped("{ramp: {from: 100, to: 2000}}"), "sporadic", 0, "", "sporadic", spread},
		{"each reply is a 302", world{share: 1, status: 302}, "none", steady("200"), "none", 0, results.Invalid, "none succeeded", holds},
		{"each reply is a 400", world{share: 1, status: 400, code: "InvalidInput"}, "none", steady("200"), "none", 0, results.Invalid, "none succeeded", holds},
		{"each reply is a 503", world{share: 1}, "short", steady("200"), "outage", 0, results.Invalid, "none succeeded", "saturates"},
		{"5 % of 400s are no throttling", world{share: .05, status: 400, code: "InvalidInput"}, "none", steady("200"), "none", 0, "", "does not hold 200", "saturates"},
		{"two phases with limits of their own", world{limit: 1200, then: 600, moves: 20 * time.Second, burst: .1}, "none",
			[][3]string{{"first", "{constant: 1500}", "20s"}, {"second", "{constant: 1500}", "20s"}}, "limit,limit", 0, "", "in second", ""},
		{"two phases with the same", limit(1200), "none",
			[][3]string{{"first", "{constant: 1500}", "20s"}, {"second", "{constant: 1800}", "20s"}}, "limit,limit", 1200, "", "saturates at 1,200", ""},
		{"scans of a hundred entities each", world{limit: 2000, burst: .1, scanned: 100}, "none", steady("30"), "limit", 2000, "", "saturates at 2,00", ""},
		{"scans below the limit", world{limit: 2000, burst: .1, scanned: 100}, "none", steady("19"), "none", 0, "", holds, "saturates"},
	}
}

func TestSituations(t *testing.T) {
	leftOutWhenShort(t)
	t.Parallel()
	for _, row := range situations() {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			row.judged(t, loaded(t, &row.world, inserts(row.retry, row.load...), 0).Summary)
		})
	}
}

// judged holds a summary against what is right to say.
func (row *situation) judged(t *testing.T, s *results.Summary) {
	t.Helper()
	var kinds []string
	for _, one := range s.Throttling {
		kinds = append(kinds, one.Kind)
	}
	if got := strings.Join(kinds, ","); row.kinds != "" && got != row.kinds {
		t.Errorf("throttling %s; want %s: %s", got, row.kinds, s.Verdict)
	}
	switch {
	case row.saturation == 0 && s.Saturation != nil:
		t.Errorf("saturation %v; want none: %s", *s.Saturation, s.Verdict)
	case row.saturation != 0 && (s.Saturation == nil || math.Abs(*s.Saturation/row.saturation-1) > .01):
		t.Errorf("saturation %s; want %v: %s", told(s.Saturation), row.saturation, s.Verdict)
	}
	validity := row.validity
	if validity == "" {
		validity = results.Valid
	}
	if s.Validity != validity {
		t.Errorf("the run is %s; want %s: %v", s.Validity, validity, s.Reasons)
	}
	if verdict := strings.ToLower(s.Verdict); !strings.Contains(verdict, strings.ToLower(row.says)) ||
		row.never != "" && strings.Contains(verdict, row.never) {
		t.Errorf("the verdict is %q; want %q in it, and never %q", s.Verdict, row.says, row.never)
	}
}

func TestAPeakAtItsLimitIsNotHeld(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		peak  float64
		holds string
	}{
		{"a rate below the limit holds", 900, "true"},
		{"one above it does not", 1500, "false"},
	} {
		record := loaded(t, &world{limit: 1200, burst: .1}, inserts("short", shaped("{steps: {rates: [600, 900, 1500, 2000], each: 8s}}")...), row.peak)
		for _, phase := range record.Summary.Phases {
			if !strings.Contains(phase.Name, verdictRate(row.peak)) {
				continue
			}
			if got := fmt.Sprint(phase.Holds != nil && *phase.Holds); got != row.holds {
				t.Errorf("%s: %s holds %s; want %s", row.name, phase.Name, got, row.holds)
			}
		}
	}
}

func verdictRate(rate float64) string { return fmt.Sprintf("%.0f", rate) }
