package live

import (
	"cmp"
	"slices"
	"time"

	"loadgen/results"
)

// Status is the state of a run at an instant. A nil value is not known yet.
type Status struct {
	// At is the instant, since the start of the run.
	At time.Duration
	// Stage and Phase are the current ones, empty before the first.
	Stage, Phase string
	// Reported says that the report is about the phase: it neither prepares nor reads back.
	Reported bool
	// Planned is the number of operations that the stage is to send, 0 if that is not known
	// beforehand, Ended of those that are over, sent or dropped.
	Planned, Ended uint64
	// Left is the remaining time of the stage: of its schedule, or, in a closed loop, at the
	// pace so far, which Estimated says.
	Left      *time.Duration
	Estimated bool
	// Target is the rate at which operations of the phase arrive, per second; nil in a
	// closed loop.
	Target *float64
	// Offered and Served are entities per second, of the last two whole seconds: due by
	// the documented rule, and counted for operations that succeeded. If the generator
	// lags behind a constant rate, Offered is that rate.
	Offered, Served *float64
	// Throttled is the share of attempts that were, from 0 to 1, of the last five seconds.
	Throttled *float64
	// P50 and P99 are of the response times of operations that succeeded in the last ten
	// seconds, from their intended instant; nil for less than 20 of them, and less than
	// a thousand.
	P50, P99 *time.Duration
	// Hottest are the partitions with the most entities served in the last two seconds,
	// at most [Hottest], highest first.
	Hottest []Heat
	// Totals are of the whole run, Sofar of its stage.
	Totals, Sofar Totals
	// Members are the processes that send together, by place: none for a run of one process.
	Members []Member
}

// Heat is a lower bound of what a partition serves, in entities per second. Name is for
// people, see [results.PartitionName]; it may contain any character.
type Heat struct {
	Name string
	Rate float64
}

// Hottest is the maximum number of partitions in a status.
const Hottest = 10

// The stretches that a status covers, in whole seconds.
const (
	rateOver      = 2
	throttledOver = 5
	timesOver     = 10
)

// minEstimate is the minimum time after which the remaining time of a closed loop is estimated.
const minEstimate = 500 * time.Millisecond

// Status returns the state of the run at an instant, which should not fall from call to
// call.
func (p *Stats) Status(at time.Duration) Status {
	s := p.Rates(at)
	p.mu.Lock()
	in := p.stage
	p.mu.Unlock()
	if in.begun {
		now := int64(at / time.Second)
		responses := p.responses(max(in.firstSecond(), now-timesOver), now)
		s.P50, s.P99 = quantile(responses, .5), quantile(responses, .99)
	}
	return s
}

// quantile returns a quantile of response times, nil if there are too few.
func quantile(times *results.Histogram, q float64) *time.Duration {
	if micros, known := times.Quantile(q); known {
		return new(time.Duration(micros) * time.Microsecond)
	}
	return nil
}

// Rates returns the same as [Stats.Status] without P50 and P99, in less time.
func (p *Stats) Rates(at time.Duration) Status {
	totals, members := p.Totals(), p.Members()
	p.mu.Lock()
	now := p.stage
	p.mu.Unlock()
	s := Status{At: at, Stage: now.name, Planned: now.planned, Totals: totals, Sofar: totals, Members: members}
	s.Sofar.Sub(&now.before.Counts)
	s.Ended = uint64(s.Sofar.Operations + s.Sofar.Dropped)
	if now.planned > 0 {
		s.Ended = min(s.Ended, now.planned)
	}
	if !now.begun || at < now.begin {
		return s
	}
	var under results.Phase
	for _, one := range now.phases {
		if one.Begin <= at {
			under = one
		}
	}
	s.Phase, s.Reported = under.Name, under.Reported
	if under.Rate > 0 {
		s.Target = &under.Rate
	}
	switch passed := at - now.begin; {
	case now.length > 0:
		s.Left = new(max(0, now.length-passed))
	case passed >= minEstimate && s.Ended > 0 && now.planned > 0:
		s.Left = new(time.Duration(float64(passed) / float64(s.Ended) * float64(now.planned-min(s.Ended, now.planned))))
		s.Estimated = true
	}
	p.recent(&s, &now, &under)
	return s
}

// firstSecond returns the first whole second of the stage.
func (s *stage) firstSecond() int64 { return int64((s.begin + time.Second - 1) / time.Second) }

// recent sets the figures of the last whole seconds of a stage.
func (p *Stats) recent(s *Status, in *stage, under *results.Phase) {
	end, first := int64(s.At/time.Second), in.firstSecond()
	if all := p.counts(max(first, end-throttledOver), end); all.Attempts > 0 {
		s.Throttled = new(float64(all.Throttled) / float64(all.Attempts))
	}
	from := max(first, end-rateOver)
	span := float64(end - from)
	if span < 1 {
		return
	}
	all := p.counts(from, end)
	offered, served := float64(all.Offered)/span, float64(all.Served)/span
	begin, over := time.Duration(from)*time.Second, time.Duration(end)*time.Second
	if within := begin >= under.Begin && over <= in.begin+in.length; within && all.Scheduled > 0 && !under.Varying {
		// An operation that the generator sends late is recorded when it is sent.
		offered = max(offered, under.Rate*float64(all.Offered)/float64(all.Scheduled))
	}
	s.Offered, s.Served = &offered, &served
	if recorder := p.source(); recorder != nil {
		list, _ := recorder.PartitionLoads(from, end)
		for _, one := range list {
			if one.Served > 0 {
				s.Hottest = append(s.Hottest, Heat{one.Name(), float64(one.Served) / span})
			}
		}
	}
	slices.SortFunc(s.Hottest, func(a, b Heat) int {
		return cmp.Or(cmp.Compare(b.Rate, a.Rate), cmp.Compare(a.Name, b.Name))
	})
	s.Hottest = s.Hottest[:min(len(s.Hottest), Hottest)]
}
