package scenarios

import (
	"slices"

	"loadgen/engine/entity"
)

// OperationSpec is one kind of operation of a [Peak], or of a [Spread]. All work on
// the peak's partition, or each on one of the spread's. An existing entity is one
// that was loaded into it, each as likely as any other, or, where a spread comes
// without a load, one of those that it works on; a new entity has a number above
// all that were loaded or inserted before, and falls into the partition because
// the attributes of its PartitionKey are held at the partition's values.
//
//   - get reads an existing entity by both keys.
//   - insert writes a new entity.
//   - replace and merge update an existing entity, whatever its version
//     (If-Match: *): replace with all its properties, merge with Properties.
//   - insert-or-replace and insert-or-merge write an existing entity likewise,
//     without a condition: they also succeed where it was deleted meanwhile.
//   - delete deletes an existing entity. Several deletes can draw the same one:
//     that it is gone already (404) is success, and wherever a peak deletes, so
//     it is for get, replace and merge.
//   - batch writes Entities new entities in one entity group transaction.
//   - query reads Rows entities in the order of their RowKeys, from an existing
//     one on, in pages of at most Top; where the partition ends before, fewer.
type OperationSpec struct {
	// Name is unique among the peak's operations and none of create, mark,
	// load, count and drop; it is the verb unless the file says otherwise.
	Name string
	Verb entity.Verb
	// Weight is the operation's share: the chance that an operation is of this
	// kind is its weight over the sum of all, 0 to 1,000,000.
	Weight int
	// Group is the table of the report that shows it: [GroupGet] or [GroupPut].
	Group string
	// Entities is the number of inserts in a batch, 1 to 100; 0 for any other
	// verb.
	Entities int
	// Rows is how many entities a query reads, 1 to 1,000,000; 0 for any other
	// verb.
	Rows int
	// Top is the greatest number of entities in a page of a query, 1 to 1,000;
	// 0 leaves it to the service.
	Top int
	// Properties are what merge and insert-or-merge write; none for any other
	// verb.
	Properties []PropertySpec
}

// The groups of operations that the documents tell apart.
const (
	// GroupGet holds what reads: get and query.
	GroupGet = "GET"
	// GroupPut holds what writes.
	GroupPut = "PUT"
)

// verbs are those that a peak can offer, in the order in which they are listed.
func verbs() []entity.Verb {
	return []entity.Verb{
		entity.Get, entity.Insert, entity.Replace, entity.Merge, entity.InsertOrReplace,
		entity.InsertOrMerge, entity.Delete, entity.Batch, entity.Query,
	}
}

func verbNames() []string {
	var names []string
	for _, verb := range verbs() {
		names = append(names, verb.String())
	}
	return names
}

// reserved are the names under which a record keeps what prepares a run and
// cleans up after it.
func reserved() []string { return []string{"create", "mark", "load", "count", "drop"} }

// Inserts reports whether the operation adds new entities.
func (o *OperationSpec) Inserts() bool { return o.Verb == entity.Insert || o.Verb == entity.Batch }

// Merges reports whether the operation writes some properties of an entity and
// leaves the others.
func (o *OperationSpec) Merges() bool {
	return o.Verb == entity.Merge || o.Verb == entity.InsertOrMerge
}

// Offers returns how many entities one operation is due to count against the
// partition's target: the inserts of a batch, the rows of a query, else one.
func (o *OperationSpec) Offers() int {
	return max(1, o.Entities, o.Rows)
}

// group returns the group that a verb belongs to.
func group(verb entity.Verb) string {
	if slices.Contains([]entity.Verb{entity.Get, entity.Query}, verb) {
		return GroupGet
	}
	return GroupPut
}
