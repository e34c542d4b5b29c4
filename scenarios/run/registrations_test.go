package run_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
)

// ownSample is the scenario file that the front page shows how to run.
const ownSample = "../../docs/registrations.yaml"

// sample returns the text of the sample, and what it says.
func sample(t *testing.T) (string, *scenarios.Scenario) {
	t.Helper()
	text, err := os.ReadFile(ownSample)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenarios.Parse(ownSample, text)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), s
}

// The sample runs as it stands, in less than the half minute that is promised, and
// its books close.
func TestTheSampleScenarioRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("a long run")
	}
	_, s := sample(t)
	record, err := run.Run(t.Context(), run.Plan{Scenario: s})
	if err != nil {
		t.Fatal(err)
	}
	if record.Validity != results.Valid || len(record.Reasons) > 0 {
		t.Errorf("the run is %s %v; want valid", record.Validity, record.Reasons)
	}
	if record.Duration > 25*time.Second {
		t.Errorf("the run took %v; want half a minute at most, with what opens and closes it", record.Duration)
	}
	sum := record.Total(results.Everything)
	if target := record.Target; target == nil || sum.Scheduled != sum.Sent+sum.Dropped || sum.Operations != sum.Sent ||
		sum.Attempts != sum.Ok+sum.Throttled+sum.Failed || sum.Attempts != target.Requests || sum.Counted != target.Entities {
		t.Errorf("the books are %+v, the target's %+v; want them to close", sum, target)
	}
	measured := record.Total(results.Reported)
	if sum.Failed > 0 || sum.Dropped > 0 || measured.Throttled > 0 || measured.Retries > 0 || measured.Attempts < measured.Operations*11/10 {
		t.Errorf("failed %d, dropped %d; measured: refused %d, retries %d, %d attempts of %d operations; want none of them, and pages",
			sum.Failed, sum.Dropped, measured.Throttled, measured.Retries, measured.Attempts, measured.Operations)
	}
	for _, phase := range record.Phases {
		for k, kind := range record.Manifest.Operations {
			if phase.Reported && kind.Group != "" && phase.Kinds[k].Succeeded < 100 {
				t.Errorf("%s: %d operations of %q succeeded; want a hundred at least", phase.Name, phase.Kinds[k].Succeeded, kind.Name)
			}
		}
	}
}

// What its comments propose is understood.
func TestTheSampleScenarioCanBeAltered(t *testing.T) {
	for _, arrivals := range []string{
		"{ramp: {from: 0, to: 900}}", "{burst: {base: 200, peak: 2000, every: 5s, length: 1s}}", "{poisson: 1500}",
		"{constant: 700}", "{sine: {mean: 500, amplitude: 500, period: 4s}}",
	} {
		_, s := sample(t)
		if err := s.Set("phases.measure.arrivals", arrivals); err != nil {
			t.Errorf("Set(phases.measure.arrivals, %s) = %v; want no error", arrivals, err)
		}
		if faults := s.Validate(); len(faults) > 0 {
			t.Errorf("with arrivals %s the sample has the faults %v; want none", arrivals, faults)
		}
	}
	text, _ := sample(t)
	reading := strings.Replace(text, "verb: merge", "verb: merge\n          read_first: true", 1)
	s, err := scenarios.Parse("reading.yaml", []byte(reading))
	if err != nil || !s.Phases[1].Traffic.Operations[2].ReadFirst {
		t.Errorf("Parse with read_first = %v; want a merge that reads first", err)
	}
}
