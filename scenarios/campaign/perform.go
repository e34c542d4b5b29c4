package campaign

import (
	"maps"
	"slices"
	"sync"

	"loadgen/engine/entity"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/keys"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// places are where the workflows of a run read and write, and what else they have in
// common.
type places struct {
	workflow.Setting
	homes map[string]keyHome
	// templates are those of the keys there.
	templates map[string]placeTemplates
}

// placeTemplates are those of the two keys of a place.
type placeTemplates struct{ partition, row keys.Template }

// newPlaces returns those of the design in use: where the entities are at "".
func (c *Campaign) newPlaces() (*places, error) {
	p := &places{homes: map[string]keyHome{"": c.homes[0]}, templates: make(map[string]placeTemplates)}
	var err error
	if p.templates[""], err = newPlaceTemplates(c.Scenario.Design.PartitionKey, c.Scenario.Design.RowKey); err != nil {
		return nil, err
	}
	for i := range c.Scenario.Design.Places {
		one := &c.Scenario.Design.Places[i]
		generator, err := one.Generator(c.generator)
		if err != nil {
			return nil, err
		}
		p.homes[one.Name] = keyHome{table: c.Table + one.Table, generator: generator}
		if p.templates[one.Name], err = newPlaceTemplates(one.PartitionKey, one.RowKey); err != nil {
			return nil, err
		}
	}
	for _, home := range c.homes[1:] {
		p.homes[workflow.AtCopy(home.copy.Name)] = home
	}
	p.Setting = workflow.Setting{
		Table:   c.Table,
		TableOf: func(place string) string { return p.homes[place].table },
		StoreOf: func(name string) string { return storeName(c.Table, name) },
		Loaded:  c.Scenario.Loaded(len(c.Scenario.Phases)),
		Member:  func(n uint64) workflow.Subject { return subject{p, keys.Event{Number: n}} },
		KeyWith: func(of workflow.Subject, place, attribute, value string) entity.Key {
			known := func(name string) string {
				if name == attribute {
					return value
				}
				return of.Value(name)
			}
			t := p.templates[place]
			return entity.Key{Partition: t.partition.Expand(known), Row: t.row.Expand(known)}
		},
	}
	p.Copied = c.copiedEntities()
	p.Partitions = sync.OnceValue(func() []string {
		g := c.generator
		entities := p.Loaded
		seen := make(map[string]bool)
		for n := range entities {
			seen[g.PartitionKey(n)] = true
		}
		return slices.Sorted(maps.Keys(seen))
	})
	return p, nil
}

func newPlaceTemplates(partitionKey, rowKey string) (t placeTemplates, err error) {
	if t.partition, err = keys.ParseTemplate(partitionKey); err == nil {
		t.row, err = keys.ParseTemplate(rowKey)
	}
	return t, err
}

// subject is the entity of an event, for a workflow.
type subject struct {
	of    *places
	event keys.Event
}

var _ workflow.Subject = subject{}

// Key implements [workflow.Subject]. It panics of a place that the design has not.
func (s subject) Key(place string) entity.Key { return s.of.homes[place].generator.KeyOf(s.event) }

// Properties implements [workflow.Subject].
func (s subject) Properties() []entity.Property {
	return s.of.homes[""].generator.PropertiesOf(s.event)
}

// Value implements [workflow.Subject].
func (s subject) Value(attribute string) string {
	text, _ := s.of.homes[""].generator.ValueOf(attribute, s.event)
	return text
}

// Number implements [workflow.Subject].
func (s subject) Number() uint64 { return s.event.Number }

// perform returns operation k, which is of a kind that is a workflow.
func (e *events) perform(k uint64, kind int) drive.Work {
	one := e.kinds[kind].performance
	call := &workflow.Call{Setting: &e.places.Setting, Arguments: e.specs[kind].With, K: k,
		ID: workflow.WriteID{Run: e.ids.run, Number: e.ids.first + k}, Chance: e.chance.At(k)}
	call.Fresh = subject{e.places, e.fresh(k, 0)}
	call.Subject = call.Fresh
	if !one.Inserts && !one.Alone {
		call.Subject = e.subject(k, kind)
	}
	if one.Keeps != nil {
		call.Lacking = e.keeper.Lacks(k)
	}
	w := drive.Work{Kind: e.indexes[kind], Workflow: one.New(call)}
	requests := workflow.Requests(w.Workflow)
	for i := range requests {
		e.surmise(&requests[i], k)
		w.Offers += requests[i].Entities()
	}
	w.Operation = target.Operation{}
	return w
}

// subject returns what operation k, of a kind that works on what is there, is about.
func (e *events) subject(k uint64, kind int) subject {
	return subject{e.places, e.event(e.choose(k, kind, &e.specs[kind].Of))}
}

// surmise has a request that operation k of a workflow is foreseen to send know how many
// entities it reads, which the workflow cannot know: where it queries a table of the
// entities or of their copies. What a script foresees of several requests keeps it.
func (e *events) surmise(op *target.Operation, k uint64) {
	if stock := e.holdings[op.Table]; stock != nil && op.Beside == nil && op.Verb == entity.Query {
		op.Query.Scans = stock.Count(op.Query, k)
	}
}
