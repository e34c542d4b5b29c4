package campaign

import (
	"math"
	"slices"
	"time"

	"loadgen/backoff"
	"loadgen/engine/entity"
	"loadgen/scenarios"
)

// backlog has the maximum number of operations of a phase that are alive at once.
type backlog struct {
	// inFlight operations await a reply, waiting operations wait to be sent.
	inFlight, waiting float64
	// operations is the number of operations in all, succeeded the share of them that succeeds.
	operations, succeeded float64
}

// arrivals has the operations of a phase that become due in each of many equal steps.
type arrivals struct {
	counts []float64
	step   time.Duration
	// begins is the start of the first step, since the start of the load.
	begins time.Duration
	// service is the response time without waiting, entities the mean number of entities of an
	// operation.
	service  time.Duration
	entities float64
	// clients is 0 in an open loop. In a closed loop each client begins an operation every cycle.
	clients float64
	cycle   time.Duration
}

// arrivals returns the arrivals of a phase whose operations retry at most so often; of a search,
// those of a step at its highest rate.
func (c *Campaign) arrivals(d *phasePlan, retries int) *arrivals {
	m, schedule, length := c.Model, d.stage.Schedule, d.lasts
	if c.Find != nil {
		stage, _, _ := c.stepStage(SearchStep{Rate: c.Find.UpTo})
		schedule, length = stage.Schedule, stage.Schedule.Length()
	}
	// Steps of long phases take a second, if memory allows.
	const minSteps, maxSteps, maxCells = 1024, 16_384, 4 << 20
	steps := max(minSteps, min(maxSteps, int(length/time.Second), maxCells/(retries+1)))
	a := &arrivals{counts: make([]float64, steps), step: max(1, length/time.Duration(steps)), entities: 1,
		service: m.RoundTrip + max(m.ReadTime, m.WriteTime) + m.EntityTime*time.Duration(stride(d.Operations))}
	if c.Find == nil {
		for i := range d.phase {
			if t := c.Scenario.Phases[i].Traffic; t != nil {
				a.begins += t.Lasts()
			}
		}
	}
	if schedule == nil {
		a.clients, a.cycle = float64(d.Clients), max(d.Think+a.service, time.Microsecond)
		for i := range a.counts {
			a.counts[i] = a.clients * float64(a.step) / float64(a.cycle)
		}
		return a
	}
	before := uint64(0)
	for i := range a.counts {
		due := dueBefore(schedule, time.Duration(i+1)*a.step)
		a.counts[i], before = float64(due-before), due
	}
	return a
}

// maxRate returns the maximum rate in operations per second without throttling.
func (a *arrivals) maxRate() float64 { return slices.Max(a.counts) / a.step.Seconds() }

// queue returns the maximum number of operations that wait for a server with a rate, if a share of
// them needs it.
func (a *arrivals) queue(share, perSecond float64) float64 {
	waiting, longest := 0.0, 0.0
	for _, n := range a.counts {
		waiting = max(0, waiting+n*share-perSecond*a.step.Seconds())
		longest = max(longest, waiting)
	}
	return longest
}

// backlog returns the operations of a phase that are alive at once. It moves counts of attempts
// through the limits of the model, the faults and the retry policies.
func (c *Campaign) backlog(d *phasePlan) backlog {
	m := c.Model
	switch {
	case m == nil:
		return backlog{}
	case d.Count > 0 && c.Find == nil:
		return backlog{inFlight: float64(min(d.maxOperations, uint64(d.Clients))), operations: float64(d.maxOperations), succeeded: 1}
	}
	policies, retries := c.policies(d), 0
	for _, one := range policies {
		retries = max(retries, one.policy.Retries)
	}
	a := c.arrivals(d, retries)
	b, maxRate := backlog{succeeded: 1}, a.maxRate()
	for _, count := range a.counts {
		b.operations += count
	}
	b.inFlight = min(b.operations, maxRate*(a.service+c.maxDelay()).Seconds())
	if a.clients > 0 {
		b.inFlight = min(b.inFlight, a.clients)
	}
	limits := c.exceededLimits(d, a)
	if len(limits) > 0 && c.Scenario.Start == scenarios.StartCold && a.begins+d.lasts > m.Stamp.Detection {
		// A range that moves holds the requests that it does not throttle.
		held := float64(1000-m.Stamp.OfflineThrottled) / 1000 / 2
		b.inFlight += maxRate * m.Stamp.OfflineMost.Seconds() * held
	}
	limited := 0.0
	for _, one := range limits {
		r := c.retryBacklog(a, one, policies)
		b.waiting, limited = max(b.waiting, r.waiting), max(limited, one.share)
		b.succeeded, b.operations = min(b.succeeded, r.succeeded), min(b.operations, r.operations)
	}
	if len(c.Scenario.Faults) > 0 && limited < 1 {
		r := c.retryBacklog(a, limit{share: 1 - limited, perSecond: unlimited}, policies)
		b.waiting += r.waiting
		b.succeeded = min(b.succeeded, r.succeeded)
	}
	waiting, inFlight := c.clientQueues(d, a)
	b.waiting, b.inFlight = b.waiting+waiting, b.inFlight+inFlight
	if c.Find != nil {
		b.operations, b.succeeded = c.Find.operationsOf(typicalSteps), 1
	}
	return b
}

func unlimited(time.Duration) float64 { return math.Inf(1) }

// clientQueues returns the operations that wait for the client: for its rate limits, and in flight
// for its bandwidth.
func (c *Campaign) clientQueues(d *phasePlan, a *arrivals) (waiting, inFlight float64) {
	list := d.operations()
	all := weights(list)
	for i := range list {
		if limit := list[i].Limit.PerSecond; limit > 0 {
			waiting += a.queue(float64(list[i].Weight)/all, limit)
		}
	}
	if m := c.Model; m.ClientBandwidth > 0 {
		var f Forecast
		c.forecastOperations(&f, d.phase, list, 1000)
		bytes := float64(max(f.Sent, f.Received)) / 1000
		inFlight = a.queue(1, float64(m.ClientBandwidth*max(1, m.ClientMachines))/max(1, bytes))
	}
	return waiting, inFlight
}

// maxDelay returns how long faults hold replies.
func (c *Campaign) maxDelay() (longest time.Duration) {
	for i := range c.Scenario.Faults {
		rule := &c.Scenario.Faults[i]
		if rule.By == 0 && !rule.Fails() {
			longest = max(longest, rule.To-rule.From)
		}
		longest = max(longest, rule.By*time.Duration(rule.Share)/1_000_000)
	}
	return longest
}

// faultShare returns the share of attempts that faults make fail at a time.
func (c *Campaign) faultShare(at time.Duration) float64 {
	passes := 1.0
	for i := range c.Scenario.Faults {
		rule := &c.Scenario.Faults[i]
		if rule.Fails() && at >= rule.From && (rule.To == 0 || at < rule.To) {
			passes *= 1 - float64(rule.Share)/1_000_000
		}
	}
	return 1 - passes
}

// limit throttles a share of a phase's operations. perSecond returns how many operations per second
// it serves at a time, by their mean rate over its memory. A throttled attempt costs as much of the
// limit as cost operations.
type limit struct {
	share     float64
	perSecond func(at time.Duration) float64
	cost      float64
	memory    time.Duration
}

// passing returns the share of attempts at a rate that the limit lets pass.
func (l *limit) passing(at time.Duration, rate float64) float64 {
	capacity := l.perSecond(at)
	if rate <= capacity {
		return 1
	}
	return max(0, capacity-l.cost*rate) / (1 - min(.5, l.cost)) / rate
}

// exceededLimits returns the limits of the model that arrivals exceed: of partitions, and of the
// account or the servers. It sets the mean number of entities.
func (c *Campaign) exceededLimits(d *phasePlan, a *arrivals) (limits []limit) {
	m, cold, maxRate := c.Model, c.Scenario.Start == scenarios.StartCold, a.maxRate()
	partition, account, ranges := math.Inf(1), math.Inf(1), math.Inf(1)
	if m.PartitionTarget > 0 {
		partition = float64(m.PartitionTarget) * float64(max(1000, m.Idle.Headroom)) / 1000
	}
	if m.AccountTarget > 0 {
		account = float64(m.AccountTarget) * float64(c.Scenario.Sharding().Number())
	}
	// A cold table has one range at first.
	switch {
	case cold && m.Stamp.RangeTarget > 0:
		ranges = float64(m.Stamp.RangeTarget)
	case cold && m.Stamp.PipelineEntity > 0:
		ranges = 1 / (m.Stamp.PipelineRequest + m.Stamp.PipelineEntity).Seconds()
	case !cold && m.BoundsServers():
		ranges = float64(m.Stamp.ServerTarget * m.Stamp.Servers)
	}
	if maxRate*c.maxEntities(d, maxRate) <= min(partition, account, ranges) {
		return nil
	}
	shares, entities := c.partitionShares(d)
	a.entities = max(1, entities)
	if beyond := float64(c.content(d))/1024 - a.entities; beyond > 0 {
		a.entities += beyond * float64(m.Stamp.SizeWeight) / 1000
	}
	over, count := 0.0, 0.0
	for _, share := range shares {
		if share*maxRate*a.entities > partition {
			over, count = over+share, count+1
		}
	}
	cost := float64(m.ThrottleCost) / 1000 / a.entities
	if count > 0 {
		hot := limit{share: over, perSecond: func(time.Duration) float64 { return count * partition / a.entities }, cost: cost}
		if m.Idle.Headroom > 1000 {
			hot.memory = m.Idle.RateMemory
		}
		limits = append(limits, hot)
	}
	if maxRate*a.entities > min(account, ranges) {
		limits = append(limits, limit{share: 1, cost: cost, perSecond: func(at time.Duration) float64 {
			served := ranges
			if cold {
				// Load balancing doubles what is served after each detection.
				served *= math.Exp2(math.Floor(float64(at) / float64(max(1, m.Stamp.Detection))))
			}
			return min(account, served) / a.entities
		}})
	}
	return limits
}

// maxEntities returns the maximum number of entities of an operation. A query counts as one if few
// operations can wait to retry, whatever it reads: then it needs no sample.
func (c *Campaign) maxEntities(d *phasePlan, maxRate float64) float64 {
	const few = 16_000
	waits, _ := c.retries.maxWait()
	entities := 1
	for i := range d.Operations {
		if d.Operations[i].Verb == entity.Query && maxRate*waits.Seconds() > few {
			entities = max(entities, pageEntities)
		}
		entities = max(entities, d.Operations[i].Offers())
	}
	return float64(entities)
}

// partitionShares returns the share of the entities that each partition is to serve, and the mean
// number of entities of an operation, from a sample in the middle of a phase.
func (c *Campaign) partitionShares(d *phasePlan) (shares map[string]float64, entities float64) {
	const sampled = 8192
	shares = map[string]float64{"": 1}
	shadow := *c // a preview takes numbers of entities
	shadow.RunMark = ""
	p, err := shadow.Preview(d.phase)
	if err != nil || p == nil || p.Count() == 0 {
		return shares, 1
	}
	clear(shares)
	first := p.Count() / 2
	count, all := min(uint64(sampled), p.Count()-first), 0.0
	for k := first; k < first+count; k++ {
		_, due := p.Operation(k, c.Table, func(t Touch) {
			shares[t.Table+"\x00"+t.Key.Partition] += float64(max(1, t.Entities))
		})
		all += float64(max(1, due))
	}
	for key := range shares {
		shares[key] /= all
	}
	return shares, all / float64(count)
}

// retryBacklog returns the operations that wait to retry because of a limit and of faults.
func (c *Campaign) retryBacklog(a *arrivals, l limit, policies []retryShare) (b backlog) {
	var queues []*retryQueue
	for _, one := range policies {
		queues = append(queues, newRetryQueue(one, a))
	}
	change := make([]float64, len(a.counts)+2) // of the number of waiting operations, by step
	rate, waiting, succeeded := 0.0, 0.0, 0.0
	newer := 1.0
	if l.memory > 0 {
		newer = 1 - math.Exp(-float64(a.step)/float64(l.memory))
	}
	for step, count := range a.counts {
		if a.clients > 0 {
			count *= max(0, 1-waiting/a.clients)
		}
		at, attempts := a.begins+time.Duration(step)*a.step, 0.0
		for _, q := range queues {
			q.due[0][step] = count * l.share * q.share
			for _, due := range q.due {
				attempts += due[step]
			}
		}
		// What a fault refuses does not reach the limit.
		reaches := 1 - c.faultShare(at)
		rate += (attempts*reaches/a.step.Seconds() - rate) * newer
		passing := l.passing(at, rate) * reaches
		for _, q := range queues {
			q.fail(step, 1-passing, change)
		}
		waiting += change[step]
		b.waiting = max(b.waiting, waiting)
		b.operations, succeeded = b.operations+count, succeeded+count*(1-l.share)+attempts*passing
	}
	b.succeeded = min(1, succeeded/max(1, b.operations))
	return b
}

// retryQueue has the operations that retry by one policy.
type retryQueue struct {
	retryShare
	// due has the attempts of each number by step, waits the mean waits before retries in steps.
	due   [][]float64
	waits []float64
}

func newRetryQueue(one retryShare, a *arrivals) *retryQueue {
	q := &retryQueue{retryShare: one, due: [][]float64{make([]float64, len(a.counts))}}
	var wait, elapsed time.Duration
	for x := 1; x <= one.policy.Retries; x++ {
		wait, _ = one.policy.Next(x, wait, .5)
		if elapsed += wait; one.policy.Elapsed > 0 && elapsed > one.policy.Elapsed {
			break
		}
		q.waits = append(q.waits, float64(wait)/float64(a.step))
		q.due = append(q.due, make([]float64, len(a.counts)))
	}
	return q
}

// fail moves the share of a step's attempts that fails to their retries, if they have any left. It
// adds to change how the number of waiting operations changes.
func (q *retryQueue) fail(step int, share float64, change []float64) {
	last := float64(len(change) - 2)
	for retry, wait := range q.waits {
		failed := q.due[retry][step] * share
		change[step] += failed
		end := min(float64(step)+wait, last)
		whole, part := math.Modf(end)
		change[int(whole)] -= failed * (1 - part)
		change[int(whole)+1] -= failed * part
		if next := float64(step) + max(1, math.Round(wait)); next < last {
			q.due[retry+1][int(next)] += failed
		}
	}
}

// policies returns the retry policies of a phase with their shares of its operations.
func (c *Campaign) policies(d *phasePlan) []retryShare {
	list := d.operations()
	all := weights(list)
	var shares []retryShare
	for i := range list {
		policy := c.retries[list[i].Retry]
		at := slices.IndexFunc(shares, func(s retryShare) bool { return s.policy == policy })
		if at < 0 {
			shares = append(shares, retryShare{policy: policy})
			at = len(shares) - 1
		}
		shares[at].share += float64(list[i].Weight) / all
	}
	return shares
}

// retryShare is a retry policy and the share of the operations that it applies to.
type retryShare struct {
	policy *backoff.Policy
	share  float64
}
