package scenarios

import (
	"time"

	"loadgen/backoff"
	"loadgen/engine/entity"
	"loadgen/scenarios/keys"
	"loadgen/scenarios/procedure"
)

// The binding methods below are the scenario format: every field with its name,
// its kind and its bounds, in the order in which it is written.

func (s *Scenario) binding() object {
	return object{what: "a scenario", fields: []field{
		{name: "name", says: "What reports and run folders call the scenario.",
			value: nameValue(&s.Name), required: true},
		{name: "about", says: "What the scenario teaches.",
			value: longText(&s.About, 10_000)},
		{name: "pattern", says: "The design pattern of the documents that the scenario shows.",
			value: optional[Pattern]{&s.Pattern, func() *Pattern { return new(Pattern) }, (*Pattern).binding}},
		{name: "seed", says: "The root of all chance: the same seed gives the same entities, operations and waits.",
			value: seedValue{&s.Seed}},
		{name: "table", says: "The base name of the test table, to which a suffix of its own is added.",
			value: tableValue(&s.Table)},
		{name: "start", says: "How the ranges of the table lie when the test begins: spread over many servers (warm), or as one on one server (cold).",
			value: choiceValue{&s.Start, "start", []string{StartWarm, StartCold}}},
		{name: "retry", says: "How attempts that were refused are tried again.",
			value: choiceValue{&s.Retry, "retry policy", backoff.Names()}},
		{name: "workers", says: "How many operations can be under way at once; one that waits for its next try is none of them.",
			value: wholeValue[int]{into: &s.Workers, least: 1, most: maxWorkers}},
		{name: "model", says: "The partition model of an embedded run: a profile, and single parameters that depart from it.",
			value: modelValue{&s.Model}},
		{name: "accounts", says: "The storage accounts over which the load is sharded, each with a limit of its own.",
			value: optional[Accounts]{&s.Accounts, newAccounts, (*Accounts).binding}},
		{name: "attributes", says: "Facts about each entity, each drawn from a distribution, from which keys and properties are formed.",
			value: attributesValue{&s.Attributes}},
		{name: "entity", says: "The shape of each entity.",
			value: s.Entity.binding()},
		{name: "use", says: "The name of the design to use, the first of the list unless it is given.",
			value: unlessZero{nameValue(&s.Use), func() bool { return s.Use == "" }}},
		{name: "design", says: "How the keys are formed from attributes.",
			value: unlessZero{s.Design.binding(), func() bool { return len(s.Designs) > 0 }}},
		{name: "designs", says: "Several ways to form the keys, of which one is used in a run.",
			value: listOf[Design]{into: &s.Designs, least: 1, most: maxDesigns, what: "designs",
				bind: func(d *Design) binding { return d.named() }}},
		{name: "phases", says: "What is done to the table, one phase after another.",
			required: true, value: listOf[Phase]{
				into: &s.Phases, least: 1, most: maxPhases, what: "phases",
				bind: func(p *Phase) binding { return p.binding() },
			}},
		{name: "expect", says: "What every valid run has to bear out, each a claim such as p99(get) < 20ms or refused < 1%.",
			value: expectValue(&s.Expect)},
		{name: "gate", says: "By what live runs are compared with those of another build, and how great a change matters.",
			value: optional[Gate]{&s.Gate, newGate, (*Gate).binding}},
		{name: "verify", says: "Whether every write carries an id, and what was acknowledged is read back at the end.",
			value: unlessZero{truthValue{&s.Verify}, func() bool { return !s.Verify }}},
		{name: "opposite", says: "Other values that turn the lesson into what it warns of.",
			value: optional[Opposite]{&s.Opposite, fresh[Opposite], (*Opposite).binding}},
	}, one: []string{"design", "designs"}, then: oneDesign}
}

func (e *Entity) binding() object {
	return object{what: "entity", fields: []field{
		{name: "size", says: "How large each entity is, in bytes by the rule of the service; the filler makes up what is missing.",
			value: wholeValue[int]{into: &e.Size, least: 1, most: entity.MaxEntityBytes}},
		{name: "filler", says: "The property of incompressible text that pads each entity to its size; empty for none.",
			value: longText(&e.Filler, entity.MaxNameUnits)},
		{name: "properties", says: "The properties of each entity, in the order in which they are stored.",
			value: propertiesValue(&e.Properties)},
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
		{name: "name", says: "The name of the property.",
			value: longText(&p.Name, entity.MaxNameUnits), required: true},
		{name: "type", says: "The type of the property.",
			value: choiceValue{&p.Type, "type", types}},
		{name: "value", says: "A template of text and attributes in braces, whose text is read as the type.",
			value: textValue{into: &p.Value}, required: true},
	}}
}

func (p *Phase) binding() object {
	kinds := phaseKinds()
	return object{
		what: "a phase",
		fields: []field{
			{name: "name", says: "What reports call the phase; unique among the phases.",
				value: nameValue(&p.Name), required: true},
			{name: kinds[0], says: "Fills the table by entity group transactions, as fast as its lanes go.",
				value: optional[Load]{&p.Load, newLoad, (*Load).binding}},
			{name: kinds[1], says: "Reads everything that was loaded, partition by partition, and holds the number against what was loaded.",
				value: optional[Count]{&p.Count, newCount, (*Count).binding}},
			{name: kinds[2], says: "Offers operations to a single partition, at one rate after another.",
				value: writtenAs{FormPeak, p, optional[Traffic]{&p.Traffic, newPeak, (*Traffic).asPeak}}},
			{name: kinds[3], says: "Offers operations to several partitions at once, each of which is due its share.",
				value: writtenAs{FormSpread, p, optional[Traffic]{&p.Traffic, newSpread, (*Traffic).asSpread}}},
			{name: kinds[4], says: "Offers operations as they arrive: at rates that change, at random, or as a trace has them.",
				value: writtenAs{"", p, optional[Traffic]{&p.Traffic, newTraffic, (*Traffic).binding}}},
		},
		one: kinds,
		then: func(r *reader, path string, n *node) {
			if given := present(n, kinds); len(given) != 1 {
				r.fault(n.at, path, "a phase has %d of load, count, peak, spread and traffic; expected exactly one", len(given))
			}
		},
	}
}

// phaseKinds are the words for what a phase does, in the order in which they are
// listed.
func phaseKinds() []string { return []string{"load", "count", FormPeak, FormSpread, "traffic"} }

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

func (l *Load) binding() binding {
	return object{what: "load", fields: []field{
		{name: "entities", says: "How many entities are inserted.",
			value: wholeValue[int]{into: &l.Entities, least: 1, most: maxEntities}, required: true},
		{name: "transaction", says: "The greatest number of entities in one entity group transaction.",
			value: wholeValue[int]{into: &l.Transaction, least: 1, most: entity.MaxBatchChanges}},
		{name: "lanes", says: "How many transactions are under way at once.",
			value: wholeValue[int]{into: &l.Lanes, least: 1, most: maxLanes}},
	}}
}

func (c *Count) binding() binding {
	return object{what: "count", fields: []field{
		{name: "lanes", says: "How many partitions are read at once.",
			value: wholeValue[int]{into: &c.Lanes, least: 1, most: maxLanes}},
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
			{name: "name", says: "What reports call the operation, its verb unless this is given.",
				value: nameValue(&o.Name)},
			{name: "verb", says: "What the operation does.",
				value: unlessZero{verbValue{&o.Verb, "verb", verbs()}, func() bool { return o.Procedure != "" || o.Verb == 0 }}},
			{name: "procedure", says: "The operation of several requests that this is, in place of a verb.",
				value: unlessZero{choiceValue{&o.Procedure, "procedure", procedure.Names()}, func() bool { return o.Procedure == "" }}},
			{name: "with", says: "The parameters of the procedure.",
				value: unlessZero{argumentsValue{o}, func() bool { return len(o.given()) == 0 }}},
			{name: "weight", says: "The share of the operation: its weight over the sum of all.",
				value: wholeValue[int]{into: &o.Weight, most: maxWeight}},
			{name: "group", says: "The table of the report that shows the operation; GET for what reads and PUT for what writes unless this is given.",
				value: choiceValue{&o.Group, "group", []string{GroupGet, GroupPut}}},
			{name: "entities", says: "The number of writes in a batch.",
				value: wholeValue[int]{into: &o.Entities, least: 1, most: entity.MaxBatchChanges, unlessZero: true}},
			{name: "change", says: "The verb of the writes in a batch, insert unless this is given.",
				value: unlessZero{verbValue{&o.Change, "change", changes()}, func() bool { return o.Change == o.usualChange() }}},
			{name: "class", says: "What a query reads, rows unless this is given.",
				value: unlessZero{choiceValue{&o.Class, "class", Classes()}, func() bool { return o.Class == o.usualClass() }}},
			{name: "partitions", says: "How many partitions a query of the class partition-range reads.",
				value: wholeValue[int]{into: &o.Partitions, least: 2, most: maxSpread, unlessZero: true}},
			{name: "where", says: "A $filter on what a scan reads, with attributes in braces; what it does not keep is counted all the same.",
				value: unlessZero{longText(&o.Where, maxWhere), func() bool { return o.Where == "" }}},
			{name: "select", says: "The properties that a query returns, all unless this is given.",
				value: selectValue(&o.Select)},
			{name: "rows", says: "How many entities a query of the class rows reads, from an existing one on.",
				value: wholeValue[int]{into: &o.Rows, least: 1, most: maxRows, unlessZero: true}},
			{name: "top", says: "The greatest number of entities in a page of a query.",
				value: wholeValue[int]{into: &o.Top, least: 1, most: maxPage, unlessZero: true}},
			{name: "pages", says: "The greatest number of pages that a query reads.",
				value: wholeValue[int]{into: &o.Pages, least: 1, most: maxRows, unlessZero: true}},
			{name: "from", says: "The continuation token at which a query begins.",
				value: unlessZero{tokenValue(&o.From), func() bool { return o.From == "" }}},
			{name: "properties", says: "What merge and insert-or-merge write.",
				value: propertiesValue(&o.Properties)},
			{name: "read_first", says: "Whether an update or a delete is of what was read, on the condition that it has not changed meanwhile.",
				value: unlessZero{truthValue{&o.ReadFirst}, func() bool { return !o.ReadFirst }}},
			{name: "counter", says: "A property of Int64 that the update raises by one.",
				value: unlessZero{longText(&o.Counter, entity.MaxNameUnits), func() bool { return o.Counter == "" }}},
			{name: "blind", says: "Whether what was made of the entity read is written over whatever is there by then, so that updates are lost.",
				value: unlessZero{truthValue{&o.Blind}, func() bool { return !o.Blind }}},
			{name: "of", says: "Which of the entities that are there the operation works on, each as likely as any other unless this is given.",
				value: accessValue{&o.Of}},
			{name: "by", says: "The attributes that the reader knows; what has to be read for that is up to the design, and a get needs one that forms both keys of them.",
				value: attributeNames(&o.By)},
			{name: "span", says: "How long a stretch of time the query asks for, up to the entity that it is about.",
				value: unlessZero{durationValue{&o.Span, time.Millisecond, maxSpan}, func() bool { return o.Span == 0 }}},
			{name: "together", says: "The attributes whose values all entities of a batch share.",
				value: attributeNames(&o.Together)},
		},
		one:  []string{"verb", "procedure"},
		then: o.settle,
	}
}

// settle fills in what follows from the verb and refuses what does not belong
// to it.
func (o *OperationSpec) settle(r *reader, path string, n *node) {
	o.settleProcedure(r, path, n)
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
		{"blind", "updates and delete", o.Updates() || o.Verb == entity.Delete},
		{"of", "what works on entities that are there", !o.Inserts()},
		{"by", "get, query, updates and delete", o.Verb == entity.Get || query || o.Updates() || o.Verb == entity.Delete},
		{"span", "query", query},
		{"together", "batch", batch},
	} {
		if value := n.find(part.field); value != nil && !part.belongs {
			r.fault(value.at, child(path, part.field), "%s belongs to %s, and this is a %s; expected none", part.field, part.owner, o.Verb)
		}
	}
	if asked := n.find("read_first"); asked != nil && !o.ReadFirst && o.Counter != "" {
		r.fault(asked.at, child(path, "read_first"), "a counter is raised from what was read; expected read_first true, or no counter")
	}
	o.ReadFirst = o.ReadFirst || o.Counter != ""
	if blind := n.find("blind"); blind != nil && o.Blind && !o.ReadFirst {
		r.fault(blind.at, child(path, "blind"), "blind writes over what was read, and nothing is; expected read_first, or no blind")
	}
	if query {
		o.settleQuery(r, path, n)
	}
	if o.Merges() && n.find("properties") == nil && o.Counter == "" {
		r.fault(n.at, path, "a %s has no properties; expected those that it writes", o.Verb)
	}
}

// maxSpan bounds how much time a query asks for.
const maxSpan = 10 * 366 * 24 * time.Hour

// attributeNames is a list of attributes' names.
func attributeNames(into *[]string) binding {
	return listOf[string]{into: into, least: 1, most: maxNames, what: "names of attributes",
		bind: func(name *string) binding { return longText(name, entity.MaxNameUnits) }}
}

const maxNames = 100

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

func (v verbValue) schema() *schema {
	s := &schema{}
	for _, verb := range v.of {
		s.Enum = append(s.Enum, verb.String())
	}
	return s
}
