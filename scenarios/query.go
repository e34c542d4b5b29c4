package scenarios

import (
	"slices"
	"strings"

	"loadgen/engine/entity"
	"loadgen/scenarios/keys"
	"loadgen/target"
)

// The classes of queries that the documents tell apart, from best to worst.
const (
	// ClassPoint is the query for one existing entity by both keys.
	ClassPoint = "point"
	// ClassRows reads Rows entities of a partition from an existing one on; where
	// the partition ends before, fewer. It is what a query does unless the file says
	// otherwise.
	ClassRows = "rows"
	// ClassPartitionScan reads a whole partition.
	ClassPartitionScan = "partition-scan"
	// ClassPartitionRange reads Partitions whole partitions that follow one another
	// in the index, the operation's own among them, the first of them as a rule.
	ClassPartitionRange = "partition-range"
	// ClassTableScan reads the whole table.
	ClassTableScan = "table-scan"
	// ClassBy reads whatever the design in use makes of what the application knows.
	// It is that of a query with [OperationSpec.By], and not one that a file names.
	ClassBy = "by"
)

// Classes returns the classes of queries, from best to worst. The slice is the
// caller's.
func Classes() []string {
	return []string{ClassPoint, ClassRows, ClassPartitionScan, ClassPartitionRange, ClassTableScan}
}

const (
	defaultPartitions = 2
	// maxWhere is the greatest length of a filter as the file has it, in bytes.
	maxWhere = 4096
)

// usualClass is that of a query unless the file says otherwise, empty for any
// other verb.
func (o *OperationSpec) usualClass() string {
	if o.Verb != entity.Query {
		return ""
	}
	if len(o.By) > 0 {
		return ClassBy
	}
	return ClassRows
}

// Scans reports whether the operation reads whole partitions, whatever it keeps of
// them.
func (o *OperationSpec) Scans() bool {
	return slices.Contains([]string{ClassPartitionScan, ClassPartitionRange, ClassTableScan, ClassBy}, o.Class)
}

// settleQuery fills in what follows from the class of a query and refuses what
// does not belong to it.
func (o *OperationSpec) settleQuery(r *reader, path string, n *node) {
	if class := n.find("class"); class != nil && len(o.By) > 0 {
		r.fault(class.at, child(path, "class"), "what a query by attributes reads is the design's to say; expected no class beside by")
	}
	if o.Class == "" {
		o.Class = o.usualClass()
	}
	if o.Class == ClassRows && o.Rows == 0 {
		o.Rows = defaultRows
	}
	if o.Class == ClassPartitionRange && o.Partitions == 0 {
		o.Partitions = defaultPartitions
	}
	scans := "partition-scan, partition-range and table-scan"
	for _, part := range []struct {
		field, owner string
		belongs      bool
	}{
		{"rows", "class rows", o.Class == ClassRows || o.Class == ClassBy},
		{"partitions", "class partition-range", o.Class == ClassPartitionRange},
		{"where", "the classes " + scans, o.Scans()},
		{"top", "the classes rows, " + scans, o.Class != ClassPoint},
		{"pages", "the classes rows, " + scans, o.Class != ClassPoint},
		{"from", "the classes rows, " + scans, o.Class != ClassPoint},
	} {
		if value := n.find(part.field); value != nil && !part.belongs {
			r.fault(value.at, child(path, part.field), "%s belongs to %s, and this is of class %s; expected none", part.field, part.owner, o.Class)
		}
	}
}

// selectValue is a list of properties' names.
func selectValue(into *[]string) binding {
	return listOf[string]{into: into, least: 1, most: entity.MaxProperties, what: "names of properties",
		bind: func(name *string) binding { return longText(name, entity.MaxNameUnits) }}
}

// tokenValue is the text of a continuation token.
func tokenValue(into *string) binding {
	return textValue{into, func(text string) bool {
		token := target.Token{}
		return token.UnmarshalText([]byte(text)) == nil && token.Present
	}, "the text of a continuation token, such as from.TllD.MDAx"}
}

// Narrow returns the $filter of a range of keys within which another one holds.
func Narrow(within, where string) string {
	if within == "" || where == "" {
		return within + where
	}
	return within + " and (" + where + ")"
}

// Wanted returns the operation's filter for an entity: its template with what each
// placeholder comes to, in which quotes are doubled.
func (o *OperationSpec) Wanted(where keys.Template, value func(attribute string) string) string {
	return where.ExpandAs(value, func(text string) string { return strings.ReplaceAll(text, "'", "''") })
}
