package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"loadgen/backoff"
	"loadgen/report/ruling"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
)

// withoutJitter is a back-off without jitter: of a delay the middle, every time.
type withoutJitter struct{ backoff.Delay }

func (d withoutJitter) Wait(x int, _ float64) time.Duration { return d.Delay.Wait(x, .5) }

// regression is a program that has changed without anybody meaning it to.
type regression struct {
	name, scenario string
	// alters changes what the program makes of the scenario, before and after it is
	// made a simulation of, and spoils the record it leaves.
	alters  func(s *scenarios.Scenario)
	options func(o *drive.Options)
	spoils  func(folder *results.Memory) *results.Memory
	// says is what the ruling has to name.
	says    []string
	outcome ruling.Outcome
}

// regressions are those that the committed baselines have to catch.
func regressions(t *testing.T) []regression {
	set := func(path, text string) func(s *scenarios.Scenario) {
		return func(s *scenarios.Scenario) {
			if err := s.Set(path, text); err != nil {
				t.Fatal(err)
			}
		}
	}
	return []regression{
		{name: "half the partition target", scenario: "stress-one-partition", alters: set("model.partition_target", "1000"),
			says: []string{`model[partition_target].value: was "2000", is "1000"`, "phases[load].operations[load].refused"}, outcome: ruling.Regressed},
		{name: "one more scan for each lookup", scenario: "row-range-scan",
			alters: set("phases.read.operations", `[{name: month, verb: query, by: [customer, month], top: 4}]`),
			says:   []string{"phases[read].operations[month].attempts"}, outcome: ruling.Regressed},
		{name: "a lookup that scans its partition", scenario: "row-range-scan",
			alters: set("phases.read.operations", `[{name: month, verb: query, class: partition-scan}]`),
			says:   []string{"phases[read].operations[month].counted_entities"}, outcome: ruling.Regressed},
		{name: "back-off without jitter", scenario: "range-moved", options: func(o *drive.Options) {
			policy, err := backoff.ByName("documented")
			if err != nil {
				t.Fatal(err)
			}
			policy.Delay = withoutJitter{policy.Delay}
			o.Policy = &policy
		}, says: []string{"retry_waits.us."}, outcome: ruling.Regressed},
		{name: "a lost second", scenario: "stress-one-partition", spoils: withoutASecond,
			says: []string{"seconds.count", "second"}, outcome: ruling.Invalid},
	}
}

// withoutASecond returns a record of which the third second is not there.
func withoutASecond(folder *results.Memory) *results.Memory {
	spoilt := new(results.Memory)
	for _, name := range []string{results.RunFile, results.IntervalsFile, results.EventsFile} {
		text := string(folder.Bytes(name))
		if name == results.IntervalsFile {
			lines := strings.SplitAfter(text, "\n")
			text = strings.Join(append(lines[:3:3], lines[4:]...), "")
		}
		w, err := spoilt.Create(name)
		if err != nil {
			panic(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			panic(err)
		}
		if err := w.Close(); err != nil {
			panic(err)
		}
	}
	return spoilt
}

// carriedOut returns the judged record that the changed program leaves, which takes the
// scenario for the same as ever.
func (r *regression) carriedOut(t *testing.T, s *scenarios.Scenario) *results.Record {
	t.Helper()
	altered, err := scenarios.Builtin(s.Name)
	if err != nil {
		t.Fatal(err)
	}
	if r.alters != nil {
		r.alters(altered)
	}
	o := drive.Options{Verify: s.Verify}
	if r.options != nil {
		r.options(&o)
	}
	sim, err := newSimulation(altered, true, time.Unix(0, 0), nil, o)
	if err != nil {
		t.Fatal(err)
	}
	// The program takes the scenario for the same as ever.
	sim.manifest.Scenario.Text = string(s.Text())
	folder := new(results.Memory)
	recorder, err := results.NewRecorder(folder, sim.manifest)
	if err != nil {
		t.Fatal(err)
	}
	end, err := sim.run(context.Background(), recorder)
	if err != nil {
		t.Fatal(err)
	}
	if err := sim.finish(recorder, end, nil); err != nil {
		t.Fatal(err)
	}
	if r.spoils != nil {
		folder = r.spoils(folder)
	}
	record, err := results.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	record.Summary = verdict.Judge(record)
	return record
}

// Each deliberate regression is caught by the baselines that are checked in, and named
// by what the gate says.
func TestCommittedBaselinesCatchRegressions(t *testing.T) {
	leftOutWhenShort(t)
	f := &gateFlags{baselines: filepath.Join("..", "..", "results", "baselines")}
	for _, r := range append(regressions(t), regression{name: "nothing", scenario: "stress-one-partition", outcome: ruling.Same}) {
		t.Run(r.name, func(t *testing.T) {
			s, err := scenarios.Builtin(r.scenario)
			if err != nil {
				t.Fatal(err)
			}
			one, err := f.rule(s, r.carriedOut(t, s))
			if err != nil {
				t.Fatal(err)
			}
			var text strings.Builder
			if err := ruling.Text(&text, []ruling.Ruling{one}); err != nil {
				t.Fatal(err)
			}
			t.Logf("%s", &text)
			if one.Outcome != r.outcome {
				t.Errorf("the ruling is %s; want %s", one.Outcome, r.outcome)
			}
			for _, says := range r.says {
				if !strings.Contains(text.String(), says) {
					t.Errorf("the ruling does not name %q", says)
				}
			}
		})
	}
}

// Every baseline that is checked in is that of a scenario of the library, and holds.
func TestCommittedBaselinesHold(t *testing.T) {
	leftOutWhenShort(t)
	folder := filepath.Join("..", "..", "results", "baselines")
	code, stdout, stderr := say(t, "gate", "--all", "--quiet", "--baselines", folder)
	if code != codeOk {
		t.Errorf("gate --all = %d\n%s%s", code, stdout, stderr)
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Count(stdout, ": no difference: ")
	if len(files) != 2*lines+1 {
		t.Errorf("%d files, and %d scenarios that repeat; want a baseline and its reasons for each, and a README.md", len(files), lines)
	}
}
