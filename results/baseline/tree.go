package baseline

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"loadgen/results"
)

// Tree is the JSON text of the parts of a run in virtual time that repeat. Times are in the units of their names.
type Tree []byte

// JSON returns the text, which is the same for the same tree.
func (t Tree) JSON() []byte { return t }

// object is a JSON object whose members keep their order.
type object []member

// member is a member of an object. If its name ends in ?, it is left out while it is empty.
type member struct {
	name  string
	value any
}

// MarshalJSON implements [json.Marshaler].
func (o object) MarshalJSON() ([]byte, error) {
	var members [][]byte
	for _, m := range o {
		name, isOptional := strings.CutSuffix(m.name, "?")
		if of := reflect.ValueOf(m.value); isOptional && (of.IsZero() || of.Kind() == reflect.Slice && of.Len() == 0) {
			continue
		}
		members = append(members, append(strconv.AppendQuote(nil, name), slices.Concat([]byte(":"), written(m.value, ""))...))
	}
	return slices.Concat([]byte("{"), bytes.Join(members, []byte(",")), []byte("}")), nil
}

// operation is a kind of operation in a phase; kinds without any are left out.
type operation struct {
	Name string `json:"name"`
	results.Counts
	// Causes are those of the throttled and the failed attempts.
	Causes   []object `json:"causes,omitempty"`
	Response object   `json:"response"`
	Lost     object   `json:"lost"`
	Service  object   `json:"service"`
	Refusals object   `json:"refusals"`
}

// operationLayout has no counts that depend on the machine.
var operationLayout = results.LayoutOf[operation]("name scheduled dropped operations succeeded cut attempts ok handled throttled failed causes retries " +
	"offered_entities served_entities counted_entities returned_entities stored_bytes response lost service " +
	"refusals")

// MarshalJSON implements [json.Marshaler].
func (o operation) MarshalJSON() ([]byte, error) { return operationLayout.Encode(o) }

// maxHottest is the maximum number of partitions of a phase that have a name.
const maxHottest = 10

// Of returns the parts of a judged run that repeat. Its error wraps [ErrRecord]: a run in real
// time, or one that was cut off.
func Of(record *results.Record) (Tree, error) {
	m, summary := &record.Manifest, record.Summary
	switch {
	case m.Time != "virtual":
		return nil, fmt.Errorf("%w: it was in real time", ErrRecord)
	case record.Cut || summary == nil:
		return nil, fmt.Errorf("%w: its record is not whole", ErrRecord)
	}
	var model, phases, events, counters []object
	for _, p := range m.Model {
		model = append(model, object{{"name", p.Name}, {"value", p.Value}})
	}
	for i := range record.Phases {
		phases = append(phases, phaseOf(&record.Phases[i], m.Operations))
	}
	for _, one := range record.Counters {
		counters = append(counters, object{{"name", one.Operation + ", " + one.Name}, {"count", one.Count}})
	}
	// The words of a verdict may change.
	kinds := make(map[string][]results.Event)
	for _, e := range record.Events {
		if e.What != results.VerdictTold {
			kinds[e.What] = append(kinds[e.What], e)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(kinds)) {
		events = append(events, append(object{{"name", what}}, linesOf(kinds[what])...))
	}
	return written(object{
		{"profile", m.Profile},
		{"start", m.Start},
		{"seed", m.Seed},
		{"retry", m.Retry},
		{"targets", m.Targets},
		{"model", model},
		{"validity", summary.Validity},
		{"reasons", append([]string{}, summary.Reasons...)},
		{"lasted_ns", record.Duration},
		{"phases", phases},
		{"retry_waits", timesOf(record.RetryWaits)},
		{"seconds", linesOf(record.Intervals)},
		{"events", events},
		{"target_counts", record.Target},
		{"audit?", record.Audit},
		{"counters?", counters},
		{"where?", heatOf(record.Heat)},
		{"invariants?", record.Invariants},
		{"saturation_entities_per_second", summary.Saturation},
		{"checks?", summary.Checks},
	}, "  "), nil
}

func phaseOf(p *results.Phase, kinds []results.Kind) object {
	operations, hottest, shares := []operation{}, []object(nil), ""
	for i := range p.Kinds {
		k := &p.Kinds[i]
		if k.Scheduled+k.Attempts == 0 {
			continue
		}
		var causes []object
		for _, one := range k.Causes.Told() {
			causes = append(causes, object{{"name", one.Class.String() + ": " + one.String()}, {"attempts", one.Attempts}})
		}
		operations = append(operations, operation{Name: kinds[i].Name, Counts: k.Counts, Causes: causes,
			Response: timesOf(k.Response), Lost: timesOf(k.Lost), Service: timesOf(k.Service[results.Ok]), Refusals: timesOf(k.Service[results.Throttled])})
	}
	for _, one := range p.Partitions[:min(len(p.Partitions), maxHottest)] {
		hottest = append(hottest, object{{"name", results.PartitionName(one.Table, one.Key)}, {"entities", one.Entities}})
	}
	if len(p.Shares) > 0 {
		shares = digest(p.Shares)
	}
	return object{
		{"name", p.Name},
		{"begin_ns", p.Begin},
		{"end_ns", p.End},
		{"reported", p.Reported},
		{"operations", operations},
		{"hottest?", hottest},
		{"partitions_digest", digest(append(slices.Clone(p.Partitions), results.PartitionStats{Entities: p.PartitionsOver}))},
		{"shares_digest?", shares},
	}
}

// heatOf returns the sums of a heat map. Its cells, which can be a megabyte, are in a digest.
func heatOf(heat *results.Heat) object {
	if heat == nil {
		return nil
	}
	var rows results.HeatSum
	for i := range heat.Rows {
		sum := heat.Rows[i].Sum()
		results.AddTimes(&rows, &sum, 1)
	}
	return object{
		{"seconds_per_column", heat.SecondsPerColumn},
		{"columns", heat.Columns},
		{"rows", len(heat.Rows)},
		{"partitions", heat.Partitions},
		{"most_missed", heat.MostMissed},
		{"told", rows},
		{"rest", heat.Rest.Sum()},
		{"nowhere", heat.Nowhere.Sum()},
		{"digest", digest(heat)},
	}
}

// timesOf returns the quantiles of a distribution, and a digest of all of it.
func timesOf(h *results.Histogram) object {
	return object{{"count", h.Count()}, {"us", results.QuantilesOf(h)}, {"digest", digest(h.Bars())}}
}

func linesOf[T any](list []T) object { return object{{"count", len(list)}, {"digest", digest(list)}} }

// digest returns a short digest of a value.
func digest(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic("baseline: a record that is no JSON: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
