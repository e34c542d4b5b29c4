package campaign

import (
	"math"
	"slices"
	"time"

	"loadgen/engine/entity"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/keys"
	"loadgen/target"
)

// Forecast predicts the requests of a run.
type Forecast struct {
	// Requests is the number of attempts without retries; each is a billed transaction. AtMost is
	// the number if every attempt of the load is throttled until its retries are used up, and a
	// step at the target rate is repeated.
	Requests, AtMost int64
	// Beside is the number of requests to queues and containers of blobs.
	Beside int64
	// Entities is how many entities they count by the documented rule.
	Entities int64
	// Sent and Received are the bytes on the wire without retries, with an error of about a
	// quarter.
	Sent, Received int64
	// Operations is the number of operations of the load, Lasts its duration, both without
	// preparation.
	Operations int64
	Lasts      time.Duration
}

// The sizes in bytes of a request and a reply without entities: request line or status, headers
// with a signature, and the headers of each part of a transaction.
const (
	requestBytes   = 600
	replyBytes     = 500
	batchPartBytes = 450
)

// pageEntities is the maximum number of entities of a page.
const pageEntities = 1000

// pageScanned is the maximum number of entities that the service reads for a page, in its five
// seconds.
const pageScanned = 50_000

// Forecast returns the prediction for the campaign.
func (c *Campaign) Forecast() Forecast {
	// Each table is created, marked and dropped.
	each := int64(len(c.tables))
	f := requests(3*each, Forecast{Entities: each})
	for _, phase := range c.Forecasts() {
		f.add(phase)
	}
	return f
}

// Forecasts returns the predictions for each phase, in their order.
func (c *Campaign) Forecasts() []Forecast {
	all, _ := c.plans(len(c.Scenario.Phases))
	list := make([]Forecast, len(all))
	for i, d := range all {
		phase, f := &c.Scenario.Phases[i], &list[i]
		switch {
		case phase.Load != nil:
			first := c.Scenario.Loaded(i)
			batches, entities := int64(0), int64(len(c.locations)*phase.Load.Entities)
			for j := range c.locations {
				batches += int64(len(c.locations[j].batches(first, first+uint64(phase.Load.Entities), phase.Load.Transaction)))
			}
			f.add(requests(batches, Forecast{Entities: entities, Sent: entities * (c.weight(first) + batchPartBytes), Received: entities * batchPartBytes}))
		case phase.Count != nil:
			var pages, loaded int64
			for _, one := range c.loadedInto(i) {
				entities := int64(len(one.members))
				pages += (entities + pageEntities - 1) / pageEntities
				loaded += entities
			}
			f.add(requests(pages, Forecast{Entities: loaded, Received: loaded * c.weight(0)}))
		case c.Find != nil:
			// A search can try its highest rate.
			if first, any := findPhase(c.Scenario); any && i == first {
				var most Forecast
				c.forecastOperations(f, i, phase.Operations(), c.Find.operationsOf(2))
				c.forecastOperations(&most, i, phase.Operations(), c.Find.operationsOf(typicalSteps))
				f.AtMost, f.Lasts = most.AtMost, c.Find.lasts()
			}
		case d.stage != nil:
			// A closed loop is assumed to be answered at once, and a phase that can end early not
			// to.
			if !d.Events() || keyedTrace(d.Traffic) != nil || !c.forecastEvents(f, d) {
				c.forecastOperations(f, i, d.operations(), float64(d.expected))
			}
			f.Operations, f.Lasts = addUp(f.Operations, int64(min(d.expected, math.MaxInt64/2))), f.Lasts+d.lasts
			if again := c.secondTry(d); again != nil {
				var once Forecast
				c.forecastOperations(&once, i, again.operations(), float64(again.expected))
				f.AtMost += once.AtMost
			}
		}
	}
	return list
}

// weight is the approximate size of entity n as JSON in bytes, on average where sizes are drawn.
func (c *Campaign) weight(n uint64) int64 { return projected(c.generator, n) }

// projected is the approximate size in bytes as JSON of entity n, if a query returns its
// named properties, all if none is named. If sizes are random it is the average.
func projected(g *keys.Generator, n uint64, names ...string) int64 {
	mean, sized := g.MeanSize()
	count, sum := uint64(1), int64(0)
	switch {
	case sized && len(names) == 0:
		return int64(mean)*5/8 + 40
	case sized:
		n, count = 0, sampledSizes
	}
	for at := n; at < n+count; at++ {
		properties := g.Properties(at)
		if len(names) > 0 {
			properties = slices.DeleteFunc(properties, func(p entity.Property) bool { return !slices.Contains(names, p.Name) })
		}
		sum += asJSON(g.Key(at), properties)
	}
	return sum / int64(count)
}

// sampledSizes is the number of entities that are sampled if each has a size of its own.
const sampledSizes = 100

// asJSON is the approximate size in bytes of an entity as JSON: most characters are one byte there,
// and two by the billing rule.
func asJSON(key entity.Key, properties []entity.Property) int64 {
	return int64(entity.Size(key, properties))*5/8 + 40
}

func (c *Campaign) forecastOperations(f *Forecast, phase int, list []scenarios.OperationSpec, operations float64) {
	weight, all := c.weight(0), weights(list)
	for i := range list {
		op := &list[i]
		share := int64(operations * float64(op.Weight) / all)
		due, each := c.dueOf(phase, op)
		entities := share * due
		part := requests(share*each, Forecast{Entities: entities})
		part.AtMost *= int64(1 + c.retries[op.Retry].Retries)
		switch op.Verb {
		case entity.Get, entity.Query:
			part.Received += entities * projected(c.generator, 0, op.Select...)
		case entity.Delete:
		case entity.Batch:
			part.Sent += entities * (weight + batchPartBytes)
			part.Received += entities * batchPartBytes
		default:
			part.Sent += entities * weight
		}
		if op.ReadFirst {
			part.Received += share * weight
			if op.Verb != entity.Delete {
				// One of the two counted entities is read.
				part.Sent -= share * weight
			}
		}
		c.forecastVerified(&part, op, share, weight)
		f.add(part)
	}
}

// requests adds to a forecast a number of requests without retries, and their headers.
func requests(number int64, f Forecast) Forecast {
	f.Requests, f.AtMost = number, number
	f.Sent += number * requestBytes
	f.Received += number * replyBytes
	return f
}

func (f *Forecast) add(part Forecast) {
	f.Requests = addUp(f.Requests, part.Requests)
	f.AtMost = addUp(f.AtMost, part.AtMost)
	f.Beside = addUp(f.Beside, part.Beside)
	f.Entities = addUp(f.Entities, part.Entities)
	f.Sent = addUp(f.Sent, part.Sent)
	f.Received = addUp(f.Received, part.Received)
	f.Operations = addUp(f.Operations, part.Operations)
	f.Lasts += part.Lasts
}

// sampled is the number of operations of a phase of event traffic that stand for all.
const sampled = 400

// forecastEvents adds the forecast of a phase of event traffic from a sample of its operations, and
// returns false if it fails.
func (c *Campaign) forecastEvents(f *Forecast, d *phasePlan) bool {
	e, err := c.eventsOf(d)
	if err != nil || e.estimateTables() != nil {
		return false
	}
	operations := d.expected
	sums, found := make([]Forecast, len(e.specs)), make([]int64, len(e.specs))
	look := func(k uint64) {
		kind := e.pick(k)
		found[kind]++
		sums[kind].add(c.forecastOperation(e, k, kind))
	}
	for i := range min(operations, sampled) {
		look(i * max(1, operations/sampled))
	}
	for kind := range e.specs {
		for k := uint64(0); found[kind] == 0 && k < min(operations, maxLooked); k++ {
			if e.pick(k) == kind {
				look(k)
			}
		}
		if found[kind] == 0 {
			continue
		}
		share := float64(operations) * float64(e.specs[kind].Weight) / float64(e.weights) / float64(found[kind])
		scaled := func(n int64) int64 { return int64(math.Round(min(float64(n)*share, math.MaxInt64/4))) }
		sum := &sums[kind]
		part := Forecast{Requests: scaled(sum.Requests), Beside: scaled(sum.Beside), Entities: scaled(sum.Entities),
			Sent: scaled(sum.Sent), Received: scaled(sum.Received)}
		part.AtMost = times(part.Requests, int64(1+c.retries[e.specs[kind].Retry].Retries))
		c.forecastVerified(&part, &e.specs[kind], int64(share*float64(found[kind])), c.weight(0))
		f.add(part)
	}
	return true
}

// forecastOperation returns what operation k, of a kind, sends.
func (c *Campaign) forecastOperation(e *events, k uint64, kind int) Forecast {
	var w drive.Work
	e.work(k, &w)
	f, written := Forecast{Entities: w.Offers}, int64(0)
	sent := w.Requests()
	for i := range sent {
		switch op := &sent[i]; {
		case op.Beside != nil && op.Beside.Verb == target.Ask:
			// A stand-in answers, whatever the target.
		case op.Beside != nil:
			f.add(besideBytes(op.Beside))
		case op.Verb == entity.Query && e.kinds[kind].workflowKind == nil:
			// Its pages are counted below.
		case op.Verb == entity.Query:
			e.estimateScans(op, k)
			read := op.Entities()
			written += read
			f.Requests += (read + pageEntities - 1) / pageEntities
			f.Received += read * c.weight(0)
		case op.Verb == entity.Get:
			f.Requests++
			f.Received += c.weight(0)
		default:
			f.Requests++
			written += op.Entities()
			f.Sent += writtenBytes(op)
			f.Received += int64(len(op.Changes)) * batchPartBytes
		}
	}
	if spec := &e.specs[kind]; spec.ReadFirst {
		f.Requests++
		if spec.Verb != entity.Delete {
			f.Sent += c.weight(0)
		}
	}
	if one := &e.kinds[kind]; one.reading != nil && e.inserted(kind) == 0 {
		read, event := w.Offers-written, e.chooseEvent(k, kind, &one.spec.Of)
		if one.reading.isFanOut() {
			for i := range sent {
				f.Requests += one.reading.pages(&sent[i].Query, sent[i].Query.Scans, k, event)
			}
		} else {
			f.Requests += one.reading.pages(&sent[0].Query, read, k, event)
		}
		f.Received += read * projected(one.reading.location.generator, 0, one.spec.Select...)
	}
	return requests(f.Requests, f)
}

// besideBytes is the approximate size of a request to a queue or a container without headers. The
// size of the reply is unknown.
func besideBytes(b *target.Beside) Forecast {
	f := Forecast{Requests: 1, Beside: 1, Sent: int64(len(b.Body))}
	for name, value := range b.Metadata {
		f.Sent += int64(len(name) + len(value))
	}
	return f
}

// writtenBytes is the approximate size of the entities of a write.
func writtenBytes(op *target.Operation) int64 {
	if op.Verb != entity.Batch {
		return asJSON(op.Change.Key, op.Change.Properties)
	}
	bytes := int64(0)
	for i := range op.Changes {
		bytes += asJSON(op.Changes[i].Key, op.Changes[i].Properties) + batchPartBytes
	}
	return bytes
}
