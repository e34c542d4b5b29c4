package run_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
)

// stress returns the documented stress test with these settings, each path=value.
func stress(t testing.TB, settings ...string) *scenarios.Scenario {
	t.Helper()
	return builtin(t, "stress", settings...)
}

// builtin returns a scenario of the library with these settings.
func builtin(t testing.TB, name string, settings ...string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range settings {
		path, value, _ := strings.Cut(one, "=")
		if err := s.Set(path, value); err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range s.Validate() {
		t.Fatal(err)
	}
	return s
}

// record is a sealed record with the files that it was read from.
type record struct {
	*results.Record
	memory *results.Memory
}

// simulated carries a plan out that is to come to its end.
func simulated(t testing.TB, p run.Plan) record {
	t.Helper()
	if p.Memory == nil {
		p.Memory = new(results.Memory)
	}
	r, err := run.Run(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return record{r, p.Memory}
}

// simulate runs the stress test with these settings on the virtual clock.
func simulate(t testing.TB, settings ...string) record {
	t.Helper()
	return simulated(t, run.Plan{Scenario: stress(t, settings...)})
}

// leftOutWhenShort leaves a test to the full tests: the race detector is slow, and
// finds nothing in what one goroutine plays alone or a shorter test goes through.
func leftOutWhenShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("a long run")
	}
}

func phaseNamed(t *testing.T, s *results.Summary, rate string) results.PhaseSummary {
	t.Helper()
	for _, p := range s.Phases {
		if strings.Contains(p.Name, " "+rate+"/s") {
			return p
		}
	}
	t.Fatalf("no step of %s/s in %d phases", rate, len(s.Phases))
	return results.PhaseSummary{}
}

func TestStressFindsThePartitionsTarget(t *testing.T) {
	leftOutWhenShort(t)
	t.Parallel()
	s := simulate(t)
	sum := s.Summary
	if sum.Validity != results.Valid || len(sum.Reasons) > 0 {
		t.Fatalf("validity = %s %v; want valid", sum.Validity, sum.Reasons)
	}
	if sum.Saturation == nil || math.Abs(*sum.Saturation/2000-1) > .02 {
		t.Errorf("saturation = %v; want 2,000 ± 2 %%", sum.Saturation)
	}
	for _, rate := range []string{"500", "1000"} {
		if p := phaseNamed(t, sum, rate); p.ThrottledPerSecond != 0 {
			t.Errorf("refused at %s/s = %v; want none", rate, p.ThrottledPerSecond)
		}
	}
	if p := phaseNamed(t, sum, "4000"); p.ShareLost == nil || math.Abs(*p.ShareLost-.5) > .02 {
		t.Errorf("share lost at 4,000/s = %v; want half", p.ShareLost)
	}
	if sum.Hottest == nil || sum.Hottest.Key != "2011 New York City Marathon__Full" {
		t.Errorf("hottest partition = %v; want the one aimed at", sum.Hottest)
	}
	if s.Duration > 45*time.Second {
		t.Errorf("the test takes %v; want at most 45 s", s.Duration)
	}
}

// Where half of the operations are lost after three retries, each attempt is
// throttled with p = 0.5^(1/4), and (1 − p⁴)/(1 − p) = 3.14 attempts go to an
// operation, if attempts are throttled without regard to how often they were
// tried. The first second, before retries have piled up, takes off a little;
// arrivals in step with the partition's allowance would take off a fifth.
func TestRetriesMeetWhatFirstAttemptsMeet(t *testing.T) {
	leftOutWhenShort(t)
	t.Parallel()
	s := simulate(t, "phases.peak.rates=[4000]", "phases.peak.each=8s")
	p := phaseNamed(t, s.Summary, "4000")
	for name, op := range p.PerOperation {
		if op.AttemptsPerOperation == nil || math.Abs(*op.AttemptsPerOperation/3.14-1) > .08 {
			t.Errorf("attempts per %s = %v; want 3.14 ± 8 %%", name, *op.AttemptsPerOperation)
		}
	}
}

func TestHalfIsThrottledWithoutRetries(t *testing.T) {
	leftOutWhenShort(t)
	t.Parallel()
	s := simulate(t, "retry=none", "phases.peak.rates=[4000]", "phases.peak.each=8s")
	var attempts, throttled int64
	for _, row := range s.Intervals {
		// The first second holds the burst that the idle partition saved up, a
		// fortieth of what is admitted: within the bound, too.
		if strings.HasPrefix(row.Phase, "peak") {
			attempts += row.Attempts
			throttled += row.Throttled
		}
	}
	if attempts < 30_000 {
		t.Fatalf("%d attempts in the peak; the test reads too few", attempts)
	}
	if share := float64(throttled) / float64(attempts); math.Abs(share-.5) > .02 {
		t.Errorf("share of the attempts throttled = %.3f; want half, ± 2 points", share)
	}
	p := phaseNamed(t, s.Summary, "4000")
	if per := p.PerOperation["get"].AttemptsPerOperation; per == nil || *per != 1 {
		t.Errorf("attempts per operation without retries = %v; want 1", per)
	}
}

func TestSameSeedSameBytes(t *testing.T) {
	leftOutWhenShort(t)
	small := []string{"phases.load.entities=3000", "phases.peak.each=1s"}
	first := simulate(t, small...)
	for i, workers := range []string{"1", "7", "4096"} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1 + 3*(i%2)))
		again := simulate(t, append([]string{"workers=" + workers}, small...)...)
		for _, file := range []string{results.IntervalsFile, results.EventsFile} {
			if !bytes.Equal(first.memory.Bytes(file), again.memory.Bytes(file)) {
				t.Errorf("%s differs between two runs of one seed, the second with %s workers", file, workers)
			}
		}
	}
	other := simulate(t, append([]string{"seed=5"}, small...)...)
	if bytes.Equal(first.memory.Bytes(results.IntervalsFile), other.memory.Bytes(results.IntervalsFile)) {
		t.Error("another seed gave the same seconds: the seed decides nothing")
	}
	var kinds []string
	for _, e := range first.Events {
		kinds = append(kinds, e.What)
	}
	for _, what := range []string{results.StageBegins, results.PhaseBegins, results.PhaseEnds, results.StageEnds} {
		if !slices.Contains(kinds, what) {
			t.Errorf("events.ndjson has no %q among %v", what, kinds)
		}
	}
	if !bytes.Contains(first.memory.Bytes(results.EventsFile), []byte(results.VerdictTold)) {
		t.Error("events.ndjson has no verdict")
	}
}

func TestPeakAsked(t *testing.T) {
	leftOutWhenShort(t)
	t.Parallel()
	for _, row := range []struct {
		sentence string
		peak     float64
		holds    bool
	}{
		{"half of the target holds", 1000, true},
		{"a little below the target holds", 1900, true},
		{"a little above it does not, though the burst carries it", 2048, false},
		{"nor does a tenth above it", 2200, false},
		{"twice the target does not", 4000, false},
	} {
		s := simulated(t, run.Plan{Scenario: stress(t, around(row.peak), "phases.peak.each=2s", "phases.load.entities=4000"), Peak: row.peak})
		if verdict.Holds(s.Summary) != row.holds {
			t.Errorf("%s: a peak of %v holds: %t; want %t (%s)", row.sentence, row.peak, !row.holds, row.holds, s.Summary.Verdict)
		}
		if len(s.Summary.Checks) == 0 {
			t.Errorf("%s: a peak of %v left no expectation", row.sentence, row.peak)
		}
	}
}

// around are the rates by which a command has a peak judged.
func around(peak float64) string {
	return fmt.Sprintf("phases.peak.rates=[%v, %v, %v, %v]", .5*peak, peak, 1.25*peak, 2*peak)
}

func TestAnotherPartition(t *testing.T) {
	s := simulate(t, "phases.peak.partition_key=2011 Berlin Marathon__Half", "phases.peak.rates=[1000]", "phases.peak.each=2s")
	if s.Summary.Hottest == nil || s.Summary.Hottest.Key != "2011 Berlin Marathon__Half" {
		t.Errorf("hottest partition = %v; want the one asked for", s.Summary.Hottest)
	}
	if len(s.Summary.Phases) != 1 || s.Summary.Failed != 0 {
		t.Errorf("%d phases, %d failed; want one step without a failure", len(s.Summary.Phases), s.Summary.Failed)
	}
}
