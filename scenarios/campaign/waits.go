package campaign

import (
	"math"
	"slices"
	"time"

	"loadgen/engine/entity"
	"loadgen/scenarios"
)

// waits are what a rehearsal in counts finds for a phase.
type waits struct {
	// inFlight and waiting are the maximum numbers of operations in flight and of
	// operations that wait to send, again or at all.
	inFlight, waiting float64
	// operations is how many there are, succeeded the share of them that succeed.
	operations, succeeded float64
}

// waitBins is the number of steps of a rehearsal in counts.
const waitBins = 1024

// flow is the first attempts of a phase, of a long one in the window around its busiest time.
type flow struct {
	// counts has the operations due in each step, entities their mean number of entities.
	// begins is the start of the first step, since the start of the load.
	counts   []float64
	step     time.Duration
	begins   time.Duration
	entities float64
	// whole is the flow of the whole phase where this is a window, else nil.
	whole *flow
	// clients, where above 0, send their next operation after think and service; counts
	// has their first ones.
	clients        float64
	think, service time.Duration
}

// highest returns the maximum rate in operations per second without throttling.
func (w *flow) highest() float64 { return slices.Max(w.counts) / w.step.Seconds() }

// backlog returns the maximum number of operations that wait for a server with a rate, if a
// share of them needs it.
func (w *flow) backlog(share, perSecond float64) float64 {
	queue, most := 0.0, 0.0
	for _, n := range w.counts {
		queue = max(0, queue+n*share-perSecond*w.step.Seconds())
		most = max(most, queue)
	}
	return most
}

// flowOf returns the flow of a phase whose operations wait for at most memory.
func (d *dry) flowOf(memory time.Duration) flow {
	const windows = 8
	count := func(from, length time.Duration) flow {
		w := flow{counts: make([]float64, waitBins), step: max(1, length/waitBins), entities: 1}
		before := dueBefore(d.stage.Schedule, from)
		for i := range w.counts {
			due := dueBefore(d.stage.Schedule, from+time.Duration(i+1)*w.step)
			w.counts[i], before = float64(due-before), due
		}
		return w
	}
	all := count(0, d.lasts)
	memory = max(memory, time.Second)
	if d.lasts/windows <= memory {
		return all
	}
	busiest := 0
	for i, n := range all.counts {
		if n > all.counts[busiest] {
			busiest = i
		}
	}
	from := max(0, time.Duration(busiest)*all.step-windows/2*memory)
	part := count(from, windows*memory)
	part.begins, part.whole = from, &all
	return part
}

// clientsFlow returns the flow of a closed loop, whose operations retry at most so often.
func (d *dry) clientsFlow(service time.Duration, retries int) flow {
	const maxBins, maxCells = 16 * waitBins, 4 << 20
	cycle := max(d.Think+service, time.Microsecond)
	step := max(1, min(d.lasts/waitBins, cycle/4))
	bins := min(maxBins, maxCells/(retries+1), int(d.lasts/step)+1)
	w := flow{counts: make([]float64, bins), step: step, entities: 1, clients: float64(d.Clients), think: d.Think, service: service}
	// The first operations are spread over one cycle.
	for i := range min(bins, int(cycle/step)) {
		w.counts[i] = w.clients * float64(step) / float64(cycle)
	}
	return w
}

// rehearseWaits returns the operations of a phase that are alive at once: it moves counts of
// attempts, not attempts, through the limits of the model, the faults and the retry policies.
func (c *Campaign) rehearseWaits(d *dry) waits {
	m := c.Model
	switch {
	case m == nil:
		return waits{}
	case c.Find != nil:
		return c.rehearseSearch(d)
	case d.Count > 0:
		return waits{inFlight: float64(min(d.most, uint64(d.Clients))), operations: float64(d.most), succeeded: 1}
	}
	service := m.RoundTrip + max(m.ReadTime, m.WriteTime) + m.EntityTime*time.Duration(stride(d.Operations))
	policies, memory, retries := c.policies(d), time.Duration(0), 0
	for _, one := range policies {
		memory, retries = max(memory, one.policy.LongestWait()), max(retries, one.policy.Retries)
	}
	var w flow
	if d.Clients > 0 {
		w = d.clientsFlow(service, retries)
	} else {
		w = d.flowOf(memory)
		w.service = service
	}
	for i := range d.phase {
		if t := c.Scenario.Phases[i].Traffic; t != nil {
			w.begins += t.Lasts()
			if w.whole != nil {
				w.whole.begins += t.Lasts()
			}
		}
	}
	r := c.waitsOf(d, &w, policies)
	if d.Clients == 0 {
		r.operations = float64(d.most)
	} else {
		r.operations *= d.lasts.Seconds() / (time.Duration(len(w.counts)) * w.step).Seconds()
	}
	return r
}

// waitsOf is [Campaign.rehearseWaits] of a flow.
func (c *Campaign) waitsOf(d *dry, w *flow, policies []retryShare) waits {
	r, m := waits{succeeded: 1}, c.Model
	highest := w.highest()
	r.inFlight = highest * (w.service + c.delays()).Seconds()
	if w.clients > 0 {
		r.operations = highest * (time.Duration(len(w.counts)) * w.step).Seconds()
		r.inFlight = min(r.inFlight, w.clients)
	}
	waiting, inFlight := c.backlogs(d, w)
	r.waiting, r.inFlight = waiting, r.inFlight+inFlight
	limits := c.limitsOf(d, w)
	if len(limits) > 0 && c.Scenario.Start == scenarios.StartCold && w.begins+d.lasts > m.Stamp.Detection {
		// A range that moves holds the requests that it does not throttle.
		held := float64(1000-m.Stamp.OfflineThrottled) / 1000 / 2
		r.inFlight += highest * m.Stamp.OfflineMost.Seconds() * held
	}
	most, limited := 0.0, 0.0
	retried := func(one limit) float64 {
		by := c.retried(w, one, policies)
		if w.whole != nil {
			by.succeeded = c.servedOf(w.whole, one)
		}
		r.succeeded = min(r.succeeded, by.succeeded)
		if w.clients > 0 {
			r.operations = min(r.operations, by.operations)
		}
		return by.waiting
	}
	for _, one := range limits {
		most, limited = max(most, retried(one)), max(limited, one.share)
	}
	if len(c.Scenario.Faults) > 0 && limited < 1 {
		most += retried(limit{share: 1 - limited, perSecond: func(time.Duration) float64 { return math.Inf(1) }})
	}
	r.waiting += most
	return r
}

// backlogs returns the operations that wait for the client: for its rate limits, and in flight
// for its bandwidth.
func (c *Campaign) backlogs(d *dry, w *flow) (waiting, inFlight float64) {
	if w.whole != nil {
		w = w.whole
	}
	list := d.operations()
	all := weights(list)
	for i := range list {
		if limit := list[i].Limit.PerSecond; limit > 0 {
			waiting += w.backlog(float64(list[i].Weight)/all, limit)
		}
	}
	if m := c.Model; m.ClientBandwidth > 0 {
		var f Forecast
		c.forecastOperations(&f, d.phase, list, 1000)
		bytes := float64(max(f.Sent, f.Received)) / 1000
		inFlight = w.backlog(1, float64(m.ClientBandwidth*max(1, m.ClientMachines))/max(1, bytes))
	}
	return waiting, inFlight
}

// delays returns how long faults hold replies.
func (c *Campaign) delays() (longest time.Duration) {
	for i := range c.Scenario.Faults {
		rule := &c.Scenario.Faults[i]
		if rule.By == 0 && !rule.Fails() {
			longest = max(longest, rule.To-rule.From)
		}
		longest = max(longest, rule.By*time.Duration(rule.Share)/1_000_000)
	}
	return longest
}

// limit is a limit that throttles a share of a phase's operations: perSecond returns how
// many operations per second it serves. cost is what a throttled attempt takes of it, in
// operations. It looks at the rate of the last memory.
type limit struct {
	share     float64
	perSecond func(at time.Duration) float64
	cost      float64
	memory    time.Duration
}

// passing returns the share of attempts at a rate that the limit lets pass.
func (l *limit) passing(at time.Duration, rate float64) float64 {
	room := l.perSecond(at)
	if rate <= room {
		return 1
	}
	return max(0, room-l.cost*rate) / (1 - min(.5, l.cost)) / rate
}

// limitsOf returns the limits of the model that the flow exceeds. It sets the flow's entities.
func (c *Campaign) limitsOf(d *dry, w *flow) (limits []limit) {
	m, partition := c.Model, math.Inf(1)
	if m.PartitionTarget > 0 {
		partition = float64(m.PartitionTarget) * float64(max(1000, m.Idle.Headroom)) / 1000
	}
	account, ranges := c.sharedTargets()
	cold := c.Scenario.Start == scenarios.StartCold
	highest := w.highest()
	if highest*c.maxOffers(d, highest) <= min(partition, account, ranges) {
		return nil
	}
	shares, entities := c.loads(d, w)
	w.entities = max(1, entities)
	if beyond := float64(c.content(d))/1024 - w.entities; beyond > 0 {
		w.entities += beyond * float64(m.Stamp.SizeWeight) / 1000
	}
	over, count := 0.0, 0.0
	for _, share := range shares {
		if share*highest*w.entities > partition {
			over, count = over+share, count+1
		}
	}
	cost := float64(m.ThrottleCost) / 1000 / w.entities
	if count > 0 {
		byKey := limit{over, func(time.Duration) float64 { return count * partition / w.entities }, cost, 0}
		if m.Idle.Headroom > 1000 {
			byKey.memory = m.Idle.RateMemory
		}
		limits = append(limits, byKey)
	}
	if highest*w.entities > min(account, ranges) {
		limits = append(limits, limit{1, func(at time.Duration) float64 {
			// Load balancing doubles what is served after each detection.
			relieved := ranges
			if cold {
				relieved *= math.Exp2(math.Floor(float64(at) / float64(max(1, m.Stamp.Detection))))
			}
			return min(account, relieved) / w.entities
		}, cost, 0})
	}
	return limits
}

// maxOffers returns the maximum number of entities of an operation. A query counts as one if few
// operations can wait to retry, whatever it reads: then it needs no sample.
func (c *Campaign) maxOffers(d *dry, highest float64) float64 {
	const few = 16_000
	waits, _ := c.retries.maxWait()
	offers := 1
	for i := range d.Operations {
		if op := &d.Operations[i]; op.Verb == entity.Query && highest*waits.Seconds() > few {
			offers = max(offers, pageEntities)
		}
		offers = max(offers, d.Operations[i].Offers())
	}
	return float64(offers)
}

// sharedTargets returns the entities per second of all accounts, and of the first range of a
// cold table or of all servers.
func (c *Campaign) sharedTargets() (account, ranges float64) {
	m := c.Model
	account, ranges = math.Inf(1), math.Inf(1)
	if m.AccountTarget > 0 {
		account = float64(m.AccountTarget) * float64(c.Scenario.Sharding().Number())
	}
	cold := c.Scenario.Start == scenarios.StartCold
	switch {
	case cold && m.Stamp.RangeTarget > 0:
		ranges = float64(m.Stamp.RangeTarget)
	case cold && m.Stamp.PipelineEntity > 0:
		ranges = 1 / (m.Stamp.PipelineRequest + m.Stamp.PipelineEntity).Seconds()
	case !cold && m.BoundsServers():
		ranges = float64(m.Stamp.ServerTarget * m.Stamp.Servers)
	}
	return account, ranges
}

// loads returns the share of the entities that each partition is to serve, and how many
// entities an operation has on average, from a sample in the middle of the flow.
func (c *Campaign) loads(d *dry, w *flow) (shares map[string]float64, entities float64) {
	const sampled = 8192
	shares = map[string]float64{"": 1}
	shadow := *c // whose entities are numbered on
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
			n := float64(max(1, t.Entities))
			shares[t.Table+"\x00"+t.Key.Partition] += n
		})
		all += float64(max(1, due))
	}
	for key := range shares {
		shares[key] /= all
	}
	return shares, all / float64(count)
}

// retried returns the operations that wait to retry because of a limit.
func (c *Campaign) retried(w *flow, by limit, policies []retryShare) waits {
	first := slices.Clone(w.counts)
	var classes []*retries
	for _, one := range policies {
		classes = append(classes, newRetries(one, w.step, len(first)))
	}
	var r waits
	change := make([]float64, len(first)+2) // of the number of those that wait, by step
	rate, now, served := 0.0, 0.0, 0.0
	newer := 1.0
	if by.memory > 0 {
		newer = 1 - math.Exp(-float64(w.step)/float64(by.memory))
	}
	for bin, count := range first {
		at := w.begins + time.Duration(bin)*w.step
		attempts, ended := 0.0, count*(1-by.share)
		for _, one := range classes {
			one.due[0][bin] = count * by.share * one.share
			attempts += one.attempts(bin)
		}
		// What a fault refuses does not reach the limit.
		reaches := 1 - c.failing(at)
		rate += (attempts*reaches/w.step.Seconds() - rate) * newer
		pass := by.passing(at, rate) * reaches
		r.operations, served = r.operations+count, served+ended+attempts*pass
		ended += attempts * pass
		for _, one := range classes {
			ended += one.fail(bin, 1-pass, change)
		}
		w.follow(first, bin, ended)
		now += change[bin]
		r.waiting = max(r.waiting, now)
	}
	r.succeeded = min(1, served/max(1, r.operations))
	return r
}

// servedOf returns the share of a flow that a limit serves, at waits far shorter than the flow.
func (c *Campaign) servedOf(w *flow, by limit) float64 {
	served, all := 0.0, 0.0
	for bin, count := range w.counts {
		at := w.begins + time.Duration(bin)*w.step
		pass := by.passing(at, count*by.share/w.step.Seconds()) * (1 - c.failing(at))
		served, all = served+count*(1-by.share+by.share*pass), all+count
	}
	return served / max(1, all)
}

// follow adds the next operations of the clients whose operations ended in a step.
func (w *flow) follow(first []float64, bin int, ended float64) {
	if w.clients == 0 {
		return
	}
	const draws = 8
	for i := range draws {
		pause := w.service + time.Duration(float64(w.think)*(.5+(float64(i)+.5)/draws))
		if next := bin + max(1, int(math.Round(float64(pause)/float64(w.step)))); next < len(first) {
			first[next] += ended / draws
		}
	}
}

// failing returns the share of attempts that faults make fail at a time.
func (c *Campaign) failing(at time.Duration) float64 {
	passes := 1.0
	for i := range c.Scenario.Faults {
		rule := &c.Scenario.Faults[i]
		if rule.Fails() && at >= rule.From && (rule.To == 0 || at < rule.To) {
			passes *= 1 - float64(rule.Share)/1_000_000
		}
	}
	return 1 - passes
}

// retries are the operations that retry by one policy.
type retries struct {
	retryShare
	// due has the attempts of each try by step, spans the waits before each retry in steps,
	// each as likely as the others; below 0 there is no retry, since it would be too late.
	due   [][]float64
	spans [][]float64
}

func newRetries(one retryShare, step time.Duration, bins int) *retries {
	const draws = 16
	r := &retries{retryShare: one, due: [][]float64{make([]float64, bins)}}
	var before, elapsed [draws]time.Duration
	for x := 1; x <= one.policy.Retries; x++ {
		var spans []float64
		for i := range before {
			if elapsed[i] < 0 {
				continue
			}
			// Of each retry another draw, since a wait can depend on the one before.
			_, chance := math.Modf((float64(i)+.5)/draws + float64(x)*math.Phi)
			before[i], _ = one.policy.Next(x, before[i], chance)
			span := float64(before[i]) / float64(step)
			if elapsed[i] += before[i]; one.policy.Elapsed > 0 && elapsed[i] > one.policy.Elapsed {
				elapsed[i], span = -1, -1
			}
			spans = append(spans, span)
		}
		if len(spans) == 0 {
			break
		}
		r.due, r.spans = append(r.due, make([]float64, bins)), append(r.spans, spans)
	}
	return r
}

// attempts returns the attempts of a step.
func (r *retries) attempts(bin int) (sum float64) {
	for _, due := range r.due {
		sum += due[bin]
	}
	return sum
}

// fail puts the share of a step's attempts that fail aside until their retries, and returns
// those that have none left. It adds to change how the number of those that wait changes.
func (r *retries) fail(bin int, share float64, change []float64) (lost float64) {
	bins := len(change) - 2
	for try, spans := range r.spans {
		failed := r.due[try][bin] * share / float64(len(spans))
		if failed < 1e-9 {
			continue
		}
		for _, span := range spans {
			if span < 0 {
				lost += failed
				continue
			}
			change[bin] += failed
			whole := math.Floor(span)
			if end := float64(bin) + whole; end < float64(bins) {
				change[int(end)] -= failed * (1 - (span - whole))
				change[int(end)+1] -= failed * (span - whole)
			}
			if next := float64(bin) + max(1, math.Round(span)); next < float64(bins) {
				r.due[try+1][int(next)] += failed
			}
		}
	}
	return lost + r.due[len(r.spans)][bin]*share
}
