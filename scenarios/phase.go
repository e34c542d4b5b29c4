package scenarios

import (
	"slices"
	"time"
)

// Phase is one stretch of a test: exactly one of Load, Count and Traffic is set.
type Phase struct {
	// Name is unique among the phases, with the letters of a scenario's.
	Name string
	// Load fills the table.
	Load *Load
	// Count reads the whole table and counts it.
	Count *Count
	// Traffic offers load.
	Traffic *Traffic
	// Form is how the file writes Traffic: [FormPeak], [FormSpread], or empty for
	// traffic. It is for reading and writing the file; what is offered is all in
	// Traffic.
	Form string
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
func (p *Phase) Operations() []OperationSpec { return p.Offered().Operations }

// Offered returns what a phase offers, and nothing where it prepares or counts: a
// traffic without clients, partitions and operations. It is the phase's.
func (p *Phase) Offered() *Traffic {
	if p.Traffic == nil {
		return new(Traffic)
	}
	return p.Traffic
}

// Kind returns the word for what a phase does: load, count, or the form of its traffic.
func (p *Phase) Kind() string {
	kinds := phaseKinds()
	switch {
	case p.Load != nil:
		return kinds[0]
	case p.Count != nil:
		return kinds[1]
	case p.Form != "":
		return p.Form
	default:
		return kinds[4]
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
