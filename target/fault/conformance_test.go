package fault_test

import (
	"testing"
	"testing/synctest"
	"time"

	"loadgen/engine"
	"loadgen/engine/clock"
	enginefault "loadgen/engine/fault"
	"loadgen/engine/model"
	"loadgen/target/fault"
	"loadgen/target/inprocess"
	"loadgen/target/targettest"
)

// patient are faults that hold replies back and lose none: a target under them
// is slow, and otherwise like any other.
func patient() enginefault.Plan {
	freeze := all(enginefault.Freeze, 0, time.Second)
	some := delayAll(20 * ms)
	some.Share = enginefault.Whole / 2
	return enginefault.Plan{Rules: []enginefault.Rule{freeze, some}}
}

func embedded(t *testing.T, profile string, clk clock.Clock) *inprocess.Target {
	t.Helper()
	m, err := model.New(profile)
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Options{Model: m, Accounts: []string{"account"}, Seed: 1})
	return inprocess.New(e, "account", clk)
}

func TestATargetUnderPatientFaultsConforms(t *testing.T) {
	for _, profile := range model.Profiles() {
		for _, faults := range []struct {
			name string
			plan enginefault.Plan
		}{{"no faults", enginefault.Plan{}}, {"patient faults", patient()}} {
			for _, check := range targettest.Checks() {
				name := profile + ", " + faults.name + ": " + check.Name
				t.Run(name, func(t *testing.T) {
					subject := targettest.Virtual(fault.WrapImmediate(embedded(t, profile, nil), faults.plan, 1))
					subject.Unlimited = profile == model.Off
					check.Run(t, subject)
				})
				t.Run("live, "+name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						clk := clock.NewReal()
						subject := targettest.Live(fault.Wrap(embedded(t, profile, clk), faults.plan, 1, clk))
						subject.Unlimited = profile == model.Off
						check.Run(t, subject)
					})
				})
			}
		}
	}
}
