package doctor_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/rest/serve"
	"loadgen/scenarios"
	"loadgen/scenarios/doctor"
	"loadgen/scenarios/run"
)

// served is a service of our own that is measured as a stranger would be.
func served(t *testing.T, set ...string) run.Endpoint {
	t.Helper()
	s, err := serve.Open(t.Context(), serve.Options{Listen: "127.0.0.1:0", Quiet: true, Set: set})
	if err != nil {
		t.Fatal(err)
	}
	s.Begin()
	t.Cleanup(func() { _ = s.Close() })
	endpoint, err := run.ParseConnectionString(s.ConnectionString())
	if err != nil {
		t.Fatal(err)
	}
	return endpoint
}

// remote are options of a small calibration of a service.
func remote(at run.Endpoint, budget int64) doctor.CalibrationOptions {
	return doctor.CalibrationOptions{On: run.Remote, Accounts: []run.Endpoint{at}, Budget: budget, Rate: 50, MaxRate: 500, Workers: 64, Seed: 1,
		Now: time.Now(), Consent: func(run.Ask) error { return nil }}
}

func TestNothingIsSentWithoutConsent(t *testing.T) {
	o := remote(served(t), 5000)
	refusal := errors.New("no")
	var asked run.Ask
	o.Consent = func(a run.Ask) error {
		asked = a
		return refusal
	}
	out, err := doctor.Calibrate(t.Context(), o)
	if out != nil || !errors.Is(err, refusal) {
		t.Errorf("Calibrate = %v, %v; want the refusal", out, err)
	}
	if asked.Requests != 5000 || asked.AtMost != 5000 || asked.Sent == 0 || asked.Lasts < time.Minute || !strings.Contains(asked.Where, "127.0.0.1") {
		t.Errorf("asked for %+v; want all of it, within the budget", asked)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, row := range []struct {
		sentence string
		change   func(*doctor.CalibrationOptions)
		says     string
	}{
		{"there is a budget", func(o *doctor.CalibrationOptions) { o.Budget = 0 }, "budget"},
		{"it bears the first experiment", func(o *doctor.CalibrationOptions) { o.Budget = 999 }, "budget"},
		{"the gentle rate is gentle", func(o *doctor.CalibrationOptions) { o.Rate = 1000 }, "rate"},
		{"the ladder has an end", func(o *doctor.CalibrationOptions) { o.MaxRate = 1e6 }, "max-rate"},
		{"one account", func(o *doctor.CalibrationOptions) { o.Accounts = make([]run.Endpoint, 2) }, "target"},
		{"an operation takes its time", func(o *doctor.CalibrationOptions) { o.Each = time.Millisecond }, "each"},
		{"the account's rate", func(o *doctor.CalibrationOptions) { o.AccountLimit = true }, "account-rate"},
	} {
		o := doctor.CalibrationOptions{Budget: 5000, Rate: 50, MaxRate: 500}
		row.change(&o)
		if out, err := doctor.Calibrate(t.Context(), o); out != nil || err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v, %v; want a fault of %s", row.sentence, out, err, row.says)
		}
	}
}

// What the budget does not bear is left out and told; what was measured is never more.
func TestTheBudgetIsKept(t *testing.T) {
	leftOutWhenShort(t)
	tr := drawn(t, 1)
	for _, budget := range []int64{1000, 4500, 8000} {
		o := doctor.CalibrationOptions{On: run.Simulated, Budget: budget, Rate: 50, MaxRate: 2000, Model: tr.asked, Seed: 1}
		out, err := doctor.Calibrate(t.Context(), o)
		if budget < 2900 {
			if err == nil || out != nil {
				t.Errorf("budget %d: %v, %v; want nothing measured, and why", budget, out, err)
			}
			continue
		}
		if err != nil || out.Ended != nil || out.Profile.Requests > budget {
			t.Errorf("budget %d: %v, %v with %d requests; want at most the budget", budget, err, out.Ended, out.Profile.Requests)
		}
		if text := string(out.Profile.Text()); !strings.Contains(text, "the budget has too little left: it takes") {
			t.Errorf("budget %d: the profile does not say what it was too little for:\n%s", budget, text)
		}
		if _, found := out.Profile.Parameter("read_time"); !found {
			t.Errorf("budget %d: no latencies were learnt", budget)
		}
	}
}

// An account that limits is found where that is asked for.
func TestAccountLimit(t *testing.T) {
	leftOutWhenShort(t)
	tr := drawn(t, 0)
	tr.asked.Overrides = append(tr.asked.Overrides[1:], override("partition_target", "100000"), override("account_target", "3210"))
	o := doctor.CalibrationOptions{On: run.Simulated, Budget: 100_000, Rate: 50, MaxRate: 300, Model: tr.asked, Seed: 1, AccountLimit: true, AccountRate: 10_000}
	out, err := doctor.Calibrate(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	v, found := out.Profile.Parameter("account_target")
	if !found || off(v.Whole(), 3210) > 0.05 || !covers(v, 3210) {
		t.Errorf("account_target is %+v, %t; want 3210: %v", v, found, out.Profile.Unlearnt)
	}
	if _, found := out.Profile.Parameter("partition_target"); found {
		t.Errorf("a limit of a partition was found that there is not: %+v", out.Profile.Values)
	}
}

// Interrupted, it tells what was learnt by then.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := doctor.CalibrationOptions{On: run.Simulated, Budget: 20_000, Rate: 50, MaxRate: 500, Model: drawn(t, 1).asked, Seed: 1}
	// Once the second experiment begins, the latencies are known.
	o.Progress = &after{lines: 2, then: cancel}
	out, err := doctor.Calibrate(ctx, o)
	if err != nil || !errors.Is(out.Ended, context.Canceled) {
		t.Fatalf("Calibrate = %v, %v; want an outcome that was interrupted", out, err)
	}
	if says := strings.Join(out.Document("").Answer.Says, " "); !strings.Contains(says, "interrupted") {
		t.Errorf("told %q; want that it was interrupted", says)
	}
	if _, found := out.Profile.Parameter("read_time"); !found || !bytes.Contains(out.Profile.Text(), []byte("interrupted before it was measured")) {
		t.Errorf("the profile has not what was learnt, or does not say what was not:\n%s", out.Profile.Text())
	}
}

// However early a calibration of a service is interrupted, its table is dropped.
func TestInterruptedTablesAreDropped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := remote(served(t), 20_000)
	o.Remains = new(run.Remains)
	made := make(chan struct{})
	go func() {
		defer close(made)
		for clk := clock.NewReal(); len(o.Remains.List()) == 0; {
			if clk.Sleep(t.Context(), clk.Now().Add(time.Millisecond)) != nil {
				return
			}
		}
		cancel()
	}()
	out, err := doctor.Calibrate(ctx, o)
	<-made
	ended := err
	if out != nil {
		ended = out.Ended
	}
	if !errors.Is(ended, context.Canceled) {
		t.Errorf("ended by %v; want the interruption", ended)
	}
	if left := o.Remains.List(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// after calls a function at the n-th line.
type after struct {
	lines int
	then  func()
}

func (a *after) Write(p []byte) (int, error) {
	if a.lines--; a.lines == 0 {
		a.then()
	}
	return len(p), nil
}

// Where nobody asked for anything yet, nothing is measured, and nothing is kept.
func TestDoneBeforeItBegins(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if out, err := doctor.Calibrate(ctx, remote(served(t), 20_000)); out != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is done: %v, %v; want its error", out, err)
	}
}

// overrideOf reads name=value.
func overrideOf(text string) scenarios.Override {
	name, value, _ := strings.Cut(text, "=")
	return override(name, value)
}

func override(name, text string) scenarios.Override {
	return scenarios.Override{Name: name, Text: text}
}
