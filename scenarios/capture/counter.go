package capture

import (
	"time"

	"loadgen/engine/accesslog"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/advise/keystatistics"
)

// place names a partition.
type place struct{ table, key string }

// partition is what is kept of a partition's traffic.
type partition struct {
	entities, requests, throttled, accountThrottled, failed int64
	// demanded is entities and what throttled requests asked for.
	demanded int64
	seconds  seconds
	rows     keystatistics.Stream
}

// query names what queries that differ in their literals only share.
type query struct{ table, shape, class string }

// shape is what is kept of such queries.
type shape struct{ requests, throttled, scanned, returned int64 }

// answer names one way in which requests were not simply carried out.
type answer struct {
	status int
	code   entity.Code
	class  results.Class
}

// maxAnswers is the maximum number of distinguished answers; the service has no more codes.
const maxAnswers = 128

// counter keeps what an observation is made of. It belongs to one goroutine.
type counter struct {
	partitions *results.HeaviestKeys[place, partition]
	shapes     *results.HeaviestKeys[query, shape]
	tables     *results.HeaviestKeys[string, table]
	answers    map[answer]*results.Answer
	sum        results.Capture
	// target is that of one partition, in entities per second, 0 for none.
	target int64
	// tailed is the number of tables with statistics of tails; each may take 20 MB.
	tailed int
}

// add records one request. First says that it is the first attempt of its
// operation.
func (t *counter) add(r *accesslog.Observed, class results.Class, first bool, done time.Duration) {
	t.sum.Requests++
	t.sum.Entities += r.Counted
	if r.Billed() {
		t.sum.Billed++
	}
	switch {
	case class != results.Throttled:
	case r.AccountBusy:
		t.sum.ThrottledByAccount++
	default:
		t.sum.ThrottledByPartition++
	}
	if class != results.Ok || r.Code != entity.OK {
		t.answer(r, class)
	}
	if r.Table == "" {
		return
	}
	if len(r.Spans) > 0 {
		for i := range r.Spans {
			span := &r.Spans[i]
			t.load(r, class, done, span.PartitionKey, span.Counted, span.Counted, first)
		}
	} else if r.HasPartition {
		t.load(r, class, done, r.PartitionKey, r.Counted, askedOf(r), first)
	}
	if r.Shape != "" || r.Class != "" {
		key := query{cutText(r.Table, maxNameLength), cutText(r.Shape, maxShapeLength), cutText(r.Class, maxNameLength)}
		s := &t.shapes.Add(key, max(1, r.Counted)).Value
		s.requests++
		s.scanned += r.Counted
		s.returned += r.Returned
		if class == results.Throttled {
			s.throttled++
		}
	}
	t.insert(r, class)
}

func (t *counter) answer(r *accesslog.Observed, class results.Class) {
	key := answer{r.FinalStatus(), r.Code, class}
	counted := t.answers[key]
	if counted == nil {
		if len(t.answers) == maxAnswers {
			t.sum.AnswersOver++
			return
		}
		key.code = entity.Code(own(string(r.Code), maxNameLength))
		counted = &results.Answer{Status: key.status, Code: string(key.code), Class: class.String()}
		t.answers[key] = counted
	}
	counted.Requests++
	if r.Table == "" {
		counted.Tableless++
	}
}

// partition returns what is kept of a partition, with some weight added to it.
func (t *counter) partition(table, key string, weight int64) *partition {
	return &t.partitions.Add(place{cutText(table, maxNameLength), cutText(key, maxKeyLength)}, weight).Value
}

// load adds a request for entities to a partition, which
// weighs what is demanded of it: one that refuses nearly all must not be lost
// behind those that serve a little.
func (t *counter) load(r *accesslog.Observed, class results.Class, done time.Duration, key string, counted, asked int64, first bool) {
	demanded := counted
	if class == results.Throttled {
		demanded = max(counted, asked)
	}
	p := t.partition(r.Table, key, max(1, demanded))
	p.demanded += demanded
	p.requests++
	p.entities += counted
	switch {
	case class == results.Failed:
		p.failed++
	case class == results.Throttled && r.AccountBusy:
		p.accountThrottled++
	case class == results.Throttled:
		p.throttled++
	}
	group := 1
	if r.Verb == entity.Get || r.Verb == entity.Query {
		group = 0
	}
	now := p.seconds.secondAt(int64(done / time.Second))
	now.add(r, class, counted, asked, first)
	now.groups[group].add(r, class, counted, asked, first)
}

// add adds a request.
func (s *tally) add(r *accesslog.Observed, class results.Class, counted, asked int64, first bool) {
	s.attempts++
	s.counted += counted
	byAccount := class == results.Throttled && r.AccountBusy
	if first && class != results.Failed && !byAccount {
		// A retry brings nothing new; what fails for another reason than the partition's load
		// is none that it left unserved.
		s.offered += asked
	}
	switch {
	case class == results.Ok:
		s.ok++
	case class == results.Throttled && !byAccount:
		s.throttled++
	}
}

// insert records the keys of a request that was carried out and may have brought new ones.
func (t *counter) insert(r *accesslog.Observed, class results.Class) {
	if !r.Inserts || class != results.Ok || r.Code != entity.OK || !r.HasPartition || r.Verb == entity.Batch && r.RowKey == "" {
		return
	}
	rows := &t.partition(r.Table, r.PartitionKey, 0).rows
	came := rows.Next(cutText(r.RowKey, maxKeyLength), rowLag)
	of := &t.tables.Add(cutText(r.Table, maxNameLength), 1).Value
	key := cutText(r.PartitionKey, maxKeyLength)
	hash := hashed(offset, key) | 1
	// The product spreads keys that differ in their last letters only.
	if last := &of.known[hash*0x9e3779b97f4a7c15>>52]; *last != hash {
		*last = hash
		of.partitions.Add(of.order.Next(key, partitionLag))
	}
	of.rows.Add(came)
	if of.tails == nil && t.tailed < maxTailed {
		of.tails = NewTails()
		t.tailed++
	}
	if of.tails == nil {
		return
	}
	of.tails.Add(&keystatistics.Row{PartitionKey: key, Instant: r.Arrived, HasInstant: true, Entities: max(1, r.Counted), Kind: keystatistics.Upsert})
}

// maxTailed is the number of tables of whose inserts tails are found.
const maxTailed = 4

// partitionLag and rowLag are how many of the last keys may have been under way at
// the same time as another, so that their order means nothing.
const partitionLag, rowLag = 64, 16

// knownKeys is how many PartitionKeys a table remembers, a power of two.
const knownKeys = 1 << 12

// known remembers keys by their hashes, each in the one place that its hash
// gives it, until another takes it.
type known [knownKeys]uint64

// table is what is kept of a table's inserts.
type table struct {
	partitions, rows results.Order
	order            keystatistics.Stream
	known            *known
	// tails has the PartitionKeys in time, nil before the first.
	tails *keystatistics.Statistics
}

// NewTails returns statistics of the PartitionKeys of inserts in time, with the bounds that advise.FromKeys has.
func NewTails() *keystatistics.Statistics {
	return keystatistics.New(keystatistics.Options{Seed: 1, Samples: 1 << 15, Moments: 1 << 20})
}

// TailRate returns the rate of inserts where new PartitionKeys follow one another, in entities per second, if it
// exceeds a target, and its share of all inserts; else 0. A target of 0 is none.
func TailRate(tails *keystatistics.Statistics, target int64) (rate, share float64) {
	if tails == nil || target == 0 {
		return 0, 0
	}
	peak := tails.Report().Peak
	if peak.Tail.Capacity == 0 || peak.PerSecond <= float64(target)*peak.Tail.Capacity {
		return 0, 0
	}
	return peak.PerSecond / peak.Tail.Capacity, peak.Tail.Average
}
