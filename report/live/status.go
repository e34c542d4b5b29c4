package live

import (
	"cmp"
	"slices"
	"time"

	"loadgen/results"
)

// Status is how a run fares at an instant. What is nil cannot be told: there is too
// little of it yet.
type Status struct {
	// At is the instant, since the start of the run.
	At time.Duration
	// Stage and Phase are those under way, empty before the first.
	Stage, Phase string
	// Reported says that the phase is what the run is for: neither does it prepare nor read
	// back.
	Reported bool
	// Planned is how many operations the stage is to send, 0 where that is not known
	// beforehand, Ended how many of them are over, sent or dropped.
	Planned, Ended uint64
	// Left is how much longer the stage takes: what is left of its schedule, or, in a
	// closed loop, what the rest takes at the pace so far, which Estimated says.
	Left      *time.Duration
	Estimated bool
	// Target is the rate at which the phase has operations arrive, per second; nil in a
	// closed loop.
	Target *float64
	// Offered and Served are entities per second, of the last two whole seconds: due by
	// the documented rule, and counted for operations that succeeded. Where the generator
	// lags behind a constant rate, what that comes to is offered all the same.
	Offered, Served *float64
	// Throttled is the share of attempts that were, from 0 to 1, of the last five seconds.
	Throttled *float64
	// P50 and P99 are of the response times of operations that succeeded in the last ten
	// seconds, from their intended instant, to within 4%; nil for less than 20 of them, and
	// less than a thousand.
	P50, P99 *time.Duration
	// Hottest are the partitions with the most entities served in the last two seconds,
	// at most [Hottest], most first.
	Hottest []Heat
	// Totals are of the whole run, Sofar of its stage.
	Totals, Sofar Totals
	// Members are the processes that send together, by place: none where this one sends.
	Members []Member
}

// Heat is what a partition serves at least, in entities per second. Name is for
// people, see [results.PartitionName]; it holds whatever the key does.
type Heat struct {
	Name string
	Rate float64
}

// Hottest is how many partitions a status names at most.
const Hottest = 10

// The stretches that a status is of, in whole seconds.
const (
	rateOver      = 2
	throttledOver = 5
	timesOver     = 10
)

// shortest is the shortest stretch of time that anything is told of.
const shortest = 500 * time.Millisecond

// Status returns how the run fares at an instant, which should not fall from call to
// call.
func (p *Stats) Status(at time.Duration) Status {
	p.mu.Lock()
	now := p.stage
	p.mu.Unlock()
	s := Status{At: at, Stage: now.name, Planned: now.planned, Totals: p.Totals(), Members: p.Members()}
	s.Sofar = s.Totals
	s.Sofar.Sub(&now.before.Counts)
	s.Sofar.Begun -= now.before.Begun
	s.Ended = uint64(s.Sofar.Operations + s.Sofar.Dropped)
	if now.planned > 0 {
		s.Ended = min(s.Ended, now.planned)
	}
	if !now.begun || at < now.begin {
		return s
	}
	var under phase
	for _, one := range now.phases {
		if one.begin <= at {
			under = one
		}
	}
	s.Phase, s.Reported = under.name, under.reported
	if under.target > 0 {
		s.Target = &under.target
	}
	switch passed := at - now.begin; {
	case now.length > 0:
		s.Left = new(max(0, now.length-passed))
	case passed >= shortest && s.Ended > 0 && now.planned > 0:
		s.Left = new(time.Duration(float64(passed) / float64(s.Ended) * float64(now.planned-min(s.Ended, now.planned))))
		s.Estimated = true
	}
	p.recent(&s, &now, under)
	return s
}

// recent fills in what a status says of the last seconds of a stage.
func (p *Stats) recent(s *Status, in *stage, under phase) {
	var due, offered, served, attempts, throttled int64
	var times [bins]int64
	heat := make(map[partition]int64)
	now := int64(s.At / time.Second)
	for i := range p.shards {
		h := &p.shards[i]
		h.mu.Lock()
		for j := range h.ring {
			one := &h.ring[j]
			age := now - one.number
			if age < 1 || age > timesOver {
				continue
			}
			for bin, n := range one.times {
				times[bin] += int64(n)
			}
			if age <= throttledOver {
				attempts, throttled = attempts+one.Attempts, throttled+one.Throttled
			}
			if age <= rateOver {
				due, offered, served = due+one.Scheduled, offered+one.Offered, served+one.Served
				one.warm(heat)
			}
		}
		h.mu.Unlock()
	}
	s.P50, s.P99 = quantile(&times, 50), quantile(&times, 99)
	if attempts > 0 {
		s.Throttled = new(float64(throttled) / float64(attempts))
	}
	end := time.Duration(now) * time.Second
	from := max(in.begin, end-rateOver*time.Second)
	if span := end - from; span >= shortest {
		o, v := float64(offered)/span.Seconds(), float64(served)/span.Seconds()
		if within := from >= under.begin && end <= in.begin+in.length; within && due > 0 {
			// What lags behind is told when it is sent.
			o = max(o, under.rate*float64(offered)/float64(due))
		}
		s.Offered, s.Served = &o, &v
		list := make([]Heat, 0, len(heat))
		for one, entities := range heat {
			list = append(list, Heat{results.PartitionName(one.table, one.key), float64(entities) / span.Seconds()})
		}
		slices.SortFunc(list, func(a, b Heat) int {
			return cmp.Or(cmp.Compare(b.Rate, a.Rate), cmp.Compare(a.Name, b.Name))
		})
		s.Hottest = list[:min(len(list), Hottest)]
	}
}

// warm adds what partitions served at least in a second.
func (s *second) warm(heat map[partition]int64) {
	if s.heat == nil {
		return
	}
	for _, place := range s.heat.Places() {
		if sure := place.Value.served; sure > 0 {
			heat[place.Key] += sure
		}
	}
}
