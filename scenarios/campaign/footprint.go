package campaign

import (
	"math"
	"slices"

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

// Measured sizes in bytes, see TestForecastOfMemoryAgainstMeasuredPeak of package run.
const (
	// waitingBytes is the size of a session and its queue entry. flightBytes is added for
	// an attempt in flight, workflowBytes for a workflow's state, clientBytes for a client.
	waitingBytes  = 1080
	flightBytes   = 340
	clientBytes   = 40
	workflowBytes = 1200
	// rowBytes is the size of an entity's places in the tree and in the index.
	rowBytes = 150
	// keyBytes is the size of a key of an estimate.
	keyBytes = 110
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
	all, _ := c.plans(len(c.Scenario.Phases))
	followed, created := int64(0), 0.0
	for i, d := range all {
		if load := c.Scenario.Phases[i].Load; load != nil {
			created += float64(load.Entities)
			f.Entities = addUp(f.Entities, times(times(int64(load.Entities), int64(len(c.locations))), c.storedBytes()))
		}
		if c.audit != nil {
			followed = addUp(followed, d.maxWritten(uint64(c.audit.limit)))
		}
		if d.maxOperations == 0 || d.stage == nil {
			continue
		}
		b := c.backlog(d)
		f.Waiting = max(f.Waiting, c.sessionBytes(d, &b))
		parts := 1 + max(1, len(c.ladder(d.Traffic)))
		if c.Find != nil {
			parts = 2 * typicalSteps
		}
		f.Record = addUp(f.Record, times(int64(parts*histogramsEach*len(d.Operations)), histogramBytes))
		created += float64(d.expected) * d.meanEntities((*scenarios.OperationSpec).Inserts)
		if d.Events() && slices.ContainsFunc(d.Operations, reads) {
			f.Estimates = max(f.Estimates, int64(min(created*float64(len(c.locations)), maxEntities))*keyBytes)
		}
		f.Entities = addUp(f.Entities, c.insertedBytes(d, &b))
	}
	if !data {
		f.Entities = 0
	}
	if c.audit != nil {
		f.Entities = addUp(f.Entities, times(min(followed, int64(c.audit.limit)), trailBytes))
	}
	return f
}

// insertedBytes returns the size of the entities that a phase adds.
func (c *Campaign) insertedBytes(d *phasePlan, b *backlog) int64 {
	succeeded := b.operations * b.succeeded
	bytes := succeeded * d.meanEntities((*scenarios.OperationSpec).Inserts) * float64(c.storedBytes())
	upserts := func(o scenarios.OperationSpec) bool {
		return o.Verb == entity.InsertOrMerge || o.Verb == entity.InsertOrReplace
	}
	if at := slices.IndexFunc(d.Operations, upserts); at >= 0 && c.Scenario.Loaded(d.phase) == 0 {
		// Of entities chosen at random, some are chosen again. A merge writes some properties only.
		size, entities := c.storedBytes(), float64(max(d.Partitions, len(d.Keys), 1))*float64(d.Entities)
		if op := &d.Operations[at]; op.Merges() {
			if part, err := op.Part(c.generator); err == nil {
				size = packedBytes(c.generator.Key(0), part.Properties(0))
			}
		}
		bytes += entities * -math.Expm1(-succeeded/max(1, entities)) * float64(size)
	}
	if d.Events() {
		bytes *= float64(len(c.locations))
	}
	return clampBytes(bytes)
}

// packedBytes returns the size of a stored entity with its places in the tree and in the index.
func packedBytes(key entity.Key, properties []entity.Property) int64 {
	size := len(entity.Pack(nil, 0, properties)) + len(key.Row)
	return rowBytes + int64(size)*17/16 // a size class is larger by a sixteenth
}

// storedBytes returns the mean size of a stored entity.
func (c *Campaign) storedBytes() int64 {
	const sampled = 16
	sum := int64(0)
	for n := range uint64(sampled) {
		sum += packedBytes(c.generator.Key(n), c.generator.Properties(n))
	}
	return sum / sampled
}

// reads reports whether an operation queries.
func reads(o scenarios.OperationSpec) bool {
	return o.Verb == entity.Query || len(o.By) > 0 || o.Workflow != ""
}

// sessionBytes returns the memory of the operations that are alive at once. Of those that wait,
// only workflows keep their content.
func (c *Campaign) sessionBytes(d *phasePlan, b *backlog) int64 {
	waiting, content := float64(waitingBytes), float64(c.content(d))
	flight := waiting + flightBytes + content
	if slices.ContainsFunc(d.Operations, func(o scenarios.OperationSpec) bool { return o.Workflow != "" }) {
		waiting += workflowBytes + content
		flight += workflowBytes + content
	}
	return clampBytes(b.inFlight*flight + b.waiting*waiting + float64(d.Clients)*clientBytes)
}

// content returns the mean size of what an operation writes.
func (c *Campaign) content(d *phasePlan) int64 {
	written := d.meanEntities(func(op *scenarios.OperationSpec) bool { return op.Inserts() || op.Replaces() })
	return int64(written * float64(c.weight(0)))
}

// clampBytes returns a size that fits an int64.
func clampBytes(size float64) int64 { return int64(min(max(0, size), math.MaxInt64/2)) }
