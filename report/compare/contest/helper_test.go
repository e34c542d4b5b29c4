package contest_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/report/compare/contest"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew")

// logged is a target that keeps what it was asked, and what it answered.
type logged struct {
	target.Immediate
	requests, throttled, entities int64
}

func (l *logged) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	outcome, at := l.Immediate.Submit(now, op)
	l.requests++
	l.entities += outcome.Counted
	if outcome.Status == 503 {
		l.throttled++
	}
	return outcome, at
}

// parsed reads a scenario and sets what of it is to be other, as path and value.
func parsed(t testing.TB, text string, seed uint64, set ...string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Parse("contest.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(set); i += 2 {
		if err := s.Set(set[i], set[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	s.Seed = seed
	return s
}

// simulated carries a scenario out on the virtual clock, through the real engine.
func simulated(t testing.TB, s *scenarios.Scenario) (*results.Record, *logged) {
	t.Helper()
	m, err := model.New(s.Model.Profile)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range s.Model.Overrides {
		if err := m.Set(o.Name, o.Text); err != nil {
			t.Fatal(err)
		}
	}
	e := engine.New(engine.Options{Model: m, Accounts: []string{"a"}, Seed: s.Seed})
	c, err := campaign.NewCampaign(campaign.Options{Scenario: s, Table: "contest"})
	if err != nil {
		t.Fatal(err)
	}
	manifest := results.Manifest{Scenario: results.Scenario{Name: s.Name}, Target: results.InProcess, Profile: m.Profile, Start: s.Start,
		Seed: s.Seed, Time: "virtual", Operations: c.Kinds(), Checks: s.Expect,
		Targets: results.Targets{Partition: m.PartitionTarget, Account: m.AccountTarget}}
	folder := new(results.Memory)
	recorder, err := results.NewRecorder(folder, manifest)
	if err != nil {
		t.Fatal(err)
	}
	to := &logged{Immediate: target.NewInProcess(e, "a", nil)}
	runner := &drive.Virtual{Target: to}
	if err := c.Run(t.Context(), runner, &drive.Ledger{Recorder: recorder}); err != nil {
		t.Fatal(err)
	}
	counts := results.TargetCounts(target.Counts(e.Counts()))
	if err := recorder.Finish(runner.Now().Offset(), results.Valid, nil, &counts); err != nil {
		t.Fatal(err)
	}
	record, err := results.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	return record, to
}

// measured runs a scenario and measures it.
func measured(t testing.TB, s *scenarios.Scenario, needs figure.Needs) (contest.Trial, *results.Record) {
	t.Helper()
	record, _ := simulated(t, s)
	return contest.Measure(record, verdict.Judge(record), needs), record
}

// inTwelve returns a text whose numbers have twelve digits at most: what a p-value has
// beyond them goes by how the library and the processor come to it.
func inTwelve(text []byte) []byte {
	long := regexp.MustCompile(`\d\.\d{12,}(e[-+]?\d+)?|\d{2,}\.\d{11,}`)
	return long.ReplaceAllFunc(text, func(number []byte) []byte {
		value, _ := strconv.ParseFloat(string(number), 64)
		return strconv.AppendFloat(nil, value, 'g', 12, 64)
	})
}

// golden holds a text to a file, or writes that. Numbers agree to twelve digits.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *rewrite {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(inTwelve(got), inTwelve(want)) {
		t.Errorf("%s differs from %s:\n%s", name, path, got)
	}
}
