package verdict

import (
	"time"

	"loadgen/results"
	"loadgen/results/figure"
)

// Judge returns the summary of a record: counts over the whole run, rates and quantiles over its reported phases, its
// checks, and the answer in words. The summary shares no memory with the record.
func Judge(record *results.Record) *results.Summary {
	manifest := &record.Manifest
	all, measured := record.Counts(results.Everything), record.Total(results.Reported)
	lag := results.QuantilesOf(record.Lag)
	s := &results.Summary{
		Scenario: manifest.Scenario.Name, Target: manifest.Target, Start: manifest.Start,
		Profile: manifest.Profile, Seed: manifest.Seed,
		Started: manifest.Started.UTC().Format(time.RFC3339), DurationS: record.Duration.Seconds(),
		Response: results.QuantilesOf(measured.Response), Service: results.QuantilesOf(measured.Service[results.Ok]),
		Lag:          results.LagQuantiles{P50: lag.P50, P90: lag.P90, P99: lag.P99, Max: lag.Max},
		RetryWaits:   results.QuantilesOf(record.RetryWaits),
		PerOperation: make(map[string]results.OperationSummary),
	}
	for _, kind := range manifest.Operations {
		sum := record.Total(func(_ *results.Phase, other results.Kind) bool { return other.Name == kind.Name })
		s.PerOperation[kind.Name] = sum.Summary()
	}
	s.Count(&all.Counts)
	setWholeSeconds(record, s)
	e := evidenceOf(record, s)
	s.Validity, s.Reasons = e.validity()
	s.UserBound = e.UserBound()
	s.ClientLimited = append([]string{}, narrative().Phrases(e, clientLimits)...)
	figures := e.figures
	s.Phases, s.ShareThrottled = e.phases(), figures.Share("throttled").Pointer()
	s.Balance = figures.Balance()
	s.Throttling = []results.Throttling{}
	if record.Manifest.Spread == nil && record.Capture == nil && (s.Balance == nil || manifest.PartitionKey != "") {
		// Rates of several partitions during load balancing show no saturation.
		saturate(s, figures)
	}
	s.Limit, s.Audit = results.Clone(record.Limit), results.Clone(record.Audit)
	s.Counters, s.Invariants = results.Clone(record.Counters), results.Clone(record.Invariants)
	s.Hottest = figures.Hottest()
	s.Checks = e.checks()
	if record.Capture != nil {
		e.judgeTraffic()
	}
	s.State, s.Ok = State(s)
	e.State = s.State
	answer := e.story().Answer
	s.Verdict = answer.Sentences()
	return s
}

// saturate sets the throttling of each stretch of load, and where the load saturates.
func saturate(s *results.Summary, figures *figure.Figures) {
	for _, l := range figures.Ladders() {
		one := results.Throttling{Stage: l.Stage, Kind: string(l.Throttling), Share: l.Share, Seconds: l.Seconds, From: l.From, To: l.To}
		if l.Saturation().Known {
			one.Rate, one.Interval = new(l.Rate), []float64{l.Low, l.High}
		}
		s.Throttling = append(s.Throttling, one)
	}
	v := figures.Named("saturation")
	s.SaturationWhy = v.Why
	if v.Known {
		s.Saturation, s.SaturationInterval, s.SaturationSeconds = v.Pointer(), v.Interval[:], v.Count
	}
}

func (e *evidence) phases() []results.PhaseSummary {
	list, figures := []results.PhaseSummary{}, e.figures
	for _, step := range figure.Reported(e.Record) {
		whole := figures.Step(step, nil)
		summary := results.PhaseSummary{Name: step.Phase.Name, Offered: whole.Offered, Served: whole.Served,
			ThrottledPerSecond: whole.ThrottledPerSecond, ShareLost: whole.ShareLost, ShareLostSettled: whole.ShareLostSettled,
			Causes: step.Sum(nil).Causes.Frequent(), ClientLimited: e.late(step), PerOperation: make(map[string]results.PhaseOperationSummary)}
		if v := figures.OfStep("throughput", step, nil); v.Interval != nil {
			summary.Throughput, summary.ThroughputInterval = v.Pointer(), v.Interval[:]
		}
		if holding := e.holding(step); holding.Why != "" {
			summary.Why = holding.Why
		} else {
			summary.Holds = &holding.Holds
		}
		for _, kind := range e.Manifest.Operations {
			this := func(other results.Kind) bool { return other.Name == kind.Name }
			if sum := step.Sum(this); sum.Scheduled > 0 || sum.Attempts > 0 {
				summary.PerOperation[kind.Name] = figures.Step(step, this)
			}
		}
		list = append(list, summary)
	}
	return list
}

// setWholeSeconds sets the counts of the whole seconds of a run that was killed, without operations and times by kind, which
// seconds do not have.
func setWholeSeconds(record *results.Record, s *results.Summary) {
	if s.Killed = record.Killed(); s.Killed == nil {
		return
	}
	sum := inSeconds(record)
	s.DurationS = max(s.DurationS, float64(s.Killed.Seconds))
	s.Count(&sum.Counts)
	for name := range s.PerOperation {
		var one results.KindStats
		for i := range record.Intervals {
			for k := range record.Intervals[i].Kinds {
				if kind := &record.Intervals[i].Kinds[k]; kind.Name == name {
					one.Counts.Add(&kind.Counts)
				}
			}
		}
		s.PerOperation[name] = one.Summary()
	}
}

// inSeconds returns the counts of the whole seconds of a run that was killed, whose phases have none.
func inSeconds(record *results.Record) (sum results.KindStats) {
	for i := range record.Intervals {
		sum.Counts.Add(&record.Intervals[i].Counts)
	}
	return sum
}
