package suggest

import (
	"fmt"
	"math"

	"loadgen/scenarios"
	"loadgen/scenarios/advise"
)

// Options says how designs are proposed. The zero value is usable.
type Options struct {
	// Most is how many candidates are proposed at most, 1 to 20; 0 stands for 5.
	Most int
	// Headroom is which share of a partition's target is to be left free at the peak,
	// above 0 and below 1; 0 stands for 0.2.
	Headroom float64
	// Targets are what partitions and accounts are to hold, in entities per second, of
	// which 0 is no limit; nil stands for those of the scenario's own model.
	Targets *advise.Targets
	// Times are how long the target takes, by which clients of a closed loop wait;
	// answers come at once where it is zero.
	Times advise.Times
	// Beside has [Proposal.Scenario] keep the scenario's own designs before the proposed
	// ones, rather than put those in their place. What has their keys is then not proposed.
	Beside bool
	// Try plays a sound scenario in a short simulation and says what it came to. The
	// candidates, and the scenario's own designs, are then tried before they are named; an
	// error ends that. Nil leaves it at what is derived.
	Try func(*scenarios.Scenario) (Tried, error)
}

const (
	usualMost     = 5
	mostMost      = 20
	usualHeadroom = 0.2
)

// Validate returns everything that is wrong with the options, each wrapping
// [ErrOptions].
func (o Options) Validate() []error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("%w: "+format, append([]any{ErrOptions}, args...)...))
	}
	if o.Most < 0 || o.Most > mostMost {
		fault("most is %d; expected 1 to %d candidates, or 0 for %d", o.Most, mostMost, usualMost)
	}
	if math.IsNaN(o.Headroom) || o.Headroom < 0 || o.Headroom >= 1 {
		fault("headroom is %v; expected a share below 1, or 0 for %v", o.Headroom, usualHeadroom)
	}
	if t := o.Targets; t != nil && (t.Partition < 0 || t.Account < 0 || t.Accounts < 0) {
		fault("targets are %d, %d and %d accounts; expected 0 or more", t.Partition, t.Account, t.Accounts)
	}
	return faults
}
