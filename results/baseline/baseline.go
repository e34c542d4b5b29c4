// Package baseline holds the parts of a run in virtual time that repeat exactly, and the file with which later runs of
// the same scenario are compared.
//
// [NewTree] reduces a record to a [Tree]: every count, every distribution, the decisions of load balancing and each parameter
// of the model, without what differs between machines or nights. [New] makes a [Baseline] of it, [Baseline.File] its
// file, and [Read] reads a file. [Baseline.Fits] compares it with the scenario of another run.
//
// Records must be of completed runs in virtual time. The package reads no files and no clock, and does not judge
// differences.
package baseline

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"loadgen/results"
)

// Version is that of the file. A reader refuses any other.
const Version = 2

// Baseline is the accepted result of runs of a scenario, with the reason.
type Baseline struct {
	// Scenario is the name of the scenario, Text its canonical form.
	Scenario, Text string
	// Accepted is the day on which it was accepted, Reason why.
	Accepted time.Time
	Reason   string
	Tree     Tree
}

// file is a baseline as it is written. The digest is of everything else.
type file struct {
	Version  int             `json:"baseline"`
	Scenario string          `json:"scenario"`
	Accepted string          `json:"accepted"`
	Reason   string          `json:"reason"`
	Digest   string          `json:"digest"`
	Text     []string        `json:"text"`
	Tree     json.RawMessage `json:"tree"`
}

// maxReason is the maximum length of the reason for a change, in bytes.
const maxReason = 500

// CheckReason returns an error unless the text is one line of 1 to 500 bytes.
func CheckReason(text string) error {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxReason || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
		return fmt.Errorf("a reason of %d bytes; expected one line of 1 to %d", len(text), maxReason)
	}
	return nil
}

// New returns the baseline that a judged run makes. Its error wraps [ErrRecord], or says
// that the reason is none: one line, of 1 to 500 bytes.
func New(record *results.Record, accepted time.Time, reason string) (*Baseline, error) {
	reason = strings.TrimSpace(reason)
	if err := CheckReason(reason); err != nil {
		return nil, err
	}
	tree, err := NewTree(record)
	if err != nil {
		return nil, err
	}
	if validity := record.Summary.Validity; validity != results.Valid {
		return nil, fmt.Errorf("%w: it is %s", ErrRecord, validity)
	}
	return &Baseline{record.Manifest.Scenario.Name, record.Manifest.Scenario.Text, accepted, reason, tree}, nil
}

// File returns the baseline as a file: the same bytes for the same baseline.
func (b *Baseline) File() []byte {
	f := b.file()
	f.Digest = f.sum()
	return encode(f, " ")
}

// Digest returns what names the baseline among others of its scenario.
func (b *Baseline) Digest() string { return b.file().sum() }

func (b *Baseline) file() file {
	return file{Version: Version, Scenario: b.Scenario, Accepted: b.Accepted.UTC().Format(time.DateOnly), Reason: b.Reason,
		Text: strings.Split(strings.TrimSuffix(b.Text, "\n"), "\n"), Tree: json.RawMessage(b.Tree)}
}

func (f file) sum() string {
	f.Digest = ""
	sum := sha256.Sum256(encode(f, " "))
	return hex.EncodeToString(sum[:])
}

// encode returns a value as JSON, indented so.
func encode(value any, indent string) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	if err := encoder.Encode(value); err != nil {
		panic("baseline: what is no JSON: " + err.Error())
	}
	return out.Bytes()
}

// Read returns the baseline that a file holds. Its errors wrap [ErrCorrupt], [ErrVersion]
// or [ErrEdited].
func Read(text []byte) (*Baseline, error) {
	var version struct {
		Version *int `json:"baseline"`
	}
	if err := json.Unmarshal(text, &version); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	switch {
	case version.Version == nil || *version.Version < 1:
		return nil, fmt.Errorf("%w: it has no version", ErrCorrupt)
	case *version.Version != Version:
		return nil, fmt.Errorf("%w: %d, not %d; rewrite it with gate --accept", ErrVersion, *version.Version, Version)
	}
	var f file
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&f); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrEdited, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: more follows its end", ErrEdited)
	}
	accepted, err := time.Parse(time.DateOnly, f.Accepted)
	if err != nil {
		return nil, fmt.Errorf("%w: it was accepted on %q", ErrEdited, f.Accepted)
	}
	if f.Digest != f.sum() {
		return nil, fmt.Errorf("%w: its digest is wrong; rewrite it with gate --accept", ErrEdited)
	}
	return &Baseline{f.Scenario, strings.Join(f.Text, "\n") + "\n", accepted, f.Reason, encode(f.Tree, "  ")}, nil
}

// Fits returns an error that wraps [ErrForeign] and says where the scenario of another run differs.
func (b *Baseline) Fits(name, text string) error {
	if name != b.Scenario {
		return fmt.Errorf("%w: %s, and this is %s", ErrForeign, b.Scenario, name)
	}
	was, is := strings.Split(b.Text, "\n"), strings.Split(text, "\n")
	for i := range min(len(was), len(is)) {
		if was[i] != is[i] {
			return fmt.Errorf("%w: line %d was %q and is %q", ErrForeign, i+1, strings.TrimSpace(was[i]), strings.TrimSpace(is[i]))
		}
	}
	switch n := min(len(was), len(is)); {
	case len(is) > n:
		return fmt.Errorf("%w: line %d, %q, is new", ErrForeign, n+1, strings.TrimSpace(is[n]))
	case len(was) > n:
		return fmt.Errorf("%w: line %d, %q, is gone", ErrForeign, n+1, strings.TrimSpace(was[n]))
	}
	return nil
}

// short is how much of a digest names a baseline to people.
const digestLength = 12

// Named returns what a gate calls the baseline: its day and its digest.
func (b *Baseline) Named() string {
	return fmt.Sprintf("the baseline of %s (%s)", b.Accepted.UTC().Format(time.DateOnly), b.Digest()[:digestLength])
}

// Line returns the entry of the baseline in the list: its day, its digest and
// why it was accepted.
func (b *Baseline) Line() string {
	return fmt.Sprintf("%s %s %s", b.Accepted.UTC().Format(time.DateOnly), b.Digest()[:digestLength], b.Reason)
}

// Same reports whether two baselines hold the same runs of the same scenario.
func (b *Baseline) Same(other *Baseline) bool {
	return b.Scenario == other.Scenario && b.Text == other.Text && bytes.Equal(b.Tree, other.Tree)
}

// The faults of a baseline, for errors.Is. None of these is a
// difference of the runs: there is nothing to compare them with.
var (
	// ErrCorrupt: it is no baseline that can be read.
	ErrCorrupt = errors.New("no baseline")
	// ErrVersion: it was written by an earlier or a later version of the tool.
	ErrVersion = errors.New("a baseline of another version")
	// ErrEdited: it is not what was accepted.
	ErrEdited = errors.New("the baseline was changed by hand")
	// ErrForeign: it is of another scenario.
	ErrForeign = errors.New("the baseline is of another scenario")
	// ErrRecord: the run cannot be compared with a baseline.
	ErrRecord = errors.New("the run does not repeat")
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
		members = append(members, append(strconv.AppendQuote(nil, name), slices.Concat([]byte(":"), encode(m.value, ""))...))
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

// NewTree returns the parts of a judged run that repeat. Its error wraps [ErrRecord]: a run in real
// time, or one that was cut off.
func NewTree(record *results.Record) (Tree, error) {
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
	return encode(object{
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
		for _, one := range k.Causes.Frequent() {
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
