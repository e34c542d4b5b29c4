package main

import (
	"bytes"
	"context"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"loadgen/results"
)

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
	sum := s.summary
	if sum.Validity != results.Valid || len(sum.Reasons) > 0 {
		t.Fatalf("validity = %s %v; want valid", sum.Validity, sum.Reasons)
	}
	if sum.Saturation == nil || math.Abs(*sum.Saturation/2000-1) > .02 {
		t.Errorf("saturation = %v; want 2,000 ± 2 %%", sum.Saturation)
	}
	for _, rate := range []string{"500", "1000"} {
		if p := phaseNamed(t, sum, rate); p.RefusedPerSecond != 0 {
			t.Errorf("refused at %s/s = %v; want none", rate, p.RefusedPerSecond)
		}
	}
	if p := phaseNamed(t, sum, "4000"); p.ShareLost == nil || math.Abs(*p.ShareLost-.5) > .02 {
		t.Errorf("share lost at 4,000/s = %v; want half", p.ShareLost)
	}
	if sum.Hottest == nil || sum.Hottest.Key != "2011 New York City Marathon__Full" {
		t.Errorf("hottest partition = %v; want the one aimed at", sum.Hottest)
	}
	if s.record.Duration > 45*time.Second {
		t.Errorf("the test takes %v; want at most 45 s", s.record.Duration)
	}
}

// Where half of the operations are lost after three retries, each attempt is
// refused with p = 0.5^(1/4), and (1 − p⁴)/(1 − p) = 3.14 attempts go to an
// operation, if attempts are refused without regard to how often they were
// tried. The first second, before retries have piled up, takes off a little;
// arrivals in step with the partition's allowance would take off a fifth.
func TestRetriesMeetWhatFirstAttemptsMeet(t *testing.T) {
	leftOutWhenShort(t)
	t.Parallel()
	s := simulate(t, "--rate", "4000", "--duration", "8s")
	p := phaseNamed(t, s.summary, "4000")
	for name, op := range p.PerOperation {
		if op.AttemptsPerOperation == nil || math.Abs(*op.AttemptsPerOperation/3.14-1) > .08 {
			t.Errorf("attempts per %s = %v; want 3.14 ± 8 %%", name, *op.AttemptsPerOperation)
		}
	}
}

func TestHalfIsRefusedWithoutRetries(t *testing.T) {
	leftOutWhenShort(t)
	t.Parallel()
	s := simulate(t, "--retry", "none", "--rate", "4000", "--duration", "8s")
	var attempts, refused int64
	for _, row := range s.record.Intervals {
		// The first second holds the burst that the idle partition saved up, a
		// fortieth of what is admitted: within the bound, too.
		if strings.HasPrefix(row.Phase, "peak") {
			attempts += row.Attempts
			refused += row.Refused
		}
	}
	if attempts < 30_000 {
		t.Fatalf("%d attempts in the peak; the test reads too few", attempts)
	}
	if share := float64(refused) / float64(attempts); math.Abs(share-.5) > .02 {
		t.Errorf("share of the attempts refused = %.3f; want half, ± 2 points", share)
	}
	p := phaseNamed(t, s.summary, "4000")
	if per := p.PerOperation["get"].AttemptsPerOperation; per == nil || *per != 1 {
		t.Errorf("attempts per operation without retries = %v; want 1", per)
	}
}

func TestSameSeedSameBytes(t *testing.T) {
	leftOutWhenShort(t)
	small := []string{"--set", "phases.load.entities=3000", "--duration", "1s"}
	first := simulate(t, small...)
	for i, workers := range []string{"1", "7", "4096"} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1 + 3*(i%2)))
		again := simulate(t, append([]string{"--workers", workers}, small...)...)
		for _, file := range []string{results.IntervalsFile, results.EventsFile} {
			if !bytes.Equal(first.memory.Bytes(file), again.memory.Bytes(file)) {
				t.Errorf("%s differs between two runs of one seed, the second with %s workers", file, workers)
			}
		}
	}
	other := simulate(t, append([]string{"--seed", "5"}, small...)...)
	if bytes.Equal(first.memory.Bytes(results.IntervalsFile), other.memory.Bytes(results.IntervalsFile)) {
		t.Error("another seed gave the same seconds: the seed decides nothing")
	}
	var kinds []string
	for _, e := range first.record.Events {
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
		sentence, peak string
		holds          bool
	}{
		{"half of the target holds", "1000", true},
		{"a little below the target holds", "1900", true},
		{"a little above it does not, though the burst carries it", "2048", false},
		{"nor does a tenth above it", "2200", false},
		{"twice the target does not", "4000", false},
	} {
		s := simulate(t, "--peak", row.peak)
		err := new(runFlags).judge(s.finished)
		code := codeOk
		if err != nil {
			code, _ = explain(context.Background(), err)
		}
		if want := map[bool]int{true: codeOk, false: codeExpectation}[row.holds]; code != want {
			t.Errorf("%s: exit code of --peak %s = %d; want %d (%s)", row.sentence, row.peak, code, want, s.summary.Verdict)
		}
		if len(s.summary.Expectations) == 0 {
			t.Errorf("%s: --peak %s left no expectation", row.sentence, row.peak)
		}
	}
}

func TestAnotherPartition(t *testing.T) {
	s := simulate(t, "--partition-key", "2011 Berlin Marathon__Half", "--rate", "1000", "--duration", "2s")
	if s.summary.Hottest == nil || s.summary.Hottest.Key != "2011 Berlin Marathon__Half" {
		t.Errorf("hottest partition = %v; want the one asked for", s.summary.Hottest)
	}
	if len(s.summary.Phases) != 1 || s.summary.Failed != 0 {
		t.Errorf("%d phases, %d failed; want one step without a failure", len(s.summary.Phases), s.summary.Failed)
	}
}

// The waits of the documented policy are minutes: the hold lasts until the
// retries of every step have met the same load.
func TestDocumentedPolicyIsHeldToItsWaits(t *testing.T) {
	leftOutWhenShort(t)
	t.Parallel()
	s := simulate(t, "--retry", "documented", "--rate", "2500", "--duration", "4s")
	if s.summary.Validity != results.Valid || s.record.Misplaced != 0 {
		t.Fatalf("validity = %s %v, %d misplaced; want valid", s.summary.Validity, s.summary.Reasons, s.record.Misplaced)
	}
	if s.record.Duration < 219*time.Second {
		t.Errorf("the run lasted %v; want the 39 + 90 + 90 s that three waits can take, and more", s.record.Duration)
	}
	sum := s.record.Total(results.Reported)
	if sum.Cut != 0 || sum.Attempts <= sum.Operations {
		t.Errorf("%d operations of the reported step were cut, %d attempts for %d operations; want none cut, and retries",
			sum.Cut, sum.Attempts, sum.Operations)
	}
	// What is lost while the retries are still away flatters: the verdict says
	// what a lasting peak loses.
	if want := "19.9 % of a peak that outlasts its retries, which wait up to 1m30s"; !strings.Contains(s.summary.Verdict, want) {
		t.Errorf("verdict = %q; want %q in it", s.summary.Verdict, want)
	}
	if p99, told := s.record.RetryWaits.Quantile(.99); !told || p99 < 80_000_000 {
		t.Errorf("p99 of the waits = %d µs; want the 90 s of the cap", p99)
	}
}
