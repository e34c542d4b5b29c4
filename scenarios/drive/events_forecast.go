package drive

import (
	"math"

	"loadgen/engine/entity"
	"loadgen/target"
)

// sampled is how many operations of a phase of event traffic are looked at for what
// all of them ask for.
const sampled = 400

// forecastEvents adds what a phase of event traffic asks for, as some of its operations
// do, and returns false where it cannot be had.
func (c *Campaign) forecastEvents(f *Forecast, d *dry) bool {
	e, err := c.eventsOf(d)
	if err != nil || e.stocked() != nil {
		return false
	}
	operations := d.expected
	sums, found := make([]Forecast, len(e.specs)), make([]int64, len(e.specs))
	look := func(k uint64) {
		kind := e.pick(k)
		found[kind]++
		sums[kind].add(c.asked(e, k, kind))
	}
	for i := range min(operations, sampled) {
		look(i * max(1, operations/sampled))
	}
	for kind := range e.specs {
		for k := uint64(0); found[kind] == 0 && k < min(operations, mostLooked); k++ {
			if e.pick(k) == kind {
				look(k)
			}
		}
		if found[kind] == 0 {
			continue
		}
		share := float64(operations) * float64(e.specs[kind].Weight) / float64(e.weights) / float64(found[kind])
		part := sums[kind].times(share)
		part.AtMost = times(part.Requests, int64(1+c.policy.Retries))
		c.forecastVerified(&part, &e.specs[kind], int64(share*float64(found[kind])), c.weight(0))
		f.add(part)
	}
	return true
}

// asked returns what operation k, which is of that kind, asks for.
func (c *Campaign) asked(e *events, k uint64, kind int) Forecast {
	w := e.work(k)
	f, written := Forecast{Entities: w.Offers}, int64(0)
	requests := w.requests()
	for i := range requests {
		switch op := &requests[i]; {
		case op.Beside != nil:
			f.add(besideBytes(op.Beside))
		case op.Verb == entity.Query && e.kinds[kind].performance == nil:
			// Its pages are counted below.
		case op.Verb == entity.Query:
			e.surmise(op, k)
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
	if one := &e.kinds[kind]; one.asked != nil && e.inserted(kind) == 0 {
		read, event := w.Offers-written, e.event(e.choose(k, kind, &one.spec.Of))
		if one.asked.fanned() {
			for i := range requests {
				f.Requests += one.asked.pages(requests[i].Query.Scans, event)
			}
		} else {
			f.Requests += one.asked.pages(read, event)
		}
		f.Received += read * projected(one.asked.home.generator, one.spec.Select)
	}
	f.Sent += f.Requests * requestBytes
	f.Received += f.Requests * replyBytes
	return f
}

// besideBytes is about what a request to a queue or a container asks for, beside what
// each request takes. What it receives is not known: nothing.
func besideBytes(b *target.Beside) Forecast {
	f := Forecast{Requests: 1, Beside: 1, Sent: int64(len(b.Body))}
	for name, value := range b.Metadata {
		f.Sent += int64(len(name) + len(value))
	}
	return f
}

// writtenBytes is about what the entities of a write are on the wire.
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

// times returns so many times a forecast.
func (f Forecast) times(factor float64) Forecast {
	scaled := func(n int64) int64 { return int64(math.Round(min(float64(n)*factor, math.MaxInt64/4))) }
	return Forecast{Requests: scaled(f.Requests), AtMost: scaled(f.AtMost), Beside: scaled(f.Beside), Entities: scaled(f.Entities),
		Sent: scaled(f.Sent), Received: scaled(f.Received)}
}
