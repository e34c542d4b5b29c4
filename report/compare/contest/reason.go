package contest

import (
	"cmp"
	"fmt"
	"slices"

	"loadgen/report/document"
	"loadgen/results/figure"

	"loadgen/results"
)

const (
	// lostToSpeakOf is the share of operations lost, or of attempts throttled, from which on
	// there is something to explain.
	lostToSpeakOf = 0.01
	// nearlyAll is the share of a target from which on it is what limits.
	nearlyAll = 0.95
	// shareToSpeakOf is the share of the demand from which on a partition that was asked
	// for less than it bears is one to name.
	shareToSpeakOf = 0.05
	// manyMore is how many times more is counted before it is given as a reason; less does
	// where that is what tells designs apart.
	manyMore, someMore = 1.5, 1.05
)

// refusals says where the load was throttled: at a partition, or at the account.
func refusals(arm *Arm) []Reason {
	throttled := figure.Of(arm.Record).Share("throttled")
	if !throttled.Told || throttled.Value < lostToSpeakOf {
		return nil
	}
	worst := hottest(arm.Record)
	account := wholeAccount(arm.Record)
	switch {
	case account != nil && (worst == nil || worst.Demand < worst.Target):
		return []Reason{*account}
	case worst == nil:
		return []Reason{{Kind: Unserved, Says: fmt.Sprintf("%s of its requests were throttled; by which partition is not recorded",
			document.Share(throttled.Value))}}
	}
	if worst.Demand < worst.Target && worst.Share < shareToSpeakOf {
		if says := oneEnd(arm.Order); says != "" {
			return []Reason{{Kind: OneEnd, Demand: worst.Demand, Target: worst.Target,
				Says: document.Share(throttled.Value) + " of its requests were throttled; " + says}}
		}
		return []Reason{{Kind: Unserved, Demand: worst.Demand, Target: worst.Target,
			Says: fmt.Sprintf("%s of its requests were throttled, over many partitions, none of which was asked for more than it bears: %s",
				document.Share(throttled.Value), belowTarget(arm.Record))}}
	}
	list := []Reason{*worst}
	if says := oneEnd(arm.Order); says != "" {
		list = append(list, Reason{Kind: OneEnd, Says: says})
	}
	return list
}

func oneEnd(order string) string {
	switch order {
	case results.AppendOnly:
		return "it is append-only: every insert goes to the newest partition, so that more partitions do not help"
	case results.PrependOnly:
		return "it is prepend-only: every insert goes to the first partition, so that more partitions do not help"
	case results.MovingPoint:
		return "its keys move on: at any moment all inserts go to one partition, so that more partitions do not help"
	case results.HotTail:
		return "its keys move on: at any moment all inserts go to the newest partition of each bucket, so that only more buckets help"
	case results.OnePartition:
		return "all inserts go to one partition, and nothing can be moved away from it"
	default:
		if tails := results.TailsOf(order); tails > 0 {
			return fmt.Sprintf("its keys move on: at any moment all inserts go to %s, each of which bears one partition's target, so that more partitions do not help",
				document.Counted(tails, "place"))
		}
		return ""
	}
}

// wholeAccount is the reason where the account is what limits: all partitions together
// were asked for about what it bears, or more.
func wholeAccount(record *results.Record) *Reason {
	target := float64(record.Manifest.Targets.Account)
	demand := 0.0
	for p := range record.Phases {
		phase := &record.Phases[p]
		if seconds := phase.Seconds(); phase.Reported && seconds > 0 {
			demand = max(demand, float64(offered(phase))/seconds)
		}
	}
	if target <= 0 || demand < nearlyAll*target {
		return nil
	}
	return &Reason{Kind: AccountLimit, Demand: demand, Target: target,
		Says: fmt.Sprintf("the account limits it, not a partition: all of them together were asked for %s entities/s, and it bears %s",
			document.Rate(demand), document.Rate(target))}
}

// counts says which operation counts more entities than it does in the first design.
func counts(arm, first *Arm, behind int) []Reason {
	var list []Reason
	times := manyMore
	if behind == byCounted {
		times = someMore
	}
	figures := figure.Of(arm.Record)
	for _, kind := range arm.Record.Manifest.Operations {
		this := func(other results.Kind) bool { return other.Name == kind.Name }
		counted, returned := figures.OfKinds("counted_per_success", this), figures.OfKinds("returned_per_success", this)
		if !counted.Told {
			continue
		}
		one := Reason{Kind: CountsMore, Operation: kind.Name, Counted: counted.Value, Returned: returned.Value, First: countedBy(first, kind.Name)}
		scans := one.Returned > 0 && one.Counted >= 2*one.Returned
		more := one.First != nil && arm != first && one.Counted >= times*(*one.First)
		switch {
		case scans && (more || arm == first || behind == byCounted || behind == byWorst):
			one.Kind = Scans
			one.Says = fmt.Sprintf("the operation %s scans %s entities for %s that it returns", kind.Name, document.Rate(one.Counted), document.Rate(one.Returned))
		case more:
			one.Says = fmt.Sprintf("the operation %s counts %s entities each time", kind.Name, document.Rate(one.Counted))
			if arm.Copies > 0 && one.Returned == 0 { // a read has none
				one.Says += fmt.Sprintf(", its %s included", document.Counted(arm.Copies, "copy", "copies"))
			}
		default:
			continue
		}
		if more {
			one.Says += fmt.Sprintf(" (%s: %s)", first.Design, document.Rate(*one.First))
		}
		list = append(list, one)
	}
	slices.SortStableFunc(list, func(a, b Reason) int { return cmp.Compare(b.Counted, a.Counted) })
	return list[:min(len(list), mostOperations)]
}

// mostOperations is how many operations a reason names.
const mostOperations = 2

// countedBy is how many entities an operation counts in a design, nil where it is not
// known.
func countedBy(arm *Arm, name string) *float64 {
	if arm.Record == nil {
		return nil
	}
	return figure.Of(arm.Record).OfKinds("counted_per_success", func(kind results.Kind) bool { return kind.Name == name }).Pointer()
}

// slowness says which operation is slow, where that is what tells a design from the first
// or where nothing else is known.
func slowness(arm, first *Arm, behind int, explained bool) []Reason {
	if behind != byWorst && (explained || behind < 0) {
		return nil
	}
	name, worst := "", int64(0)
	for _, one := range timings(arm.Trials) {
		if one.P99 != nil && *one.P99 > worst {
			name, worst = one.Operation, *one.P99
		}
	}
	if name == "" {
		return nil
	}
	says := fmt.Sprintf("the p99 of %s is %s", name, document.Micros(worst))
	for _, one := range timings(first.Trials) {
		if one.Operation == name && one.P99 != nil && arm != first {
			says += fmt.Sprintf(" (%s: %s)", first.Design, document.Micros(*one.P99))
		}
	}
	return []Reason{{Kind: Slow, Operation: name, Says: says}}
}
