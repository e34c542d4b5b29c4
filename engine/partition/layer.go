package partition

import (
	"loadgen/engine/clock"
	"loadgen/engine/model"
)

// Place is where a request goes. Accounts and tables are numbers that the
// engine gave out.
type Place struct {
	Account      uint32
	Table        uint32
	PartitionKey string
}

// Verdict is what admission decided.
type Verdict uint8

// The verdicts.
const (
	Admitted Verdict = iota
	// PartitionBusy refuses because the PartitionKey is over its limit.
	PartitionBusy
	// AccountBusy refuses because the account is over its limit.
	AccountBusy
)

// Layer holds the state of admission: how much each PartitionKey and each
// account may still take. It belongs to one goroutine at a time.
type Layer struct {
	partitionLimit, accountLimit limit
	partitions                   map[Place]*bucket
	accounts                     map[uint32]*bucket
	// sweepAt is the number of partitions at which idle ones are forgotten.
	sweepAt int
}

// fewestToSweep is the number of partitions below which forgetting is not worth
// the walk.
const fewestToSweep = 1024

// New returns a layer in which every partition and account is idle.
func New(m *model.Model) *Layer {
	return &Layer{
		partitionLimit: newLimit(m.PartitionTarget, int64(m.PartitionBurst)),
		accountLimit:   newLimit(m.AccountTarget, int64(m.AccountBurst)),
		partitions:     make(map[Place]*bucket),
		accounts:       make(map[uint32]*bucket),
		sweepAt:        fewestToSweep,
	}
}

// Admit decides on a request that counts cost entities and arrives at now. Each
// stage debits what it admits: a request that its partition admits and its
// account refuses has spent the partition's allowance.
func (l *Layer) Admit(now clock.Instant, p Place, cost int64) Verdict {
	if !l.partitionLimit.unlimited() && !l.partition(now, p).take(now, cost, l.partitionLimit) {
		return PartitionBusy
	}
	if !l.accountLimit.unlimited() && !l.account(now, p.Account).take(now, cost, l.accountLimit) {
		return AccountBusy
	}
	return Admitted
}

// Charge debits entities that a request turned out to count in a partition
// beyond what it was admitted for, as a scan does.
func (l *Layer) Charge(now clock.Instant, p Place, entities int64) {
	if !l.partitionLimit.unlimited() {
		b := l.partition(now, p)
		b.refill(now, l.partitionLimit)
		b.owe(entities)
	}
}

// ChargeAccount debits such entities from the account.
func (l *Layer) ChargeAccount(now clock.Instant, account uint32, entities int64) {
	if !l.accountLimit.unlimited() {
		b := l.account(now, account)
		b.refill(now, l.accountLimit)
		b.owe(entities)
	}
}

// Partitions returns how many partitions the layer remembers. It forgets full
// ones, which nothing tells from those never seen.
func (l *Layer) Partitions() int { return len(l.partitions) }

func (l *Layer) partition(now clock.Instant, p Place) *bucket {
	if b, known := l.partitions[p]; known {
		return b
	}
	if len(l.partitions) >= l.sweepAt {
		l.forgetIdle(now)
	}
	b := &bucket{tokens: l.partitionLimit.capacity, at: now}
	l.partitions[p] = b
	return b
}

func (l *Layer) account(now clock.Instant, account uint32) *bucket {
	if b, known := l.accounts[account]; known {
		return b
	}
	b := &bucket{tokens: l.accountLimit.capacity, at: now}
	l.accounts[account] = b
	return b
}

// forgetIdle drops the buckets that are full again. Doubling the threshold
// keeps the cost of the walk constant per partition.
func (l *Layer) forgetIdle(now clock.Instant) {
	for p, b := range l.partitions {
		b.refill(now, l.partitionLimit)
		if b.tokens == l.partitionLimit.capacity {
			delete(l.partitions, p)
		}
	}
	l.sweepAt = max(fewestToSweep, 2*len(l.partitions))
}
