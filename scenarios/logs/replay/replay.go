// Package replay repeats the operations of a log on the virtual clock, under the keys that they had and under
// those of other designs.
//
// [Gather] reads the operations of a log, each once however often its client tried. A [Pattern] takes their keys
// into attributes, and each [Design] forms new ones. [Replay] carries out one run for each design and
// profile, a scenario whose trace has the operations at their own times, and ranks the designs.
//
// The package sends nothing to any service, and counts what it cannot replay: transactions and inserts whose key
// the log does not have, and queries, since no log has what they would have read.
package replay

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"strings"
	"text/template"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/report/compare/contest"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/scenarios"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/capture"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/run"
)

// Plan says what is replayed, and under which keys.
type Plan struct {
	Operations *Operations
	Pattern    Pattern `group:"Keys"`
	Designs    []Design
	// Suggest has designs take part that follow from what the log asks for; it needs a
	// pattern.
	Suggest bool `flag:"suggest" requires:"partition-key,row-key"`
	// Speed is how many times as fast as in the log the operations are due, 0 for once.
	Speed float64 `flag:"speed" default:"1"`
	// Retry is the back-off policy that replaces the clients', empty
	// for the scenario format's own. Profile is that of the partition model, empty for
	// documented and headroom, and Set overrides values of the scenario, each
	// as path=value. Measured, where it is set, are the values of a profile file, in the place
	// of those of Profile.
	Retry    string `flag:"retry" rare:"yes"`
	Profile  string `flag:"profile"`
	Measured *scenarios.Measured
	Set      []string `flag:"set"`
	// Seed is the root of all chance, Seeds how many runs each design has, 0 for one.
	Seed  uint64 `flag:"seed" default:"1" rare:"yes"`
	Seeds int    `flag:"count" rare:"yes"`
	Price results.Price
	// Progress is called before each run; it may be nil.
	Progress func(design, profile string)
}

// Arm is what one design came to.
type Arm struct {
	Design       string `json:"design"`
	PartitionKey string `json:"partition_key,omitempty"`
	RowKey       string `json:"row_key,omitempty"`
	// Unmatched operations did not fit the pattern and kept their keys; First says why the
	// first did not.
	Unmatched int64  `json:"operations_unmatched"`
	First     string `json:"first_unmatched,omitempty"`
	// Joined are the keys of the log that fell together with another one: the design cannot
	// distinguish all entities.
	Joined int64 `json:"keys_joined"`
	// Tail is the rate of inserts where new PartitionKeys follow one another, in entities per second, if it
	// exceeds the target of a range: a warm table tries no range.
	Tail float64 `json:"tail_entities_per_second,omitempty"`
	// Queries are the changes to the queries of the log, Unasked says why the design could not
	// serve what they know. Split are the transactions that became several.
	Queries []Change `json:"queries"`
	Unasked string   `json:"queries_unplanned,omitempty"`
	Split   int64    `json:"transactions_split"`
	// Under are its first runs, that of the plan's profile first.
	Under []Run `json:"runs"`

	ranked contest.Arm
}

// Run is what a replay came to under one profile of the model. Throttled is the share of
// the attempts, Lost that of the operations.
type Run struct {
	Profile    string  `json:"profile"`
	Throttled  float64 `json:"share_throttled"`
	Lost       float64 `json:"share_lost"`
	P99        float64 `json:"p99_response_ms"`
	Hottest    string  `json:"hottest_partition"`
	HottestMax int64   `json:"hottest_second_entities"`
	// Partitions is a lower bound if PartitionsAtLeast.
	Partitions        int64 `json:"partitions"`
	PartitionsAtLeast bool  `json:"partitions_at_least,omitempty"`
	// Billed are the transactions that the service bills, ThrottledRequests those that it
	// throttled in addition; Counted are the entities that count against the targets.
	Billed            int64 `json:"transactions_billed"`
	ThrottledRequests int64 `json:"requests_throttled"`
	Counted           int64 `json:"entities_counted"`
	// State is what the checks of a replay come to.
	State string `json:"state"`
}

// Holds reports whether nothing was lost and next to nothing throttled.
func (r *Run) Holds() bool { return r.State == results.Holds }

// Unchanged is the name of the replay under the keys of the log.
const Unchanged = "keys of the log"

// playing is a replay under way.
type playing struct {
	*Plan
	table *table
	trace *arrival.Trace
	// profile is the one by which designs are ranked, other the one that is compared with it,
	// empty for none.
	profile, other string
	// suggested is how many designs were proposed, unsuggested says why none was.
	suggested   int
	unsuggested string
}

// Replay replays the operations under the keys that they had, and under those of each
// design, and ranks these. The error wraps [ErrKeys] where a pattern fits nothing, is a
// scenario's fault, or the context's.
func Replay(ctx context.Context, plan Plan) (*Told, error) {
	p := &playing{Plan: &plan, profile: plan.Profile}
	if p.profile == "" {
		p.profile, p.other = model.Documented, model.Headroom
	}
	number := make(map[entity.Verb]uint16)
	for i, verb := range plan.Operations.offered() {
		number[verb] = uint16(i)
	}
	list := plan.Operations.List
	at, kinds := make([]time.Duration, len(list)), make([]uint16, len(list))
	for i := range list {
		at[i], kinds[i] = list[i].At, number[list[i].Verb]
	}
	p.trace = arrival.NewTrace(at, kinds).Faster(plan.Speed)
	if last := p.trace.Length() - 1; last >= arrival.MaxLength {
		return nil, fmt.Errorf("%w: the log lasts %v; expected less than %v: use fewer files or --speed", ErrKeys, last.Round(time.Second), arrival.MaxLength)
	}
	p.table = newTable(plan.Operations)
	if plan.Suggest {
		if err := p.suggest(); err != nil {
			return nil, err
		}
	}
	var arms []Arm
	for _, design := range append([]Design{{Name: Unchanged}}, plan.Designs...) {
		arm, err := p.arm(ctx, design)
		if err != nil {
			return nil, err
		}
		arms = append(arms, *arm)
	}
	return p.report(arms), nil
}

// arm plays the operations under a design.
func (p *playing) arm(ctx context.Context, design Design) (*Arm, error) {
	f, err := newForming(p.Pattern, design)
	if err != nil {
		return nil, err
	}
	s := newScript(p.Operations, p.table, f, p.Speed)
	if n := len(p.Operations.List) - p.Operations.Counts[entity.Query]; n > 0 && f.unmatched == int64(n) {
		return nil, fmt.Errorf("%w: no key of the log fits the pattern: %w", ErrKeys, f.first)
	}
	arm := &Arm{Design: design.Name, PartitionKey: design.PartitionKey, RowKey: design.RowKey, Unmatched: f.unmatched, Joined: s.joined, Queries: changes(p.Operations, s.reads), Split: s.split}
	if f.first != nil {
		arm.First = f.first.Error()
	}
	if f.queries != nil && f.queries.fault != nil {
		arm.Unasked = results.OneLine(f.queries.fault)
	}
	held := make([]entity.Key, len(p.table.held))
	for i, one := range p.table.held {
		like, _ := f.keyFor(one.like)
		held[i] = one.keyUnder(like)
	}
	arm.ranked = contest.Arm{Design: design.Name, PartitionKey: design.PartitionKey, RowKey: design.RowKey}
	for n := range max(1, p.Seeds) {
		for _, profile := range []string{p.profile, p.other} {
			if profile == "" {
				continue
			}
			if p.Progress != nil && n == 0 {
				p.Progress(design.Name, profile)
			}
			simulated, target, err := p.scenario(design.Name, profile, n)
			if err != nil {
				return nil, err
			}
			record, err := run.Run(ctx, run.Plan{Scenario: simulated, RetryChosen: true, Memory: new(results.Memory), Script: s, Held: held})
			if err != nil {
				return nil, err
			}
			tail, _ := capture.TailRate(s.tails, target)
			arm.Tail = max(arm.Tail, tail)
			arm.addRun(record, p.named(profile), profile == p.profile, p.needs(), tail)
		}
	}
	return arm, nil
}

// Checks that no run can show: a design has a key of its own for each entity of the log, and its inserts where
// new keys follow one another are within the target of a range.
const (
	distinctKeys = "distinct keys"
	insertOrder  = "insert order"
)

// addRun adds a run.
func (a *Arm) addRun(record *results.Record, profile string, own bool, needs figure.Needs, tail float64) {
	trial := contest.Measure(record, record.Summary, needs)
	if a.Joined > 0 {
		// Inserts under a key that exists fail. The replay holds them for new entities.
		trial.Expected = append(trial.Expected, results.Check{Expr: distinctKeys, Ok: new(false),
			Observed: document.Counted(int(a.Joined), "key") + " repeated"})
	}
	if tail > 0 {
		trial.Expected = append(trial.Expected, results.Check{Expr: insertOrder, Ok: new(false), Observed: document.Rate(tail) + " entities/s"})
	}
	into := &a.ranked.Others
	if own {
		into = &a.ranked.Trials
	}
	if *into = append(*into, trial); len(*into) > 1 {
		return
	}
	of, sum, all := figure.NewFigures(record), record.Summary, record.Counts(results.Reported)
	partitions := of.Named("partitions")
	one := Run{Profile: profile, Lost: of.Named("share_lost").Value, Partitions: int64(partitions.Value), PartitionsAtLeast: partitions.AtLeast,
		Billed: all.Billed(), ThrottledRequests: all.Throttled, Counted: all.Counted, State: results.Holds}
	if sum.ShareThrottled != nil {
		one.Throttled = *sum.ShareThrottled
	}
	if p99 := of.Named("p99"); p99.Known {
		one.P99 = p99.Value / 1e6
	}
	if hot := sum.Hottest; hot != nil {
		one.Hottest, one.HottestMax = hot.Key, int64(hot.EntitiesPerSecond)
	}
	for i := range trial.Expected {
		if !trial.Expected[i].Holds() {
			one.State = results.DoesNotHold
		}
	}
	a.Under = append(a.Under, one)
	if own {
		a.ranked.Record = record
	}
}

// limit makes a scenario follow a profile: measured values replace the plan's own.
func (p *playing) limit(s *scenarios.Scenario, profile string) {
	s.Model.Profile = profile
	if profile == p.profile {
		s.UseMeasured(profile, p.Measured)
	}
}

// named is what a profile is called: by its file, where its values were measured.
func (p *playing) named(profile string) string {
	if profile == p.profile && p.Measured != nil {
		return p.Measured.String()
	}
	return profile
}

//go:embed scenario
var scenarioTexts embed.FS

// write fills one of the scenarioTexts.
func write(name string, data any) []byte {
	var text bytes.Buffer
	// The texts are part of the program, and a buffer takes all.
	_ = template.Must(template.ParseFS(scenarioTexts, "scenario/"+name)).Execute(&text, data)
	return text.Bytes()
}

// parse returns one of the scenarioTexts as a scenario with the plan's settings, by a profile.
func (p *playing) parse(name, profile string, data any) (*scenarios.Scenario, error) {
	s, err := scenarios.Parse(strings.TrimSuffix(name, ".yaml"), write(name, data))
	if err != nil {
		return nil, err
	}
	if err := s.SetAll(scenarios.Settings(p.Set...)); err != nil {
		return nil, err
	}
	p.limit(s, profile)
	return s, fields.FaultsOf(s.Validate())
}

// scenario returns the scenario of one run of a design, and the target of a range in it.
func (p *playing) scenario(design, profile string, n int) (*scenarios.Scenario, int64, error) {
	// To hold a log is as to hold a rate, for the whole of it.
	s, err := p.parse("replay.yaml", profile, map[string]any{"Size": p.Operations.size(), "Verbs": p.Operations.offered(), "MaxThrottled": 100 * results.MaxFirstThrottledShare, "Retry": p.Retry})
	if err != nil {
		return nil, 0, err
	}
	draw := clock.NewStream(max(1, p.Seed), "replay/"+design).Draw(uint64(n))
	s.Seed = draw.Uint64() >> 11
	for i := range s.Phases {
		s.Phases[i].Traffic.Arrivals.Recorded = p.trace
	}
	m, err := s.PartitionModel()
	if err != nil {
		return nil, 0, err
	}
	return s, m.Stamp.RangeTarget, nil
}

// needs are what the application asks of its operations.
func (p *playing) needs() figure.Needs {
	n := figure.Needs{Within: make(map[string]int64), Entities: make(map[string]int64), Reads: make(map[string]bool)}
	for _, verb := range p.Operations.offered() {
		name := verb.String()
		n.Entities[name] = 1
		n.Reads[name] = verb == entity.Get || verb == entity.Query
	}
	if all := int64(p.Operations.Counts[entity.Batch]); all > 0 {
		sum := int64(0)
		for i := range p.Operations.List {
			if one := &p.Operations.List[i]; one.Verb == entity.Batch {
				sum += one.Entities
			}
		}
		n.Entities[entity.Batch.String()] = max(1, sum/all)
	}
	return n
}
