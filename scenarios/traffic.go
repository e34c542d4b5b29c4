package scenarios

import (
	"fmt"
	"time"
)

// Traffic is the load that a phase offers: operations as they arrive, in an open loop
// of Arrivals, or in a closed loop of Clients. Where it names no partitions it is event
// traffic: each operation is about an event of its own, whose key the design in use
// forms, so that skew and appending keys have the effect that they have in the field.
// Where it names some, each of them is due its share.
type Traffic struct {
	// Partitions is how many partitions are offered to, 1 to 10,000: the first that
	// the scenario's entities fall into. It is 0 where Keys names them, where All is
	// set, and for event traffic.
	Partitions int
	// Keys are PartitionKeys, each of which some entity of the scenario has.
	Keys []string
	// All offers to all partitions that were loaded, as much to each.
	All bool
	// Arrivals are the open loop, nil in a closed one.
	Arrivals *Arrivals
	// Clients is the closed loop: how many clients, 1 to 100,000, do one operation
	// after another, and Think how long each of them pauses between the end of one
	// and the next, from 1 ms to 24 h: half as long to half as long again, on the
	// average this. Both are 0 in an open loop.
	Clients int
	Think   time.Duration
	// Count is how many operations a closed loop without pauses has in all, 1 to
	// 1,000,000: whichever client is free does the next, and the phase ends with the
	// last. It is 0 where For says how long operations become due.
	Count int
	// Unit is what the rates of arrivals count: [UnitOperations], [UnitEntities] or
	// [UnitEach].
	Unit string
	// For is how long operations become due, 1 s to 24 h. It is 0 for steps, which
	// last as long as all of them do, and can be 0 for a trace, which then lasts
	// until the end of its last second.
	For time.Duration
	// WarmUp is the first part of that, recorded as a phase of its own which is not
	// reported: 0, or 1 s and more.
	WarmUp time.Duration
	// Drain is how long retries may go on after the last operation was due, 0 to
	// 24 h.
	Drain time.Duration
	// StopWhenStable ends the phase once it has come to rest: when what was served
	// in the last five whole seconds, and the median of its response times, differ
	// by less than this share from those of the five before. It never does so
	// before 10 s of measuring; 0 is never.
	StopWhenStable float64
	// StopOn are the budgets of which one that is exceeded ends the run.
	StopOn []Budget
	// Entities is how many entities of each partition the operations work on where
	// none was loaded into it, 1 to 1,000,000.
	Entities int
	// Operations are what is offered, in proportion to their weights. Rows of a
	// trace that name their operations name these, or the verb of one.
	Operations []OperationSpec
}

// What the rates of arrivals count.
const (
	UnitOperations = "operations"
	// UnitEntities: a rate is of the entities that operations count against the
	// targets, on the average of what is offered. What the design makes of an event is
	// left out, copies and what a query by attributes reads: the same events go through
	// every design.
	UnitEntities = "entities"
	// UnitEach: a rate is of the operations for each of the partitions.
	UnitEach = "operations for each partition"
)

const defaultDrain = 5 * time.Second

func newTraffic() *Traffic {
	return &Traffic{Unit: UnitOperations, Drain: defaultDrain, Entities: 1000}
}

func (t *Traffic) binding() binding {
	without := func(d *time.Duration) func() bool { return func() bool { return *d == 0 } }
	return object{
		what: "traffic",
		fields: []field{
			{name: "partitions", says: "How many partitions are offered to, or a list of their keys.",
				value: unlessZero{allValue{partitionsValue{&t.Partitions, &t.Keys}, &t.All}, t.Events}},
			{name: "arrivals", says: "When operations are due, whether or not earlier ones were answered (open loop).",
				value: optional[Arrivals]{&t.Arrivals, newArrivals, (*Arrivals).binding}},
			{name: "clients", says: "How many clients do one operation after another (closed loop).",
				value: wholeValue[int]{into: &t.Clients, least: 1, most: maxWorkers, unlessZero: true}},
			{name: "think", says: "How long each client pauses between two operations, on the average.",
				value: unlessZero{durationValue{&t.Think, minThink, maxStep}, without(&t.Think)}},
			{name: "count", says: "How many operations the clients do in all, one right after another, in place of for and think.",
				value: wholeValue[int]{into: &t.Count, least: 1, most: maxCount, unlessZero: true}},
			{name: "unit", says: "What the rates of arrivals count.",
				value: choiceValue{&t.Unit, "unit", []string{UnitOperations, UnitEntities}}},
			{name: "for", says: "How long operations become due.",
				value: unlessZero{durationValue{&t.For, minStep, maxStep}, without(&t.For)}},
			{name: "warm_up", says: "The first part of that, which is recorded apart and not reported.",
				value: unlessZero{durationValue{&t.WarmUp, minStep, maxStep}, without(&t.WarmUp)}},
			{name: "drain", says: "How long retries may go on after the last operation was due.",
				value: durationValue{&t.Drain, 0, maxStep}},
			{name: "stop_when_stable", says: "Ends the phase once rate and response times differ by less than this share from those of five seconds before.",
				value: unlessZero{shareValue{&t.StopWhenStable}, func() bool { return t.StopWhenStable == 0 }}},
			{name: "stop_on", says: "Budgets of which one that is exceeded ends the run.",
				value: budgetsValue(&t.StopOn)},
			{name: "entities", says: "How many entities of each partition are worked on where none was loaded into it.",
				value: wholeValue[int]{into: &t.Entities, least: 1, most: maxSpreadEntities}},
			{name: "operations", says: "What is offered, in proportion to the weights.",
				value: operationsValue(&t.Operations)},
		},
		one:  []string{"arrivals", "clients"},
		then: t.settle,
	}
}

// settle refuses what does not belong together.
func (t *Traffic) settle(r *reader, path string, n *node) {
	oneLoop(r, path, n, "traffic", "arrivals")
	arrivals, length := n.find("arrivals"), n.find("for")
	steps := arrivals != nil && arrivals.find("steps") != nil
	trace := arrivals != nil && arrivals.find("trace") != nil
	switch {
	case steps && length != nil:
		r.fault(length.at, child(path, "for"), "steps last as long as all of them together, and for is given; expected none")
	case !steps && !trace && length == nil && n.find("count") == nil:
		r.fault(n.at, child(path, "for"), "traffic has no for; expected one")
	}
	if !trace && n.find("operations") == nil {
		r.fault(n.at, child(path, "operations"), "traffic has no operations; expected one")
	}
	t.settleCount(r, path, n)
	if unit := n.find("unit"); unit != nil && t.Unit == UnitEntities && (arrivals == nil || trace) {
		r.fault(unit.at, child(path, "unit"), "entities is the unit of a rate, and there is none; expected arrivals with a rate, or operations")
	}
	steady := t.Arrivals == nil || t.Arrivals.Constant > 0 || t.Arrivals.Poisson > 0
	if stable := n.find("stop_when_stable"); stable != nil && !steady {
		r.fault(stable.at, child(path, "stop_when_stable"), "arrivals that change are never stable; expected constant, poisson or clients, or no stop_when_stable")
	}
	if warm := n.find("warm_up"); warm != nil && t.Lasts() > 0 && t.WarmUp >= t.Lasts() {
		r.fault(warm.at, child(path, "warm_up"), "warm_up is %v, and the whole phase lasts %v; expected less", t.WarmUp, t.Lasts())
	}
}

// settleCount refuses what a closed loop of so many operations has no room for.
func (t *Traffic) settleCount(r *reader, path string, n *node) {
	count := n.find("count")
	if count == nil {
		return
	}
	if n.find("clients") == nil {
		r.fault(count.at, child(path, "count"), "count belongs to clients, and there are none; expected none, or clients")
	}
	for _, name := range []string{"think", "for", "warm_up", "stop_when_stable", "stop_on"} {
		if other := n.find(name); other != nil {
			r.fault(other.at, child(path, name), "the clients do count operations, one right after another, and %s is given; expected no %s, or no count", name, name)
		}
	}
}

// Events reports whether each operation is about an event of its own, rather than
// offered to partitions that are named.
func (t *Traffic) Events() bool { return t.Partitions+len(t.Keys) == 0 && !t.All }

// allValue is the word all, or partitions as [partitionsValue] has them.
type allValue struct {
	partitionsValue
	all *bool
}

var _ binding = allValue{}

const allPartitions = "all"

func (v allValue) read(r *reader, path string, n *node) {
	if *v.all = n.kind == scalar && n.text == allPartitions; *v.all {
		*v.count, *v.keys = 0, nil
		return
	}
	v.partitionsValue.read(r, path, n)
}

func (v allValue) write() *node {
	if *v.all {
		return plain(allPartitions)
	}
	return v.partitionsValue.write()
}

// oneLoop checks that a phase has an open loop, by the field that makes it one, or
// a closed one.
func oneLoop(r *reader, path string, n *node, what, open string) {
	opens, clients, think := n.find(open), n.find("clients"), n.find("think")
	kind := "a " + open
	if open == "arrivals" {
		kind = open
	}
	switch {
	case opens == nil && clients == nil:
		r.fault(n.at, path, "%s has neither %s nor clients; expected %s (open loop), or clients and think (closed loop)", what, open, kind)
	case opens != nil && clients != nil:
		r.fault(clients.at, child(path, "clients"), "clients make a closed loop and %s an open one; expected one of them", open)
	case clients != nil && think == nil && n.find("count") == nil:
		r.fault(clients.at, child(path, "think"), "clients have no think; expected how long each pauses, such as 100ms")
	case clients == nil && think != nil:
		r.fault(think.at, child(path, "think"), "think belongs to clients, and there are none; expected none")
	}
}

// maxCount bounds how many operations a closed loop without pauses has, usualAnswer is
// about how long one of them takes where nothing else is known: what is said of such a
// phase before it runs goes by that.
const (
	maxCount    = 1_000_000
	usualAnswer = 5 * time.Millisecond
)

// Pace returns how long a client takes from one operation to the next where each is
// answered at once; of a loop without pauses, about how long an answer takes.
func (t *Traffic) Pace() time.Duration {
	if t.Count > 0 {
		return usualAnswer
	}
	return t.Think
}

// Lasts returns how long operations become due, of a loop of so many about. It is 0 for
// a trace that has not been read and has no For.
func (t *Traffic) Lasts() time.Duration {
	switch {
	case t.Count > 0:
		return time.Duration((t.Count+t.Clients-1)/max(1, t.Clients)) * usualAnswer
	case t.For > 0 || t.Arrivals == nil:
		return t.For
	case t.Arrivals.Steps != nil:
		return time.Duration(len(t.Arrivals.Steps.Rates)) * t.Arrivals.Steps.Each
	case t.Arrivals.Recorded != nil:
		return (t.Arrivals.Recorded.Length() + time.Second - 1).Truncate(time.Second)
	default:
		return 0
	}
}

// EntitiesPerOperation returns how many entities an operation is due to count on
// the average of what is offered.
func (t *Traffic) EntitiesPerOperation() float64 {
	weights, entities := 0, 0
	for i := range t.Operations {
		weights += t.Operations[i].Weight
		entities += t.Operations[i].Weight * t.Operations[i].Offers()
	}
	if entities == 0 {
		return 1
	}
	return float64(entities) / float64(weights)
}

// traffic checks what depends on the rest of the scenario.
func (c *checker) traffic(i int, path string) {
	t := c.Phases[i].Traffic
	trace := t.Arrivals != nil && t.Arrivals.Trace != ""
	if trace {
		// What depends on its rows, the weights among it, is judged when they are read.
		for j := range t.Operations {
			c.operation(&t.Operations[j], fmt.Sprintf("%s.operations.%d", path, j))
		}
		return
	}
	c.operations(t.Operations, path+".operations")
	if form := c.Phases[i].Form; form != "" {
		c.written(i, form, path)
		return
	}
	if c.before.concern(path) {
		return
	}
	if t.Arrivals != nil && c.sound(path) {
		// Whether the instants can be does not depend on chance.
		if _, err := t.Schedule(clockless()); err != nil {
			c.add(path+".arrivals", "%s", scheduleFault(err))
		}
	}
	c.offered(i, path)
}

// offered checks what is offered to: partitions that are named, or those that the
// design gives to events.
func (c *checker) offered(i int, path string) {
	if t := c.Phases[i].Traffic; t.Events() {
		c.events(i, path)
	} else {
		c.partitioned(t.Operations, path+".operations")
		c.somewhere(i, path)
	}
}

// somewhere checks that there are partitions to offer to.
func (c *checker) somewhere(i int, path string) {
	t := c.Phases[i].Traffic
	switch {
	case !c.loadsSound(i):
	case c.Loaded(i) == 0 && t.All:
		c.add(path, "traffic goes to all partitions and nothing is loaded before; expected a load first, or some partitions")
	default:
		c.aimed(i, path)
	}
}

func (v allValue) schema() *schema {
	s := v.partitionsValue.schema()
	s.AnyOf = append(s.AnyOf, &schema{Enum: []string{allPartitions}})
	return s
}
