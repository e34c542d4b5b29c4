package campaign

import (
	"math"
	"slices"
	"strings"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios"
	"loadgen/scenarios/keys"
	"loadgen/target"
)

// reading is what one kind of operation reads: ranges of a table, and which of their entities.
type reading struct {
	spec     *scenarios.OperationSpec
	location location
	estimate *tableEstimate
	// plan says how the design reads what the application knows; only queries of the class
	// [scenarios.ClassBy] use it.
	plan keys.Plan
	// equal are the properties that the filter compares because the plan's range does not depend on
	// them.
	equal []equality
	where keys.Template
	// filtersKeys reports whether where has conditions on keys, which narrow the range.
	filtersKeys bool
	// fixed is the query of every operation, unless it begins at an entity, with the filter if that
	// is the same for all. token is where the query begins.
	fixed *target.Query
	token target.Token
}

// equality compares a property with an attribute: for equality, or for a span of time that ends at
// it.
type equality struct {
	property, attribute string
	kind                entity.Type
	spans               bool
}

// newReading returns what a kind of operation reads, at the location with the best plan. It has no
// estimate.
func (c *Campaign) newReading(spec *scenarios.OperationSpec) (*reading, error) {
	q := &reading{spec: spec, location: c.locations[0]}
	if len(spec.By) > 0 {
		plan, at := c.bestPlan(spec)
		q.plan, q.location = plan, c.locations[at]
		q.equal = equalities(c.Scenario, spec, &plan, at)
	}
	if spec.Where == "" {
		return q, nil
	}
	var err error
	q.filtersKeys = spec.FiltersKeys()
	q.where, err = keys.ParseTemplate(spec.Where)
	return q, err
}

// filters reports whether the operation needs only some of the entities that the service reads.
func (q *reading) filters() bool { return q.hasFilter() || q.plan.NarrowsRows() }

// bestPlan returns the best plan for what the application knows, and the index of its location.
func (c *Campaign) bestPlan(spec *scenarios.OperationSpec) (plan keys.Plan, at int) {
	var generators []*keys.Generator
	for i := range c.locations {
		generators = append(generators, c.locations[i].generator)
	}
	return c.Scenario.Plan(spec, generators)
}

// equalities returns the properties of a location for the known attributes that its keys do not
// contain.
func equalities(s *scenarios.Scenario, spec *scenarios.OperationSpec, plan *keys.Plan, location int) []equality {
	var list []equality
	add := func(attribute string, spans bool) {
		if p, held := s.Holder(attribute, location); held {
			kind, _ := entity.ParseType(p.Type)
			list = append(list, equality{p.Name, attribute, kind, spans})
		}
	}
	contained := plan.Tells()
	for _, attribute := range spec.By {
		if !slices.Contains(contained, attribute) {
			add(attribute, false)
		}
	}
	if time := s.Time(); spec.Span > 0 && time != "" && !plan.TellsSpan() && !slices.Contains(spec.By, time) {
		add(time, true)
	}
	return list
}

// hasFilter reports whether the query has a $filter in addition to its range.
func (q *reading) hasFilter() bool {
	return len(q.equal) > 0 || q.spec.Where != "" || q.spec.Class == scenarios.ClassBy && q.plan.NarrowsRows()
}

func (q *reading) searches() bool { return q.spec.Verb != entity.Query }

// isFanOut reports whether the operation sends several queries, one for each partition.
func (q *reading) isFanOut() bool { return q.spec.Class == scenarios.ClassBy && q.plan.Queries() > 1 }

// queries returns the ranges that are read for an event, one for each query.
func (q *reading) queries(e keys.Event) []target.Query {
	if !q.isFanOut() {
		return []target.Query{q.query(e)}
	}
	var list []target.Query
	for _, r := range q.plan.Ranges(e) {
		list = append(list, target.Query{Range: r})
	}
	return list
}

func (q *reading) query(e keys.Event) target.Query {
	key := func() entity.Key { return q.location.generator.KeyOf(e) }
	switch q.spec.Class {
	case scenarios.ClassPoint:
		return target.OnePoint(key())
	case scenarios.ClassPartitionScan:
		return target.OnePartition(q.location.generator.PartitionKeyOf(e))
	case scenarios.ClassTableScan:
		return target.Query{}
	case scenarios.ClassRows:
		at := key()
		return target.RowsFrom(at.Partition, at.Row)
	default:
		return target.Query{Range: q.plan.Range(e)}
	}
}

// operation returns the request for the first page of the only query for an event.
func (q *reading) operation(e keys.Event) target.Operation { return q.filtered(q.query(e), e) }

// filtered returns the request for the first page of one of the queries for an event.
func (q *reading) filtered(query target.Query, e keys.Event) target.Operation {
	if q.hasFilter() && query.Filter == nil {
		within, _ := query.Range.Text()
		// Validation evaluated the filter for some entities. If it cannot be parsed for another
		// one, the whole range is read, which counts the same.
		if hasFilter, err := target.Filtered(scenarios.Narrow(within, q.filterText(e))); err == nil {
			query = hasFilter
		}
	}
	query.Top, query.Select, query.Token = q.spec.Top, q.spec.Select, q.token
	return target.Operation{Verb: entity.Query, Table: q.location.table, Query: query}
}

// filterText returns the $filter for an event, without the range.
func (q *reading) filterText(e keys.Event) string {
	value := func(attribute string) string {
		text, _ := q.location.generator.ValueOf(attribute, e)
		return text
	}
	var all []string
	if rows := q.plan.RowsOf(e); rows != "" {
		all = append(all, rows)
	}
	for _, one := range q.equal {
		up := literal(one.kind, value(one.attribute))
		if !one.spans {
			all = append(all, one.property+" eq "+up)
			continue
		}
		from, _ := q.location.generator.ValueBefore(one.attribute, e, q.spec.Span)
		all = append(all, one.property+" ge "+literal(one.kind, from)+" and "+one.property+" le "+up)
	}
	if q.spec.Where != "" {
		all = append(all, "("+q.spec.Wanted(q.where, value)+")")
	}
	return strings.Join(all, " and ")
}

// literal returns a value as the text of a $filter.
func literal(kind entity.Type, text string) string {
	switch kind {
	case entity.TypeInt64:
		return text + "L"
	case entity.TypeDouble:
		if !strings.ContainsAny(text, ".eE") {
			// Without a point it is parsed as an integer, which allows few digits.
			text += ".0"
		}
		return text
	case entity.TypeInt32, entity.TypeBoolean:
		return text
	case entity.TypeDateTime:
		return "datetime'" + text + "'"
	default:
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
}

// entities returns how many entities the service reads for an event when operation k becomes due.
func (q *reading) entities(k uint64, e keys.Event) int64 {
	switch {
	case q.spec.Class == scenarios.ClassPoint, len(q.spec.By) > 0 && q.plan.Class == filter.ClassPoint:
		return 1
	case q.searches():
		whole := q.query(e)
		upTo := whole
		upTo.Range.To, upTo.Range.Bounded = q.location.generator.KeyOf(e), true
		share := 1.0
		if q.hasFilter() {
			list := q.queries(e)
			for i := range list {
				list[i] = q.filtered(list[i], e).Query
			}
			share = q.share(list, k, e)
		}
		page := int64(math.Ceil(q.pageSize() / share))
		pages := q.estimate.count(upTo, k)/page + 1
		return max(1, min(q.estimate.count(whole, k), pages*page))
	}
	due := int64(0)
	for _, query := range q.queries(e) {
		due += max(1, q.entitiesOf(query, k, e))
	}
	return due
}

// entitiesOf returns how many entities one query reads: 0 for an empty range, although a query counts at
// least one.
func (q *reading) entitiesOf(query target.Query, k uint64, e keys.Event) int64 {
	most := q.maxReturned()
	if q.filtersKeys || most < math.Inf(1) {
		query = q.filtered(query, e).Query
	}
	due := q.estimate.count(query, k)
	if most == math.Inf(1) || float64(due) <= most {
		return due
	}
	share := 1.0
	if query.Filter != nil {
		read, passed := q.estimate.scan(query, k, most)
		if passed >= most {
			return min(due, int64(math.Round(read)))
		} else if q.estimate.sampleWeight == 1 {
			return due
		}
		share = q.share([]target.Query{query}, k, e)
	}
	return min(due, int64(math.Ceil(most/share)))
}

// maxReturned returns the number of returned entities at which the operation stops.
func (q *reading) maxReturned() float64 {
	most := math.Inf(1)
	if q.spec.Pages > 0 {
		most = float64(q.spec.Pages) * q.pageSize()
	}
	if q.spec.Rows > 0 {
		most = min(most, float64(q.spec.Rows))
	}
	return most
}

// pageSize returns the maximum number of entities of a page.
func (q *reading) pageSize() float64 {
	if q.spec.Top == 0 {
		return pageEntities
	}
	return float64(min(pageEntities, q.spec.Top))
}

// pages returns how many requests a query takes that reads due entities for an event when operation
// k becomes due.
func (q *reading) pages(query *target.Query, due int64, k uint64, e keys.Event) int64 {
	read := math.Ceil(float64(due) / pageScanned)
	if query.Filter == nil {
		return int64(max(1, math.Ceil(float64(due)/q.pageSize()), read))
	}
	share, most := q.share([]target.Query{*query}, k, e), q.maxReturned()
	if q.searches() {
		return int64(max(1, math.Ceil(math.Round(float64(due)*share)/q.pageSize()), read))
	}
	returned := math.Round(share * float64(q.estimate.count(*query, k)))
	if returned >= most {
		return int64(max(1, math.Ceil(most/q.pageSize()), read))
	}
	// After the last full page the rest of the range is still read.
	return int64(max(math.Floor(returned/q.pageSize())+1, read))
}

// minTried is the minimum number of samples for the share of a range.
const minTried = 16

// share returns about which share of some queries' entities passes their filters: that of the whole
// table if they have few samples.
func (q *reading) share(queries []target.Query, k uint64, e keys.Event) float64 {
	read, passed := 0.0, 0.0
	for _, one := range queries {
		some, kept := q.estimate.scan(one, k, math.Inf(1))
		read, passed = read+some, passed+kept
	}
	if least := minTried * float64(q.estimate.sampleWeight); q.estimate.sampleWeight > 1 && read < least {
		if filterText, err := target.Filtered(q.filterText(e)); err == nil {
			read, passed = q.estimate.scan(filterText, k, math.Inf(1))
		}
	}
	if read == 0 {
		return 1
	}
	return max(passed, float64(q.estimate.sampleWeight)/2) / max(read, float64(q.estimate.sampleWeight)/2)
}
