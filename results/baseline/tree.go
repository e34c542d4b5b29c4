package baseline

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"loadgen/results"
)

// Tree is what of a run in virtual time repeats. Times are in the units of their names.
type Tree struct {
	Profile  string                `json:"profile"`
	Start    string                `json:"start"`
	Seed     uint64                `json:"seed"`
	Retry    string                `json:"retry"`
	Targets  results.Targets       `json:"targets"`
	Model    []Parameter           `json:"model"`
	Validity string                `json:"validity"`
	Reasons  []string              `json:"reasons"`
	Lasted   int64                 `json:"lasted_ns"`
	Phases   []Phase               `json:"phases"`
	Waits    Times                 `json:"retry_waits"`
	Seconds  Lines                 `json:"seconds"`
	Events   []Events              `json:"events"`
	Counted  *results.TargetCounts `json:"target_counts"`
	Audit    *results.Audit        `json:"audit,omitempty"`
	Counters []Counter             `json:"counters,omitempty"`
	// Heat is what the heat map came to, nil in a baseline that is older than those. By
	// its name it comes last where trees are compared: what it sums up is told before.
	Heat *Heat `json:"where,omitempty"`
	// Invariants are what must hold of what was left behind.
	Invariants []results.Invariant `json:"invariants,omitempty"`
	Saturation *float64            `json:"saturation_entities_per_second"`
	Checks     []results.Check     `json:"checks,omitempty"`
}

// Parameter is one of the partition model, as it was used.
type Parameter struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Counter is what a workflow counted, by operation and name.
type Counter struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

// Phase is one of the run. Hottest are the busiest partitions, at most [mostHottest].
type Phase struct {
	Name       string      `json:"name"`
	Begin      int64       `json:"begin_ns"`
	End        int64       `json:"end_ns"`
	Reported   bool        `json:"reported"`
	Operations []Operation `json:"operations"`
	Hottest    []Partition `json:"hottest,omitempty"`
	// Partitions is a digest of the load of all that were told apart.
	Partitions string `json:"partitions_digest"`
	// Shares is one of how evenly they were served.
	Shares string `json:"shares_digest,omitempty"`
}

// Partition is the load of one PartitionKey.
type Partition struct {
	Name     string `json:"name"`
	Entities int64  `json:"entities"`
}

// Operation is one kind of operation in one phase; kinds without any are left out.
type Operation struct {
	Name string `json:"name"`
	results.Counts
	// Causes are what the throttled and the failed attempts came of.
	Causes   []Cause `json:"causes,omitempty"`
	Response Times   `json:"response"`
	Lost     Times   `json:"lost"`
	Service  Times   `json:"service"`
	Refusals Times   `json:"refusals"`
}

// operationLayout is what a baseline holds of an operation: nothing that the machine has a part in.
var operationLayout = results.LayoutOf[Operation]("name scheduled dropped operations succeeded cut attempts ok handled throttled failed causes retries " +
	"offered_entities served_entities counted_entities returned_entities stored_bytes response lost service " +
	"refusals")

// MarshalJSON implements [json.Marshaler].
func (o Operation) MarshalJSON() ([]byte, error) { return operationLayout.Encode(o) }

// Cause is how many attempts came to nothing for one cause, named by class, status and
// code.
type Cause struct {
	Name     string `json:"name"`
	Attempts int64  `json:"attempts"`
}

// Times is a distribution of times: what people read of it, and a digest of all of it.
type Times struct {
	Count  int64             `json:"count"`
	Micros results.Quantiles `json:"us"`
	Digest string            `json:"digest"`
}

// Lines are those of a file of the record.
type Lines struct {
	Count  int    `json:"count"`
	Digest string `json:"digest"`
}

// Events are those of one kind.
type Events struct {
	Name string `json:"name"`
	Lines
}

// mostHottest is how many partitions of a phase are told by name.
const mostHottest = 10

// Of returns what of a judged run repeats. Its error wraps [ErrRecord]: a run in real
// time, or one that was cut off.
func Of(record *results.Record) (*Tree, error) {
	m := &record.Manifest
	switch {
	case m.Time != "virtual":
		return nil, fmt.Errorf("%w: it was in real time", ErrRecord)
	case record.Cut || record.Summary == nil:
		return nil, fmt.Errorf("%w: its record is not whole", ErrRecord)
	}
	t := &Tree{Profile: m.Profile, Start: m.Start, Seed: m.Seed, Retry: m.Retry, Targets: m.Targets,
		Validity: record.Summary.Validity, Reasons: append([]string{}, record.Summary.Reasons...), Lasted: int64(record.Duration),
		Waits: timesOf(record.RetryWaits), Counted: record.Target, Audit: record.Audit, Invariants: record.Invariants,
		Saturation: record.Summary.Saturation, Checks: record.Summary.Checks}
	if heat := record.Heat; heat != nil {
		t.Heat = &Heat{SecondsPerColumn: heat.SecondsPerColumn, Columns: heat.Columns, Rows: len(heat.Rows), Partitions: heat.Partitions,
			MostMissed: heat.MostMissed, Rest: heat.Rest.Sum(), Nowhere: heat.Nowhere.Sum(), Digest: digest(heat)}
		for i := range heat.Rows {
			sum := heat.Rows[i].Sum()
			results.AddTimes(&t.Heat.Told, &sum, 1)
		}
	}
	for _, p := range m.Model {
		t.Model = append(t.Model, Parameter{p.Name, p.Value})
	}
	for i := range record.Phases {
		t.Phases = append(t.Phases, phaseOf(&record.Phases[i], m.Operations))
	}
	for _, one := range record.Counters {
		t.Counters = append(t.Counters, Counter{one.Operation + ", " + one.Name, one.Count})
	}
	t.Seconds = linesOf(record.Intervals)
	// What a verdict says in words is none.
	kinds := make(map[string][]results.Event)
	for _, e := range record.Events {
		if e.What != results.VerdictTold {
			kinds[e.What] = append(kinds[e.What], e)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(kinds)) {
		t.Events = append(t.Events, Events{what, linesOf(kinds[what])})
	}
	return t, nil
}

func phaseOf(p *results.Phase, kinds []results.Kind) Phase {
	phase := Phase{Name: p.Name, Begin: int64(p.Begin), End: int64(p.End), Reported: p.Reported,
		Operations: []Operation{}, Partitions: digest(append(slices.Clone(p.Partitions), results.PartitionStats{Entities: p.PartitionsOver}))}
	for i := range p.Kinds {
		k := &p.Kinds[i]
		if k.Scheduled+k.Attempts == 0 {
			continue
		}
		var causes []Cause
		for _, one := range k.Causes.Told() {
			causes = append(causes, Cause{one.Class.String() + ": " + one.String(), one.Attempts})
		}
		phase.Operations = append(phase.Operations, Operation{Name: kinds[i].Name,
			Counts: k.Counts, Causes: causes,
			Response: timesOf(k.Response), Lost: timesOf(k.Lost), Service: timesOf(k.Service[results.Ok]), Refusals: timesOf(k.Service[results.Throttled])})
	}
	for _, one := range p.Partitions[:min(len(p.Partitions), mostHottest)] {
		phase.Hottest = append(phase.Hottest, Partition{results.PartitionName(one.Table, one.Key), one.Entities})
	}
	if len(p.Shares) > 0 {
		phase.Shares = digest(p.Shares)
	}
	return phase
}

func timesOf(h *results.Histogram) Times {
	return Times{Count: h.Count(), Micros: results.QuantilesOf(h), Digest: digest(h.Bars())}
}

func linesOf[T any](list []T) Lines { return Lines{Count: len(list), Digest: digest(list)} }

// digest returns a short digest of a value: whatever differs in it, differs here.
func digest(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic("baseline: a record that is no JSON: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// JSON returns the tree as a text that is the same for the same tree.
func (t *Tree) JSON() []byte { return written(t, "  ") }

// Heat is what a heat map came to. Its cells, which can be a megabyte, are in a digest.
type Heat struct {
	SecondsPerColumn int64 `json:"seconds_per_column"`
	Columns          int   `json:"columns"`
	Rows             int   `json:"rows"`
	// Partitions is how many there were, nil where those were too many to count.
	Partitions *int64 `json:"partitions"`
	MostMissed int64  `json:"most_missed"`
	// Told are the sums of the rows, Rest and Nowhere those of what has none.
	Told    results.HeatSum `json:"told"`
	Rest    results.HeatSum `json:"rest"`
	Nowhere results.HeatSum `json:"nowhere"`
	Digest  string          `json:"digest"`
}
