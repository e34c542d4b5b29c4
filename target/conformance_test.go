package target_test

import (
	"testing"
	"testing/synctest"
	"time"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/target"
	"loadgen/target/targettest"
)

// patient are faults that hold replies back and lose none: a target under them
// is slow, and otherwise like any other.
func patient() engine.FaultPlan {
	freeze := all(engine.FaultFreeze, 0, time.Second)
	some := delayAll(20 * ms)
	some.Share = engine.WholeShare / 2
	return engine.FaultPlan{Rules: []engine.FaultRule{freeze, some}}
}

func embedded(t *testing.T, profile string, clk clock.Clock) *target.InProcess {
	t.Helper()
	m, err := model.New(profile)
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Options{Model: m, Accounts: []string{"account"}, Seed: 1})
	return target.NewInProcess(e, "account", clk)
}

func TestATargetUnderPatientFaultsConforms(t *testing.T) {
	for _, profile := range model.Profiles() {
		for _, faults := range []struct {
			name string
			plan engine.FaultPlan
		}{{"no faults", engine.FaultPlan{}}, {"patient faults", patient()}} {
			for _, check := range targettest.Checks() {
				name := profile + ", " + faults.name + ": " + check.Name
				t.Run(name, func(t *testing.T) {
					subject := targettest.Virtual(target.WrapImmediateFaults(embedded(t, profile, nil), faults.plan, 1))
					subject.Unlimited = profile == model.Off
					check.Run(t, subject)
				})
				t.Run("live, "+name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						clk := clock.NewReal()
						subject := targettest.Live(target.WrapFaults(embedded(t, profile, clk), faults.plan, 1, clk))
						subject.Unlimited = profile == model.Off
						check.Run(t, subject)
					})
				})
			}
		}
	}
}
