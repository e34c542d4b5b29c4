package scenarios

import (
	"fmt"
	"strings"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/nearest"
	"loadgen/scenarios/fields"
)

// Traffic is the load that a phase offers: operations as they arrive, in an open loop
// of Arrivals, or in a closed loop of Clients. Where it names no partitions it is event
// traffic: each operation is about an event of its own, whose key the design in use
// forms, so that skew and appending keys have the effect that they have in the field.
// Where it names some, each of them is due its share.
type Traffic struct {
	_ struct{} `object:"traffic" either:"arrivals,clients"`
	// Partitions is how many partitions are offered to, 1 to 10,000: the first that
	// the scenario's entities fall into. It is 0 where Keys names them, where All is
	// set, and for event traffic.
	Partitions int `yaml:"partitions,own" spread:"partitions,required,own" says:"Number of partitions, or their keys."`
	// Keys are PartitionKeys that occur in the scenario.
	Keys []string
	// All offers to all partitions that were loaded, as much to each.
	All bool
	// Arrivals are the open loop, nil in a closed one.
	Arrivals *Arrivals `yaml:"arrivals" says:"When operations are due, regardless of replies (open loop)." spread:"rate,own" spread.says:"Operations per second and partition, regardless of replies (open loop)."`
	// Clients is the closed loop: how many clients, 1 to 100,000, do one operation
	// after another, and Think how long each of them pauses between the end of one
	// and the next, from 1 ms to 24 h: half as long to half as long again, on the
	// average this. Both are 0 in an open loop; Think is also 0 where they never pause,
	// see [Traffic.FlatOut].
	Clients int           `yaml:"clients,omitempty" spread:"clients,omitempty" says:"Clients with one operation each at a time (closed loop)." range:"1..100000"`
	Think   time.Duration `yaml:"think,own" spread:"think,own" says:"Mean pause between a client's operations; 0 is none."`
	// Count is how many operations a closed loop without pauses has in all, 1 to
	// 1,000,000: whichever client is free does the next, and the phase ends with the
	// last. It is 0 where For says how long operations become due.
	Count int `yaml:"count,omitempty" says:"Total operations without pauses, instead of for and think." range:"1..1000000"`
	// Unit is what the rates of arrivals count: [UnitOperations], [UnitEntities] or
	// [UnitEach].
	Unit string `yaml:"unit,default=operations" says:"Unit of arrival rates." choice:"operations,entities"`
	// For is how long operations become due, 1 s to 24 h. It is 0 for steps, which
	// last as long as all of them do, and can be 0 for a trace, which then lasts
	// until the end of its last second.
	For time.Duration `yaml:"for,omitempty" spread:"for,required" says:"How long operations become due." range:"1s..24h"`
	// WarmUp is the first part of that, recorded as a phase of its own which is not
	// reported: 0, or 1 s and more.
	WarmUp time.Duration `yaml:"warm_up,omitempty" says:"Initial part, recorded but not reported." range:"1s..24h"`
	// Drain is how long retries may go on after the last operation was due, 0 to
	// 24 h.
	Drain time.Duration `yaml:"drain,default=5s" says:"Time for retries after the last operation is due." range:"0s..24h"`
	// StopWhenStable ends the phase once it has come to rest: when what was served
	// in the last five whole seconds, and the median of its response times, differ
	// by less than this share from those of the five before. It never does so
	// before 10 s of measuring; 0 is never.
	StopWhenStable float64 `yaml:"stop_when_stable,omitempty" says:"Ends the phase once rate and response times vary less within 5s." form:"share"`
	// StopOn are budgets; an exceeded one ends the run.
	StopOn []Budget `yaml:"stop_on" says:"Budgets that end the run when exceeded." list:"1..20 budgets, such as failed > 1%" form:"budget"`
	// Entities is how many entities of each partition the operations work on where
	// none was loaded into it, 1 to 1,000,000.
	Entities int `yaml:"entities,default=1000" spread:"entities" says:"Entities assumed in partitions without a load." range:"1..1000000"`
	// Operations are what is offered, in proportion to their weights. Rows of a
	// trace that name their operations name these, or the verb of one.
	Operations []OperationSpec `yaml:"operations" spread:"operations,required" peak:"operations,required" says:"Operations by weight." list:"1..100 operations"`
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

// FieldValue implements [fields.Valuer].
func (t *Traffic) FieldValue(name string) fields.Binding {
	switch name {
	case "partitions":
		return unlessZero{partitionsValue(&t.Partitions, &t.Keys, &t.All), t.Events}
	case "spread.partitions":
		return partitionsValue(&t.Partitions, &t.Keys, nil)
	case "spread.rate":
		return fields.Optional(&t.Arrivals, func(a *Arrivals) fields.Binding { return fields.Rate(&a.Constant) })
	default:
		return t.thinking()
	}
}

// Complete implements [fields.Completer]: it refuses what does not belong together.
func (t *Traffic) Complete(r *fields.Reader, path string, n *fields.Node) {
	oneLoop(r, path, n, "traffic", "arrivals")
	arrivals := n.Find("arrivals")
	steps := arrivals != nil && arrivals.Has("steps")
	trace := arrivals != nil && arrivals.Has("trace")
	steady := t.Arrivals == nil || t.Arrivals.Constant > 0 || t.Arrivals.Poisson > 0
	rules := []rule{
		{steps && n.Has("for"), "for", "steps define the duration; expected no for"},
		{!steps && !trace && !n.Has("for") && !n.Has("count"), "for", "traffic has no for; expected one"},
		{(!trace || t.Arrivals.Time != "") && !n.Has("operations"), "operations", "traffic has no operations; expected one"},
		{n.Has("count") && !n.Has("clients"), "count", "count belongs to clients; expected none, or clients"},
		{n.Has("unit") && t.Unit == UnitEntities && (arrivals == nil || trace), "unit",
			"unit entities needs a rate; expected arrivals with a rate, or operations"},
		{n.Has("stop_when_stable") && !steady, "stop_when_stable",
			"changing arrivals are never stable; expected constant, poisson or clients, or no stop_when_stable"},
		{n.Has("warm_up") && t.Lasts() > 0 && t.WarmUp >= t.Lasts(), "warm_up",
			fmt.Sprintf("warm_up is %v, the phase lasts %v; expected less", t.WarmUp, t.Lasts())},
	}
	for _, name := range []string{"think", "for", "warm_up", "stop_when_stable", "stop_on"} {
		rules = append(rules, rule{n.Has("count") && n.Has(name), name, fmt.Sprintf("%s does not apply to count; expected no %s, or no count", name, name)})
	}
	check(r, path, n, rules...)
}

func budgetValue(into *Budget) fields.Binding {
	return fields.Single[Budget]{Into: into, Parse: ParseBudget, Written: Budget.String, Quotes: true,
		Expected: "a budget of " + strings.Join(budgets(), ", ") + ", such as failed > 1%",
		Form: &fields.Schema{Type: fields.Types{"string"},
			Pattern: "^(" + strings.Join(budgets(), "|") + ") *> *" + strings.TrimPrefix(percentage.String(), "^")}}
}

// Events reports whether each operation is about an event of its own, rather than
// offered to partitions that are named.
func (t *Traffic) Events() bool { return t.Partitions+len(t.Keys) == 0 && !t.All }

// oneLoop checks that a phase has an open loop, by the field that makes it one, or
// a closed one.
func oneLoop(r *fields.Reader, path string, n *fields.Node, what, open string) {
	opens, clients, think := n.Has(open), n.Has("clients"), n.Has("think")
	kind := "a " + open
	if open == "arrivals" {
		kind = open
	}
	check(r, path, n, []rule{
		{!opens && !clients, "", fmt.Sprintf("%s has neither %s nor clients; expected %s (open loop), or clients and think (closed loop)", what, open, kind)},
		{opens && clients, "clients", fmt.Sprintf("clients and %s are given; expected one of them", open)},
		{opens && !clients && think, "think", "think belongs to clients; expected none"},
	}...)
	if !opens && clients && !think && !n.Has("count") {
		r.Fault(n.Find("clients").At, fields.Child(path, "think"), "clients have no think; expected a pause such as 100ms, or 0")
	}
}

// thinking is how long clients pause, which 0 says of those alone that do not do a count of
// operations.
func (t *Traffic) thinking() fields.Binding {
	given := fields.Duration{Into: &t.Think, Least: minThink, Most: maxStep}
	form := given.Schema()
	form.OrZero()
	return unlessZero{fields.Single[time.Duration]{Into: &t.Think, Form: form,
		Expected: fmt.Sprintf("0 for none, or a duration such as 4s or 2500ms, from %s to %s", given.Least, given.Most),
		Written: func(d time.Duration) string {
			if d == 0 {
				return "0"
			}
			return d.String()
		},
		Parse: func(text string) (time.Duration, bool) {
			d, err := time.ParseDuration(text)
			return d, err == nil && (d == 0 || d >= given.Least && d <= given.Most)
		},
	}, func() bool { return t.Think == 0 && (!t.FlatOut() || t.Count > 0) }}
}

// FlatOut reports whether there are clients that never pause: each does its next operation as
// soon as the one before has ended.
func (t *Traffic) FlatOut() bool { return t.Clients > 0 && t.Think == 0 }

// defaultAnswer is about how long an operation takes of clients that never pause, where nothing else is known: what is
// said of such a phase before it runs goes by that.
const defaultAnswer = 5 * time.Millisecond

// Pace returns how long a client takes from one operation to the next where each is
// answered at once; of clients that never pause, about how long an answer takes.
func (t *Traffic) Pace() time.Duration {
	if t.FlatOut() {
		return defaultAnswer
	}
	return t.Think
}

// Lasts returns how long operations become due, for a counted loop approximately. It is 0 for
// a trace that has not been read and has no For.
func (t *Traffic) Lasts() time.Duration {
	switch {
	case t.Count > 0:
		return time.Duration((t.Count+t.Clients-1)/max(1, t.Clients)) * defaultAnswer
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

// traffic checks what depends on the rest of the scenario.
func (c *checker) traffic(i int, path string) {
	t := c.Phases[i].Traffic
	for j := range t.Operations {
		c.operation(&t.Operations[j], fmt.Sprintf("%s.operations.%d", path, j))
	}
	if t.Arrivals != nil && t.Arrivals.Trace != "" {
		// What depends on its rows, the weights among it, is judged when they are read.
		return
	}
	c.weights(t.Operations, path+".operations")
	form := c.Phases[i].Form
	if form == "" {
		if c.before.Concern(path) {
			return
		}
		if t.Arrivals != nil && c.sound(path) {
			// Whether the instants can be does not depend on chance.
			if _, err := t.Schedule(clock.NewStream(0, "")); err != nil {
				c.add(path+".arrivals", "%s", nearest.What(err))
			}
		}
		c.offered(i, path)
		return
	}
	c.partitioned(t.Operations, path+".operations")
	switch at := path + ".partition_key"; {
	case !c.loadsSound(i):
	case form == FormPeak:
		if c.sound(at) {
			c.yielded(i, at)
		}
	case c.before.Concern(path):
	case t.Arrivals != nil && t.Arrivals.Constant*t.scale() > maxSpreadRate:
		c.add(path+".rate", "%v a second per partition are %v in all; expected at most %d",
			t.Arrivals.Constant, t.Arrivals.Constant*t.scale(), maxSpreadRate)
	default:
		c.aimed(i, path)
	}
}

// offered checks what is offered to: partitions that are named, or those that the
// design gives to events.
func (c *checker) offered(i int, path string) {
	if t := c.Phases[i].Traffic; t.Events() {
		list := c.Phases[i].Traffic.Operations
		for j := range list {
			c.event(i, &list[j], fmt.Sprintf("%s.operations.%d", path, j))
		}
		c.workflows(i, list, path+".operations")
		if c.loadsSound(i) {
			c.needy(i, path)
		}
	} else {
		c.partitioned(t.Operations, path+".operations")
		switch {
		case !c.loadsSound(i):
		case c.Loaded(i) == 0 && t.All:
			c.add(path, "nothing is loaded before; expected a load first, or some partitions")
		default:
			c.aimed(i, path)
		}
	}
}
