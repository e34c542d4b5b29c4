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

// question is what one kind of operation reads: a stretch of a table, and what it wants of that.
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
	// keyed says that where has conditions on keys, which narrow what is read.
	keyed bool
	// fixed is the query of every operation, where it does not begin at an entity, with the
	// filter if that depends on none. token is where the query begins.
	fixed *target.Query
	token target.Token
}

// equality is a property that has the value of an attribute, or one within the span of
// time up to that.
type equality struct {
	property, attribute string
	kind                entity.Type
	spans               bool
}

// newQuestion returns what a kind of operation reads: of the homes of an entity the
// one where what is known gets furthest. Its stock is missing.
func (c *Campaign) newQuestion(spec *scenarios.OperationSpec) (*question, error) {
	q := &question{spec: spec, home: c.homes[0]}
	if len(spec.By) > 0 {
		plan, at := c.bestPlan(spec)
		q.plan, q.home = plan, c.homes[at]
		q.equal = equalities(c.Scenario, spec, &plan, at)
	}
	if spec.Where == "" {
		return q, nil
	}
	var err error
	q.keyed = spec.FiltersKeys()
	q.where, err = keys.ParseTemplate(spec.Where)
	return q, err
}

// filters reports whether the operation needs only some of the entities that the service reads for
// it.
func (q *question) filters() bool { return q.narrowed() || q.plan.NarrowsRows() }

// bestPlan returns what the design makes of what the application knows, and the position
// of the home that it is of.
func (c *Campaign) bestPlan(spec *scenarios.OperationSpec) (plan keys.Plan, at int) {
	var generators []*keys.Generator
	for i := range c.homes {
		generators = append(generators, c.homes[i].generator)
	}
	return c.Scenario.Plan(spec, generators)
}

// equalities returns the properties of a home that hold what the application knows and
// the keys do not tell.
func equalities(s *scenarios.Scenario, spec *scenarios.OperationSpec, plan *keys.Plan, home int) []equality {
	var list []equality
	add := func(attribute string, spans bool) {
		if p, held := s.Holder(attribute, home); held {
			kind, _ := entity.ParseType(p.Type)
			list = append(list, equality{p.Name, attribute, kind, spans})
		}
	}
	told := plan.Tells()
	for _, attribute := range spec.By {
		if !slices.Contains(told, attribute) {
			add(attribute, false)
		}
	}
	if time := s.Time(); spec.Span > 0 && time != "" && !plan.TellsSpan() && !slices.Contains(spec.By, time) {
		add(time, true)
	}
	return list
}

// narrowed reports whether the question wants only some of what it reads.
func (q *question) narrowed() bool {
	return len(q.equal) > 0 || q.spec.Where != "" || q.spec.Class == scenarios.ClassBy && q.plan.NarrowsRows()
}

func (q *question) searches() bool { return q.spec.Verb != entity.Query }

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
	if q.narrowed() && query.Filter == nil {
		within, _ := query.Range.Text()
		// The texts that were tried when the scenario was read were filters. Should one
		// further out be none, the stretch alone is read: it counts the same.
		if narrowed, err := target.Filtered(scenarios.Narrow(within, q.wanted(e))); err == nil {
			query = narrowed
		}
	}
	query.Top, query.Select, query.Token = q.spec.Top, q.spec.Select, q.token
	return target.Operation{Verb: entity.Query, Table: q.home.table, Query: query}
}

// wanted returns the $filter for an event beside the range.
func (q *question) wanted(e keys.Event) string {
	value := func(attribute string) string {
		text, _ := q.home.generator.ValueOf(attribute, e)
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
		from, _ := q.home.generator.ValueBefore(one.attribute, e, q.spec.Span)
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
		whole := q.stretch(e)
		upTo := whole
		upTo.Range.To, upTo.Range.Bounded = q.home.generator.KeyOf(e), true
		share := 1.0
		if q.narrowed() {
			list := q.stretches(e)
			for i := range list {
				list[i] = q.within(list[i], e).Query
			}
			share = q.share(list, k, e)
		}
		page := int64(math.Ceil(q.page() / share))
		pages := q.stock.Count(upTo, k)/page + 1
		return max(1, min(q.stock.Count(whole, k), pages*page))
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
	most := q.most()
	if q.keyed || most < math.Inf(1) {
		stretch = q.within(stretch, e).Query
	}
	due := q.stock.Count(stretch, k)
	if most == math.Inf(1) || float64(due) <= most {
		return due
	}
	share := 1.0
	if stretch.Filter != nil {
		read, passed := q.stock.Reach(stretch, k, most)
		if passed >= most {
			return min(due, int64(math.Round(read)))
		} else if q.stock.stands == 1 {
			return due
		}
		share = q.share([]target.Query{stretch}, k, e)
	}
	return min(due, int64(math.Ceil(most/share)))
}

// most returns how many entities the question has returned before it stops by itself.
func (q *question) most() float64 {
	most := math.Inf(1)
	if q.spec.Pages > 0 {
		most = float64(q.spec.Pages) * q.page()
	}
	if q.spec.Rows > 0 {
		most = min(most, float64(q.spec.Rows))
	}
	return most
}

// page returns how many entities a page returns at most, however many had to be read for
// them.
func (q *question) page() float64 {
	if q.spec.Top == 0 {
		return pageEntities
	}
	return float64(min(pageEntities, q.spec.Top))
}

// pages returns how many requests a query takes that reads so many entities for an event
// when operation k becomes due.
func (q *question) pages(query *target.Query, due int64, k uint64, e keys.Event) int64 {
	read := math.Ceil(float64(due) / pageScanned)
	if query.Filter == nil {
		return int64(max(1, math.Ceil(float64(due)/q.page()), read))
	}
	share, most := q.share([]target.Query{*query}, k, e), q.most()
	if q.searches() {
		return int64(max(1, math.Ceil(math.Round(float64(due)*share)/q.page()), read))
	}
	returned := math.Round(share * float64(q.stock.Count(*query, k)))
	if returned >= most {
		return int64(max(1, math.Ceil(most/q.page()), read))
	}
	// Behind the last full page the rest is read for nothing.
	return int64(max(math.Floor(returned/q.page())+1, read))
}

// leastTried is of how many samples the share of a stretch is told.
const leastTried = 16

// share returns about which share of some stretches passes their filters: where few
// samples lie in them, of the whole table.
func (q *question) share(stretches []target.Query, k uint64, e keys.Event) float64 {
	read, passed := 0.0, 0.0
	for _, one := range stretches {
		some, kept := q.stock.Reach(one, k, math.Inf(1))
		read, passed = read+some, passed+kept
	}
	if least := leastTried * float64(q.stock.stands); q.stock.stands > 1 && read < least {
		if wanted, err := target.Filtered(q.wanted(e)); err == nil {
			read, passed = q.stock.Reach(wanted, k, math.Inf(1))
		}
	}
	if read == 0 {
		return 1
	}
	return max(passed, float64(q.stock.stands)/2) / max(read, float64(q.stock.stands)/2)
}
