package verdict

import (
	"slices"
	"time"

	"loadgen/results"
)

// Judge returns the summary of a record: counts over the whole run, rates and
// quantiles over its reported phases, what was asked of it, and the verdict in
// words. The summary shares no memory with the record.
func Judge(record *results.Record) *results.Summary {
	manifest := &record.Manifest
	all, measured := record.Total(results.Everything), record.Total(results.Reported)
	lag := results.QuantilesOf(record.Lag)
	s := &results.Summary{
		Scenario: manifest.Scenario.Name, Target: manifest.Target, Start: manifest.Start,
		Profile: manifest.Profile, Seed: manifest.Seed,
		Started: manifest.Started.UTC().Format(time.RFC3339), DurationS: record.Duration.Seconds(),
		Scheduled: all.Scheduled, Sent: all.Sent, Dropped: all.Dropped, Late: all.Late,
		Operations: all.Operations, Attempts: all.Attempts, Ok: all.Ok, Refused: all.Refused, Failed: all.Failed,
		EntitiesCounted: all.Counted, EntitiesReturned: all.Returned,
		Response: results.QuantilesOf(measured.Response), Service: results.QuantilesOf(measured.Service[results.Ok]),
		Lag:        results.LagQuantiles{P50: lag.P50, P90: lag.P90, P99: lag.P99, Max: lag.Max},
		RetryWaits: results.QuantilesOf(record.RetryWaits),
		Phases:     phases(record), PerOperation: operations(record),
	}
	s.Validity, s.Reasons = validity(record)
	steps := Steps(record)
	s.Balance = balance(record)
	if record.Manifest.Spread == nil && (s.Balance == nil || manifest.PartitionKey != "") {
		// What several partitions are served while load balancing works is no
		// saturation of anything.
		s.Saturation, s.SaturationInterval = saturation(record, steps)
	}
	s.Limit, s.Audit = record.Limit.Clone(), record.Audit.Clone()
	s.Counters, s.Invariants = slices.Clone(record.Counters), results.CloneInvariants(record.Invariants)
	s.Hottest = hottest(reported(record))
	s.Expectations = expectations(record, s, steps)
	if record.Capture != nil {
		judgeTraffic(record, s)
		return s
	}
	s.Verdict = sentences(record, s, steps)
	return s
}

func phases(record *results.Record) []results.PhaseSummary {
	list := []results.PhaseSummary{}
	for _, step := range reported(record) {
		whole := step.Figures(nil)
		summary := results.PhaseSummary{Name: step.Phase.Name, Offered: whole.Offered, Served: whole.Served,
			RefusedPerSecond: whole.RefusedPerSecond, ShareLost: whole.ShareLost,
			PerOperation: make(map[string]results.PhaseOperationSummary)}
		for _, kind := range record.Manifest.Operations {
			this := func(other results.Kind) bool { return other.Name == kind.Name }
			if sum := step.Sum(this); sum.Scheduled > 0 || sum.Attempts > 0 {
				summary.PerOperation[kind.Name] = step.Figures(this)
			}
		}
		list = append(list, summary)
	}
	return list
}

// operations summarises each kind of operation over the whole run.
func operations(record *results.Record) map[string]results.OperationSummary {
	kinds := make(map[string]results.OperationSummary)
	for _, kind := range record.Manifest.Operations {
		sum := record.Total(func(_ *results.Phase, other results.Kind) bool { return other.Name == kind.Name })
		kinds[kind.Name] = results.OperationSummary{
			Operations: sum.Operations, Attempts: sum.Attempts,
			Ok: sum.Ok, Refused: sum.Refused, Failed: sum.Failed,
			Response: results.QuantilesOf(sum.Response), Service: results.QuantilesOf(sum.Service[results.Ok]),
		}
	}
	return kinds
}
