package scenarios

import (
	"slices"
	"time"

	"loadgen/engine/entity"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/workflow"
)

// OperationSpec is one kind of operation of [Traffic]. Where that names partitions, each
// works on one of them. An existing entity is one that was loaded into it, each as likely
// as any other, or, where nothing was loaded, one of those that the traffic works on; a
// new entity has a number above all that were loaded or inserted before, and falls into
// the partition because the attributes of its PartitionKey are held at the partition's
// values.
//
//   - get reads an existing entity by both keys.
//   - insert writes a new entity.
//   - replace and merge update an existing entity, whatever its version
//     (If-Match: *): replace with all its properties, merge with Properties.
//   - insert-or-replace and insert-or-merge write an existing entity likewise,
//     without a condition: they also succeed where it was deleted meanwhile.
//   - each of these four, and delete, with ReadFirst reads the entity and writes
//     it on the condition that it still is what was read; where it is not, it
//     begins again. That is one operation of two requests or more.
//   - delete deletes an existing entity. Several deletes can draw the same one:
//     that it is gone already (404) is success, and wherever a phase deletes, so
//     it is for get, replace and merge.
//   - batch writes Entities entities in one entity group transaction, as Change
//     says: new ones by insert, insert-or-replace or insert-or-merge, or existing
//     ones by replace, merge or delete, as many as the partition was loaded with
//     if that is fewer. Where another has deleted one of them, nothing of the
//     transaction is carried out, which is success likewise.
//   - query reads entities in the order of the index, page by page, as Class says.
type OperationSpec struct {
	_ struct{} `object:"an operation" either:"verb,workflow"`
	// Name is unique among the phase's operations and none of create, mark,
	// load, count, audit and drop; it is the verb unless the file says otherwise.
	Name string      `yaml:"name" says:"The operation's name; its verb by default." form:"name"`
	Verb entity.Verb `yaml:"verb,own" says:"Kind of operation."`
	// Workflow is the name of an operation of several requests, as
	// [workflow.Find] knows it, With its parameters; empty and none for an operation
	// that is a verb's. Verb is then insert where it is about a new entity, else get.
	Workflow string             `yaml:"workflow,omitempty,was=procedure" says:"The workflow, instead of a verb." form:"workflow"`
	With     workflow.Arguments `yaml:"with,own" says:"The workflow's parameters."`
	// Weight is the operation's share: the chance that an operation is of this
	// kind is its weight over the sum of all, 0 to 1,000,000.
	Weight int `yaml:"weight,default=1" says:"The operation's relative share." range:"0..1000000"`
	// Group is the table of the report that shows it: [GroupGet] or [GroupPut].
	Group string `yaml:"group" says:"Report table, GET or PUT; by default as it reads or writes." choice:"GET,PUT"`
	// Entities is the number of writes in a batch, 1 to 100; 0 for any other
	// verb.
	Entities int `yaml:"entities,omitempty" says:"Writes per batch." range:"1..100"`
	// Change is the verb of the writes in a batch; 0 for any other verb.
	Change entity.Verb `yaml:"change,own" says:"Verb of batched writes; insert by default."`
	// Class is what a query reads, one of [classes]; empty for any other verb.
	Class string `yaml:"class,own" says:"A query's range; rows by default."`
	// Partitions is how many partitions a query of the class partition-range reads,
	// 2 to 10,000; 0 for any other.
	Partitions int `yaml:"partitions,omitempty" says:"Partitions read by class partition-range." range:"2..10000"`
	// Where is a $filter on what a scan reads, which is counted whether or not the
	// filter keeps it. It may hold attributes in braces, which take the values of an
	// existing entity; a quote in them is doubled, as in a text of a $filter.
	Where string `yaml:"where,omitempty" says:"A $filter with attributes in braces; excluded entities count, too." max:"4096"`
	// Select are the properties that a query returns; none stands for all.
	Select []string `yaml:"select" says:"Properties returned; all by default." list:"1..252 names of properties" max:"255"`
	// Rows is how many entities a query of the class rows reads, 1 to 1,000,000; 0
	// for any other.
	Rows int `yaml:"rows,omitempty" says:"Entities read by class rows." range:"1..1000000"`
	// Top is the greatest number of entities in a page of a query, 1 to 1,000;
	// 0 leaves it to the service.
	Top int `yaml:"top,omitempty" says:"Maximum entities per page." range:"1..1000"`
	// Pages is the greatest number of pages that a query reads; 0 sets no bound.
	// One that is left with a token has succeeded.
	Pages int `yaml:"pages,omitempty" says:"Maximum pages per query." range:"1..1000000"`
	// Save is the name under which the continuation token of the last page is kept that
	// a query has read; empty for none. It is none once all was read.
	Save string `yaml:"save,omitempty" says:"Name for the last page's token, for later phases and the record." form:"name"`
	// From is where a query begins in place of the beginning of what it reads.
	From Resumption `yaml:"from" says:"First continuation token: its text, a saved name, or a file."`
	// Properties are what merge and insert-or-merge write, in a batch or by
	// themselves; none for any other verb. All says that they write all properties of
	// the entity instead, its filler with them.
	Properties []PropertySpec `yaml:"properties,own" says:"Properties merged; all by default, filler included."`
	All        bool
	// ReadFirst makes an update or a delete one of what was read (If-Match: the
	// ETag), which insert-or-replace and insert-or-merge insert where it is missing.
	ReadFirst bool `yaml:"read_first,omitempty" says:"Whether updates and deletes require the entity as read."`
	// Counter is a property of Int64 that such an update raises by one, empty for
	// none.
	Counter string `yaml:"counter,omitempty" says:"An Int64 property that updates increment." max:"255"`
	// Blind writes over whatever is there by then (If-Match: *) what was made of the
	// entity read: a concurrent update is lost.
	Blind bool `yaml:"blind,omitempty" says:"Whether updates ignore concurrent changes, which are lost."`

	// Timeout is how long the service may take for each request, in whole seconds; 0 leaves
	// it to the service, which takes 30 s.
	Timeout time.Duration `yaml:"timeout,omitempty" says:"Service timeout in whole seconds, then 500 OperationTimedOut; 30s by default." range:"1s..30s"`
	// Retry is the policy of the operation, as that of the scenario; empty for that.
	Retry string `yaml:"retry" says:"The operation's retries; the scenario's by default." form:"retry"`
	// Limit is what the client sends of the operation at most.
	Limit RateLimit `yaml:"limit" says:"Maximum attempts per second; others wait from their intended instant."`

	// The rest is for event traffic alone, where the design says where an entity
	// lies. Of says which of the entities that are there the operation works on.
	Of Access `yaml:"of" says:"How existing entities are chosen; uniformly by default."`
	// By are the attributes whose values the application knows: a query asks for all
	// entities that share them with one that is there, and what it has to read for
	// that is the design's, by one query or one for each bucket, as
	// [loadgen/scenarios/keys.Generator.FannedPlan] has it; an update or delete finds the key of its
	// entity by a single such query first; a get reads the home of its entity whose keys
	// are formed from them. None stands for all that a key is formed from.
	By []string `yaml:"by" says:"Attributes that the reader knows; a get needs both keys." list:"1..100 names of attributes" max:"255"`
	// Span has a query ask for a stretch of time as well, up to that of the entity
	// that it is about; 0 for none.
	Span time.Duration `yaml:"span,omitempty" says:"Time range of the query, up to its entity." range:"1ms..87840h"`
	// Together are the attributes whose values all entities of a batch share.
	Together []string `yaml:"together" says:"Attributes that a batch's entities share." list:"1..100 names of attributes" max:"255"`
	// Killed is the share of the operations whose client dies between the writes of an
	// entity and of its copies, 0 to 1.
	Killed float64 `yaml:"killed,omitempty" says:"Share of clients that die between entity and copies." form:"share"`
}

// The groups of operations that the documents distinguish.
const (
	// GroupGet holds what reads: get and query.
	GroupGet = "GET"
	// GroupPut holds what writes.
	GroupPut = "PUT"
)

// verbs are those that traffic can offer, in the order in which they are listed.
func verbs() []entity.Verb {
	return []entity.Verb{
		entity.Get, entity.Insert, entity.Replace, entity.Merge, entity.InsertOrReplace,
		entity.InsertOrMerge, entity.Delete, entity.Batch, entity.Query,
	}
}

// changes are the verbs of the writes that a batch can have.
var changes = []entity.Verb{
	entity.Insert, entity.InsertOrReplace, entity.InsertOrMerge, entity.Replace, entity.Merge, entity.Delete,
}

// defaultChange is what a batch changes unless the file says otherwise, 0 for any
// other verb.
func (o *OperationSpec) defaultChange() entity.Verb {
	if o.Verb != entity.Batch {
		return 0
	}
	return entity.Insert
}

// Writes returns the verb of each single write: that of the operation, or of the
// writes in a batch, which inserts where nothing is said.
func (o *OperationSpec) Writes() entity.Verb {
	switch {
	case o.Verb != entity.Batch:
		return o.Verb
	case o.Change == 0:
		return entity.Insert
	default:
		return o.Change
	}
}

// Inserts reports whether the operation adds new entities.
func (o *OperationSpec) Inserts() bool {
	return o.Verb == entity.Insert ||
		o.Verb == entity.Batch && slices.Contains([]entity.Verb{entity.Insert, entity.InsertOrReplace, entity.InsertOrMerge}, o.Writes())
}

// Merges reports whether the operation writes some properties of an entity and
// leaves the others.
func (o *OperationSpec) Merges() bool {
	return o.Writes() == entity.Merge || o.Writes() == entity.InsertOrMerge
}

// Updates reports whether the operation writes an existing entity.
func (o *OperationSpec) Updates() bool {
	return slices.Contains([]entity.Verb{entity.Replace, entity.Merge, entity.InsertOrReplace, entity.InsertOrMerge}, o.Verb)
}

// Replaces reports whether the operation writes all properties of an entity.
func (o *OperationSpec) Replaces() bool {
	return slices.Contains([]entity.Verb{entity.Insert, entity.Replace, entity.InsertOrReplace}, o.Writes())
}

// Offers returns how many entities one operation is due to count against the
// partition's target: the writes of a batch, the rows of a query, two where an
// entity is read first, else one. What a query of another class than rows reads
// depends on what was loaded.
func (o *OperationSpec) Offers() int {
	if o.ReadFirst {
		return 2
	}
	return max(1, o.Entities, o.Rows)
}

// group returns the group that a verb belongs to.
func group(verb entity.Verb) string {
	if slices.Contains([]entity.Verb{entity.Get, entity.Query}, verb) {
		return GroupGet
	}
	return GroupPut
}

// Access says which of the entities that are there an operation of event traffic
// works on. The zero value is [AccessUniform].
type Access struct {
	_ struct{} `object:"of" one:"latest,zipf,hot"`
	// Kind is one of those below; empty stands for [AccessUniform].
	Kind string
	// Window is how many of the newest entities [AccessLatest] chooses from, each as
	// likely as any other.
	Window int `yaml:"latest,omitempty" says:"The newest N entities, equally likely." range:"1..1000000"`
	// Exponent is that of [AccessZipf], 0 to 5.
	Exponent float64 `yaml:"zipf,own" says:"How steeply likelihood falls with an entity's rank."`
	// Hot is the part of the entities that gets Share of the operations of
	// [AccessHot], both above 0 and at most 1.
	Hot   float64 `yaml:"hot,omitempty" says:"Hot share of loaded entities." form:"share"`
	Share float64 `yaml:"share,omitempty" says:"Share of operations on them." form:"share"`
}

// The kinds of access.
const (
	// AccessUniform: every entity is as likely as any other.
	AccessUniform = "uniform"
	// AccessLatest: one of the newest.
	AccessLatest = "latest"
	// AccessZipf: of those that were loaded, in an order that chance decides, the
	// one of rank r in proportion to r to the power of minus the exponent.
	AccessZipf = "zipf"
	// AccessHot: a part of those that were loaded gets a share of the operations.
	AccessHot = "hot"
)

// Binding implements [fields.Bound]: the word of an access, or a map of the numbers that it
// needs.
func (a *Access) Binding() fields.Binding {
	word := fields.Single[Access]{Into: a, Quotes: true, Form: &fields.Schema{Enum: []string{AccessUniform, AccessLatest}},
		Expected: "uniform, latest, {latest: 1000}, {zipf: 1.1} or {hot: 10%, share: 90%}",
		Parse: func(text string) (Access, bool) {
			if text == AccessLatest {
				return Access{Kind: AccessLatest, Window: 1}, true
			}
			return Access{}, text == AccessUniform
		}}
	return fields.Either{{Binding: word},
		{Binding: bind(a), Takes: fields.Dict, Given: func() bool { return a.Kind != "" && a.Kind != AccessUniform }}}
}

// FieldValue implements [fields.Valuer]: an exponent may be 0.
func (a *Access) FieldValue(string) fields.Binding {
	exponent := fields.Decimal(&a.Exponent, fields.DecimalNumber, 0, 5, "an exponent from 0 to 5, such as 1.1")
	return unlessZero{exponent, func() bool { return a.Kind != AccessZipf }}
}

// Complete implements [fields.Completer].
func (a *Access) Complete(r *fields.Reader, path string, n *fields.Node) {
	a.Kind = present(n, []string{AccessLatest, AccessZipf, AccessHot})[0]
	check(r, path, n, rule{n.Has("share") != (a.Kind == AccessHot), "", "share belongs to hot; expected both, or neither"})
}

// verbValue is the name of one of some verbs; what says what it is called.
func verbValue(into *entity.Verb, what string, of []entity.Verb) fields.Binding {
	return fields.Named[entity.Verb]{Into: into, What: what, Of: of, Name: entity.Verb.String}
}
