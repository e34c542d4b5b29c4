package scenarios

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"loadgen/scenarios/fields"
)

// Phase is one stretch of a test: exactly one of Load, Count and Traffic is set.
type Phase struct {
	_ struct{} `object:"a phase" one:"load,count,peak,spread,traffic"`
	// Name is unique among the phases, with the letters of a scenario's.
	Name string `yaml:"name,required" says:"The phase's unique name." form:"name"`
	// Load fills the table.
	Load *Load `yaml:"load" says:"Inserts entities by transactions, as fast as its lanes allow."`
	// Count reads the whole table and counts it.
	Count *Count   `yaml:"count" says:"Reads and counts all loaded entities."`
	_     struct{} `yaml:"peak,own" says:"Offers increasing rates to one partition."`
	_     struct{} `yaml:"spread,own" says:"Offers load to several partitions equally."`
	// Traffic offers load.
	Traffic *Traffic `yaml:"traffic,own" says:"Offers operations at changing rates, at random, or from a trace."`
	// Form is how the file writes Traffic: [FormPeak], [FormSpread], or empty for
	// traffic. It is for reading and writing the file; what is offered is all in
	// Traffic.
	Form string
}

// Load inserts entities by entity group transactions, each within one
// partition, as fast as its lanes go. The entities of several loads are numbered
// on.
type Load struct {
	_ struct{} `object:"load"`
	// Entities is how many are inserted, 1 to 10,000,000.
	Entities int `yaml:"entities,required" says:"Number of entities." range:"1..10000000"`
	// Transaction is the greatest number of entities in one entity group
	// transaction, 1 to 100.
	Transaction int `yaml:"transaction,default=100" says:"Maximum entities per transaction." range:"1..100"`
	// Lanes is how many transactions are under way at once, 1 to 1,000.
	Lanes int `yaml:"lanes,default=16" says:"Concurrent transactions." range:"1..1000"`
}

// Count reads all entities that were loaded, partition by partition, and holds
// their number against what was loaded.
type Count struct {
	_ struct{} `object:"count"`
	// Lanes is how many partitions are read at once, 1 to 1,000.
	Lanes int `yaml:"lanes,default=16" says:"Partitions read concurrently." range:"1..1000"`
}

// MinWorkers is how many operations can be in flight at once at the least, where a
// scenario leaves their number to the place where it runs.
const MinWorkers = 256

// maxStep is the longest time for which a rate lasts.
const maxStep = 24 * time.Hour

// Operations returns what a phase offers, nil where it prepares or counts. The
// slice is the phase's.
func (p *Phase) Operations() []OperationSpec { return p.Offered().Operations }

// operations visits the operations of all phases, each with its path.
func (s *Scenario) operations() iter.Seq2[string, *OperationSpec] {
	return func(yield func(string, *OperationSpec) bool) {
		for i := range s.Phases {
			list := s.Phases[i].Operations()
			for j := range list {
				if !yield(fmt.Sprintf("phases.%d.%s.operations.%d", i, s.Phases[i].Kind(), j), &list[j]) {
					return
				}
			}
		}
	}
}

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

// The forms of a file for special kinds of traffic, in addition to traffic itself.
const (
	// FormPeak is a ladder of rates that a single partition is offered, whose name
	// the loads before must yield.
	FormPeak = "peak"
	// FormSpread is a rate for each of several partitions, or a closed loop over
	// them. It needs no load before it unless an operation reads or updates what
	// has to be there.
	FormSpread = "spread"
)

// FieldValue implements [fields.Valuer].
func (p *Phase) FieldValue(name string) fields.Binding {
	form, bind := name, bound[Traffic]
	switch name {
	case FormPeak:
		bind = (*Traffic).asPeak
	case FormSpread:
		bind = (*Traffic).asSpread
	default:
		form = ""
	}
	return unlessZero{fields.Optional(&p.Traffic, bind), func() bool { return p.Form != form }}
}

// Complete implements [fields.Completer].
func (p *Phase) Complete(_ *fields.Reader, _ string, n *fields.Node) {
	if given := append(present(n, []string{FormPeak, FormSpread}), ""); p.Traffic != nil {
		p.Form = given[0]
	}
}

// asPeak binds what a peak has. What a program called one, and is none, is refused as one
// without rates.
func (t *Traffic) asPeak() fields.Binding {
	peak := *t
	if len(t.Keys) != 1 || t.Arrivals == nil || t.Arrivals.Steps == nil {
		peak = Traffic{Keys: []string{""}, Arrivals: &Arrivals{Steps: new(Steps)}, Unit: UnitOperations, Drain: defaultDrain}
	}
	view := fields.Binder{Form: formValue, View: FormPeak}
	o := view.Bind(peak.Arrivals.Steps)
	key := fields.Field{Name: "partition_key", Says: "The partition offered to, which must be loaded.", Value: fields.Text{Into: &peak.Keys[0]}, Required: true}
	o.What, o.Fields = FormPeak, slices.Concat([]fields.Field{key}, o.Fields, view.Bind(t).Fields)
	o.Fresh = func() { *t = peak }
	return o
}

func (t *Traffic) asSpread() fields.Binding {
	o := fields.Binder{Form: formValue, View: FormSpread}.Bind(t)
	o.What, o.One = FormSpread, []string{"rate", "clients"}
	o.Fresh = func() { *t = Traffic{Entities: 1000, Unit: UnitEach, Drain: defaultDrain} }
	o.Then = func(r *fields.Reader, path string, n *fields.Node) { oneLoop(r, path, n, FormSpread, "rate") }
	return o
}
