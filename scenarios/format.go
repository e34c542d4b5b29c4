package scenarios

import (
	"loadgen/backoff"
	"loadgen/engine/entity"
	"loadgen/scenarios/keys"
)

// The binding methods below are the scenario format: every field with its name,
// its kind and its bounds, in the order in which it is written.

func (s *Scenario) binding() object {
	return object{what: "a scenario", fields: []field{
		{name: "name", value: nameValue(&s.Name), required: true},
		{name: "about", value: longText(&s.About, 10_000)},
		{name: "seed", value: seedValue{&s.Seed}},
		{name: "table", value: tableValue(&s.Table)},
		{name: "start", value: choiceValue{&s.Start, "start", []string{StartWarm, StartCold}}},
		{name: "retry", value: choiceValue{&s.Retry, "retry policy", backoff.Names()}},
		{name: "workers", value: wholeValue[int]{into: &s.Workers, least: 1, most: maxWorkers}},
		{name: "model", value: modelValue{&s.Model}},
		{name: "attributes", value: attributesValue{&s.Attributes}},
		{name: "entity", value: s.Entity.binding()},
		{name: "design", value: s.Design.binding(), required: true},
		{name: "phases", required: true, value: listOf[Phase]{
			into: &s.Phases, least: 1, most: maxPhases, what: "phases",
			bind: func(p *Phase) binding { return p.binding() },
		}},
	}}
}

func (e *Entity) binding() object {
	return object{what: "entity", fields: []field{
		{name: "size", value: wholeValue[int]{into: &e.Size, least: 1, most: entity.MaxEntityBytes}},
		{name: "filler", value: longText(&e.Filler, entity.MaxNameUnits)},
		{name: "properties", value: propertiesValue(&e.Properties)},
	}}
}

func propertiesValue(into *[]PropertySpec) binding {
	return listOf[PropertySpec]{
		into: into, most: entity.MaxProperties, what: "properties",
		fresh: func() PropertySpec { return PropertySpec{Type: keys.TypeName(entity.TypeString)} },
		bind:  func(p *PropertySpec) binding { return p.binding() },
	}
}

func (p *PropertySpec) binding() object {
	var types []string
	for _, kind := range keys.Types() {
		types = append(types, keys.TypeName(kind))
	}
	return object{what: "a property", fields: []field{
		{name: "name", value: longText(&p.Name, entity.MaxNameUnits), required: true},
		{name: "type", value: choiceValue{&p.Type, "type", types}},
		{name: "value", value: textValue{into: &p.Value}, required: true},
	}}
}

func (d *Design) binding() object {
	return object{what: "design", fields: []field{
		{name: "partition_key", value: textValue{into: &d.PartitionKey}, required: true},
		{name: "row_key", value: textValue{into: &d.RowKey}, required: true},
	}}
}

func (p *Phase) binding() object {
	kinds := phaseKinds()
	return object{
		what: "a phase",
		fields: []field{
			{name: "name", value: nameValue(&p.Name), required: true},
			{name: kinds[0], value: optional[Load]{&p.Load, newLoad, (*Load).binding}},
			{name: kinds[1], value: optional[Count]{&p.Count, newCount, (*Count).binding}},
			{name: kinds[2], value: optional[Peak]{&p.Peak, newPeak, (*Peak).binding}},
			{name: kinds[3], value: optional[Spread]{&p.Spread, newSpread, (*Spread).binding}},
			{name: kinds[4], value: optional[Traffic]{&p.Traffic, newTraffic, (*Traffic).binding}},
		},
		then: func(r *reader, path string, n *node) {
			if given := present(n, kinds); len(given) != 1 {
				r.fault(n.at, path, "a phase has %d of load, count, peak, spread and traffic; expected exactly one", len(given))
			}
		},
	}
}

// phaseKinds are the words for what a phase does, in the order in which they are
// listed.
func phaseKinds() []string { return []string{"load", "count", "peak", "spread", "traffic"} }

// present returns those of the names that a dict has as fields.
func present(n *node, names []string) []string {
	var given []string
	for _, name := range names {
		if n.find(name) != nil {
			given = append(given, name)
		}
	}
	return given
}

func newLoad() *Load   { return &Load{Transaction: entity.MaxBatchChanges, Lanes: 16} }
func newCount() *Count { return &Count{Lanes: 16} }
func newPeak() *Peak   { return &Peak{} }

func (l *Load) binding() binding {
	return object{what: "load", fields: []field{
		{name: "entities", value: wholeValue[int]{into: &l.Entities, least: 1, most: maxEntities}, required: true},
		{name: "transaction", value: wholeValue[int]{into: &l.Transaction, least: 1, most: entity.MaxBatchChanges}},
		{name: "lanes", value: wholeValue[int]{into: &l.Lanes, least: 1, most: maxLanes}},
	}}
}

func (c *Count) binding() binding {
	return object{what: "count", fields: []field{
		{name: "lanes", value: wholeValue[int]{into: &c.Lanes, least: 1, most: maxLanes}},
	}}
}

func (p *Peak) binding() binding {
	return object{what: "peak", fields: []field{
		{name: "partition_key", value: textValue{into: &p.PartitionKey}, required: true},
		{name: "rates", required: true, value: listOf[float64]{
			into: &p.Rates, least: 1, most: maxRates, what: "rates in operations per second",
			bind: func(rate *float64) binding { return rateValue{rate} },
		}},
		{name: "each", value: durationValue{&p.Each, minStep, maxStep}, required: true},
		{name: "hold", value: truthValue{&p.Hold}},
		{name: "operations", required: true, value: operationsValue(&p.Operations)},
	}}
}

func operationsValue(into *[]OperationSpec) binding {
	return listOf[OperationSpec]{
		into: into, least: 1, most: maxOperations, what: "operations",
		fresh: func() OperationSpec { return OperationSpec{Weight: defaultWeight} },
		bind:  func(o *OperationSpec) binding { return o.binding() },
	}
}

// defaults of what some verbs have and others have not.
const (
	defaultBatch  = entity.MaxBatchChanges
	defaultRows   = 100
	defaultWeight = 1
	maxRows       = 1_000_000
	maxPage       = 1000
)

func (o *OperationSpec) binding() binding {
	return object{
		what: "an operation",
		fields: []field{
			{name: "name", value: nameValue(&o.Name)},
			{name: "verb", value: verbValue{&o.Verb, "verb", verbs()}, required: true},
			{name: "weight", value: wholeValue[int]{into: &o.Weight, most: maxWeight}},
			{name: "group", value: choiceValue{&o.Group, "group", []string{GroupGet, GroupPut}}},
			{name: "entities", value: wholeValue[int]{into: &o.Entities, least: 1, most: entity.MaxBatchChanges, unlessZero: true}},
			{name: "change", value: unlessZero{verbValue{&o.Change, "change", changes()}, func() bool { return o.Change == o.usualChange() }}},
			{name: "class", value: unlessZero{choiceValue{&o.Class, "class", Classes()}, func() bool { return o.Class == o.usualClass() }}},
			{name: "partitions", value: wholeValue[int]{into: &o.Partitions, least: 2, most: maxSpread, unlessZero: true}},
			{name: "where", value: unlessZero{longText(&o.Where, maxWhere), func() bool { return o.Where == "" }}},
			{name: "select", value: selectValue(&o.Select)},
			{name: "rows", value: wholeValue[int]{into: &o.Rows, least: 1, most: maxRows, unlessZero: true}},
			{name: "top", value: wholeValue[int]{into: &o.Top, least: 1, most: maxPage, unlessZero: true}},
			{name: "pages", value: wholeValue[int]{into: &o.Pages, least: 1, most: maxRows, unlessZero: true}},
			{name: "from", value: unlessZero{tokenValue(&o.From), func() bool { return o.From == "" }}},
			{name: "properties", value: propertiesValue(&o.Properties)},
			{name: "read_first", value: unlessZero{truthValue{&o.ReadFirst}, func() bool { return !o.ReadFirst }}},
			{name: "counter", value: unlessZero{longText(&o.Counter, entity.MaxNameUnits), func() bool { return o.Counter == "" }}},
		},
		then: o.settle,
	}
}

// settle fills in what follows from the verb and refuses what does not belong
// to it.
func (o *OperationSpec) settle(r *reader, path string, n *node) {
	if o.Verb == 0 {
		return
	}
	if o.Name == "" {
		o.Name = o.Verb.String()
	}
	if o.Group == "" {
		o.Group = group(o.Verb)
	}
	batch, query := o.Verb == entity.Batch, o.Verb == entity.Query
	if batch && o.Entities == 0 {
		o.Entities = defaultBatch
	}
	if o.Change == 0 {
		o.Change = o.usualChange()
	}
	for _, part := range []struct {
		field, owner string
		belongs      bool
	}{
		{"entities", "batch", batch},
		{"change", "batch", batch},
		{"class", "query", query},
		{"partitions", "query", query},
		{"where", "query", query},
		{"select", "query", query},
		{"rows", "query", query},
		{"top", "query", query},
		{"pages", "query", query},
		{"from", "query", query},
		{"properties", "merge and insert-or-merge", o.Merges()},
		{"read_first", "updates and delete", o.Updates() || o.Verb == entity.Delete},
		{"counter", "updates", o.Updates()},
	} {
		if value := n.find(part.field); value != nil && !part.belongs {
			r.fault(value.at, child(path, part.field), "%s belongs to %s, and this is a %s; expected none", part.field, part.owner, o.Verb)
		}
	}
	if asked := n.find("read_first"); asked != nil && !o.ReadFirst && o.Counter != "" {
		r.fault(asked.at, child(path, "read_first"), "a counter is raised from what was read; expected read_first true, or no counter")
	}
	o.ReadFirst = o.ReadFirst || o.Counter != ""
	if query {
		o.settleQuery(r, path, n)
	}
	if o.Merges() && n.find("properties") == nil && o.Counter == "" {
		r.fault(n.at, path, "a %s has no properties; expected those that it writes", o.Verb)
	}
}

// verbValue is the name of one of some verbs; what says what it is called.
type verbValue struct {
	into *entity.Verb
	what string
	of   []entity.Verb
}

func (v verbValue) read(r *reader, path string, n *node) {
	var names []string
	for _, verb := range v.of {
		names = append(names, verb.String())
	}
	name := ""
	choiceValue{&name, v.what, names}.read(r, path, n)
	*v.into, _ = entity.ParseVerb(name)
}

func (v verbValue) write() *node { return text(v.into.String()) }
