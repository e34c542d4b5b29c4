package contest

import (
	"slices"
	"time"

	"loadgen/results"
)

// Measure takes from a run's record what designs are ranked by: of its reported phases,
// as the application counts. It changes neither record nor summary, which may be nil
// where nobody judged the record.
func Measure(record *results.Record, summary *results.Summary, needs Needs) Trial {
	trial := Trial{Seed: record.Manifest.Seed, Validity: record.Validity}
	if summary != nil {
		trial.Validity = summary.Validity
		trial.Expected = slices.Clone(summary.Expectations)
	}
	var all results.KindStats
	sustained := 0.0
	for k, kind := range record.Manifest.Operations {
		sum := reported(record, k)
		if sum.Scheduled == 0 && sum.Attempts == 0 {
			continue
		}
		one := OperationTrial{Name: kind.Name}
		one.P50, one.P99 = quantile(sum.Response, 0.5), quantile(sum.Response, 0.99)
		trial.Operations = append(trial.Operations, one)
		sustained += needs.met(kind.Name, &sum)
		count(&all, &sum)
	}
	if seconds := lasted(record); seconds > 0 {
		trial.Sustained = sustained / seconds
	}
	if all.Scheduled > 0 {
		trial.Lost = float64(all.Scheduled-all.Succeeded) / float64(all.Scheduled)
	}
	trial.Events = all.Sent
	if trial.Served = all.Succeeded; all.Succeeded > 0 {
		each := func(n int64) float64 { return float64(n) / float64(all.Succeeded) }
		trial.Counted, trial.Billed = each(all.Counted), each(all.Attempts-all.Refused)
		trial.RefusedRequests, trial.Stored = each(all.Refused), each(all.Stored)
	}
	trial.moved(record)
	trial.cold(record)
	return trial
}

// met returns the entities of the application's own that an operation was served within
// what it needs. Of the response times in a bucket of the histogram it counts all or, where
// the bucket reaches beyond the need, none: no design is better than it was. Reads count as
// what was returned, in the same proportion, since the record does not say which of them
// returned how much.
func (n *Needs) met(name string, sum *results.KindStats) float64 {
	entities := float64(sum.Returned)
	if !n.Reads[name] {
		each, named := n.Entities[name]
		if !named {
			each = 1
		}
		entities = float64(sum.Succeeded * each)
	}
	within, bounded := n.Within[name]
	if !bounded {
		return entities
	}
	var soon int64
	for _, bar := range sum.Response.Bars() {
		if bar.To <= within {
			soon += bar.Count
		}
	}
	if soon == 0 {
		return 0
	}
	return entities * float64(soon) / float64(sum.Response.Count())
}

// reported sums an operation over the reported phases. The histograms may be those of the
// record.
func reported(record *results.Record, kind int) results.KindStats {
	var phases []*results.KindStats
	for p := range record.Phases {
		if phase := &record.Phases[p]; phase.Reported && kind < len(phase.Kinds) {
			phases = append(phases, &phase.Kinds[kind])
		}
	}
	if len(phases) == 1 { // as in most runs: merging histograms is what costs
		return *phases[0]
	}
	var sum results.KindStats
	for _, one := range phases {
		sum.Add(one)
	}
	return sum
}

func count(all, one *results.KindStats) {
	all.Scheduled += one.Scheduled
	all.Sent += one.Sent
	all.Succeeded += one.Succeeded
	all.Attempts += one.Attempts
	all.Refused += one.Refused
	all.Counted += one.Counted
	all.Stored += one.Stored
}

// lasted is for how many seconds load was measured: less than was planned where the run
// ended early.
func lasted(record *results.Record) float64 {
	var sum time.Duration
	for p := range record.Phases {
		if phase := &record.Phases[p]; phase.Reported {
			sum += max(0, min(phase.End, record.Duration)-phase.Begin)
		}
	}
	return sum.Seconds()
}

func quantile(h *results.Histogram, q float64) *int64 {
	if v, told := h.Quantile(q); told {
		return &v
	}
	return nil
}

// cold tells how evenly the partitions were served that were offered less than half the
// target, of the classes that lie below it as a whole.
func (t *Trial) cold(record *results.Record) {
	half := record.Manifest.Targets.Partition / 2
	var partitions int64
	var shares, squares float64
	for p := range record.Phases {
		if !record.Phases[p].Reported {
			continue
		}
		for _, class := range record.Phases[p].Shares {
			if half > 0 && class.From <= half/2 {
				partitions += class.Partitions
				shares += class.Shares
				squares += class.Squares
			}
		}
	}
	if partitions < 2 || squares <= 0 {
		return
	}
	t.Fairness, t.ColdServed = new(shares*shares/(float64(partitions)*squares)), new(shares/float64(partitions))
}
