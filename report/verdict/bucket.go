package verdict

import (
	"slices"
	"time"

	"loadgen/results"
	"loadgen/results/figure"
)

// allowance is throttling that depends on partition_burst, the allowance that an idle partition saves: no partition was
// asked for more entities than its target in a second with throttling, or in the second before.
type allowance struct {
	// Phase is the phase with that throttling, Share its share of the attempts.
	Phase string
	Share float64
	// Asked is the most entities per second that a partition was asked for in such a second.
	Asked float64
	// Spared reports that an allowance of one second throttles nothing, however the requests are distributed within
	// their seconds.
	Spared bool
}

// Allowance returns the phase with the largest share of such throttling, nil if there is none.
func (e *evidence) Allowance() *allowance {
	if e.Summary != nil && e.Summary.Killed != nil {
		return nil
	}
	var worst *allowance
	for _, step := range figure.Reported(e.Record) {
		if one := e.allowanceOf(step); one.Share > 0 && (worst == nil || one.Share > worst.Share) {
			worst = &one
		}
	}
	return worst
}

// Parameter is the value of a parameter of the model, empty if it has none of that name.
func (e *evidence) Parameter(name string) string {
	for _, p := range e.Manifest.Model {
		if p.Name == name {
			return p.Value
		}
	}
	return ""
}

// mayRestOnBurst reports whether throttling in a step may depend on partition_burst: the model enforces the partition
// target with an allowance below a second; no injected faults, no retries of an earlier load above the target, and no
// kind of operation that counts far more than its offer, such as a scan, explain the throttling.
func (e *evidence) mayRestOnBurst(step figure.Step) bool {
	m := &e.Manifest
	burst, err := time.ParseDuration(e.Parameter("partition_burst"))
	headroom := e.Parameter("headroom")
	if !m.Modelled() || len(m.Faults) > 0 || m.Targets.Partition <= 0 || headroom != "" && headroom != "1000" ||
		err != nil || burst >= time.Second {
		return false
	}
	leavesRetries := func(p results.Phase) bool {
		return p.Rate > 0 && p.Begin < step.Phase.Begin && (len(p.Offered) == 0 || p.Offered[0].Busiest > m.Targets.Partition)
	}
	understated := func(kind results.KindStats) bool {
		return figure.ShareOf(kind.Served, kind.Succeeded) > 2*figure.ShareOf(kind.Offered, kind.Scheduled)
	}
	return (m.Retry == "none" || !slices.ContainsFunc(e.Phases, leavesRetries)) && !slices.ContainsFunc(step.Phase.Kinds, understated)
}

// allowanceOf returns the throttling of a step that depends on partition_burst; its share is 0 if none does. The
// demand of all partitions together decides, or if that exceeds the target of one, the demand of the hottest.
func (e *evidence) allowanceOf(step figure.Step) allowance {
	one, target := allowance{Phase: step.Phase.Name}, float64(e.Manifest.Targets.Partition)
	if !e.mayRestOnBurst(step) {
		return one
	}
	throttled := int64(0)
	asked, pair, most, lead := 0.0, 0.0, 0.0, 0.0
	for i := range e.Intervals {
		row, before := &e.Intervals[i], 0.0
		if i > 0 && e.Intervals[i-1].End() == row.Second {
			before = e.Intervals[i-1].PerSecond(e.Intervals[i-1].Offered)
		}
		offered := row.PerSecond(row.Offered)
		switch inside := step.Contains(row.Second); {
		case !inside && row.Second < int64(step.Phase.Begin/time.Second):
			lead = offered
		case inside:
			throttled += row.Throttled
			most, pair = max(most, offered), max(pair, offered+before)
			if row.Throttled > 0 {
				asked = max(asked, offered, before)
			}
		}
	}
	if hottest, known := e.hottestOf(step, most); asked > target && known {
		asked, pair = hottest, hottest+max(hottest, lead)
	}
	if throttled > 0 && asked <= target {
		sum := step.Sum(nil)
		one.Share, one.Asked, one.Spared = figure.ShareOf(sum.Throttled, sum.Attempts), asked, pair <= target
	}
	return one
}

// hottestOf returns the highest demand of one partition in a second of a step, and false if that is not known exactly
// or another limit may throttle: ranges after a cold start, or the account at the highest demand of all.
func (e *evidence) hottestOf(step figure.Step, most float64) (float64, bool) {
	m, p := &e.Manifest, step.Phase
	all := int64(0)
	for i := range p.Shares {
		all += p.Shares[i].Offered
	}
	if m.Start != "warm" || len(p.Offered) == 0 || p.Offered[0].AtLeast || p.OfferedOver > 0 || all != step.Sum(nil).Offered {
		return 0, false
	}
	burst, err := time.ParseDuration(e.Parameter("account_burst"))
	free := m.Targets.Account == 0 || err == nil && most <= float64(m.Targets.Account)*min(1, burst.Seconds())
	return float64(p.Offered[0].Busiest), free
}
