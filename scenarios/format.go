package scenarios

import (
	"slices"
	"time"

	"loadgen/engine/entity"
	"loadgen/engine/nearest"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/keys"
	"loadgen/scenarios/workflow"
)

// The binding methods below are the scenario format: every field with its name,
// its kind and its bounds, in the order in which it is written.

func (s *Scenario) binding() fields.Object {
	return fields.Object{What: "a scenario", Fields: slices.Concat(s.conditions(), s.data(), []fields.Field{
		{Name: "phases", Says: "What is done to the table, one phase after another.",
			Required: true, Value: fields.ListOf[Phase]{
				Into: &s.Phases, Least: 1, Most: maxPhases, What: "phases",
				Bind: func(p *Phase) fields.Binding { return p.binding() },
			}},
		{Name: "expect", Says: "What every valid run has to bear out, each a check such as p99(get) < 20ms or throttled < 1%.",
			Value: longTexts(&s.Expect, 0, maxExpectations, "checks, such as p99(get) < 20ms", longestExpectation)},
		{Name: "gate", Says: "By what live runs are compared with those of another build, and how great a change matters.",
			Value: fields.Optional[Gate]{Into: &s.Gate, Fresh: newGate, Bind: func(g *Gate) fields.Binding {
				return fields.Object{What: "a gate", Fields: []fields.Field{
					{Name: "metrics", Says: "The figures by which live runs are compared, each such as p99(get): one to three.",
						Value: longTexts(&g.Metrics, 1, maxMetrics, "figures, such as p99(get)", longestExpectation)},
					{Name: "threshold", Says: "The least change that matters, in percent.",
						Value: shareValue(&g.Threshold)},
				}}
			}}},
		{Name: "verify", Says: "Whether every write carries an id, and what was acknowledged is read back at the end.",
			Value: unlessZero{fields.Truth(&s.Verify), func() bool { return !s.Verify }}},
		{Name: "anti_pattern", Says: "Other values that turn the example into what it warns of.",
			Value: fields.Optional[AntiPattern]{Into: &s.AntiPattern, Fresh: fresh[AntiPattern], Bind: func(o *AntiPattern) fields.Binding {
				return fields.Object{What: "anti_pattern", Fields: []fields.Field{
					{Name: "about", Says: "What is done wrong.",
						Value: fields.LongText(&o.About, 10_000), Required: true},
					{Name: "why", Says: "Why that fails.", Value: fields.LongText(&o.Why, 10_000)},
					{Name: "fails", Says: "The checks of expect that it promises to fail, as they are written there; any of them unless this is given.",
						Value: longTexts(&o.Fails, 0, maxExpectations, "checks of expect", longestExpectation)},
					{Name: "set", Says: "The other values, each under a path such as phases.peak.each.",
						Value: settingsValue{&o.Set}, Required: true},
				}}
			}}},
	}), One: []string{"design", "designs"}, Then: s.checkDesigns}
}

// conditions are what the scenario is called, and what it runs on.
func (s *Scenario) conditions() []fields.Field {
	return []fields.Field{
		{Name: "name", Says: "What reports and run folders call the scenario.",
			Value: fields.Name(&s.Name), Required: true},
		{Name: "about", Says: "What the scenario teaches.",
			Value: fields.LongText(&s.About, 10_000)},
		{Name: "pattern", Says: "The design pattern of the documents that the scenario shows.",
			Value: fields.Optional[Pattern]{Into: &s.Pattern, Fresh: fresh[Pattern], Bind: func(p *Pattern) fields.Binding {
				return fields.Object{What: "a pattern", Fields: []fields.Field{
					{Name: "row", Says: "Which of the documents' patterns it is.",
						Value: fields.Choice{Into: &p.Row, What: "pattern", Of: PatternRows()}, Required: true},
					{Name: "buys", Says: "What it gains.", Value: fields.LongText(&p.Buys, longestPattern), Required: true},
					{Name: "costs", Says: "What is paid for that.", Value: fields.LongText(&p.Costs, longestPattern), Required: true},
				}}
			}}},
		{Name: "seed", Says: "The root of all chance: the same seed gives the same entities, operations and waits.",
			Value: fields.Seed(&s.Seed)},
		{Name: "table", Says: "The base name of the test table, to which a suffix of its own is added.",
			// The suffix has what is left of a table name's 63 characters.
			Value: fields.FormOf(&s.Table, fields.BaseName, "the base of a table's name: a letter, then letters or digits, 3 to 40 in all")},
		{Name: "start", Says: "How the ranges of the table lie when the test begins: spread over many servers (warm), or as one on one server (cold).",
			Value: fields.Choice{Into: &s.Start, What: "start", Of: []string{StartWarm, StartCold}}},
		{Name: "retry", Says: "How attempts that were throttled are tried again.",
			Value: RetryBinding(&s.Retry)},
		{Name: "workers", Says: "How many operations can be under way at once, thousands unless this is given; one that waits for its next try is none of them.",
			Value: fields.Whole[int]{Into: &s.Workers, Least: 1, Most: maxWorkers, UnlessZero: true}},
		{Name: "model", Says: "The partition model of an embedded run: a profile, and single parameters that depart from it.",
			Value: modelValue{&s.Model}},
		{Name: "faults", Says: "What goes wrong on purpose while operations are offered, on top of what the model throttles.",
			Value: FaultsBinding(&s.Faults)},
		{Name: "accounts", Says: "The storage accounts over which the load is sharded, each with a limit of its own.",
			Value: fields.Optional[Accounts]{Into: &s.Accounts,
				Fresh: func() *Accounts { return &Accounts{Number: 1} },
				Bind: func(a *Accounts) fields.Binding {
					return fields.Object{What: "accounts", Fields: []fields.Field{
						{Name: "number", Says: "How many storage accounts there are.",
							Value: fields.Whole[int]{Into: &a.Number, Least: 1, Most: maxAccounts}},
						{Name: "by", Says: "A template whose text chooses the account of a partition, a hash of the PartitionKey unless this is given.",
							Value: unlessZero{fields.Text{Into: &a.By}, func() bool { return a.By == "" }}},
					}}
				}}},
	}
}

// data are the fields of what the table holds.
func (s *Scenario) data() []fields.Field {
	return []fields.Field{
		{Name: "attributes", Says: "Facts about each entity, each drawn from a distribution, from which keys and properties are formed.",
			Value: attributesValue{&s.Attributes}},
		{Name: "rows", Says: "The rows of a file, of which each entity has one as a whole: each of the columns is an attribute.",
			Value: fields.Optional[Rows]{Into: &s.Rows,
				Fresh: func() *Rows { return &Rows{Draw: DrawInOrder} },
				Bind: func(w *Rows) fields.Binding {
					return fields.Object{What: "rows", Fields: []fields.Field{
						{Name: "file", Says: "The path of the file, from the folder of the scenario: CSV, packed by gzip or not. Its first line names the columns.",
							Required: true, Value: pathValue(&w.File)},
						{Name: "columns", Says: "The columns that are attributes, or a map from the names of attributes to columns.",
							Required: true, Value: columnsValue{w}},
						{Name: "draw", Says: "How an entity gets its row: in the order of the file, which begins again behind its end, or by chance.",
							Value: fields.Choice{Into: &w.Draw, What: "draw", Of: []string{DrawInOrder, DrawByChance}}},
					}}
				}}},
		{Name: "entity", Says: "The shape of each entity.",
			Value: fields.Object{What: "entity", Fields: []fields.Field{
				{Name: "size", Says: "How large each entity is, in bytes by the rule of the service, or how their sizes are distributed; the filler makes up what is missing.",
					Value: SizeBinding{Size: &s.Entity.Size, By: &s.Entity.Sizes}},
				{Name: "filler", Says: "The property of incompressible text that pads each entity to its size; empty for none.",
					Value: fields.LongText(&s.Entity.Filler, entity.MaxNameUnits)},
				{Name: "properties", Says: "The properties of each entity, in the order in which they are stored.",
					Value: propertiesValue(&s.Entity.Properties)},
			}}},
		{Name: "use", Says: "The name of the design to use, the first of the list unless it is given.",
			Value: unlessZero{fields.Name(&s.Use), func() bool { return s.Use == "" }}},
		{Name: "design", Says: "How the keys are formed from attributes.",
			Value: unlessZero{fields.Object{What: "design", Fields: s.Design.fields()}, func() bool { return len(s.Designs) > 0 }}},
		{Name: "designs", Says: "Several ways to form the keys, of which one is used in a run.",
			Value: fields.ListOf[Design]{Into: &s.Designs, Least: 1, Most: maxDesigns, What: "designs",
				Bind: func(d *Design) fields.Binding {
					name := fields.Field{Name: "name", Says: "What reports call the design.", Value: fields.Name(&d.Name), Required: true}
					return fields.Object{What: "a design", Fields: append([]fields.Field{name}, d.fields()...)}
				}}},
	}
}

// checkDesigns checks that there is a design or a list of them, and makes the columns of the rows
// attributes of the scenario.
func (s *Scenario) checkDesigns(r *fields.Reader, path string, n *fields.Node) {
	switch one, list := n.Find("design"), n.Find("designs"); {
	case one == nil && list == nil:
		r.Fault(n.At, fields.Child(path, "design"), "a scenario has no design; expected one, or a list of designs")
	case one != nil && list != nil:
		r.Fault(list.At, fields.Child(path, "designs"), "a scenario has a design and designs; expected one of them")
	}
	if s.Rows == nil {
		return
	}
	s.Attributes = slices.Clone(s.Attributes)
	declared := len(s.Attributes)
	for _, one := range s.Rows.Columns {
		if slices.ContainsFunc(s.Attributes[:declared], func(a keys.Attribute) bool { return a.Name == one.Attribute }) {
			at := n.Find("rows").Find("columns").Step(one.step).At
			r.Fault(at, s.Rows.path(one.Attribute), "column %s has the name of an attribute; expected another attribute, or columns as a map from names of their own", nearest.Shown(one.Attribute))
			continue
		}
		s.Attributes = append(s.Attributes, keys.Attribute{Name: one.Attribute,
			Values: keys.ValueColumn{File: s.Rows.File, Name: one.Column, ByChance: s.Rows.Draw == DrawByChance}})
	}
}

func (p *Phase) binding() fields.Object {
	kinds := phaseKinds()
	return fields.Object{
		What: "a phase",
		Fields: []fields.Field{
			{Name: "name", Says: "What reports call the phase; unique among the phases.",
				Value: fields.Name(&p.Name), Required: true},
			{Name: kinds[0], Says: "Fills the table by entity group transactions, as fast as its lanes go.",
				Value: fields.Optional[Load]{Into: &p.Load,
					Fresh: func() *Load { return &Load{Transaction: entity.MaxBatchChanges, Lanes: 16} },
					Bind: func(l *Load) fields.Binding {
						return fields.Object{What: "load", Fields: []fields.Field{
							{Name: "entities", Says: "How many entities are inserted.",
								Value: fields.Whole[int]{Into: &l.Entities, Least: 1, Most: maxEntities}, Required: true},
							{Name: "transaction", Says: "The greatest number of entities in one entity group transaction.",
								Value: fields.Whole[int]{Into: &l.Transaction, Least: 1, Most: entity.MaxBatchChanges}},
							{Name: "lanes", Says: "How many transactions are under way at once.",
								Value: fields.Whole[int]{Into: &l.Lanes, Least: 1, Most: maxLanes}},
						}}
					}}},
			{Name: kinds[1], Says: "Reads everything that was loaded, partition by partition, and holds the number against what was loaded.",
				Value: fields.Optional[Count]{Into: &p.Count, Fresh: func() *Count { return &Count{Lanes: 16} },
					Bind: func(c *Count) fields.Binding {
						return fields.Object{What: "count", Fields: []fields.Field{
							{Name: "lanes", Says: "How many partitions are read at once.",
								Value: fields.Whole[int]{Into: &c.Lanes, Least: 1, Most: maxLanes}},
						}}
					}}},
			{Name: kinds[2], Says: "Offers operations to a single partition, at one rate after another.",
				Value: writtenAs{FormPeak, p, fields.Optional[Traffic]{Into: &p.Traffic, Fresh: newPeak, Bind: (*Traffic).asPeak}}},
			{Name: kinds[3], Says: "Offers operations to several partitions at once, each of which is due its share.",
				Value: writtenAs{FormSpread, p, fields.Optional[Traffic]{Into: &p.Traffic, Bind: (*Traffic).asSpread,
					Fresh: func() *Traffic { return &Traffic{Entities: 1000, Unit: UnitEach, Drain: defaultDrain} }}}},
			{Name: kinds[4], Says: "Offers operations as they arrive: at rates that change, at random, or as a trace has them.",
				Value: writtenAs{"", p, fields.Optional[Traffic]{Into: &p.Traffic, Bind: (*Traffic).binding,
					Fresh: func() *Traffic { return &Traffic{Entities: 1000, Unit: UnitOperations, Drain: defaultDrain} }}}},
		},
		One: kinds,
		Then: func(r *fields.Reader, path string, n *fields.Node) {
			if given := present(n, kinds); len(given) != 1 {
				r.Fault(n.At, path, "a phase has %d of load, count, peak, spread and traffic; expected exactly one", len(given))
			}
		},
	}
}

// phaseKinds are the words for what a phase does, in the order in which they are
// listed.
func phaseKinds() []string { return []string{"load", "count", FormPeak, FormSpread, "traffic"} }

// present returns those of the names that a dict has as fields.
func present(n *fields.Node, names []string) []string {
	var given []string
	for _, name := range names {
		if n.Find(name) != nil {
			given = append(given, name)
		}
	}
	return given
}

func operationsValue(into *[]OperationSpec) fields.Binding {
	return fields.ListOf[OperationSpec]{
		Into: into, Least: 1, Most: maxOperations, What: "operations",
		Fresh: func() OperationSpec { return OperationSpec{Weight: defaultWeight} },
		Bind:  func(o *OperationSpec) fields.Binding { return o.binding() },
	}
}

// defaults of what some verbs have and others have not.
const (
	defaultBatch  = entity.MaxBatchChanges
	defaultRows   = 100
	defaultWeight = 1
	maxRows       = 1_000_000
	maxPage       = 1000
	// longestTimeout is how long the service takes at most.
	longestTimeout = 30 * time.Second
)

func (o *OperationSpec) binding() fields.Binding {
	return fields.Object{
		What: "an operation",
		Fields: []fields.Field{
			{Name: "name", Says: "What reports call the operation, its verb unless this is given.",
				Value: fields.Name(&o.Name)},
			{Name: "verb", Says: "What the operation does.",
				Value: unlessZero{verbValue{&o.Verb, "verb", verbs()}, func() bool { return o.Workflow != "" || o.Verb == 0 }}},
			{Name: "workflow", Says: "The operation of several requests that this is, in place of a verb.",
				Value: unlessZero{fields.Choice{Into: &o.Workflow, What: "workflow", Of: workflow.Names()}, func() bool { return o.Workflow == "" }}},
			{Name: "with", Says: "The parameters of the workflow.",
				Value: unlessZero{argumentsValue{o}, func() bool { return len(o.given()) == 0 }}},
			{Name: "weight", Says: "The share of the operation: its weight over the sum of all.",
				Value: fields.Whole[int]{Into: &o.Weight, Most: maxWeight}},
			{Name: "group", Says: "The table of the report that shows the operation; GET for what reads and PUT for what writes unless this is given.",
				Value: fields.Choice{Into: &o.Group, What: "group", Of: []string{GroupGet, GroupPut}}},
			{Name: "entities", Says: "The number of writes in a batch.",
				Value: fields.Whole[int]{Into: &o.Entities, Least: 1, Most: entity.MaxBatchChanges, UnlessZero: true}},
			{Name: "change", Says: "The verb of the writes in a batch, insert unless this is given.",
				Value: unlessZero{verbValue{&o.Change, "change", changes}, func() bool { return o.Change == o.usualChange() }}},
			{Name: "class", Says: "What a query reads, rows unless this is given.",
				Value: unlessZero{fields.Choice{Into: &o.Class, What: "class", Of: classes}, func() bool { return o.Class == o.usualClass() }}},
			{Name: "partitions", Says: "How many partitions a query of the class partition-range reads.",
				Value: fields.Whole[int]{Into: &o.Partitions, Least: 2, Most: maxSpread, UnlessZero: true}},
			{Name: "where", Says: "A $filter on what a scan reads, with attributes in braces; what it does not keep is counted all the same.",
				Value: unlessZero{fields.LongText(&o.Where, maxWhere), func() bool { return o.Where == "" }}},
			{Name: "select", Says: "The properties that a query returns, all unless this is given.",
				Value: longTexts(&o.Select, 1, entity.MaxProperties, "names of properties", entity.MaxNameUnits)},
			{Name: "rows", Says: "How many entities a query of the class rows reads, from an existing one on.",
				Value: fields.Whole[int]{Into: &o.Rows, Least: 1, Most: maxRows, UnlessZero: true}},
			{Name: "top", Says: "The greatest number of entities in a page of a query.",
				Value: fields.Whole[int]{Into: &o.Top, Least: 1, Most: maxPage, UnlessZero: true}},
			{Name: "pages", Says: "The greatest number of pages that a query reads.",
				Value: fields.Whole[int]{Into: &o.Pages, Least: 1, Most: maxRows, UnlessZero: true}},
			{Name: "save", Says: "The name under which the continuation token of the last page read is kept: for a later phase, and in the record.",
				Value: unlessZero{fields.Name(&o.Save), func() bool { return o.Save == "" }}},
			{Name: "from", Says: "The continuation token at which a query begins: its text, the name under which an earlier phase has saved it, or a file.",
				Value: resumptionValue{&o.From}},
			{Name: "properties", Says: "What merge and insert-or-merge write; all for all properties of the entity, its filler with them.",
				Value: writtenProperties{o}},
			{Name: "read_first", Says: "Whether an update or a delete is of what was read, on the condition that it has not changed meanwhile.",
				Value: unlessZero{fields.Truth(&o.ReadFirst), func() bool { return !o.ReadFirst }}},
			{Name: "counter", Says: "A property of Int64 that the update raises by one.",
				Value: unlessZero{fields.LongText(&o.Counter, entity.MaxNameUnits), func() bool { return o.Counter == "" }}},
			{Name: "blind", Says: "Whether what was made of the entity read is written over whatever is there by then, so that updates are lost.",
				Value: unlessZero{fields.Truth(&o.Blind), func() bool { return !o.Blind }}},
			{Name: "timeout", Says: "How long the service may take for each request before it answers 500 OperationTimedOut, in whole seconds; its 30 s unless this is given.",
				Value: unlessZero{fields.Duration{Into: &o.Timeout, Least: time.Second, Most: longestTimeout}, func() bool { return o.Timeout == 0 }}},
			{Name: "retry", Says: "How attempts at the operation that were throttled are tried again; as the scenario says unless this is given.",
				Value: RetryBinding(&o.Retry)},
			{Name: "limit", Says: "How many attempts at the operation the client sends a second at most; the others wait for their turn, from their intended instant on.",
				Value: RateLimitBinding{Into: &o.Limit}},
			{Name: "of", Says: "Which of the entities that are there the operation works on, each as likely as any other unless this is given.",
				Value: accessValue{&o.Of}},
			{Name: "by", Says: "The attributes that the reader knows; what has to be read for that is up to the design, and a get needs one that forms both keys of them.",
				Value: attributeNames(&o.By)},
			{Name: "span", Says: "How long a stretch of time the query asks for, up to the entity that it is about.",
				Value: unlessZero{fields.Duration{Into: &o.Span, Least: time.Millisecond, Most: maxSpan}, func() bool { return o.Span == 0 }}},
			{Name: "together", Says: "The attributes whose values all entities of a batch share.",
				Value: attributeNames(&o.Together)},
			{Name: "killed", Says: "The share of the operations whose client dies between the writes of an entity and of its copies.",
				Value: unlessZero{shareValue(&o.Killed), func() bool { return o.Killed == 0 }}},
		},
		One:  []string{"verb", "workflow"},
		Then: o.checkDesigns,
	}
}

// checkDesigns fills in what follows from the verb and refuses what does not belong
// to it.
func (o *OperationSpec) checkDesigns(r *fields.Reader, path string, n *fields.Node) {
	if given := n.Find("timeout"); given != nil && o.Timeout%time.Second != 0 {
		r.Fault(given.At, fields.Child(path, "timeout"), "the service takes its timeout in whole seconds, and %v is none; expected 1s to 30s", o.Timeout)
	}
	o.settleWorkflow(r, path, n)
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
	misplaced(r, path, n, "a "+o.Verb.String(), []owned{
		{"entities", "batch", batch},
		{"change", "batch", batch},
		{"class", "query", query},
		{"partitions", "query", query},
		{"where", "query", query},
		{"select", "query", query},
		{"rows", "query", query},
		{"top", "query", query},
		{"pages", "query", query},
		{"save", "query", query},
		{"from", "query", query},
		{"properties", "merge and insert-or-merge", o.Merges()},
		{"read_first", "updates and delete", o.Updates() || o.Verb == entity.Delete},
		{"counter", "updates", o.Updates()},
		{"blind", "updates and delete", o.Updates() || o.Verb == entity.Delete},
		{"of", "what works on entities that are there", !o.Inserts()},
		{"by", "get, query, updates and delete", o.Verb == entity.Get || query || o.Updates() || o.Verb == entity.Delete},
		{"span", "query", query},
		{"together", "batch", batch},
		{"killed", "what writes", o.Verb.IsChange() || batch},
	}...)
	if asked := n.Find("read_first"); asked != nil && !o.ReadFirst && o.Counter != "" {
		r.Fault(asked.At, fields.Child(path, "read_first"), "a counter is raised from what was read; expected read_first true, or no counter")
	}
	o.ReadFirst = o.ReadFirst || o.Counter != ""
	if blind := n.Find("blind"); blind != nil && o.Blind && !o.ReadFirst {
		r.Fault(blind.At, fields.Child(path, "blind"), "blind writes over what was read, and nothing is; expected read_first, or no blind")
	}
	if query {
		o.settleQuery(r, path, n)
	}
	if o.Merges() && n.Find("properties") == nil && o.Counter == "" {
		r.Fault(n.At, path, "a %s has no properties; expected those that it writes", o.Verb)
	}
}

// owned is a field that belongs to some kinds of what can have it.
type owned struct {
	field, owner string
	belongs      bool
}

// misplaced reports the fields that are given and belong to another kind than this.
func misplaced(r *fields.Reader, path string, n *fields.Node, this string, parts ...owned) {
	for _, part := range parts {
		if value := n.Find(part.field); value != nil && !part.belongs {
			r.Fault(value.At, fields.Child(path, part.field), "%s belongs to %s, and this is %s; expected none", part.field, part.owner, this)
		}
	}
}

// maxSpan bounds how much time a query asks for.
const maxSpan = 10 * 366 * 24 * time.Hour

func attributeNames(into *[]string) fields.Binding {
	return longTexts(into, 1, maxNames, "names of attributes", entity.MaxNameUnits)
}

// longTexts are texts that are so long at most.
func longTexts(into *[]string, least, most int, what string, longest int) fields.ListOf[string] {
	return fields.ListOf[string]{Into: into, Least: least, Most: most, What: what,
		Bind: func(text *string) fields.Binding { return fields.LongText(text, longest) }}
}

const maxNames = 100
