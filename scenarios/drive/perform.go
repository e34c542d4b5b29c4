package drive

import (
	"maps"
	"slices"
	"sync"

	"loadgen/engine/entity"
	"loadgen/scenarios"
	"loadgen/scenarios/keys"
	"loadgen/scenarios/procedure"
	"loadgen/target"
)

// performance is what the operations of a procedure have in common.
type performance struct {
	kind      *procedure.Kind
	arguments procedure.Arguments
	setting   *procedure.Setting
	places    map[string]residence
	// templates are those of the places' keys.
	templates map[string]placeTemplates
}

// placeTemplates are those of the two keys of a place.
type placeTemplates struct{ partition, row keys.Template }

// newPerformance returns that of one kind of operation, nil where it is a verb's.
func (c *Campaign) newPerformance(spec *scenarios.OperationSpec) (*performance, error) {
	if spec.Procedure == "" {
		return nil, nil
	}
	p := &performance{kind: procedure.Find(spec.Procedure), arguments: spec.With, places: make(map[string]residence), templates: make(map[string]placeTemplates)}
	p.places[""] = residence{table: c.Table, generator: c.generator}
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
		p.places[one.Name] = residence{table: c.Table + one.Table, generator: generator}
		if p.templates[one.Name], err = newPlaceTemplates(one.PartitionKey, one.RowKey); err != nil {
			return nil, err
		}
	}
	homes, err := c.residences()
	if err != nil {
		return nil, err
	}
	for _, home := range homes[1:] {
		p.places[procedure.AtCopy(home.copy.Name)] = home
	}
	p.setting = &procedure.Setting{
		Table:   c.Table,
		TableOf: func(place string) string { return p.places[place].table },
		StoreOf: func(name string) string { return storeName(c.Table, name) },
		Loaded:  c.Scenario.Loaded(len(c.Scenario.Phases)),
		Member:  func(n uint64) procedure.Subject { return subject{p, keys.Event{Number: n}} },
		KeyWith: func(of procedure.Subject, place, attribute, value string) entity.Key {
			return p.templates[place].key(of, attribute, value)
		},
	}
	p.setting.Partitions = sync.OnceValue(func() []string { return partitionsOf(c.generator, p.setting.Loaded) })
	return p, nil
}

func newPlaceTemplates(partitionKey, rowKey string) (t placeTemplates, err error) {
	if t.partition, err = keys.ParseTemplate(partitionKey); err == nil {
		t.row, err = keys.ParseTemplate(rowKey)
	}
	return t, err
}

// key returns that of an entity of which one attribute has another value.
func (t placeTemplates) key(of procedure.Subject, attribute, value string) entity.Key {
	known := func(name string) string {
		if name == attribute {
			return value
		}
		return of.Value(name)
	}
	return entity.Key{Partition: t.partition.Expand(known), Row: t.row.Expand(known)}
}

// partitionsOf returns the PartitionKeys of the first so many entities, in order.
func partitionsOf(g *keys.Generator, entities uint64) []string {
	seen := make(map[string]bool)
	for n := range entities {
		seen[g.PartitionKey(n)] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// subject is the entity of an event, for a procedure.
type subject struct {
	of    *performance
	event keys.Event
}

var _ procedure.Subject = subject{}

// Key implements [procedure.Subject]. It panics of a place that the design has not.
func (s subject) Key(place string) entity.Key { return s.of.places[place].generator.KeyOf(s.event) }

// Properties implements [procedure.Subject].
func (s subject) Properties() []entity.Property {
	return s.of.places[""].generator.PropertiesOf(s.event)
}

// Value implements [procedure.Subject].
func (s subject) Value(attribute string) string {
	text, _ := s.of.places[""].generator.ValueOf(attribute, s.event)
	return text
}

// Number implements [procedure.Subject].
func (s subject) Number() uint64 { return s.event.Number }

// perform returns operation k, which is of a kind that is a procedure.
func (e *events) perform(k uint64, kind int) Work {
	one := e.kinds[kind].performance
	call := &procedure.Call{Setting: one.setting, Arguments: one.arguments, K: k,
		ID: procedure.WriteID{Run: e.ids.run, Number: e.ids.first + k}, Chance: e.chance.At(k)}
	call.Fresh = subject{one, e.fresh(k, 0)}
	call.Subject = call.Fresh
	if !one.kind.Inserts && !one.kind.Alone {
		call.Subject = subject{one, e.event(e.choose(k, kind, &e.specs[kind].Of))}
	}
	w := Work{Kind: e.indexes[kind], Procedure: one.kind.New(call)}
	requests := procedure.Requests(w.Procedure)
	for i := range requests {
		e.surmise(&requests[i], k)
		w.Offers += requests[i].Entities()
	}
	w.Operation = target.Operation{}
	return w
}

// surmise has a request that operation k of a procedure is foreseen to send know how many
// entities it reads, which the procedure cannot know: where it queries a table of the
// entities or of their copies. What a script foresees of several requests keeps it.
func (e *events) surmise(op *target.Operation, k uint64) {
	if stock := e.holdings[op.Table]; stock != nil && op.Beside == nil && op.Verb == entity.Query {
		op.Query.Scans = stock.count(op.Query, k)
	}
}
