package drive

import (
	"time"

	"loadgen/engine/entity"
	"loadgen/scenarios"
)

// Forecast is what a run will ask of its target if nothing is refused, and at
// most if everything is.
type Forecast struct {
	// Requests is the number of attempts without a retry; each is a billed
	// transaction. AtMost is that number if every attempt of the peaks is
	// refused as often as the policy goes on.
	Requests, AtMost int64
	// Entities is how many entities they count by the documented rule.
	Entities int64
	// Sent and Received are the bytes on the wire without retries, to about a
	// quarter.
	Sent, Received int64
	// Lasts is how long the peaks last, preparation excluded.
	Lasts time.Duration
}

// What a request and a reply weigh on the wire beside the entities in them:
// request line or status, headers with a signature, and, for each operation of a
// transaction, its part's headers.
const (
	requestBytes   = 600
	replyBytes     = 500
	batchPartBytes = 450
)

// pageEntities is how many entities a page of a query holds at most.
const pageEntities = 1000

// Forecast returns what the campaign will ask of its target.
func (c *Campaign) Forecast() Forecast {
	// Creating, marking and dropping the table.
	f := Forecast{Requests: 3, AtMost: 3, Entities: 1, Sent: 3 * requestBytes, Received: 3 * replyBytes}
	for i := range c.Scenario.Phases {
		phase := &c.Scenario.Phases[i]
		switch {
		case phase.Load != nil:
			c.forecastLoad(&f, i)
		case phase.Count != nil:
			c.forecastCount(&f, i)
		case c.Find != nil:
			c.forecastFind(&f, i)
		case phase.Peak != nil:
			c.forecastPeak(&f, phase.Peak)
		case phase.Spread != nil:
			c.forecastSpread(&f, phase)
		case phase.Traffic != nil:
			c.forecastTraffic(&f, phase)
		}
	}
	return f
}

// weight is about how many bytes entity n has as JSON: a character that the
// billing rule counts twice is mostly one byte there.
func (c *Campaign) weight(n uint64) int64 {
	return int64(entity.Size(c.generator.Key(n), c.generator.Properties(n)))*5/8 + 40
}

func (c *Campaign) forecastLoad(f *Forecast, phase int) {
	spec := c.Scenario.Phases[phase].Load
	first := c.Scenario.Loaded(phase)
	batches := int64(len(c.batches(first, first+uint64(spec.Entities), spec.Transaction)))
	entities := int64(spec.Entities)
	f.add(Forecast{Requests: batches, AtMost: batches, Entities: entities,
		Sent:     batches*requestBytes + entities*(c.weight(first)+batchPartBytes),
		Received: batches*replyBytes + entities*batchPartBytes})
}

func (c *Campaign) forecastCount(f *Forecast, phase int) {
	loaded := c.Scenario.Loaded(phase)
	members := make(map[string]int64)
	for n := range loaded {
		members[c.generator.PartitionKey(n)]++
	}
	var pages int64
	for _, entities := range members {
		pages += (entities + pageEntities - 1) / pageEntities
	}
	f.add(Forecast{Requests: pages, AtMost: pages, Entities: int64(loaded),
		Sent: pages * requestBytes, Received: pages*replyBytes + int64(loaded)*c.weight(0)})
}

func (c *Campaign) forecastPeak(f *Forecast, peak *scenarios.Peak) {
	var operations float64
	var lasts time.Duration
	for _, step := range c.peakSteps(peak) {
		operations += step.Rate * step.Length.Seconds()
		lasts += step.Length
	}
	c.forecastOperations(f, peak.Operations, operations)
	f.Lasts += lasts
}

// forecastSpread takes a closed loop for one that is answered at once.
func (c *Campaign) forecastSpread(f *Forecast, phase *scenarios.Phase) {
	if most, err := c.mostOperations(phase); err == nil {
		operations := float64(most)
		if phase.Spread.Clients > 0 {
			operations = float64(phase.Spread.Clients) * phase.Spread.For.Seconds() / phase.Spread.Think.Seconds()
		}
		c.forecastOperations(f, phase.Spread.Operations, operations)
	}
	f.Lasts += phase.Spread.For
}

// forecastOperations adds so many operations of a mix.
func (c *Campaign) forecastOperations(f *Forecast, list []scenarios.OperationSpec, operations float64) {
	var weights float64
	for i := range list {
		weights += float64(list[i].Weight)
	}
	each := c.weight(0)
	for i := range list {
		op := &list[i]
		share := int64(operations * float64(op.Weight) / weights)
		due, requests := c.dueOf(list, op)
		entities := share * due
		requests *= share
		part := Forecast{Requests: requests, AtMost: requests * int64(1+c.policy.Retries), Entities: entities,
			Sent: requests * requestBytes, Received: requests * replyBytes}
		switch op.Verb {
		case entity.Get, entity.Query:
			part.Received += entities * each
		case entity.Delete:
		case entity.Batch:
			part.Sent += entities * (each + batchPartBytes)
			part.Received += entities * batchPartBytes
		default:
			part.Sent += entities * each
		}
		c.forecastGuarded(&part, op, share, each)
		f.add(part)
	}
}

func (f *Forecast) add(part Forecast) {
	f.Requests += part.Requests
	f.AtMost += part.AtMost
	f.Entities += part.Entities
	f.Sent += part.Sent
	f.Received += part.Received
}
