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

// events decides what operation k of a phase of event traffic is: a pure function of
// k. Each operation is about an event, whose key the design forms.
type events struct {
	// mix has the kinds of operation, their numbers and ids, and no partition.
	*mix
	*population
	// begins is how long the measured load has gone on when the phase begins.
	begins time.Duration
	// chance is that of workflows, deaths that of clients between an entity and its copies.
	chance, deaths clock.Stream
	// sample and turns draw which entities, and which operations, stand for others in
	// the holdings.
	sample, turns clock.Stream
	homes         []keyHome
	places        *places
	// patchy says of each home whether entities can lack it.
	patchy []bool
	// properties are those of the entities.
	properties []scenarios.PropertySpec
	// upserts says that writes of what need not be there write new entities, for
	// nothing was loaded.
	upserts bool
	kinds   []eventKind
	// keeper knows what clients keep from one operation to the next.
	keeper *workflow.Keeper
	// holdings are those of the tables that are read, made as soon as it is known how
	// many operations there are.
	holdings map[string]*holdings
}

// key home is a table with keys under which every entity lies: its own, or those of
// a copy.
type keyHome struct {
	table     string
	generator *keys.Generator
	// copy is nil for the entities themselves.
	copy *scenarios.Copy
}

// holds reports whether the entities of a home have all of some properties.
func (r *keyHome) holds(properties ...string) bool {
	return r.copy == nil || r.copy.Holds(properties)
}

// eventKind is what one kind of operation of event traffic has of its own.
type eventKind struct {
	spec *scenarios.OperationSpec
	// shared are the attributes whose values the entities of a batch share.
	shared keys.Shared
	// parts are what it merges, by home; one that has none of that has nil.
	parts []*keys.Part
	// asked is what it reads, nil for a write that knows its key, and for a get.
	asked *question
	// home is that of the entities which a get reads, by position.
	home int
	// offers is how many entities it is due to count beside those of a query.
	offers int64
	// performance is that of a workflow, nil for what is a verb's.
	performance *workflow.Kind
}

// newEvents returns the mix of a phase of event traffic. Nobody knows yet what its
// questions have to read.
func (c *Campaign) newEvents(d *dry) (*events, error) {
	phase := d.phase
	m, err := c.newMix(phase)
	if err != nil {
		return nil, err
	}
	// No phase before this one, nor an earlier run, has used the first entity number.
	if phase < len(c.begun) {
		m.fresh = c.begun[phase]
	} else {
		past, err := c.dryRun(phase)
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
		// What phases before have deleted is gone in this one.
		m.deletes = m.deletes || slices.ContainsFunc(c.Scenario.Phases[i].Operations(),
			func(o scenarios.OperationSpec) bool { return o.Writes() == entity.Delete })
	}
	name := c.Scenario.Phases[phase].Name
	loaded := c.Scenario.Loaded(phase)
	e := &events{mix: m, begins: begins, upserts: loaded == 0, properties: c.Scenario.Entity.Properties,
		chance: clock.NewStream(c.Scenario.Seed, "procedures/"+name), deaths: clock.NewStream(c.Scenario.Seed, "deaths/"+name),
		sample: clock.NewStream(c.Scenario.Seed, "holdings/"+name), turns: clock.NewStream(c.Scenario.Seed, "turns/"+name),
		population: newPopulation(loaded, d, c.Scenario.Seed, name), holdings: make(map[string]*holdings), homes: c.homes, places: c.places}
	if e.patchy, err = c.patchyHomes(phase); err != nil {
		return nil, err
	}
	for i := range m.specs {
		kind, err := c.newEventKind(&m.specs[i], e)
		if err != nil {
			return nil, err
		}
		e.kinds = append(e.kinds, kind)
	}
	// When an operation is due, in a closed loop about that, and what its client has to have.
	e.keeper = workflow.NewKeeper(func(k uint64) (due time.Duration, needs []workflow.Keeping) {
		kind := e.pick(k)
		one := e.kinds[kind].performance
		if one == nil || one.Keeps == nil {
			return 0, nil
		}
		return e.instant(k), one.Keeps(e.subject(k, kind), e.specs[kind].With)
	})
	return e, nil
}

func (e *events) stocked() error {
	for table, s := range e.holdings {
		homes := slices.DeleteFunc(slices.Clone(e.homes), func(home keyHome) bool { return home.table != table })
		*s = *newHoldings(e, homes, mostHeld, mostTurned, markerKey)
		// The samples have their properties formed without what nobody filters by.
		bare := make([]*keys.Generator, len(homes))
		for i := range homes {
			var names []string
			for _, p := range e.properties {
				if homes[i].holds(p.Name) {
					names = append(names, p.Name)
				}
			}
			var err error
			if bare[i], err = homes[i].generator.Project(names); err != nil {
				return err
			}
		}
		for i := range s.samples {
			one := &s.samples[i]
			one.stored = entity.Pack(nil, 0, bare[one.home].PropertiesOf(one.event))
		}
	}
	return nil
}

// holdingsOf returns those of a table, which are empty until [events.stocked].
func (e *events) holdingsOf(table string) *holdings {
	if e.holdings[table] == nil {
		e.holdings[table] = new(holdings)
	}
	return e.holdings[table]
}

func (c *Campaign) newEventKind(spec *scenarios.OperationSpec, e *events) (eventKind, error) {
	kind := eventKind{spec: spec, shared: c.generator.Sharing(spec.Together), offers: int64(spec.Offers())}
	written := int64(0)
	for i := range e.homes {
		part, err := e.homes[i].part(spec)
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
	kind.performance = workflow.Find(spec.Workflow)
	for i := range e.homes {
		if kind.performance != nil {
			e.holdingsOf(e.homes[i].table)
		}
	}
	var err error
	switch {
	case spec.Verb == entity.Get && len(spec.By) > 0:
		_, kind.home = c.bestPlan(spec)
	case spec.Verb == entity.Query || len(spec.By) > 0:
		if kind.asked, err = c.newQuestion(spec); err == nil {
			kind.asked.stock = e.holdingsOf(kind.asked.home.table)
		}
	}
	if spec.Verb == entity.Query {
		kind.offers = 0
	}
	return kind, err
}

// part returns what an operation merges into the entities of a home, nil where it
// merges nothing, or a copy nothing that it keeps.
func (r *keyHome) part(spec *scenarios.OperationSpec) (*keys.Part, error) {
	if !spec.Merges() {
		return nil, nil
	}
	kept := *spec
	kept.Properties = slices.DeleteFunc(slices.Clone(spec.Properties), func(p scenarios.PropertySpec) bool { return !r.holds(p.Name) })
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

// fresh returns the event at a position among those that operation k inserts.
func (e *events) fresh(k uint64, at int) keys.Event {
	first := e.mix.fresh + k*e.stride
	return keys.Event{Number: first + uint64(at), Lead: first, Shared: e.kinds[e.pick(k)].shared,
		Run: e.begins + e.instant(k), Offered: true}
}

// outline returns operation k without its content.
func (e *events) outline(k uint64) drive.Work {
	kind := e.pick(k)
	if e.kinds[kind].performance != nil {
		w := e.perform(k, kind)
		outlined := drive.Work{Kind: w.Kind, Offers: w.Offers}
		if w.Offers == 0 {
			// All of it goes beside the table, as its first request says.
			outlined.Operation = w.Workflow.Begin()
		}
		return outlined
	}
	w := drive.Work{Kind: e.indexes[kind], Offers: e.kinds[kind].offers}
	if asked := e.kinds[kind].asked; asked != nil && e.inserted(kind) == 0 {
		w.Offers += asked.due(k, e.choose(k, kind, &e.specs[kind].Of))
	}
	return w
}

func (e *events) work(k uint64, w *drive.Work) {
	kind := e.pick(k)
	spec, one := &e.specs[kind], &e.kinds[kind]
	if one.performance != nil {
		*w = e.perform(k, kind)
		return
	}
	w.Kind, w.Offers = e.indexes[kind], one.offers
	w.Operation.Verb, w.Operation.Table = spec.Verb, e.table
	if inserted := e.inserted(kind); inserted > 0 {
		list := make([]keys.Event, inserted)
		for i := range list {
			list[i] = e.fresh(k, i)
		}
		e.write(k, one, list, w)
		return
	}
	event := e.choose(k, kind, &spec.Of)
	w.Expected = target.Expected{NotFound: event.Offered || spec.Verb == entity.Delete || e.deletes && expectsExisting(spec.Verb)}
	if one.asked != nil {
		w.Offers += one.asked.due(k, event)
	}
	switch {
	case spec.Verb == entity.Query && one.asked.fanned():
		q := one.asked
		var list []target.Operation
		for _, stretch := range q.stretches(event) {
			op := q.within(stretch, event)
			op.Query.Scans = q.dueOf(stretch, k, event)
			list = append(list, op)
		}
		w.Workflow = workflow.NewFanOut(list, spec.Pages)
		w.Operation = target.Operation{}
		return
	case spec.Verb == entity.Query:
		w.Operation = one.asked.operation(event)
		w.Pages, w.Rows, w.MostPages = true, int64(spec.Rows), spec.Pages
		return
	}
	w.Expected.NotFound = w.Expected.NotFound || e.patchy[one.home]
	e.write(k, one, []keys.Event{event}, w)
	if one.asked != nil {
		write := w.Workflow
		if write == nil {
			write = workflow.NewSeries(nil, workflow.Step{Operation: w.Operation, Expected: w.Expected})
		}
		w.Workflow = workflow.NewFindWrite(one.asked.operation(event), one.asked.home.generator.KeyOf(event), write)
	}
}

// write sets the request of operation k, which writes the entities of some events and their copies,
// or reads one.
func (e *events) write(k uint64, one *eventKind, list []keys.Event, w *drive.Work) {
	changes := func(home int) []entity.Change {
		all := make([]entity.Change, len(list))
		for i, event := range list {
			all[i] = e.change(k, one, home, event)
		}
		return all
	}
	w.Operation.Table = e.homes[one.home].table
	if one.spec.Verb == entity.Batch {
		w.Operation.Changes = changes(one.home)
	} else {
		w.Operation.Change = e.change(k, one, one.home, list[0])
	}
	e.ids.guard(k, one.spec, w)
	if one.spec.Writes().IsChange() {
		e.copied(k, one, w, changes)
	}
}

// change returns the write or the read of the entity of an event in a home. A merge into an entity
// that is there writes the properties of a new one.
func (e *events) change(k uint64, one *eventKind, home int, event keys.Event) entity.Change {
	verb, generator := one.spec.Writes(), e.homes[home].generator
	c := entity.Change{Verb: verb, Match: matchOf(verb)}
	switch {
	case one.spec.Replaces():
		c.Key, c.Properties = generator.EntityOf(event)
		return c
	case one.spec.Merges() && e.inserted(e.pick(k)) == 0:
		c.Properties = one.parts[home].PropertiesOf(e.fresh(k, 0))
	case one.spec.Merges():
		c.Properties = one.parts[home].PropertiesOf(event)
	}
	c.Key = generator.KeyOf(event)
	return c
}

// places are where the workflows of a run read and write, and what else they have in
// common.
type places struct {
	workflow.Setting
	at map[string]place
}

// place is a home with the templates of its keys, which the home of a copy lacks here.
type place struct {
	keyHome
	partition, row keys.Template
}

// newPlaces returns those of the design in use: where the entities are at "".
func (c *Campaign) newPlaces() (*places, error) {
	p := &places{at: make(map[string]place)}
	add := func(name string, home keyHome, partitionKey, rowKey string) error {
		partition, err := keys.ParseTemplate(partitionKey)
		if err != nil {
			return err
		}
		row, err := keys.ParseTemplate(rowKey)
		p.at[name] = place{home, partition, row}
		return err
	}
	if err := add("", c.homes[0], c.Scenario.Design.PartitionKey, c.Scenario.Design.RowKey); err != nil {
		return nil, err
	}
	for i := range c.Scenario.Design.Places {
		one := &c.Scenario.Design.Places[i]
		generator, err := one.Generator(c.generator)
		if err != nil {
			return nil, err
		}
		if err := add(one.Name, keyHome{table: c.Table + one.Table, generator: generator}, one.PartitionKey, one.RowKey); err != nil {
			return nil, err
		}
	}
	for _, home := range c.homes[1:] {
		p.at[workflow.AtCopy(home.copy.Name)] = place{keyHome: home}
	}
	p.Setting = workflow.Setting{
		Table:   c.Table,
		TableOf: func(place string) string { return p.at[place].table },
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
			t := p.at[place]
			return entity.Key{Partition: t.partition.Expand(known), Row: t.row.Expand(known)}
		},
	}
	p.Copied = c.copiedEntities()
	p.Partitions = sync.OnceValue(func() []string {
		var list []string
		for _, one := range partitionsOf(c.homes[:1], 0, p.Loaded) {
			list = append(list, one.key)
		}
		slices.Sort(list)
		return list
	})
	return p, nil
}

// subject is the entity of an event, for a workflow.
type subject struct {
	of    *places
	event keys.Event
}

var _ workflow.Subject = subject{}

// Key implements [workflow.Subject]. It panics of a place that the design has not.
func (s subject) Key(place string) entity.Key { return s.of.at[place].generator.KeyOf(s.event) }

// Properties implements [workflow.Subject].
func (s subject) Properties() []entity.Property {
	return s.of.at[""].generator.PropertiesOf(s.event)
}

// Value implements [workflow.Subject].
func (s subject) Value(attribute string) string {
	text, _ := s.of.at[""].generator.ValueOf(attribute, s.event)
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
	return subject{e.places, e.choose(k, kind, &e.specs[kind].Of)}
}

// surmise has a request that operation k of a workflow is foreseen to send know how many
// entities it reads, which the workflow cannot know: where it queries a table of the
// entities or of their copies. What a script foresees of several requests keeps it.
func (e *events) surmise(op *target.Operation, k uint64) {
	if stock := e.holdings[op.Table]; stock != nil && op.Beside == nil && op.Verb == entity.Query {
		op.Query.Scans = stock.Count(op.Query, k)
	}
}
