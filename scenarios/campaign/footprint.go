package campaign

import (
	"math"
	"slices"

	"loadgen/backoff"
	"loadgen/engine/entity"
	"loadgen/scenarios"
)

// Footprint is the forecast of the peak memory of a simulation, in bytes of live heap.
type Footprint struct {
	// Waiting is for operations that are in flight or wait to retry, Entities for stored
	// entities, Record for histograms and the heat map, Estimates for the keys that queries
	// of event traffic are resolved with.
	Waiting, Entities, Record, Estimates int64
}

// Total returns the sum.
func (f Footprint) Total() int64 {
	return addUp(addUp(f.Waiting, f.Entities), addUp(f.Record, f.Estimates))
}

// Measured sizes in bytes, see TestFootprintAgainstMeasuredPeak.
const (
	// waitingBytes is the size of a session and its queue entry. flightBytes is added for
	// an attempt in flight, workflowBytes for a workflow's state, clientBytes for a client.
	waitingBytes  = 1080
	flightBytes   = 340
	clientBytes   = 40
	workflowBytes = 1200
	// rowBytes is the size of an entity's places in the tree and in the index.
	rowBytes = 150
	// heldBytes is the size of a cached key.
	heldBytes = 110
	// histogramBytes is the size of a full histogram; a kind of operation fills about
	// three of them in each phase.
	histogramBytes = 200 << 10
	histogramsEach = 3
	recordBytes    = 3 << 20
	// trailBytes is the size of a write that is followed until it is read back.
	trailBytes = 400
)

// Footprint returns the memory that the campaign takes in virtual time; data reports
// whether entities are stored.
func (c *Campaign) Footprint(data bool) Footprint {
	f := Footprint{Record: recordBytes}
	all, _ := c.dryRun(len(c.Scenario.Phases))
	followed := int64(0)
	for i, d := range all {
		if data {
			f.Entities = addUp(f.Entities, c.loadedBytes(i))
		}
		if c.audit != nil {
			followed = addUp(followed, d.written(uint64(c.audit.most)))
		}
		if d.most > 0 && d.stage != nil {
			c.footprintOf(&f, d, data)
		}
	}
	if c.audit != nil {
		f.Entities = addUp(f.Entities, times(min(followed, int64(c.audit.most)), trailBytes))
	}
	return f
}

// StoredBytes returns the size of the entities that are stored where every operation succeeds.
func (c *Campaign) StoredBytes() (bytes int64) {
	all, _ := c.dryRun(len(c.Scenario.Phases))
	for i, d := range all {
		bytes = addUp(bytes, c.loadedBytes(i))
		if d.stage != nil {
			bytes = addUp(bytes, c.insertedBytes(d, &waits{operations: float64(d.foreseen()), succeeded: 1}))
		}
	}
	return bytes
}

// loadedBytes returns the size of the entities that a phase loads.
func (c *Campaign) loadedBytes(phase int) int64 {
	load := c.Scenario.Phases[phase].Load
	if load == nil {
		return 0
	}
	return times(times(int64(load.Entities), int64(len(c.locations))), c.stored())
}

// footprintOf adds the memory of a phase that offers load.
func (c *Campaign) footprintOf(f *Footprint, d *dry, data bool) {
	r := c.rehearseWaits(d)
	f.Waiting = max(f.Waiting, c.sessionBytes(d, &r))
	phases := int64(1 + max(1, len(c.ladder(d.Traffic))))
	if c.Find != nil {
		phases = 2 * usualSteps
	}
	f.Record = addUp(f.Record, times(phases*histogramsEach*int64(len(d.Operations)), histogramBytes))
	if d.Events() && slices.ContainsFunc(d.Operations, reads) {
		held := int64(c.Scenario.Loaded(d.phase))
		all, _ := c.dryRun(d.phase + 1)
		for _, before := range all {
			held = addUp(held, int64(min(float64(before.expected)*before.meanEntities((*scenarios.OperationSpec).Inserts), math.MaxInt64/2)))
		}
		held = times(held, int64(len(c.locations)))
		held /= max(1, held/maxEntities)
		f.Estimates = max(f.Estimates, times(held, heldBytes))
	}
	if data {
		f.Entities = addUp(f.Entities, c.insertedBytes(d, &r))
	}
}

// insertedBytes returns the size of the entities that a phase adds.
func (c *Campaign) insertedBytes(d *dry, r *waits) int64 {
	locations := 1.0
	if d.Events() {
		locations = float64(len(c.locations))
	}
	succeeded := r.operations * r.succeeded
	bytes := succeeded * d.meanEntities((*scenarios.OperationSpec).Inserts) * float64(c.stored())
	if all := c.upserted(d); all > 0 {
		// Of entities chosen at random, some are chosen again.
		bytes += all * -math.Expm1(-succeeded/all) * float64(c.upsertedBytes(d))
	}
	return clampBytes(bytes * locations)
}

// upserted returns the number of entities that a phase without a load before can create by
// upserts.
func (c *Campaign) upserted(d *dry) float64 {
	if c.Scenario.Loaded(d.phase) > 0 || !slices.ContainsFunc(d.Operations, upserts) {
		return 0
	}
	return float64(max(d.Partitions, len(d.Keys), 1)) * float64(d.Entities)
}

// upsertedBytes returns the size of a stored entity that an upsert created: a merge writes some
// of its properties only.
func (c *Campaign) upsertedBytes(d *dry) int64 {
	for i := range d.Operations {
		op := &d.Operations[i]
		if op.Verb != entity.InsertOrMerge || op.All {
			continue
		}
		if part, err := op.Part(c.generator); err == nil {
			return packedSize(c.generator.Key(0), part.Properties(0))
		}
	}
	return c.stored()
}

// packedSize returns the size of a stored entity with its places in the tree and in the index.
func packedSize(key entity.Key, properties []entity.Property) int64 {
	size := len(entity.Pack(nil, 0, properties)) + len(key.Row)
	return rowBytes + int64(size)*17/16 // a size class is larger by a sixteenth
}

// reads reports whether an operation queries.
func reads(o scenarios.OperationSpec) bool {
	return o.Verb == entity.Query || len(o.By) > 0 || o.Workflow != ""
}

// sessionBytes returns the memory of the operations that are alive at once.
func (c *Campaign) sessionBytes(d *dry, r *waits) int64 {
	return clampBytes(r.inFlight*float64(c.flightBytes(d)) + r.waiting*float64(c.waitingBytes(d)) + float64(d.Clients)*clientBytes)
}

// waitingBytes returns the memory of an operation that waits to retry. Only a workflow
// keeps its content meanwhile.
func (c *Campaign) waitingBytes(d *dry) int64 {
	if slices.ContainsFunc(d.Operations, func(o scenarios.OperationSpec) bool { return o.Workflow != "" }) {
		return waitingBytes + workflowBytes + c.content(d)
	}
	return waitingBytes
}

// flightBytes returns the memory of an operation in flight.
func (c *Campaign) flightBytes(d *dry) int64 { return c.waitingBytes(d) + flightBytes + c.content(d) }

// content returns the mean size of what an operation writes.
func (c *Campaign) content(d *dry) int64 {
	written := d.meanEntities(func(op *scenarios.OperationSpec) bool { return op.Inserts() || op.Replaces() })
	return int64(written * float64(c.weight(0)))
}

// stored returns the mean size of a stored entity.
func (c *Campaign) stored() int64 {
	const sampled = 16
	sum := int64(0)
	for n := range uint64(sampled) {
		sum += packedSize(c.generator.Key(n), c.generator.Properties(n))
	}
	return sum / sampled
}

// policies returns the retry policies of a phase with their shares of its operations.
func (c *Campaign) policies(d *dry) []retryShare {
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

// clampBytes returns a size that fits an int64.
func clampBytes(size float64) int64 { return int64(min(max(0, size), math.MaxInt64/2)) }
