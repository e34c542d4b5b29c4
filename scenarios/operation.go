package scenarios

import (
	"fmt"
	"slices"
	"time"

	"loadgen/engine/entity"
	"loadgen/engine/nearest"
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
//     begins anew. That is one operation of two requests or more.
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
	// Name is unique among the phase's operations and none of create, mark,
	// load, count, audit and drop; it is the verb unless the file says otherwise.
	Name string
	Verb entity.Verb
	// Weight is the operation's share: the chance that an operation is of this
	// kind is its weight over the sum of all, 0 to 1,000,000.
	Weight int
	// Group is the table of the report that shows it: [GroupGet] or [GroupPut].
	Group string
	// Entities is the number of writes in a batch, 1 to 100; 0 for any other
	// verb.
	Entities int
	// Change is the verb of the writes in a batch; 0 for any other verb.
	Change entity.Verb
	// Class is what a query reads, one of [classes]; empty for any other verb.
	Class string
	// Partitions is how many partitions a query of the class partition-range reads,
	// 2 to 10,000; 0 for any other.
	Partitions int
	// Where is a $filter on what a scan reads, which is counted whether or not the
	// filter keeps it. It may hold attributes in braces, which take the values of an
	// existing entity; a quote in them is doubled, as in a text of a $filter.
	Where string
	// Select are the properties that a query returns; none stands for all.
	Select []string
	// Rows is how many entities a query of the class rows reads, 1 to 1,000,000; 0
	// for any other.
	Rows int
	// Top is the greatest number of entities in a page of a query, 1 to 1,000;
	// 0 leaves it to the service.
	Top int
	// Pages is the greatest number of pages that a query reads; 0 sets no bound.
	// One that is left with a token has succeeded.
	Pages int
	// Save is the name under which the continuation token of the last page is kept that
	// a query has read; empty for none. It is none once all was read.
	Save string
	// From is where a query begins in place of the beginning of what it reads.
	From Resumption
	// Properties are what merge and insert-or-merge write, in a batch or by
	// themselves; none for any other verb. All says that they write all properties of
	// the entity instead, its filler with them.
	Properties []PropertySpec
	All        bool
	// ReadFirst makes an update or a delete one of what was read (If-Match: the
	// ETag), which insert-or-replace and insert-or-merge insert where it is missing.
	ReadFirst bool
	// Counter is a property of Int64 that such an update raises by one, empty for
	// none.
	Counter string
	// Blind writes over whatever is there by then (If-Match: *) what was made of the
	// entity read: an update that somebody else made meanwhile is lost.
	Blind bool

	// Timeout is how long the service may take for each request, in whole seconds; 0 leaves
	// it to the service, which takes 30 s.
	Timeout time.Duration
	// Retry is the policy of the operation, as that of the scenario; empty for that.
	Retry string
	// Limit is what the client sends of the operation at most.
	Limit RateLimit

	// The rest is for event traffic alone, where the design says where an entity
	// lies. Of says which of the entities that are there the operation works on.
	Of Access
	// By are the attributes whose values the application knows: a query asks for all
	// entities that share them with one that is there, and what it has to read for
	// that is the design's, by one query or one for each bucket, as
	// [loadgen/scenarios/keys.Generator.FannedPlan] has it; an update or delete finds the key of its
	// entity by a single such query first; a get reads the home of its entity whose keys
	// are formed from them. None stands for all that a key is formed from.
	By []string
	// Span has a query ask for a stretch of time as well, up to that of the entity
	// that it is about; 0 for none.
	Span time.Duration
	// Together are the attributes whose values all entities of a batch share.
	Together []string
	// Killed is the share of the operations whose client dies between the writes of an
	// entity and of its copies, 0 to 1.
	Killed float64
	// Workflow is the name of an operation of several requests, as
	// [workflow.Find] knows it, With its parameters; empty and none for an operation
	// that is a verb's. Verb is then insert where it is about a new entity, else get.
	Workflow string
	With     workflow.Arguments
}

// The groups of operations that the documents tell apart.
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
	// Kind is one of those below; empty stands for [AccessUniform].
	Kind string
	// Exponent is that of [AccessZipf], 0 to 5.
	Exponent float64
	// Window is how many of the newest entities [AccessLatest] chooses from, each as
	// likely as any other.
	Window int
	// Hot is the part of the entities that gets Share of the operations of
	// [AccessHot], both above 0 and at most 1.
	Hot, Share float64
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

const (
	maxExponent = 5
	maxWindow   = 1_000_000
)

// accessValue is the word of an access, or a map of the numbers that it needs.
type accessValue struct{ into *Access }

var _ fields.Binding = accessValue{}

func (v accessValue) Read(r *fields.Reader, path string, n *fields.Node) {
	switch {
	case n.Kind == fields.Dict:
		v.numbers(n).Read(r, path, n)
	case n.Kind == fields.Scalar && n.Text == AccessUniform:
		*v.into = Access{}
	case n.Kind == fields.Scalar && n.Text == AccessLatest:
		*v.into = Access{Kind: AccessLatest, Window: 1}
	default:
		r.Expect(n, path, "uniform, latest, {latest: 1000}, {zipf: 1.1} or {hot: 10%, share: 90%}")
	}
}

func (v accessValue) numbers(n *fields.Node) fields.Object {
	a := v.into
	return fields.Object{
		What: "of",
		Fields: []fields.Field{
			{Name: AccessLatest, Says: "The newest N entities, equally likely.",
				Value: fields.Whole[int]{Into: &a.Window, Least: 1, Most: maxWindow, UnlessZero: true}},
			{Name: AccessZipf, Says: "How steeply likelihood falls with an entity's rank.",
				Value: unlessZero{exponentValue(&a.Exponent), func() bool { return a.Kind != AccessZipf }}},
			{Name: AccessHot, Says: "Hot share of loaded entities.",
				Value: unlessZero{shareValue(&a.Hot), func() bool { return a.Kind != AccessHot }}},
			{Name: "share", Says: "Share of operations on them.",
				Value: unlessZero{shareValue(&a.Share), func() bool { return a.Kind != AccessHot }}},
		},
		One: []string{AccessLatest, AccessZipf, AccessHot},
		Then: func(r *fields.Reader, path string, n *fields.Node) {
			given := present(n, []string{AccessLatest, AccessZipf, AccessHot})
			if len(given) != 1 {
				r.Fault(n.At, path, "of has %d of latest, zipf and hot; expected exactly one", len(given))
				return
			}
			a.Kind = given[0]
			if share := n.Find("share"); (share != nil) != (a.Kind == AccessHot) {
				r.Fault(n.At, path, "share belongs to hot; expected both, or neither")
			}
		},
	}
}

func (v accessValue) Write() *fields.Node {
	switch v.into.Kind {
	case "", AccessUniform:
		return nil
	default:
		return v.numbers(nil).Write()
	}
}

// exponentValue is the exponent of a zipf distribution.
func exponentValue(into *float64) fields.Binding {
	return fields.Decimal(into, fields.DecimalNumber, 0, maxExponent, fmt.Sprintf("an exponent from 0 to %d, such as 1.1", maxExponent))
}

// Schema returns the word, or the map of numbers.
func (v accessValue) Schema() *fields.Schema {
	return &fields.Schema{AnyOf: []*fields.Schema{
		{Enum: []string{AccessUniform, AccessLatest}},
		accessValue{&Access{}}.numbers(nil).Schema(),
	}}
}

// verbValue is the name of one of some verbs; what says what it is called.
type verbValue struct {
	into *entity.Verb
	what string
	of   []entity.Verb
}

func (v verbValue) Read(r *fields.Reader, path string, n *fields.Node) {
	name := ""
	v.names(&name).Read(r, path, n)
	*v.into, _ = entity.ParseVerb(name)
}

func (v verbValue) Write() *fields.Node { return fields.TextNode(v.into.String()) }

func (v verbValue) Schema() *fields.Schema { return v.names(nil).Schema() }

func (v verbValue) names(into *string) fields.Choice {
	return fields.Choice{Into: into, What: v.what, Of: nearest.Of(v.of, entity.Verb.String)}
}
