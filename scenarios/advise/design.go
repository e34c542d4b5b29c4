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

// What a sample is of.
const (
	ofLoad = "load"
	ofRun  = "run"
	ofCopy = "copy "
)

// sampled is how many entities of each kind are shown.
const sampled = 3

// InUse sketches the scenario's design in use alone, by a sample of its operations and the
// documents' counting rule, without the model: who compares many designs asks for no more.
// Its error is that of a scenario which cannot be run.
func InUse(o Options) (*Design, error) {
	d, _, err := o.design(o.Scenario.Use)
	return d, err
}

// rehearsed is what a design makes of the scenario: what the model does of all of its
// operations, by more than one seed where chance may turn the answer, and what only the keys
// tell.
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
		seeds = cmp.Or(o.Seeds, mostSeeds)
	}
	first, err := rehearsed(ctx, s, due)
	if err != nil {
		return nil, err
	}
	attempts := first.Attempts
	for first.Seeds < seeds {
		again := attempts < fewAttempts
		if first.Seeds < usualSeeds {
			again = first.Attempts < enoughAttempts || first.Throttled > 0 && first.Throttled < mostlyThrottled
		}
		if !again || !first.Whole || first.split() || first.Least > surelyThrottled {
			break
		}
		other := *s
		other.Seed += uint64(first.Seeds) * otherSeed
		one, err := rehearsed(ctx, &other, due)
		if err != nil {
			return nil, err
		}
		first.Seeds, attempts = first.Seeds+1, attempts+one.Attempts
		first.Least, first.Most = min(first.Least, one.Throttled), max(first.Most, one.Throttled)
		first.loads, first.checks = append(first.loads, one.loads...), append(first.checks, one.checks...)
	}
	d.Rehearsal = first
	for i := range d.Loads {
		d.Loads[i].measured(d.Rehearsal)
	}
	return d, nil
}

// design sketches what one design makes of a scenario, the only one where it has no name,
// and returns the scenario with it in use.
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
	// What pads an entity changes nothing but its size, and takes most of the time.
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
			d.Loads = append(d.Loads, look(p, s, &s.Phases[i], o.Times))
		}
	}
	if err := d.performed(s); err != nil {
		return nil, nil, err
	}
	if err := d.densities(&lean); err != nil {
		return nil, nil, err
	}
	return d, s, d.sample(s)
}

// using returns the scenario with another design in use, and what that cannot do.
func (o *Options) using(name string) (s *scenarios.Scenario, cannot []string, err error) {
	if name == o.Scenario.Use {
		return o.Scenario, nil, nil
	}
	other := *o.Scenario
	if err := other.Set("use", name); err != nil {
		return nil, nil, fmt.Errorf("design %s: %w", name, err)
	}
	// An anti-pattern need not be one under every design.
	other.AntiPattern = nil
	for _, fault := range other.Validate() {
		cannot = appendFault(cannot, fault)
	}
	if o.Read == nil || len(cannot) > 0 {
		return &other, cannot, nil
	}
	err = o.Read(&other)
	var faults fields.Faults
	if errors.As(err, &faults) {
		for _, fault := range faults {
			cannot = appendFault(cannot, fault)
		}
		err = nil
	}
	return &other, cannot, err
}

func appendFault(list []string, fault error) []string {
	var f fields.Fault
	if errors.As(fault, &f) {
		return append(list, f.What)
	}
	return append(list, fault.Error())
}

// sample takes some entities of the design down: of those that are loaded, of those
// that come about in the first phase of event traffic, and the copies of one.
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
	for n := range min(loaded, sampled) {
		add(g, keys.Event{Number: n}, ofLoad)
	}
	inserts := func(op scenarios.OperationSpec) bool { return op.Inserts() && !isWorkflow(op) }
	for i := range s.Phases {
		t := s.Phases[i].Traffic
		if t == nil || !t.Events() || !slices.ContainsFunc(t.Operations, inserts) {
			continue
		}
		for n, run := range []time.Duration{0, t.Lasts() / 2, t.Lasts()} {
			add(g, keys.Event{Number: loaded + uint64(n), Run: run, Offered: true}, ofRun)
		}
		break
	}
	if len(d.Samples) == 0 {
		for n := range uint64(sampled) {
			add(g, keys.Event{Number: n}, ofRun)
		}
	}
	for i := range s.Design.Copies {
		one := &s.Design.Copies[i]
		copied, err := one.Generator(g)
		if err != nil {
			return err
		}
		add(copied, keys.Event{}, ofCopy+one.Name)
	}
	return nil
}

// performed takes some entities down that the first operation of each workflow of the first
// phase which has any writes, as large as they are.
func (d *Design) performed(s *scenarios.Scenario) error {
	made, err := campaign.NewCampaign(campaign.Options{Scenario: s, Table: s.Table, NewName: true})
	if err != nil {
		return err
	}
	first := slices.IndexFunc(s.Phases, func(p scenarios.Phase) bool { return slices.ContainsFunc(p.Operations(), isWorkflow) })
	if first < 0 {
		return nil
	}
	p, err := made.Preview(first)
	if err != nil || p == nil {
		return err
	}
	seen := make(map[int]bool)
	for k := range min(p.Count(), performances) {
		sent, some := p.Sent(k, s.Table)
		if !some {
			continue
		}
		kind, _ := p.Operation(k, s.Table, func(campaign.Touch) {})
		if seen[kind] {
			continue
		}
		seen[kind] = true
		for _, one := range sent.Written[:min(len(sent.Written), sampled)] {
			of := p.Approaches()[kind].Spec.Name
			if one.Table != "" {
				of += ", " + one.Table
			}
			d.Samples = append(d.Samples, Sample{one.Key.Partition, one.Key.Row, one.Bytes, of})
		}
	}
	return nil
}

func isWorkflow(op scenarios.OperationSpec) bool { return op.Workflow != "" }
