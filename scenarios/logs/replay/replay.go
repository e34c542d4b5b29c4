package replay

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/scenarios"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/run"
)

// Plan says what is replayed, and under which keys.
type Plan struct {
	Operations *Operations
	Pattern    Pattern
	Designs    []Design
	// Speed is how many times as fast as in the log the operations are due, 0 for once.
	Speed float64
	// Retry is the back-off policy of ours that stands in the place of the clients', empty
	// for the scenario format's own; Profile is that of the partition model, and Set gives
	// values of the scenario others, each as path=value.
	Retry, Profile string
	Set            []string
	Seed           uint64
	// Progress is told of each run before it; it may be nil.
	Progress func(design, profile string)
}

// Arm is what one design came to.
type Arm struct {
	Design string `json:"design"`
	// Unmatched operations did not fit the pattern and kept their keys; First says why the
	// first did not.
	Unmatched int64  `json:"operations_unmatched"`
	First     string `json:"first_unmatched,omitempty"`
	// Under are its runs, that of the plan's profile first.
	Under []Run `json:"runs"`
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
	Partitions int64   `json:"partitions"`
}

// Holds reports whether nothing was lost and next to nothing throttled.
func (r *Run) Holds() bool { return r.Lost == 0 && r.Throttled <= heldShare }

// heldShare is the share of attempts that may be throttled of a load that holds.
const heldShare = 0.005

// Unchanged is the name of the replay under the keys of the log.
const Unchanged = "keys of the log"

// Replay replays the operations under the keys that they had, and under those of each
// design. The error wraps [ErrKeys] where a pattern fits nothing, is a scenario's fault, or
// the context's.
func Replay(ctx context.Context, p Plan) ([]Arm, error) {
	var arms []Arm
	for _, design := range append([]Design{{Name: Unchanged}}, p.Designs...) {
		arm, err := p.arm(ctx, design)
		if err != nil {
			return nil, err
		}
		arms = append(arms, *arm)
	}
	return arms, nil
}

func (p *Plan) arm(ctx context.Context, design Design) (*Arm, error) {
	f, err := newForming(p.Pattern, design)
	if err != nil {
		return nil, err
	}
	trace := p.trace(f)
	if f.unmatched == int64(len(p.Operations.List)) {
		return nil, fmt.Errorf("%w: no key of the log fits the pattern: %w", ErrKeys, f.first)
	}
	arm := &Arm{Design: design.Name, Unmatched: f.unmatched}
	if f.first != nil {
		arm.First = f.first.Error()
	}
	s, err := p.scenario(p.Profile)
	if err != nil {
		return nil, err
	}
	for _, profile := range []string{s.Model.Profile, run.OtherProfile(s.Model.Profile)} {
		if profile == "" {
			continue
		}
		if p.Progress != nil {
			p.Progress(design.Name, profile)
		}
		one, err := p.run(ctx, profile, trace)
		if err != nil {
			return nil, err
		}
		arm.Under = append(arm.Under, *one)
	}
	return arm, nil
}

// trace writes the operations as the trace of a scenario, with the keys of a design.
func (p *Plan) trace(f *forming) []byte {
	speed := p.Speed
	if speed == 0 {
		speed = 1
	}
	var text bytes.Buffer
	text.WriteString("instant,operation,PartitionKey,RowKey\n")
	for i := range p.Operations.List {
		o := &p.Operations.List[i]
		key := f.key(o.Key)
		text.WriteString(time.Duration(float64(o.At)/speed).String() + "," + o.Verb.String() + "," + quoted(key.Partition) + "," + quoted(key.Row) + "\n")
	}
	return text.Bytes()
}

func quoted(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }

// traceFile is what the scenario calls the trace.
const traceFile = "log.csv"

// scenario returns the scenario of a replay, its trace unread.
func (p *Plan) scenario(profile string) (*scenarios.Scenario, error) {
	s, err := scenarios.Parse("replay", fmt.Appendf(nil, `name: replay
about: The operations of a log, at their own times.
attributes: {n: {sequence: 1}}
entity: {size: %d, properties: [{name: V, type: Int32, value: "1"}]}
design: {partition_key: "{n}", row_key: "{n}"}
phases:
  - name: log
    traffic: {arrivals: {trace: %s}, drain: 60s}
`, p.Operations.size(), traceFile))
	if err != nil {
		return nil, err
	}
	s.Seed = max(1, p.Seed)
	if p.Retry != "" {
		s.Retry = p.Retry
	}
	for _, one := range p.Set {
		path, value, _ := strings.Cut(one, "=")
		if err := s.Set(path, value); err != nil {
			return nil, err
		}
	}
	if profile != "" {
		s.Model.Profile = profile
	}
	return s, fields.FaultsOf(s.Validate())
}

// run replays a trace under a profile.
func (p *Plan) run(ctx context.Context, profile string, trace []byte) (*Run, error) {
	s, err := p.scenario(profile)
	if err != nil {
		return nil, err
	}
	if err := s.ReadFiles(func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(trace)), nil }); err != nil {
		return nil, err
	}
	record, err := run.Run(ctx, run.Plan{Scenario: s, RetryChosen: true, Memory: new(results.Memory)})
	if err != nil {
		return nil, err
	}
	return told(profile, record), nil
}

// told takes from a record what is shown of it.
func told(profile string, record *results.Record) *Run {
	of, sum := figure.Of(record), record.Summary
	one := &Run{Profile: profile, Lost: of.Named("share_lost").Value}
	if sum.ShareThrottled != nil {
		one.Throttled = *sum.ShareThrottled
	}
	if p99 := of.Named("p99"); p99.Told {
		one.P99 = p99.Value / 1e6
	}
	if hot, some := of.Hottest(); some {
		one.Hottest, one.HottestMax = hot.Key, hot.Busiest
	}
	one.Partitions = int64(of.Named("partitions").Value)
	return one
}
