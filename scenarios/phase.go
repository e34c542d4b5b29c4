package scenarios

import (
	"slices"
	"time"

	"loadgen/scenarios/fields"
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

// FewestWorkers is how many operations can be in flight at once at the least, where a
// scenario leaves their number to the place where it runs.
const FewestWorkers = 256

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

// The forms that a file has for traffic of its own kind, beside traffic itself.
const (
	// FormPeak is a ladder of rates that a single partition is offered, whose name
	// the loads before must yield.
	FormPeak = "peak"
	// FormSpread is a rate for each of several partitions, or a closed loop over
	// them. It needs no load before it unless an operation reads or updates what
	// has to be there.
	FormSpread = "spread"
)

// writtenAs is traffic in one of its forms. Of several that a file gives the first is
// kept.
type writtenAs struct {
	form  string
	phase *Phase
	fields.Optional[Traffic]
}

var _ fields.Binding = writtenAs{}

func (v writtenAs) Read(r *fields.Reader, path string, n *fields.Node) {
	if v.phase.Traffic != nil {
		v.Into = new(*Traffic)
	} else {
		v.phase.Form = v.form
	}
	v.Optional.Read(r, path, n)
}

func (v writtenAs) Write() *fields.Node {
	if v.phase.Form != v.form {
		return nil
	}
	return v.Optional.Write()
}

func newPeak() *Traffic {
	return &Traffic{Keys: []string{""}, Arrivals: &Arrivals{Steps: new(Steps)}, Unit: UnitOperations, Drain: defaultDrain}
}

func (t *Traffic) asPeak() fields.Binding {
	if len(t.Keys) != 1 || t.Arrivals == nil || t.Arrivals.Steps == nil {
		// What a program called a peak, and is none, is refused as an empty one.
		t = newPeak()
	}
	steps := t.Arrivals.Steps
	return fields.Object{What: FormPeak, Fields: []fields.Field{
		{Name: "partition_key", Says: "The partition offered to, which must be loaded.",
			Value: fields.Text{Into: &t.Keys[0]}, Required: true},
		{Name: "rates", Says: "Operations per second, by step.",
			Required: true, Value: ratesValue(&steps.Rates, "rates per second")},
		{Name: "each", Says: "Duration per step.",
			Value: fields.Duration{Into: &steps.Each, Least: minStep, Most: maxStep}, Required: true},
		{Name: "hold", Says: "Whether an unreported last step repeats, so retries meet the same load.",
			Value: fields.Truth(&steps.Hold)},
		{Name: "operations", Says: "Operations by weight.",
			Required: true, Value: operationsValue(&t.Operations)},
	}}
}

func (t *Traffic) asSpread() fields.Binding {
	rate := new(Arrivals)
	if t.Arrivals != nil {
		rate = t.Arrivals
	}
	return fields.Object{
		What: FormSpread,
		Fields: []fields.Field{
			{Name: "partitions", Says: "Number of partitions, or their keys.",
				Value: partitionsValue{count: &t.Partitions, keys: &t.Keys}, Required: true},
			{Name: "rate", Says: "Operations per second and partition, regardless of replies (open loop).",
				Value: unlessZero{fields.Rate(&rate.Constant), func() bool { return rate.Constant == 0 }}},
			{Name: "clients", Says: "Clients with one operation each at a time (closed loop).",
				Value: fields.Whole[int]{Into: &t.Clients, Least: 1, Most: maxWorkers, UnlessZero: true}},
			{Name: "think", Says: "Mean pause between a client's operations; 0 is none.",
				Value: t.thinking()},
			{Name: "for", Says: "How long operations become due.",
				Value: fields.Duration{Into: &t.For, Least: minStep, Most: maxStep}, Required: true},
			{Name: "entities", Says: "Entities assumed in partitions without a load.",
				Value: fields.Whole[int]{Into: &t.Entities, Least: 1, Most: maxSpreadEntities}},
			{Name: "operations", Says: "Operations by weight.",
				Required: true, Value: operationsValue(&t.Operations)},
		},
		One: []string{"rate", "clients"},
		Then: func(r *fields.Reader, path string, n *fields.Node) {
			oneLoop(r, path, n, FormSpread, "rate")
			if rate.Constant > 0 {
				t.Arrivals = rate
			}
		},
	}
}
