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

// question is what one kind of operation of event traffic reads: a stretch of a
// table, and what it wants of that.
type question struct {
	spec  *scenarios.OperationSpec
	home  keyHome
	stock *holdings
	// plan is what the design makes of what the application knows; it counts where the
	// class is [scenarios.ClassBy].
	plan keys.Plan
	// equal are the properties by which the filter picks what the plan's range cannot
	// tell apart.
	equal []equality
	where keys.Template
	// sample are some entities of the home, without what nobody filters by.
	sample []sample
}

// sample is an entity that a filter is tried on.
type sample struct {
	key    entity.Key
	stored entity.Packed
}

// equality is a property that has the value of an attribute.
type equality struct {
	property, attribute string
	kind                entity.Type
}

// newQuestion returns what a kind of operation reads: of the homes of an entity the
// one where what is known gets furthest.
func (c *Campaign) newQuestion(spec *scenarios.OperationSpec, stock func(table string) *holdings) (*question, error) {
	q := &question{spec: spec, home: c.homes[0]}
	if len(spec.By) > 0 {
		plan, at := c.bestPlan(spec)
		q.plan, q.home = plan, c.homes[at]
		q.equal = equalities(c.Scenario, q.home, spec.By, q.plan.Tells())
	}
	q.stock = stock(q.home.table)
	if spec.Where == "" {
		return q, nil
	}
	var err error
	q.where, err = keys.ParseTemplate(spec.Where)
	return q, err
}

// filters reports whether an operation asks for only some of the entities that it has
// the service read.
func (c *Campaign) filters(spec *scenarios.OperationSpec) bool {
	if len(spec.By) == 0 {
		return spec.Where != ""
	}
	plan, at := c.bestPlan(spec)
	return spec.Where != "" || len(equalities(c.Scenario, c.homes[at], spec.By, plan.Tells())) > 0
}

// bestPlan returns what the design makes of what the application knows, and the position
// of the home that it is of.
func (c *Campaign) bestPlan(spec *scenarios.OperationSpec) (plan keys.Plan, at int) {
	var generators []*keys.Generator
	for i := range c.homes {
		generators = append(generators, c.homes[i].generator)
	}
	return c.Scenario.Plan(spec, generators)
}

// equalities returns the properties of a home that hold the attributes which the
// application knows and the keys do not tell.
func equalities(s *scenarios.Scenario, home keyHome, know, told []string) []equality {
	var list []equality
	for _, attribute := range know {
		if slices.Contains(told, attribute) {
			continue
		}
		for _, p := range s.Entity.Properties {
			kind, known := entity.ParseType(p.Type)
			if known && p.Value == "{"+attribute+"}" && home.holds(p.Name) {
				list = append(list, equality{p.Name, attribute, kind})
				break
			}
		}
	}
	return list
}

// narrowed reports whether the question wants only some of what it reads.
func (q *question) narrowed() bool { return len(q.equal) > 0 || q.spec.Where != "" }

func (q *question) searches() bool { return q.spec.Verb != entity.Query }

// unbounded reports whether the question reads all that there is of its stretch.
func (q *question) unbounded() bool { return !q.searches() && q.spec.Top+q.spec.Rows == 0 }

// fanned reports whether the question is asked of several partitions by themselves.
func (q *question) fanned() bool { return q.spec.Class == scenarios.ClassBy && q.plan.Queries() > 1 }

// stretches returns what is read for an event, one for each query that it takes.
func (q *question) stretches(e keys.Event) []target.Query {
	if !q.fanned() {
		return []target.Query{q.stretch(e)}
	}
	var list []target.Query
	for _, r := range q.plan.Ranges(e) {
		list = append(list, target.Query{Range: r})
	}
	return list
}

func (q *question) stretch(e keys.Event) target.Query {
	key := func() entity.Key { return q.home.generator.KeyOf(e) }
	switch q.spec.Class {
	case scenarios.ClassPoint:
		return target.OnePoint(key())
	case scenarios.ClassPartitionScan:
		return target.OnePartition(q.home.generator.PartitionKeyOf(e))
	case scenarios.ClassTableScan:
		return target.Query{}
	case scenarios.ClassRows:
		at := key()
		return target.RowsFrom(at.Partition, at.Row)
	default:
		return target.Query{Range: q.plan.Range(e)}
	}
}

// operation returns the request for the first page of what is asked about an event by
// a question of one query.
func (q *question) operation(e keys.Event) target.Operation { return q.within(q.stretch(e), e) }

// within returns the request for the first page of a stretch that is read for an event.
func (q *question) within(query target.Query, e keys.Event) target.Operation {
	if q.narrowed() {
		within, _ := query.Range.Text()
		// The texts that were tried when the scenario was read were filters. Should one
		// further out be none, the stretch alone is read: it counts the same.
		if narrowed, err := target.Filtered(scenarios.Narrow(within, q.wanted(e))); err == nil {
			query = narrowed
		}
	}
	query.Top, query.Select = q.spec.Top, q.spec.Select
	return target.Operation{Verb: entity.Query, Table: q.home.table, Query: query}
}

// wanted returns the $filter on properties for an event.
func (q *question) wanted(e keys.Event) string {
	value := func(attribute string) string {
		text, _ := q.home.generator.ValueOf(attribute, e)
		return text
	}
	var all []string
	for _, one := range q.equal {
		all = append(all, one.property+" eq "+literal(one.kind, value(one.attribute)))
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
			// Without a point it would be an integer, of which few digits are allowed.
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

// due returns how many entities the question has to read for an event when operation
// k becomes due.
func (q *question) due(k uint64, e keys.Event) int64 {
	switch {
	case q.spec.Class == scenarios.ClassPoint, len(q.spec.By) > 0 && q.plan.Class == filter.ClassPoint:
		return 1
	case q.searches():
		return q.dueTo(k, e)
	}
	due := int64(0)
	for _, stretch := range q.stretches(e) {
		due += max(1, q.dueOf(stretch, k, e))
	}
	return due
}

// dueOf returns how many entities there are to be read in one stretch: none where it is
// empty, and a query counts one all the same.
func (q *question) dueOf(stretch target.Query, k uint64, e keys.Event) int64 {
	due, share := q.stock.Count(stretch, k), q.share(e)
	if q.spec.Pages > 0 {
		due = min(due, int64(q.spec.Pages)*q.page(share))
	}
	if q.spec.Rows > 0 {
		due = min(due, int64(math.Ceil(float64(q.spec.Rows)/share)))
	}
	return due
}

// queries returns the first request of each query that is sent about an event when
// operation k becomes due, each of which knows what it scans.
func (q *question) queries(k uint64, e keys.Event) []target.Operation {
	var list []target.Operation
	for _, stretch := range q.stretches(e) {
		op := q.within(stretch, e)
		op.Query.Scans = q.dueOf(stretch, k, e)
		list = append(list, op)
	}
	return list
}

// dueTo returns how many entities are read until the page with that of an event is.
func (q *question) dueTo(k uint64, e keys.Event) int64 {
	whole := q.stretch(e)
	upTo := whole
	upTo.Range.To, upTo.Range.Bounded = q.home.generator.KeyOf(e), true
	page := q.page(q.share(e))
	pages := q.stock.Count(upTo, k)/page + 1
	return max(1, min(q.stock.Count(whole, k), pages*page))
}

// page returns how many entities are read for a page of which such a share is wanted.
func (q *question) page(share float64) int64 {
	if q.searches() {
		// A page is full of what is wanted, however much had to be read for it.
		return int64(math.Ceil(pageEntities / share))
	}
	if q.spec.Top == 0 {
		return pageEntities
	}
	return min(pageEntities, int64(math.Ceil(float64(q.spec.Top)/share)))
}

// pages returns how many requests it takes to read so many entities for an event by a
// query.
func (q *question) pages(due int64, e keys.Event) int64 {
	page := q.page(q.share(e))
	return max(1, (due+page-1)/page)
}

// share returns about which share of what is read the question wants, where that is
// needed to know when it has enough.
func (q *question) share(e keys.Event) float64 {
	if !q.narrowed() || q.unbounded() || len(q.sample) == 0 {
		return 1
	}
	wanted, err := target.Filtered(q.wanted(e))
	if err != nil {
		return 1
	}
	kept := 0.5
	for i := range q.sample {
		if one := &q.sample[i]; wanted.Filter.Keeps(one.key, one.stored) {
			kept++
		}
	}
	return min(1, kept/float64(len(q.sample)))
}

// samples is how many entities a filter is tried on.
const samples = 256

// taste gives the question some of the entities that there are to be.
func (q *question) taste(e *events) error {
	if !q.narrowed() || q.unbounded() {
		return nil
	}
	var names []string
	for _, p := range e.properties {
		if q.home.holds(p.Name) {
			names = append(names, p.Name)
		}
	}
	bare, err := q.home.generator.Project(names)
	if err != nil {
		return err
	}
	q.sample = make([]sample, 0, samples)
	for i := range uint64(samples) {
		draw := e.sample.At(i)
		event := e.event(e.among(&draw, e.growth[len(e.growth)-1].operations, math.Inf(1)))
		q.sample = append(q.sample, sample{bare.KeyOf(event), entity.Pack(nil, 0, bare.PropertiesOf(event))})
	}
	return nil
}
