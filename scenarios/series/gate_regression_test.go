package series

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"loadgen/backoff"
	"loadgen/engine/model"
	"loadgen/report"
	"loadgen/report/compare"
	"loadgen/report/compare/gate"
	look "loadgen/report/text"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/run"
)

// committed is the folder of the baselines that are checked in.
var committed = filepath.Join("..", "..", "results", "baselines")

// A regression is a program that has changed without anybody meaning it to: what it
// leaves of a scenario, which it takes for the same as ever.
type regression func(t *testing.T, s *scenarios.Scenario) *results.Record

// withValue is a program that has another value for what stands at a path.
func withValue(path, value string) regression {
	return func(t *testing.T, s *scenarios.Scenario) *results.Record {
		altered := *s
		if err := altered.Set(path, value); err != nil {
			t.Fatal(err)
		}
		record, err := run.Run(t.Context(), run.Plan{Scenario: &altered})
		if err != nil {
			t.Fatal(err)
		}
		record.Manifest.Scenario.Text = ofLibrary(t, s.Name).Manifest.Scenario.Text
		return record
	}
}

// unaltered is a program that has not changed.
func unaltered(t *testing.T, s *scenarios.Scenario) *results.Record { return ofLibrary(t, s.Name) }

// withoutASecond is a program that loses the third second of its record.
func withoutASecond(t *testing.T, s *scenarios.Scenario) *results.Record {
	folder := new(results.Memory)
	if _, err := run.Run(t.Context(), run.Plan{Scenario: s, Memory: folder}); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(folder.Bytes(results.IntervalsFile)), "\n")
	if err := folder.Replace(results.IntervalsFile, []byte(strings.Join(append(lines[:3:3], lines[4:]...), ""))); err != nil {
		t.Fatal(err)
	}
	return readAgain(t, folder)
}

// readAgain returns the judged record of a folder.
func readAgain(t *testing.T, folder *results.Memory) *results.Record {
	t.Helper()
	record, err := results.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	record.Summary = verdict.Judge(record)
	return record
}

// middle is a back-off without jitter: of a delay the middle, every time.
type middle struct{ backoff.Delay }

func (d middle) Wait(x int, _ float64) time.Duration { return d.Delay.Wait(x, .5) }

// byHand is a program that alters the back-off. No plan can ask for that, so
// that the run is put together here.
func byHand(alter func(*backoff.Policy)) regression {
	return func(t *testing.T, s *scenarios.Scenario) *results.Record {
		policy, err := backoff.ByName(s.Retry)
		if err != nil {
			t.Fatal(err)
		}
		alter(&policy)
		m, err := model.New(s.Model.Profile)
		if err != nil {
			t.Fatal(err)
		}
		campaign, err := campaign.NewCampaign(campaign.Options{Scenario: s, Table: "loadgen" + s.Table, NewName: true, Blank: true, Policy: &policy})
		if err != nil {
			t.Fatal(err)
		}
		folder := new(results.Memory)
		recorder, err := results.NewRecorder(folder, ofLibrary(t, s.Name).Manifest)
		if err != nil {
			t.Fatal(err)
		}
		target := run.Engine(m, s.Seed, nil)
		runner := &drive.Virtual{Target: target}
		if err := campaign.Run(t.Context(), runner, &drive.Ledger{Recorder: recorder}); err != nil {
			t.Fatal(err)
		}
		counts := results.TargetCounts(target.Counts())
		if err := recorder.Finish(runner.Now().Offset(), results.Valid, []string{}, &counts); err != nil {
			t.Fatal(err)
		}
		return readAgain(t, folder)
	}
}

// Each deliberate regression is caught by the baselines that are checked in, and named
// by what the gate says.
func TestCommittedBaselinesCatchRegressions(t *testing.T) {
	if testing.Short() {
		t.Skip("a long run")
	}
	for _, row := range []struct {
		name, scenario string
		regression     regression
		// says is what the result has to name.
		says    []string
		outcome compare.Outcome
	}{
		{"half the partition target", "stress-one-partition", withValue("model.partition_target", "1000"),
			[]string{`model[partition_target].value: was "2000", is "1000"`, "phases[load].operations[load].throttled"}, compare.Regression},
		{"one more scan for each lookup", "row-range-scan",
			withValue("phases.read.operations", `[{name: month, verb: query, by: [customer, month], top: 4}]`),
			[]string{"phases[read].operations[month].attempts"}, compare.Regression},
		{"a lookup that scans its partition", "row-range-scan",
			withValue("phases.read.operations", `[{name: month, verb: query, class: partition-scan}]`),
			[]string{"phases[read].operations[month].counted_entities"}, compare.Regression},
		{"back-off without jitter", "projection-and-filter", byHand(func(p *backoff.Policy) { p.Delay = middle{p.Delay} }),
			[]string{"retry_waits.us."}, compare.Regression},
		{"back-off as ever", "projection-and-filter", byHand(func(*backoff.Policy) {}), []string{"it repeats to the last count"}, compare.Same},
		{"a lost second", "row-range-scan", withoutASecond, []string{"seconds.count", "second"}, compare.Invalid},
		{"nothing", "stress-one-partition", unaltered, []string{"it repeats to the last count"}, compare.Same},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, err := scenarios.Builtin(row.scenario)
			if err != nil {
				t.Fatal(err)
			}
			one, err := (&Gate{Baselines: committed}).Rule(row.regression(t, s), "")
			if err != nil {
				t.Fatal(err)
			}
			var text strings.Builder
			if err := report.Print(&text, gate.Document([]gate.Result{one}), report.FormText, look.Look{Verbose: true}); err != nil {
				t.Fatal(err)
			}
			t.Logf("%s", &text)
			if one.Outcome != row.outcome {
				t.Errorf("the ruling is %s; want %s", one.Outcome, row.outcome)
			}
			for _, says := range row.says {
				if !strings.Contains(text.String(), says) {
					t.Errorf("the ruling does not name %q", says)
				}
			}
		})
	}
}
