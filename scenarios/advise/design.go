package advise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"loadgen/engine/entity"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/keys"
)

// maxSamples is the number of entities of each kind that are shown.
const maxSamples = 3

// Design is the outcome of one design.
type Design struct {
	Name  string `json:"name"`
	InUse bool   `json:"in_use"`
	// PartitionKey and RowKey are its templates.
	PartitionKey string `json:"partition_key"`
	RowKey       string `json:"row_key"`
	// Cannot lists why the design cannot serve the scenario; the other fields are then empty.
	Cannot []string `json:"cannot,omitempty"`
	// Loads are the phases that offer load. Rehearsal is what the model does with them, nil without any.
	Loads     []Load     `json:"loads,omitempty"`
	Rehearsal *Rehearsal `json:"rehearsal,omitempty"`
	// Samples are keys of the first loaded entities, and of some of the run.
	Samples []Sample `json:"samples,omitempty"`
}

// Sample is an entity's key, and its size in bytes by the service's billing rule.
type Sample struct {
	PartitionKey string `json:"partition_key"`
	RowKey       string `json:"row_key"`
	Bytes        int    `json:"bytes"`
	// Of is "load" for a loaded entity, "run" for one of the run, "copy NAME", or the name of the
	// operation of a workflow that writes it.
	Of string `json:"of"`
}

// InUse returns the design in use by a sample of its operations, without a rehearsal, which suffices to compare
// many designs. The error is that of an invalid scenario.
func InUse(o Options) (*Design, error) {
	d, _, err := o.design(o.Scenario.Use)
	return d, err
}

// OrderOf returns the order of new PartitionKeys of the phase with most inserts under the design in use,
// as [Spread] names it; empty without inserts. The error is that of an invalid scenario.
func OrderOf(o Options) (string, error) {
	d, err := InUse(o)
	if err != nil {
		return "", err
	}
	if most := d.mostBy(func(l *Load) float64 { return l.Inserts }); most != nil && most.Inserts > 0 {
		return most.Keys.Order, nil
	}
	return "", nil
}

// rehearsed returns a design with its rehearsal, by several seeds where chance may change the answer.
func (o *Options) rehearsed(ctx context.Context, name string) (*Design, error) {
	d, s, err := o.design(name)
	if err != nil || len(d.Loads) == 0 {
		return d, err
	}
	due := uint64(0)
	for i := range d.Loads {
		due += d.Loads[i].Operations
	}
	seeds := 1
	if d.InUse {
		seeds = cmp.Or(o.Seeds, maxSeeds)
	}
	limit, err := attemptLimit(s, due)
	if err != nil {
		return nil, err
	}
	first, err := rehearse(ctx, s, due, limit)
	if err != nil {
		return nil, err
	}
	attempts := first.Attempts
	for first.Seeds < seeds && first.needsSeed(attempts) {
		other := *s
		other.Seed += uint64(first.Seeds) * otherSeed
		one, err := rehearse(ctx, &other, due, limit)
		if err != nil {
			return nil, err
		}
		first.Seeds, attempts = first.Seeds+1, attempts+one.Attempts
		first.Least, first.Most = min(first.Least, one.Throttled), max(first.Most, one.Throttled)
		first.loads, first.checks = append(first.loads, one.loads...), append(first.checks, one.checks...)
	}
	d.Rehearsal = first
	oneTable := len(s.Design.Copies)+len(s.Design.Places) == 0 && !slices.ContainsFunc(s.Phases, hasWorkflow)
	for i := range d.Loads {
		d.Loads[i].measured(d.Rehearsal, oneTable)
	}
	return d, nil
}

// design returns one design by a sample, and the scenario with that design in use.
func (o *Options) design(name string) (*Design, *scenarios.Scenario, error) {
	s, cannot, err := o.using(name)
	if err != nil {
		return nil, nil, err
	}
	d := &Design{Name: name, InUse: name == o.Scenario.Use, Cannot: cannot,
		PartitionKey: s.Design.PartitionKey, RowKey: s.Design.RowKey}
	if len(cannot) > 0 {
		return d, s, nil
	}
	// The filler changes only the size of an entity, and takes most of the time.
	lean := *s
	lean.Entity.Filler = ""
	campaign, err := campaign.NewCampaign(campaign.Options{Scenario: &lean, Table: s.Table, NewName: true})
	if err != nil {
		return nil, nil, err
	}
	for i := range s.Phases {
		p, err := campaign.Preview(i)
		if err != nil {
			return nil, nil, err
		}
		if p != nil {
			d.Loads = append(d.Loads, sampleLoad(p, s, &s.Phases[i]))
		}
	}
	if err := d.sampleWorkflows(s); err != nil {
		return nil, nil, err
	}
	return d, s, d.sample(s)
}

// using returns the scenario with another design in use, and why that cannot serve it.
func (o *Options) using(name string) (s *scenarios.Scenario, cannot []string, err error) {
	if name == o.Scenario.Use {
		return o.Scenario, nil, nil
	}
	other := *o.Scenario
	if err := other.Set("use", name); err != nil {
		return nil, nil, fmt.Errorf("design %s: %w", name, err)
	}
	// The anti-pattern may be none under another design.
	other.AntiPattern = nil
	faults := other.Validate()
	if o.Read != nil && len(faults) == 0 {
		var read fields.Faults
		if err = o.Read(&other); errors.As(err, &read) {
			err = nil
			for _, fault := range read {
				faults = append(faults, fault)
			}
		}
	}
	for _, fault := range faults {
		what := fault.Error()
		var f fields.Fault
		if errors.As(fault, &f) {
			what = f.What
		}
		cannot = append(cannot, what)
	}
	return &other, cannot, err
}

// sample adds some loaded entities, some of the first phase with event traffic, and the copies of one.
func (d *Design) sample(s *scenarios.Scenario) error {
	g, err := s.Generator()
	if err != nil {
		return err
	}
	add := func(g *keys.Generator, e keys.Event, of string) {
		key := g.KeyOf(e)
		d.Samples = append(d.Samples, Sample{key.Partition, key.Row, entity.Size(key, g.PropertiesOf(e)), of})
	}
	loaded := s.Loaded(len(s.Phases))
	for n := range min(loaded, maxSamples) {
		add(g, keys.Event{Number: n}, "load")
	}
	inserts := func(op scenarios.OperationSpec) bool { return op.Inserts() && op.Workflow == "" }
	for i := range s.Phases {
		t := s.Phases[i].Traffic
		if t == nil || !t.Events() || !slices.ContainsFunc(t.Operations, inserts) {
			continue
		}
		for n, run := range []time.Duration{0, t.Lasts() / 2, t.Lasts()} {
			add(g, keys.Event{Number: loaded + uint64(n), Run: run, Offered: true}, "run")
		}
		break
	}
	if len(d.Samples) == 0 {
		for n := range uint64(maxSamples) {
			add(g, keys.Event{Number: n}, "run")
		}
	}
	for i := range s.Design.Copies {
		one := &s.Design.Copies[i]
		copied, err := one.Generator(g)
		if err != nil {
			return err
		}
		add(copied, keys.Event{}, "copy "+one.Name)
	}
	return nil
}

// sampleWorkflows adds some entities that the first operation of each workflow writes, in the first phase
// with workflows.
func (d *Design) sampleWorkflows(s *scenarios.Scenario) error {
	first := slices.IndexFunc(s.Phases, hasWorkflow)
	if first < 0 {
		return nil
	}
	made, err := campaign.NewCampaign(campaign.Options{Scenario: s, Table: s.Table, NewName: true})
	if err != nil {
		return err
	}
	p, err := made.Preview(first)
	if err != nil || p == nil {
		return err
	}
	seen := make(map[int]bool)
	for k := range min(p.Count(), maxPerformances) {
		sent, some := p.RequestsOf(k, s.Table)
		if !some {
			continue
		}
		kind, _ := p.Operation(k, s.Table, func(campaign.Touch) {})
		if seen[kind] {
			continue
		}
		seen[kind] = true
		for _, one := range sent.Written[:min(len(sent.Written), maxSamples)] {
			of := p.Approaches()[kind].Spec.Name
			if one.Table != "" {
				of += ", " + one.Table
			}
			d.Samples = append(d.Samples, Sample{one.Key.Partition, one.Key.Row, one.Bytes, of})
		}
	}
	return nil
}

func hasWorkflow(p scenarios.Phase) bool {
	return slices.ContainsFunc(p.Operations(), func(op scenarios.OperationSpec) bool { return op.Workflow != "" })
}

// untried returns why a design that holds on a warm start may not on a cold one: a warm model has a range
// for each PartitionKey, but inserts in order fall on one or a few. It is empty if no such place exceeds
// the target.
func (d *Design) untried(target int64, warm bool) string {
	for i := range d.Loads {
		l := &d.Loads[i]
		tails := l.Keys.Tails > 1 && l.onTail() > float64(target)
		switch {
		case !warm || target <= 0 || !l.Events:
		case !l.Keys.Hot && tails:
			return sentence("why/tails", l.Keys.Tails, l.onTail(), target)
		case l.Keys.Hot && l.atOnce() > float64(target):
			return sentence("why/hot", l.Keys.Order, l.atOnce(), target)
		}
	}
	return ""
}
