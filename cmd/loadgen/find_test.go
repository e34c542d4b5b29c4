package main

import (
	"math"
	"testing"
	"time"

	"loadgen/scenarios/campaign"
)

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
