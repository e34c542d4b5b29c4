package campaign

import (
	"slices"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/keys"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// events decides what operation k of a phase of event traffic is: a pure function of k. Each
// operation is about an event, from which the design forms the keys.
type events struct {
	// mix has the kinds of operation, their numbers and ids, and no partition.
	*mix
	*population
	// begins is the length of the measured load before the phase.
	begins time.Duration
	// chance is for workflows, deaths for clients that die between an entity and its copies.
	chance, deaths clock.Stream
	// sample and turns select the entities and the operations that stand for others in the
	// estimates.
	sample, turns clock.Stream
	locations     []location
	places        *places
	// incomplete reports for each location whether entities can be missing there.
	incomplete []bool
	// properties are the properties of the entities.
	properties []scenarios.PropertySpec
	// upserts reports whether upserts write new entities, because nothing was loaded.
	upserts bool
	kinds   []eventKind
	// keeper has the caches of the clients.
	keeper *workflow.Keeper
	// estimates has the tables that are read, filled in once the number of operations is known.
	estimates map[string]*tableEstimate
}

// location is a table and the keys of the entities in it: their own, those of a copy, or those of a
// further place of the design.
type location struct {
	table     string
	generator *keys.Generator
	// copy is nil unless the entities are copies.
	copy *scenarios.Copy
	// partitionKey and rowKey are the templates of the keys of a place, zero for others.
	partitionKey, rowKey keys.Template
}

// hasProperties reports whether the entities of a location have all of some properties.
func (r *location) hasProperties(properties ...string) bool {
	return r.copy == nil || r.copy.HasAll(properties)
}

// eventKind is one kind of operation of event traffic.
type eventKind struct {
	spec *scenarios.OperationSpec
	// shared are the attributes whose values the entities of a batch share.
	shared keys.Shared
	// parts are what it merges at each location, nil for nothing.
	parts []*keys.Part
	// reading is what it reads, nil for a get and for a write of a known key.
	reading *reading
	// location is the index of the location that a get reads.
	location int
	// offers is how many entities it is due to count, without those of a query.
	offers int64
	// workflowKind is nil unless it is a workflow.
	workflowKind *workflow.Kind
}

// newEvents returns the mix of a phase of event traffic, with empty estimates.
func (c *Campaign) newEvents(d *phasePlan) (*events, error) {
	phase := d.phase
	m, err := c.newMix(phase)
	if err != nil {
		return nil, err
	}
	// The phases before this one, and earlier runs, have used the numbers below.
	if phase < len(c.begun) {
		m.fresh = c.begun[phase]
	} else {
		past, err := c.plans(phase)
		if err != nil {
			return nil, err
		}
		for i := len(c.begun); i < len(past); i++ {
			m.fresh += past[i].claims()
		}
	}
	begins := time.Duration(0)
	for i := range phase {
		if t := c.Scenario.Phases[i].Traffic; t != nil && t.Events() {
			begins += t.Lasts()
		}
		// Entities that earlier phases deleted are missing in this one.
		m.deletes = m.deletes || slices.ContainsFunc(c.Scenario.Phases[i].Operations(),
			func(o scenarios.OperationSpec) bool { return o.Writes() == entity.Delete })
	}
	name := c.Scenario.Phases[phase].Name
	loaded := c.Scenario.Loaded(phase)
	e := &events{mix: m, begins: begins, upserts: loaded == 0, properties: c.Scenario.Entity.Properties,
		chance: clock.NewStream(c.Scenario.Seed, "procedures/"+name), deaths: clock.NewStream(c.Scenario.Seed, "deaths/"+name),
		sample: clock.NewStream(c.Scenario.Seed, "holdings/"+name), turns: clock.NewStream(c.Scenario.Seed, "turns/"+name),
		population: newPopulation(loaded, d, c.Scenario.Seed, name), estimates: make(map[string]*tableEstimate), locations: c.locations, places: c.places}
	if e.incomplete, err = c.incompleteLocations(phase); err != nil {
		return nil, err
	}
	for i := range m.specs {
		kind, err := c.newEventKind(&m.specs[i], e)
		if err != nil {
			return nil, err
		}
		e.kinds = append(e.kinds, kind)
	}
	// needs returns when an operation is due, approximately in a closed loop, and what its client
	// has to have.
	e.keeper = workflow.NewKeeper(func(k uint64) (due time.Duration, needs []workflow.Keeping) {
		kind := e.pick(k)
		one := e.kinds[kind].workflowKind
		if one == nil || one.Keeps == nil {
			return 0, nil
		}
		return e.instant(k), one.Keeps(e.subject(k, kind), e.specs[kind].With)
	})
	return e, nil
}

func (e *events) estimateTables() error {
	for table, s := range e.estimates {
		locations := slices.DeleteFunc(slices.Clone(e.locations), func(at location) bool { return at.table != table })
		*s = *newTableEstimate(e, locations, maxEntities, maxOperations, markerKey)
		// The samples have only the properties that filters can use.
		bare := make([]*keys.Generator, len(locations))
		for i := range locations {
			var names []string
			for _, p := range e.properties {
				if locations[i].hasProperties(p.Name) {
					names = append(names, p.Name)
				}
			}
			var err error
			if bare[i], err = locations[i].generator.Project(names); err != nil {
				return err
			}
		}
		for i := range s.samples {
			one := &s.samples[i]
			one.stored = entity.Pack(nil, 0, bare[one.location].PropertiesOf(one.event))
		}
	}
	return nil
}

// estimateOf returns the estimate of a table, which [events.estimateTables] fills in.
func (e *events) estimateOf(table string) *tableEstimate {
	if e.estimates[table] == nil {
		e.estimates[table] = new(tableEstimate)
	}
	return e.estimates[table]
}

func (c *Campaign) newEventKind(spec *scenarios.OperationSpec, e *events) (eventKind, error) {
	kind := eventKind{spec: spec, shared: c.generator.Sharing(spec.Together), offers: int64(spec.Offers())}
	written := int64(0)
	for i := range e.locations {
		part, err := e.locations[i].part(spec)
		if err != nil {
			return kind, err
		}
		kind.parts = append(kind.parts, part)
		if !spec.Merges() || part != nil {
			written++
		}
	}
	if spec.Writes().IsChange() {
		kind.offers *= written
	}
	kind.workflowKind = workflow.Find(spec.Workflow)
	for i := range e.locations {
		if kind.workflowKind != nil {
			e.estimateOf(e.locations[i].table)
		}
	}
	var err error
	switch {
	case spec.Verb == entity.Get && len(spec.By) > 0:
		_, kind.location = c.bestPlan(spec)
	case spec.Verb == entity.Query || len(spec.By) > 0:
		if kind.reading, err = c.newReading(spec); err == nil {
			kind.reading.estimate = e.estimateOf(kind.reading.location.table)
		}
	}
	if spec.Verb == entity.Query {
		kind.offers = 0
	}
	return kind, err
}

// part returns what an operation merges into the entities of a location, nil for nothing.
func (r *location) part(spec *scenarios.OperationSpec) (*keys.Part, error) {
	if !spec.Merges() {
		return nil, nil
	}
	kept := *spec
	kept.Properties = slices.DeleteFunc(slices.Clone(spec.Properties), func(p scenarios.PropertySpec) bool { return !r.hasProperties(p.Name) })
	if r.copy != nil && !spec.All && len(kept.Properties) == 0 {
		return nil, nil
	}
	return kept.Part(r.generator)
}

// inserted returns how many entities an operation of a kind inserts.
func (e *events) inserted(kind int) int {
	spec := &e.specs[kind]
	switch {
	case spec.Verb == entity.Batch:
		return spec.Entities
	case spec.Verb == entity.Insert, e.upserts && spec.Verb == entity.InsertOrReplace, e.upserts && spec.Verb == entity.InsertOrMerge:
		return 1
	default:
		return 0
	}
}

// insertedEvent returns the event of one of the entities that operation k inserts.
func (e *events) insertedEvent(k uint64, at int) keys.Event {
	first := e.mix.fresh + k*e.stride
	return keys.Event{Number: first + uint64(at), Lead: first, Shared: e.kinds[e.pick(k)].shared,
		Run: e.begins + e.instant(k), Offered: true}
}

// outline returns operation k without its content.
func (e *events) outline(k uint64) drive.Work {
	kind := e.pick(k)
	if e.kinds[kind].workflowKind != nil {
		w := e.newWorkflow(k, kind)
		outlined := drive.Work{Kind: w.Kind, Offers: w.Offers}
		if w.Offers == 0 {
			// It sends nothing to the table, as its first request shows.
			outlined.Operation = w.Workflow.Begin()
		}
		return outlined
	}
	w := drive.Work{Kind: e.indexes[kind], Offers: e.kinds[kind].offers}
	if reading := e.kinds[kind].reading; reading != nil && e.inserted(kind) == 0 {
		w.Offers += reading.entities(k, e.chooseEvent(k, kind, &e.specs[kind].Of))
	}
	return w
}

func (e *events) work(k uint64, w *drive.Work) {
	kind := e.pick(k)
	spec, one := &e.specs[kind], &e.kinds[kind]
	if one.workflowKind != nil {
		*w = e.newWorkflow(k, kind)
		return
	}
	w.Kind, w.Offers = e.indexes[kind], one.offers
	w.Operation.Verb, w.Operation.Table = spec.Verb, e.table
	if inserted := e.inserted(kind); inserted > 0 {
		list := make([]keys.Event, inserted)
		for i := range list {
			list[i] = e.insertedEvent(k, i)
		}
		e.write(k, one, list, w)
		return
	}
	event := e.chooseEvent(k, kind, &spec.Of)
	w.Expected = target.Expected{NotFound: event.Offered || e.mayMiss(spec.Verb)}
	if one.reading != nil {
		w.Offers += one.reading.entities(k, event)
	}
	switch {
	case spec.Verb == entity.Query && one.reading.isFanOut():
		q := one.reading
		var list []target.Operation
		for _, query := range q.queries(event) {
			op := q.filtered(query, event)
			op.Query.Scans = q.entitiesOf(query, k, event)
			list = append(list, op)
		}
		w.Workflow = workflow.NewFanOut(list, spec.Pages)
		w.Operation = target.Operation{}
		return
	case spec.Verb == entity.Query:
		w.Operation = one.reading.operation(event)
		w.Pages, w.Rows, w.MaxPages = true, int64(spec.Rows), spec.Pages
		return
	}
	w.Expected.NotFound = w.Expected.NotFound || e.incomplete[one.location]
	e.write(k, one, []keys.Event{event}, w)
	if one.reading != nil {
		write := w.Workflow
		if write == nil {
			write = workflow.NewSeries(nil, false, workflow.Request{Operation: w.Operation, Expected: w.Expected})
		}
		w.Workflow = workflow.NewFindWrite(one.reading.operation(event), one.reading.location.generator.KeyOf(event), write)
	}
}

// write sets the request of operation k, which writes the entities of some events and their copies,
// or reads one.
func (e *events) write(k uint64, one *eventKind, list []keys.Event, w *drive.Work) {
	changes := func(location int) []entity.Change {
		all := make([]entity.Change, len(list))
		for i, event := range list {
			all[i] = e.change(k, one, location, event)
		}
		return all
	}
	w.Operation.Table = e.locations[one.location].table
	if one.spec.Verb == entity.Batch {
		w.Operation.Changes = changes(one.location)
	} else {
		w.Operation.Change = e.change(k, one, one.location, list[0])
	}
	e.ids.wrap(k, one.spec, w)
	if one.spec.Writes().IsChange() {
		e.addCopies(k, one, w, changes)
	}
}

// change returns the write or the read of the entity of an event at a location. A merge into an
// existing entity writes the properties of a new one.
func (e *events) change(k uint64, one *eventKind, location int, event keys.Event) entity.Change {
	verb, generator := one.spec.Writes(), e.locations[location].generator
	c := entity.Change{Verb: verb, Match: matchOf(verb)}
	switch {
	case one.spec.Replaces():
		c.Key, c.Properties = generator.EntityOf(event)
		return c
	case one.spec.Merges() && e.inserted(e.pick(k)) == 0:
		c.Properties = one.parts[location].PropertiesOf(e.insertedEvent(k, 0))
	case one.spec.Merges():
		c.Properties = one.parts[location].PropertiesOf(event)
	}
	c.Key = generator.KeyOf(event)
	return c
}

// places has the locations where the workflows of a run read and write, by name, and their common
// setting. The location of the entities is "".
type places struct {
	workflow.Setting
	byName map[string]location
}

func (c *Campaign) newPlaces() (*places, error) {
	p := &places{byName: make(map[string]location)}
	add := func(name string, at location, partitionKey, rowKey string) (err error) {
		if at.partitionKey, err = keys.ParseTemplate(partitionKey); err != nil {
			return err
		}
		at.rowKey, err = keys.ParseTemplate(rowKey)
		p.byName[name] = at
		return err
	}
	if err := add("", c.locations[0], c.Scenario.Design.PartitionKey, c.Scenario.Design.RowKey); err != nil {
		return nil, err
	}
	for i := range c.Scenario.Design.Places {
		one := &c.Scenario.Design.Places[i]
		generator, err := one.Generator(c.generator)
		if err != nil {
			return nil, err
		}
		if err := add(one.Name, location{table: c.Table + one.Table, generator: generator}, one.PartitionKey, one.RowKey); err != nil {
			return nil, err
		}
	}
	p.Setting = workflow.Setting{
		Table:   c.Table,
		TableOf: func(place string) string { return p.byName[place].table },
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
			at := p.byName[place]
			return entity.Key{Partition: at.partitionKey.Expand(known), Row: at.rowKey.Expand(known)}
		},
	}
	p.Copied = c.copiedEntities()
	p.Partitions = sync.OnceValue(func() (list []string) {
		for _, one := range c.sortedPartitions(len(c.Scenario.Phases)) {
			list = append(list, one.key)
		}
		return list
	})
	return p, nil
}

// subject is the entity of an event, for a workflow.
type subject struct {
	places *places
	event  keys.Event
}

var _ workflow.Subject = subject{}

// Key implements [workflow.Subject]. It panics for a place that the design does not have.
func (s subject) Key(place string) entity.Key { return s.places.byName[place].generator.KeyOf(s.event) }

// Properties implements [workflow.Subject].
func (s subject) Properties() []entity.Property {
	return s.places.byName[""].generator.PropertiesOf(s.event)
}

// Value implements [workflow.Subject].
func (s subject) Value(attribute string) string {
	text, _ := s.places.byName[""].generator.ValueOf(attribute, s.event)
	return text
}

// Number implements [workflow.Subject].
func (s subject) Number() uint64 { return s.event.Number }

// newWorkflow returns operation k, of a kind that is a workflow.
func (e *events) newWorkflow(k uint64, kind int) drive.Work {
	one := e.kinds[kind].workflowKind
	call := &workflow.Call{Setting: &e.places.Setting, Arguments: e.specs[kind].With, K: k,
		ID: workflow.WriteID{Run: e.ids.run, Number: e.ids.first + k}, Chance: e.chance.Draw(k)}
	call.Fresh = subject{e.places, e.insertedEvent(k, 0)}
	call.Subject = call.Fresh
	if !one.Inserts && !one.Alone {
		call.Subject = e.subject(k, kind)
	}
	if one.Keeps != nil {
		call.Lacking = e.keeper.Lacks(k)
	}
	w := drive.Work{Kind: e.indexes[kind], Workflow: one.New(call)}
	requests := w.Workflow.Requests()
	for i := range requests {
		e.estimateScans(&requests[i], k)
		w.Offers += requests[i].Entities()
	}
	w.Operation = target.Operation{}
	return w
}

// subject returns the existing entity that operation k is about.
func (e *events) subject(k uint64, kind int) subject {
	return subject{e.places, e.chooseEvent(k, kind, &e.specs[kind].Of)}
}

// estimateScans sets the number of entities that a query of a workflow reads, which the workflow
// does not know, if it reads a table of the entities or of their copies.
func (e *events) estimateScans(op *target.Operation, k uint64) {
	if estimate := e.estimates[op.Table]; estimate != nil && op.Beside == nil && op.Verb == entity.Query {
		op.Query.Scans = estimate.count(op.Query, k)
	}
}
