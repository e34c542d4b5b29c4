package scenarios

import (
	"slices"
	"time"
)

// Phase is one stretch of a test: exactly one of Load, Count, Peak, Spread and
// Traffic is set.
type Phase struct {
	// Name is unique among the phases, with the letters of a scenario's.
	Name string
	// Load fills the table.
	Load *Load
	// Count reads the whole table and counts it.
	Count *Count
	// Peak offers load to one partition.
	Peak *Peak
	// Spread offers load to several partitions at once.
	Spread *Spread
	// Traffic offers load to partitions as it arrives.
	Traffic *Traffic
}

// Load inserts entities by entity group transactions, each within one
// partition, as fast as its lanes go. The entities of several loads are numbered
// on.
type Load struct {
	// Entities is how many are inserted, 1 to 10,000,000.
	Entities int
	// Transaction is the greatest number of entities in one entity group
	// transaction, 1 to 100.
	Transaction int
	// Lanes is how many transactions are under way at once, 1 to 1,000.
	Lanes int
}

// Count reads all entities that were loaded, partition by partition, and holds
// their number against what was loaded.
type Count struct {
	// Lanes is how many partitions are read at once, 1 to 1,000.
	Lanes int
}

// Peak offers operations to a single partition at one rate after another,
// whether or not they are answered in time (open loop). Within a step each
// operation has a slot of the same length and is due at a random instant of it.
type Peak struct {
	// PartitionKey is the partition; the loads before must yield it.
	PartitionKey string
	// Rates are the offered loads in operations per second, in the order in
	// which they are offered: above 0, at most 1,000,000. Each is one step.
	Rates []float64
	// Each is how long a step lasts, 1 s to 24 h.
	Each time.Duration
	// Hold offers the last rate once more, unreported, so that the retries of
	// the last step meet the load that they came from: for Each, or for as long
	// as the back-off policy can wait if that is more.
	Hold bool
	// Operations are what is offered, in proportion to their weights.
	Operations []OperationSpec
}

// Limits of a scenario's numbers.
const (
	maxWorkers    = 100_000
	maxEntities   = 10_000_000
	maxLanes      = 1000
	maxPhases     = 100
	maxRates      = 1000
	maxOperations = 100
	maxWeight     = 1_000_000
	maxStep       = 24 * time.Hour
	// minStep is the least that fills a second of the record.
	minStep = time.Second
)

// Operations returns what a phase offers, nil where it prepares or counts. The
// slice is the phase's.
func (p *Phase) Operations() []OperationSpec {
	switch {
	case p.Peak != nil:
		return p.Peak.Operations
	case p.Spread != nil:
		return p.Spread.Operations
	case p.Traffic != nil:
		return p.Traffic.Operations
	default:
		return nil
	}
}

// Partitions returns how many partitions a spread or traffic offers to, or which by
// their keys; neither where it is all that were loaded. The slice is the phase's.
func (p *Phase) Partitions() (number int, keys []string) {
	switch {
	case p.Spread != nil:
		return p.Spread.Partitions, p.Spread.Keys
	case p.Traffic != nil:
		return p.Traffic.Partitions, p.Traffic.Keys
	default:
		return 0, nil
	}
}

// Entities returns how many entities of each partition a spread or traffic works on
// where none was loaded into it, 0 for other phases.
func (p *Phase) Entities() int {
	switch {
	case p.Spread != nil:
		return p.Spread.Entities
	case p.Traffic != nil:
		return p.Traffic.Entities
	default:
		return 0
	}
}

// Clients returns how many clients make a closed loop of a spread or traffic, 0 in
// any other phase.
func (p *Phase) Clients() int {
	switch {
	case p.Spread != nil:
		return p.Spread.Clients
	case p.Traffic != nil:
		return p.Traffic.Clients
	default:
		return 0
	}
}

// Think returns how long each client of a closed loop pauses, 0 in any other phase.
func (p *Phase) Think() time.Duration {
	switch {
	case p.Spread != nil:
		return p.Spread.Think
	case p.Traffic != nil:
		return p.Traffic.Think
	default:
		return 0
	}
}

// Loaded returns how many entities are loaded before the phase at a position;
// the number of phases gives the total.
func (s *Scenario) Loaded(phase int) uint64 {
	entities := uint64(0)
	for _, p := range s.Phases[:phase] {
		if p.Load != nil {
			entities += uint64(p.Load.Entities)
		}
	}
	return entities
}

// Is reports whether a name is that of the phase, or of a step of it.
func (p *Phase) Is(name string) bool {
	return name == p.Name || slices.Contains(p.stepNames(), name)
}
