package fleet

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/scenarios/campaign"
)

// errNothing is wrapped where no member has sent a record.
var errNothing = errors.New("no member has sent a record")

// gather puts the members' records together, and holds what each sent against the plan: local
// says that all are of one machine.
func gather(came Outcome, plan []campaign.Offered, local bool) (*results.Record, error) {
	parts, faults := make([]results.MergePart, 0, len(came.Members)), slices.Clone(came.Faults)
	for i := range came.Members {
		m := &came.Members[i]
		if m.Record == nil {
			if want := planned(plan, m.Index); want != nil && m.Lost != "" {
				faults = append(faults, fmt.Sprintf("Of the plan, %d operations were the share of %s.", *want, m.Name))
			}
			continue
		}
		one := *m.Record
		// The record says that it was sent to what its first member says.
		if first := came.Members[0].Record; first != nil {
			one.Manifest.Target, one.Manifest.Service = first.Manifest.Target, first.Manifest.Service
		}
		parts = append(parts, results.MergePart{Name: m.Name, Record: &one})
		if m.Partial == "" {
			faults = append(faults, against(m, plan)...)
		}
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("%w: %s", errNothing, strings.Join(faults, " "))
	}
	record, err := results.Merge(parts)
	if err != nil {
		return nil, err
	}
	for p := range record.Phases {
		if p < len(plan) {
			record.Phases[p].Rate = plan[p].Rate
		}
	}
	if first := parts[0].Record; local && record.Generator != nil {
		record.Generator.Cores, record.Manifest.Environment.CPUs = first.Generator.Cores, first.Manifest.Environment.CPUs
		record.Manifest.Environment.GOMAXPROCS = first.Manifest.Environment.GOMAXPROCS
	}
	record.Manifest.Fleet = &results.Fleet{Members: members(came.Members, plan), Labels: labels(came.Members), Skew: came.Skew, Notes: append([]string{}, came.Notes...)}
	if len(faults) > 0 {
		record.Validity, record.Reasons = results.Invalid, append(faults, record.Reasons...)
	}
	return record, nil
}

// against returns in what the operations that were due at a member are not those of the plan.
func against(m *Share, plan []campaign.Offered) (faults []string) {
	for p := range plan {
		if plan[p].Shares == nil {
			continue
		}
		var due results.KindStats
		if p < len(m.Record.Phases) {
			kinds := m.Record.Phases[p].Kinds
			for k := range kinds {
				due.Add(&kinds[k])
			}
		}
		if got, want := due.Scheduled, plan[p].Shares[m.Index]; got != want {
			faults = append(faults, fmt.Sprintf("%s had %d operations due in %s, and the plan has %d for it.", m.Name, got, plan[p].Name, want))
		}
	}
	return faults
}

// members says how each member fared.
func members(all []Share, plan []campaign.Offered) (list []results.FleetMember) {
	for i := range all {
		m := &all[i]
		one := results.FleetMember{Name: m.Name, Index: m.Index, Labels: m.Labels, ClockBound: m.Bound, ClockDrift: m.Drift,
			BeganLate: m.BeganLate, Stall: m.Stall, Lost: m.Lost, Planned: planned(plan, m.Index)}
		if m.Record != nil {
			sum := m.Record.Counts(results.Everything)
			one.Counts = sum.Counts
			if lag := results.QuantilesOf(m.Record.Lag).P99; lag != nil {
				one.LagP99 = new(time.Duration(*lag) * time.Microsecond)
			}
			if g := m.Record.Generator; g != nil && g.CPUKnown && g.Cores > 0 && g.Seconds > 0 {
				one.CPU = new(g.CPU.Seconds() / float64(g.Seconds) / float64(g.Cores))
			}
		} else {
			one.Counts = m.Counts
		}
		list = append(list, one)
	}
	return list
}

// planned is how many operations the plan has for a member, nil where that is known only
// afterwards.
func planned(plan []campaign.Offered, index int) *int64 {
	sum := int64(0)
	for p := range plan {
		if plan[p].Shares == nil {
			return nil
		}
		sum += plan[p].Shares[index]
	}
	return &sum
}

// labels says what the members of each label came to together.
func labels(all []Share) []results.FleetLabel {
	list, of := []results.FleetLabel{}, make(map[[2]string][]results.MergePart)
	for i := range all {
		for label, value := range all[i].Labels {
			if all[i].Record != nil {
				of[[2]string{label, value}] = append(of[[2]string{label, value}], results.MergePart{Name: all[i].Name, Record: all[i].Record})
			}
		}
	}
	byText := func(a, b [2]string) int { return strings.Compare(a[0]+"="+a[1], b[0]+"="+b[1]) }
	for _, key := range slices.SortedFunc(maps.Keys(of), byText) {
		parts := of[key]
		together, err := results.Merge(parts)
		if err != nil {
			continue // it is told of the whole
		}
		figures := figure.Of(together.Condensed())
		list = append(list, results.FleetLabel{Label: key[0], Value: key[1], Members: len(parts), Throughput: figures.Named("throughput").Pointer(),
			Throttled: figures.Share("throttled").Pointer(), ShareLost: figures.Named("share_lost").Pointer(),
			P50: figures.Named("p50").Pointer(), P99: figures.Named("p99").Pointer()})
	}
	return list
}
