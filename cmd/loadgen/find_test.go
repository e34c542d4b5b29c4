package main

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"loadgen/results"
	"loadgen/scenarios/campaign"
)

func TestFindLimitRefusesWhatCannotBe(t *testing.T) {
	leftOutWhenShort(t)
	for _, row := range []struct {
		name string
		args []string
		// says is part of the line.
		says string
	}{
		{"a limit of something else", []string{"stress", "--find-limit", "table"}, `--find-limit table: expected partition or account`},
		{"an empty limit", []string{"stress", "--find-limit="}, "--find-limit: expected a value"},
		{"a share without a search", []string{"stress", "--max-throttled", "1%"}, "--max-throttled belongs to --find-limit"},
		{"a response time without a search", []string{"simulate", "--max-p99", "50ms"}, "--max-p99 belongs to --find-limit"},
		{"a first rate without a search", []string{"stress", "--from", "100"}, "--from belongs to --find-limit"},
		{"a highest rate without a search", []string{"stress", "--max-rate", "100"}, "--max-rate belongs to --find-limit"},
		{"a step without a search", []string{"simulate", "--step", "5s"}, "--step belongs to --find-limit"},
		{"a search and a rate", []string{"stress", "--find-limit", "partition", "--rate", "5"}, "--find-limit and --rate each choose the steps"},
		{"a search and a peak", []string{"stress", "--find-limit", "partition", "--peak", "5"}, "--find-limit and --peak each"},
		{"a search and a duration", []string{"stress", "--find-limit", "partition", "--duration", "5s"}, "--find-limit and --duration each"},
		{"a share that is no percentage", []string{"stress", "--find-limit", "partition", "--max-throttled", "0.005"}, "such as 0.5%"},
		{"a share that is a word", []string{"stress", "--find-limit", "partition", "--max-throttled", "few"}, "--max-throttled few: expected"},
		{"all of it", []string{"stress", "--find-limit", "partition", "--max-throttled", "100%"}, "--max-throttled 100%: expected"},
		{"less than none of it", []string{"stress", "--find-limit", "partition", "--max-throttled", "-1%"}, "--max-throttled -1%: expected"},
		{"a response time of nothing", []string{"stress", "--find-limit", "partition", "--max-p99", "0s"}, "--max-p99 0s: expected more than 0"},
		{"a first rate of nothing", []string{"stress", "--find-limit", "partition", "--from", "0"}, "--from 0: expected operations/s from 2"},
		{"a first rate that is no number", []string{"simulate", "--find-limit", "partition", "--from", "NaN"}, "--from NaN: expected"},
		{"a highest rate below the first", []string{"stress", "--find-limit", "partition", "--from", "900", "--max-rate", "800"}, "--max-rate 800: expected at least the first one, 900"},
		{"a highest rate beyond all bounds", []string{"stress", "--find-limit", "partition", "--max-rate", "1e9"}, "--max-rate 1e+09: expected"},
		{"a step that is too short", []string{"stress", "--find-limit", "partition", "--step", "1s"}, "--step 1s: expected 2s"},
		{"two faults at once", []string{"stress", "--find-limit", "all", "--step", "1s"}, "; --step 1s: expected"},
		{"an account whose partitions bind before it", []string{"simulate", "--find-limit", "account", "--set", "model.partition_target=500"},
			"12 partitions of 500 entities/s each bind before the account's 20000; expected a scenario of 44 partitions or more"},
		{"an account that has no target", []string{"simulate", "--find-limit", "account", "--set", "model.account_target=0"},
			"expected --find-limit partition"},
		{"a flag that is nearly one", []string{"stress", "--find-limits", "partition"}, "nearest is --find-limit"},
	} {
		t.Chdir(t.TempDir())
		code, stdout, stderr := say(t, row.args...)
		if code != codeUsage || stdout != "" || !strings.Contains(stderr, row.says) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: %v = %d, %q, %q; want 2 and one line with %q", row.name, row.args, code, stdout, stderr, row.says)
		}
		if left := leftIn(t, "."); len(left) > 0 {
			t.Errorf("%s: %v left %v; want nothing", row.name, row.args, left)
		}
	}
}

func TestParseShare(t *testing.T) {
	for text, want := range map[string]float64{"0.5%": .005, "0%": 0, "99.9%": .999, "1e-1%": .001} {
		if got, err := parseShare(text); err != nil || math.Abs(got-want) > 1e-15 {
			t.Errorf("parseShare(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "%", "0.5", "-0%", "-1%", "100%", "NaN%", "Inf%", "0.5 %", "0,5%"} {
		if got, err := parseShare(text); err == nil {
			t.Errorf("parseShare(%q) = %v; want an error", text, got)
		}
	}
}

func FuzzParseShare(f *testing.F) {
	f.Add("0.5%")
	f.Add("0x1p-3%")
	f.Fuzz(func(t *testing.T, text string) {
		if share, err := parseShare(text); err == nil && !(share >= 0 && share < 1) {
			t.Errorf("parseShare(%q) = %v; want from 0 to below 1", text, share)
		}
	})
}

// What is left open follows from the scenario and its model.
func TestFindLimitFillsInWhatIsLeftOpen(t *testing.T) {
	for _, row := range []struct {
		name string
		args []string
		want campaign.Find
		// retry is the policy that was chosen, empty for none: a search then tries nothing again.
		retry string
	}{
		{"a partition begins at the scenario's first rate", []string{"--find-limit", "partition"},
			campaign.Find{Of: "partition", MaxThrottled: .005, From: 500, UpTo: 8000, Step: 10 * time.Second, Burst: 100 * time.Millisecond}, ""},
		{"an account saves up more, so that its steps last longer", []string{"--find-limit", "account"},
			campaign.Find{Of: "account", MaxThrottled: .005, From: 5000, UpTo: 40_000, Step: 25 * time.Second, Burst: 250 * time.Millisecond}, ""},
		{"another burst makes other steps", []string{"--find-limit", "partition", "--set", "model.partition_burst=300ms"},
			campaign.Find{Of: "partition", MaxThrottled: .005, From: 500, UpTo: 8000, Step: 30 * time.Second, Burst: 300 * time.Millisecond}, ""},
		{"with a small burst a step lasts two seconds", []string{"--find-limit", "partition", "--set", "model.partition_burst=1ms"},
			campaign.Find{Of: "partition", MaxThrottled: .005, From: 500, UpTo: 8000, Step: 2 * time.Second, Burst: time.Millisecond}, ""},
		{"all that is given is taken", []string{"--find-limit", "partition", "--max-throttled", "2%", "--max-p99", "50ms", "--from", "4000", "--max-rate", "4000", "--step", "3s", "--retry", "short"},
			campaign.Find{Of: "partition", MaxThrottled: .02, MaxP99: 50 * time.Millisecond, From: 4000, UpTo: 4000, Step: 3 * time.Second, Burst: 100 * time.Millisecond}, "short"},
		{"retries can be set by their path, too", []string{"--find-limit", "partition", "--set", "retry=documented"},
			campaign.Find{Of: "partition", MaxThrottled: .005, From: 500, UpTo: 8000, Step: 10 * time.Second, Burst: 100 * time.Millisecond}, "documented"},
	} {
		plan, err := planned(t, row.args...)
		if err != nil {
			t.Errorf("%s: %v = %v; want no error", row.name, row.args, err)
			continue
		}
		if plan.Find == nil || *plan.Find != row.want || plan.RetryChosen != (row.retry != "") || row.retry != "" && plan.Scenario.Retry != row.retry {
			t.Errorf("%s: %v = %+v, retries %s chosen %t; want %+v with %q", row.name, row.args, plan.Find, plan.Scenario.Retry, plan.RetryChosen, row.want, row.retry)
		}
	}
	if plan, err := planned(t); err != nil || plan.Find != nil || plan.Scenario.Retry != "short" {
		t.Errorf("without --find-limit: %v, %+v; want no search and the scenario's retries", err, plan.Find)
	}
}

// The search from the command line, its report, and the same from the record.
func TestFindLimitTellsWhatItFound(t *testing.T) {
	leftOutWhenShort(t)
	t.Chdir(t.TempDir())
	code, stdout, stderr := say(t, "simulate", "--set", "start=warm", "--set", "phases.spread.entities=20",
		"--set", "model.partition_target=120", "--find-limit", "partition", "--from", "300", "--out", "found", "--format", "json")
	if code != codeOk {
		t.Fatalf("simulate --find-limit = %d, %s; want 0", code, stderr)
	}
	s := decode(t, []byte(stdout))
	l := s.Limit
	if l == nil || l.Held == nil || l.NotHeld == nil || math.Abs(*l.Held/(120/.995)-1) > .02 || !l.Finished || l.By != results.LimitThrottled {
		t.Fatalf("limit = %+v; want about 120/0.995 operations/s by refused", l)
	}
	if !slices.Contains([]string{"Amsterdam", "Berlin", "Chicago", "Dublin", "Edinburgh", "Frankfurt", "London", "New York City",
		"Paris", "Rotterdam", "Tokyo", "Vienna"}, s.Hottest.Key) || !strings.Contains(s.Verdict, s.Hottest.Key) {
		t.Errorf("the busiest partition is %q; want one of the scenario's that the verdict names: %s", s.Hottest.Key, s.Verdict)
	}
	if s.Validity != results.Valid || !strings.Contains(s.Verdict, "not Azure's documented 2,000") {
		t.Errorf("validity %s, verdict %q; want a valid one against the model's target", s.Validity, s.Verdict)
	}
	record, err := results.Read(results.Dir("found"))
	if err != nil {
		t.Fatal(err)
	}
	var told bytes.Buffer
	f := tellFlags{formFlags: formFlags{format: "text", verbose: true}}
	if err := f.print(&told, record); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"Rates tried: at most 0.50 % of the first attempts throttled", "The limit of the partition"} {
		if !strings.Contains(told.String(), part) {
			t.Errorf("the report lacks %q:\n%s", part, told.String())
		}
	}
}

// An account of 150 entities/s shared by twelve partitions that bear more.
func TestFindLimitOfAnAccount(t *testing.T) {
	leftOutWhenShort(t)
	t.Chdir(t.TempDir())
	code, stdout, stderr := say(t, "simulate", "--set", "start=warm", "--set", "phases.spread.entities=20",
		"--set", "model.account_target=150", "--set", "model.account_burst=100ms",
		"--find-limit", "account", "--from", "100", "--format", "json", "--quiet")
	if code != codeOk {
		t.Fatalf("simulate --find-limit account = %d, %s; want 0", code, stderr)
	}
	s := decode(t, []byte(stdout))
	if l := s.Limit; l == nil || l.Held == nil || l.Partitions != 12 || math.Abs(*l.Held/(150/.995)-1) > .02 {
		t.Errorf("limit = %+v; want about 150/0.995 operations/s over 12 partitions", l)
	}
	if !strings.Contains(s.Verdict, "the account with its load on 12 partitions") || s.Hottest.EntitiesPerSecond > 40 {
		t.Errorf("verdict %q, hottest %+v; want the account, and its load shared", s.Verdict, s.Hottest)
	}
}

// A search that is stopped has a report all the same.
func TestFindLimitThatIsStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	t.Chdir(t.TempDir())
	var out, errs bytes.Buffer
	args := []string{"simulate", "--set", "start=warm", "--find-limit", "partition", "--quiet"}
	code := execute(ctx, args, strings.NewReader(""), &out, &errs)
	if !strings.Contains(out.String(), "No rate was tried to the end of its step") || code == codeOk {
		t.Errorf("a search that is stopped at once = %d, %s%s; want that no rate was tried", code, out.String(), errs.String())
	}
}
