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
		{Name: "phases", Says: "The phases, in order.",
			Required: true, Value: fields.ListOf[Phase]{
				Into: &s.Phases, Least: 1, Most: maxPhases, What: "phases",
				Bind: func(p *Phase) fields.Binding { return p.binding() },
			}},
		{Name: "expect", Says: "Checks of every valid run, such as p99(get) < 20ms or throttled < 1%.",
			Value: longTexts(&s.Expect, 0, maxExpectations, "checks, such as p99(get) < 20ms", maxExpectation)},
		{Name: "gate", Says: "How live runs of two builds are compared.",
			Value: fields.Optional[Gate]{Into: &s.Gate, Fresh: newGate, Bind: func(g *Gate) fields.Binding {
				return fields.Object{What: "a gate", Fields: []fields.Field{
					{Name: "metrics", Says: "One to three figures to compare, such as p99(get).",
						Value: longTexts(&g.Metrics, 1, maxMetrics, "figures, such as p99(get)", maxExpectation)},
					{Name: "threshold", Says: "The minimum relevant change, in percent.",
						Value: shareValue(&g.Threshold)},
				}}
			}}},
		{Name: "verify", Says: "Whether writes carry ids and are read back at the end.",
			Value: unlessZero{fields.Truth(&s.Verify), func() bool { return !s.Verify }}},
		{Name: "anti_pattern", Says: "Values that turn the example into an anti-pattern.",
			Value: fields.Optional[AntiPattern]{Into: &s.AntiPattern, Fresh: fresh[AntiPattern], Bind: func(o *AntiPattern) fields.Binding {
				return fields.Object{What: "anti_pattern", Fields: []fields.Field{
					{Name: "about", Says: "The mistake.",
						Value: fields.LongText(&o.About, 10_000), Required: true},
					{Name: "why", Says: "Why that fails.", Value: fields.LongText(&o.Why, 10_000)},
					{Name: "fails", Says: "Checks of expect that must fail; any one by default.",
						Value: longTexts(&o.Fails, 0, maxExpectations, "checks of expect", maxExpectation)},
					{Name: "set", Says: "Values by path, such as phases.peak.each.",
						Value: settingsValue{&o.Set}, Required: true},
				}}
			}}},
	}), One: []string{"design", "designs"}, Then: s.checkDesigns}
}

// saysTable describes the file of a table of rows.
const saysTable = "A CSV file with a header, plain or gzip, relative to the scenario's folder."

// conditions are what the scenario is called, and what it runs on.
func (s *Scenario) conditions() []fields.Field {
	return []fields.Field{
		{Name: "name", Says: "The scenario's name.",
			Value: fields.Name(&s.Name), Required: true},
		{Name: "about", Says: "The scenario's lesson.",
			Value: fields.LongText(&s.About, 10_000)},
		{Name: "pattern", Says: "The documented design pattern shown.",
			Value: fields.Optional[Pattern]{Into: &s.Pattern, Fresh: fresh[Pattern], Bind: func(p *Pattern) fields.Binding {
				return fields.Object{What: "a pattern", Fields: []fields.Field{
					{Name: "row", Says: "The documented pattern.",
						Value: fields.Choice{Into: &p.Row, What: "pattern", Of: PatternRows()}, Required: true},
					{Name: "buys", Says: "What it gains.", Value: fields.LongText(&p.Buys, maxPattern), Required: true},
					{Name: "costs", Says: "The cost.", Value: fields.LongText(&p.Costs, maxPattern), Required: true},
				}}
			}}},
		{Name: "seed", Says: "Determines all random entities, operations and waits.",
			Value: fields.Seed(&s.Seed)},
		{Name: "table", Says: "Base name of the test table; runs add a suffix.",
			// The suffix has what is left of a table name's 63 characters.
			Value: fields.FormOf(&s.Table, fields.BaseName, "a base name: a letter, then letters or digits, 3 to 40 in all")},
		{Name: "start", Says: "Initial ranges: spread over many servers (warm), or one range (cold).",
			Value: fields.Choice{Into: &s.Start, What: "start", Of: []string{StartWarm, StartCold}}},
		{Name: "retry", Says: "How throttled attempts are retried.",
			Value: RetryBinding(&s.Retry)},
		{Name: "workers", Says: "Maximum concurrent operations, waits for retries excluded; thousands by default.",
			Value: fields.Whole[int]{Into: &s.Workers, Least: 1, Most: maxWorkers, UnlessZero: true}},
		{Name: "model", Says: "Partition model: a profile with changed parameters.",
			Value: modelValue{&s.Model}},
		{Name: "faults", Says: "Faults injected while operations are offered.",
			Value: FaultsBinding(&s.Faults)},
		{Name: "accounts", Says: "Storage accounts that share the load.",
			Value: fields.Optional[Accounts]{Into: &s.Accounts,
				Fresh: func() *Accounts { return &Accounts{Number: 1} },
				Bind: func(a *Accounts) fields.Binding {
					return fields.Object{What: "accounts", Fields: []fields.Field{
						{Name: "number", Says: "Number of storage accounts.",
							Value: fields.Whole[int]{Into: &a.Number, Least: 1, Most: maxAccounts}},
						{Name: "by", Says: "Template that selects a partition's account; PartitionKey hash by default.",
							Value: unlessZero{fields.Text{Into: &a.By}, func() bool { return a.By == "" }}},
					}}
				}}},
	}
}

// data are the fields of what the table holds.
func (s *Scenario) data() []fields.Field {
	return []fields.Field{
		{Name: "attributes", Says: "Random attributes of each entity, for keys and properties.",
			Value: attributesValue{&s.Attributes}},
		{Name: "rows", Says: "A file's rows as entities, with its columns as attributes.",
			Value: fields.Optional[Rows]{Into: &s.Rows,
				Fresh: func() *Rows { return &Rows{Draw: DrawInOrder} },
				Bind: func(w *Rows) fields.Binding {
					return fields.Object{What: "rows", Fields: []fields.Field{
						{Name: "file", Says: saysTable,
							Required: true, Value: pathValue(&w.File)},
						{Name: "columns", Says: "Columns as attributes, or a map from attributes to columns.",
							Required: true, Value: columnsValue{w}},
						{Name: "draw", Says: "Whether rows are taken in order, repeating, or at random.",
							Value: fields.Choice{Into: &w.Draw, What: "draw", Of: []string{DrawInOrder, DrawByChance}}},
					}}
				}}},
		{Name: "entity", Says: "Shape of entities.",
			Value: fields.Object{What: "entity", Fields: []fields.Field{
				{Name: "size", Says: "Entity size in bytes, or a distribution; the filler pads.",
					Value: SizeBinding{Size: &s.Entity.Size, By: &s.Entity.Sizes}},
				{Name: "filler", Says: "Random text property that pads to size; empty for none.",
					Value: fields.LongText(&s.Entity.Filler, entity.MaxNameUnits)},
				{Name: "properties", Says: "Properties, in stored order.",
					Value: propertiesValue(&s.Entity.Properties)},
			}}},
		{Name: "use", Says: "The design in use; the first by default.",
			Value: unlessZero{fields.Name(&s.Use), func() bool { return s.Use == "" }}},
		{Name: "design", Says: "Key templates.",
			Value: unlessZero{fields.Object{What: "design", Fields: s.Design.fields()}, func() bool { return len(s.Designs) > 0 }}},
		{Name: "designs", Says: "Alternative designs, one per run.",
			Value: fields.ListOf[Design]{Into: &s.Designs, Least: 1, Most: maxDesigns, What: "designs",
				Bind: func(d *Design) fields.Binding {
					name := fields.Field{Name: "name", Says: "The design's name.", Value: fields.Name(&d.Name), Required: true}
					return fields.Object{What: "a design", Fields: append([]fields.Field{name}, d.fields()...)}
				}}},
	}
}

// checkDesigns checks that there is a design or a list of them, and makes the columns of the rows
// attributes of the scenario.
func (s *Scenario) checkDesigns(r *fields.Reader, path string, n *fields.Node) {
	switch one, list := n.Find("design"), n.Find("designs"); {
	case one == nil && list == nil:
		r.Fault(n.At, fields.Child(path, "design"), "a scenario has no design; expected one, or designs")
	case one != nil && list != nil:
		r.Fault(list.At, fields.Child(path, "designs"), "design and designs are given; expected one of them")
	}
	if s.Rows == nil {
		return
	}
	s.Attributes = slices.Clone(s.Attributes)
	declared := len(s.Attributes)
	for _, one := range s.Rows.Columns {
		if slices.ContainsFunc(s.Attributes[:declared], func(a keys.Attribute) bool { return a.Name == one.Attribute }) {
			at := n.Find("rows").Find("columns").Step(one.step).At
			r.Fault(at, s.Rows.path(one.Attribute), "column %s repeats an attribute's name; expected another attribute, or columns as a map", nearest.Shown(one.Attribute))
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
			{Name: "name", Says: "The phase's unique name.",
				Value: fields.Name(&p.Name), Required: true},
			{Name: kinds[0], Says: "Inserts entities by transactions, as fast as its lanes allow.",
				Value: fields.Optional[Load]{Into: &p.Load,
					Fresh: func() *Load { return &Load{Transaction: entity.MaxBatchChanges, Lanes: 16} },
					Bind: func(l *Load) fields.Binding {
						return fields.Object{What: "load", Fields: []fields.Field{
							{Name: "entities", Says: "Number of entities.",
								Value: fields.Whole[int]{Into: &l.Entities, Least: 1, Most: maxEntities}, Required: true},
							{Name: "transaction", Says: "Maximum entities per transaction.",
								Value: fields.Whole[int]{Into: &l.Transaction, Least: 1, Most: entity.MaxBatchChanges}},
							{Name: "lanes", Says: "Concurrent transactions.",
								Value: fields.Whole[int]{Into: &l.Lanes, Least: 1, Most: maxLanes}},
						}}
					}}},
			{Name: kinds[1], Says: "Reads and counts all loaded entities.",
				Value: fields.Optional[Count]{Into: &p.Count, Fresh: func() *Count { return &Count{Lanes: 16} },
					Bind: func(c *Count) fields.Binding {
						return fields.Object{What: "count", Fields: []fields.Field{
							{Name: "lanes", Says: "Partitions read concurrently.",
								Value: fields.Whole[int]{Into: &c.Lanes, Least: 1, Most: maxLanes}},
						}}
					}}},
			{Name: kinds[2], Says: "Offers increasing rates to one partition.",
				Value: writtenAs{FormPeak, p, fields.Optional[Traffic]{Into: &p.Traffic, Fresh: newPeak, Bind: (*Traffic).asPeak}}},
			{Name: kinds[3], Says: "Offers load to several partitions equally.",
				Value: writtenAs{FormSpread, p, fields.Optional[Traffic]{Into: &p.Traffic, Bind: (*Traffic).asSpread,
					Fresh: func() *Traffic { return &Traffic{Entities: 1000, Unit: UnitEach, Drain: defaultDrain} }}}},
			{Name: kinds[4], Says: "Offers operations at changing rates, at random, or from a trace.",
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
	// maxTimeout is how long the service takes at most.
	maxTimeout = 30 * time.Second
)

func (o *OperationSpec) binding() fields.Binding {
	return fields.Object{
		What: "an operation",
		Fields: []fields.Field{
			{Name: "name", Says: "The operation's name; its verb by default.",
				Value: fields.Name(&o.Name)},
			{Name: "verb", Says: "Kind of operation.",
				Value: unlessZero{verbValue{&o.Verb, "verb", verbs()}, func() bool { return o.Workflow != "" || o.Verb == 0 }}},
			{Name: "workflow", Says: "The workflow, instead of a verb.",
				Value: unlessZero{fields.Choice{Into: &o.Workflow, What: "workflow", Of: workflow.Names()}, func() bool { return o.Workflow == "" }}},
			{Name: "with", Says: "The workflow's parameters.",
				Value: unlessZero{argumentsValue{o}, func() bool { return len(o.given()) == 0 }}},
			{Name: "weight", Says: "The operation's relative share.",
				Value: fields.Whole[int]{Into: &o.Weight, Most: maxWeight}},
			{Name: "group", Says: "Report table, GET or PUT; by default as it reads or writes.",
				Value: fields.Choice{Into: &o.Group, What: "group", Of: []string{GroupGet, GroupPut}}},
			{Name: "entities", Says: "Writes per batch.",
				Value: fields.Whole[int]{Into: &o.Entities, Least: 1, Most: entity.MaxBatchChanges, UnlessZero: true}},
			{Name: "change", Says: "Verb of batched writes; insert by default.",
				Value: unlessZero{verbValue{&o.Change, "change", changes}, func() bool { return o.Change == o.defaultChange() }}},
			{Name: "class", Says: "A query's range; rows by default.",
				Value: unlessZero{fields.Choice{Into: &o.Class, What: "class", Of: classes}, func() bool { return o.Class == o.defaultClass() }}},
			{Name: "partitions", Says: "Partitions read by class partition-range.",
				Value: fields.Whole[int]{Into: &o.Partitions, Least: 2, Most: maxSpread, UnlessZero: true}},
			{Name: "where", Says: "A $filter with attributes in braces; excluded entities count, too.",
				Value: unlessZero{fields.LongText(&o.Where, maxWhere), func() bool { return o.Where == "" }}},
			{Name: "select", Says: "Properties returned; all by default.",
				Value: longTexts(&o.Select, 1, entity.MaxProperties, "names of properties", entity.MaxNameUnits)},
			{Name: "rows", Says: "Entities read by class rows.",
				Value: fields.Whole[int]{Into: &o.Rows, Least: 1, Most: maxRows, UnlessZero: true}},
			{Name: "top", Says: "Maximum entities per page.",
				Value: fields.Whole[int]{Into: &o.Top, Least: 1, Most: maxPage, UnlessZero: true}},
			{Name: "pages", Says: "Maximum pages per query.",
				Value: fields.Whole[int]{Into: &o.Pages, Least: 1, Most: maxRows, UnlessZero: true}},
			{Name: "save", Says: "Name for the last page's token, for later phases and the record.",
				Value: unlessZero{fields.Name(&o.Save), func() bool { return o.Save == "" }}},
			{Name: "from", Says: "First continuation token: its text, a saved name, or a file.",
				Value: resumptionValue{&o.From}},
			{Name: "properties", Says: "Properties merged; all by default, filler included.",
				Value: writtenProperties{o}},
			{Name: "read_first", Says: "Whether updates and deletes require the entity as read.",
				Value: unlessZero{fields.Truth(&o.ReadFirst), func() bool { return !o.ReadFirst }}},
			{Name: "counter", Says: "An Int64 property that updates increment.",
				Value: unlessZero{fields.LongText(&o.Counter, entity.MaxNameUnits), func() bool { return o.Counter == "" }}},
			{Name: "blind", Says: "Whether updates ignore concurrent changes, which are lost.",
				Value: unlessZero{fields.Truth(&o.Blind), func() bool { return !o.Blind }}},
			{Name: "timeout", Says: "Service timeout in whole seconds, then 500 OperationTimedOut; 30s by default.",
				Value: unlessZero{fields.Duration{Into: &o.Timeout, Least: time.Second, Most: maxTimeout}, func() bool { return o.Timeout == 0 }}},
			{Name: "retry", Says: "The operation's retries; the scenario's by default.",
				Value: RetryBinding(&o.Retry)},
			{Name: "limit", Says: "Maximum attempts per second; others wait from their intended instant.",
				Value: RateLimitBinding{Into: &o.Limit}},
			{Name: "of", Says: "How existing entities are chosen; uniformly by default.",
				Value: accessValue{&o.Of}},
			{Name: "by", Says: "Attributes that the reader knows; a get needs both keys.",
				Value: attributeNames(&o.By)},
			{Name: "span", Says: "Time range of the query, up to its entity.",
				Value: unlessZero{fields.Duration{Into: &o.Span, Least: time.Millisecond, Most: maxSpan}, func() bool { return o.Span == 0 }}},
			{Name: "together", Says: "Attributes that a batch's entities share.",
				Value: attributeNames(&o.Together)},
			{Name: "killed", Says: "Share of clients that die between entity and copies.",
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
		r.Fault(given.At, fields.Child(path, "timeout"), "timeout is %v; expected whole seconds, 1s to 30s", o.Timeout)
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
		o.Change = o.defaultChange()
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
		{"of", "operations on existing entities", !o.Inserts()},
		{"by", "get, query, updates and delete", o.Verb == entity.Get || query || o.Updates() || o.Verb == entity.Delete},
		{"span", "query", query},
		{"together", "batch", batch},
		{"killed", "what writes", o.Verb.IsChange() || batch},
	}...)
	if asked := n.Find("read_first"); asked != nil && !o.ReadFirst && o.Counter != "" {
		r.Fault(asked.At, fields.Child(path, "read_first"), "counter needs read_first; expected read_first true, or no counter")
	}
	o.ReadFirst = o.ReadFirst || o.Counter != ""
	if blind := n.Find("blind"); blind != nil && o.Blind && !o.ReadFirst {
		r.Fault(blind.At, fields.Child(path, "blind"), "blind needs read_first; expected read_first, or no blind")
	}
	if query {
		o.settleQuery(r, path, n)
	}
	if o.Merges() && n.Find("properties") == nil && o.Counter == "" {
		r.Fault(n.At, path, "a %s has no properties; expected those to write", o.Verb)
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
