package replay

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strings"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios/keys"
)

// reading is a query under a design.
type reading struct {
	ranges []filter.Range
	// tight reports that the ranges hold no entity that the query does not want, by its keys.
	tight bool
	class filter.Class
	// keysDiffer reports that the keys differ from the log's, so that a page ends elsewhere.
	keysDiffer bool
}

// asking makes of the queries of a log those of a design: by what they know of the attributes
// of the keys, as the queries of a scenario are planned under its design.
type asking struct {
	generator *keys.Generator
	// known are the attributes that each query knows, spans their stretches in the log.
	known [][]string
	spans []filter.Range
	plans map[string]*keys.Plan
	// fault says why the design cannot be asked so.
	fault error
}

// newAsking finds out what the queries know, and returns what plans them.
func (f *forming) newAsking(of *Operations) *asking {
	a := &asking{plans: make(map[string]*keys.Plan)}
	names := f.attributes()
	// The values of one key stand for those that a query does not know.
	var usual map[string]string
	for i := range of.List {
		if one := &of.List[i]; one.isSingle() && f.parseKeys(one.Key.Partition, &one.Key.Row) == nil && len(f.attribute) == len(names) {
			usual = maps.Clone(f.attribute)
			break
		}
	}
	var text strings.Builder
	rows := csv.NewWriter(&text)
	_ = rows.Write(names)
	for i := range of.List {
		if of.List[i].Query == nil {
			continue
		}
		span := of.List[i].Query.span()
		f.know(span)
		var known []string
		row := make([]string, len(names))
		for j, name := range names {
			value, some := f.attribute[name]
			if row[j] = usual[name]; some {
				row[j] = value
				known = append(known, name)
			}
		}
		_ = rows.Write(row)
		a.known, a.spans = append(a.known, known), append(a.spans, span)
	}
	if rows.Flush(); of.Counts[entity.Query] == 0 {
		return a
	}
	table, err := keys.ReadTable(strings.NewReader(text.String()), keys.TableOptions{File: "log", Columns: names, Exact: true})
	if a.fault = err; err != nil {
		return a
	}
	o := keys.Options{PartitionKey: f.to[0], RowKey: f.to[1]}
	for _, name := range names {
		o.Attributes = append(o.Attributes, keys.Attribute{Name: name, Values: keys.ValueColumn{File: "log", Name: name, Table: table}})
	}
	a.generator, a.fault = keys.New(o)
	return a
}

// know parses the common part of all keys of a range.
func (f *forming) know(span filter.Range) {
	clear(f.attribute)
	partition, one := span.Partition()
	switch {
	case !one:
		f.readBeginning(&f.partition, beginning(span.From.Partition, span.To.Partition, span.Bounded))
	case span.Class() == filter.ClassPoint:
		_ = f.parseKeys(partition, &span.From.Row)
	default:
		if f.parseKeys(partition, nil) == nil && span.Bounded && span.To.Partition == partition {
			f.readBeginning(&f.row, beginning(span.From.Row, span.To.Row, true))
		}
	}
}

// beginning returns what all texts from one up to another, that not included, begin with.
func beginning(from, to string, bounded bool) string {
	if !bounded {
		return ""
	}
	n := 0
	for n < min(len(from), len(to)) && from[n] == to[n] {
		n++
	}
	if n < len(from) && n == len(to)-1 && from[n]+1 == to[n] {
		n++
	}
	return from[:n]
}

// reading returns a query of the log under the design.
func (f *forming) reading(i int) reading {
	a := f.queries
	span := a.spans[i]
	if a.fault != nil || len(a.known[i]) == 0 {
		return reading{ranges: []filter.Range{filter.WholeTable()}, tight: span.Class() == filter.ClassTableScan, class: filter.ClassTableScan, keysDiffer: true}
	}
	by := strings.Join(a.known[i], "\x00")
	plan := a.plans[by]
	if plan == nil {
		plan = new(a.generator.FannedPlan(a.known[i], 0))
		a.plans[by] = plan
	}
	r := reading{ranges: plan.Ranges(keys.Event{Number: uint64(i)}), class: plan.Class, keysDiffer: true}
	told := plan.Tells()
	r.tight = plan.Class == filter.ClassPoint || !slices.ContainsFunc(a.known[i], func(name string) bool { return !slices.Contains(told, name) })
	partition, one := span.Partition()
	if class := span.Class(); !one || class == filter.ClassPartitionScan || class == filter.ClassPoint {
		return r
	}
	// Bounds of the RowKey are kept where the design forms that as the log does; else more is
	// read than is wanted.
	alike := f.to[1].String() == f.row.String()
	for i := range r.ranges {
		to, single := r.ranges[i].Partition()
		if !alike || !single {
			r.tight = r.tight && f.wholly(span)
			return r
		}
		r.ranges[i].From.Row = span.From.Row
		if span.Bounded && span.To.Partition == partition {
			r.ranges[i] = filter.Rows(to, span.From.Row, span.To.Row)
		}
		r.class, r.tight = filter.ClassRowRange, true
	}
	return r
}

// wholly reports whether what a query knows is all that its range of rows says: whole
// attributes, and no bound within one.
func (f *forming) wholly(span filter.Range) bool {
	f.know(span)
	known := beginning(span.From.Row, span.To.Row, span.Bounded)
	var told strings.Builder
	for _, piece := range f.row.Pieces() {
		if piece.Placeholder == "" {
			told.WriteString(piece.Literal)
			continue
		}
		one, err := keys.ParseTemplate("{" + piece.Placeholder + "}")
		if err != nil {
			return false
		}
		text, err := one.Encode(f.knownAttributes(&one))
		if err != nil {
			break
		}
		told.WriteString(text)
	}
	return span.From.Row == known && told.String() == known
}

// Change is how many queries of the log became what under a design.
type Change struct {
	// Was and Is are as the documents rate queries, Queries how many one becomes.
	Was        string `json:"class_in_the_log"`
	Is         string `json:"class"`
	Queries    int    `json:"queries_each"`
	Wider      bool   `json:"reads_more_than_is_wanted"`
	Operations int64  `json:"operations"`
}

// changes counts the changes of queries, the most frequent first.
func changes(of *Operations, reads []reading) []Change {
	counts := make(map[Change]int64)
	for i := range of.List {
		if q := of.List[i].Query; q != nil {
			r := &reads[of.List[i].number]
			counts[Change{Was: q.span().Class().String(), Is: r.class.String(), Queries: len(r.ranges), Wider: !r.tight}]++
		}
	}
	var list []Change
	for one, n := range counts {
		one.Operations = n
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b Change) int {
		return cmp.Or(cmp.Compare(b.Operations, a.Operations), strings.Compare(fmt.Sprint(a), fmt.Sprint(b)))
	})
	return list
}
