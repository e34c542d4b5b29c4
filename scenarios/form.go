package scenarios

// The forms that a file has for traffic of its own kind, beside traffic itself.
const (
	// FormPeak is a ladder of rates that a single partition is offered, whose name
	// the loads before must yield.
	FormPeak = "peak"
	// FormSpread is a rate for each of several partitions, or a closed loop over
	// them. It needs no load before it unless an operation reads or updates what
	// has to be there.
	FormSpread = "spread"
)

// writtenAs is traffic in one of its forms. Of several that a file gives the first is
// kept.
type writtenAs struct {
	form  string
	phase *Phase
	optional[Traffic]
}

var _ binding = writtenAs{}

func (v writtenAs) read(r *reader, path string, n *node) {
	if v.phase.Traffic != nil {
		v.into = new(*Traffic)
	} else {
		v.phase.Form = v.form
	}
	v.optional.read(r, path, n)
}

func (v writtenAs) write() *node {
	if v.phase.Form != v.form {
		return nil
	}
	return v.optional.write()
}

func newPeak() *Traffic {
	return &Traffic{Keys: []string{""}, Arrivals: &Arrivals{Steps: new(Steps)}, Unit: UnitOperations, Drain: defaultDrain}
}

func (t *Traffic) asPeak() binding {
	if len(t.Keys) != 1 || t.Arrivals == nil || t.Arrivals.Steps == nil {
		// What a program called a peak, and is none, is refused as an empty one.
		t = newPeak()
	}
	steps := t.Arrivals.Steps
	return object{what: FormPeak, fields: []field{
		{name: "partition_key", says: "The partition that is offered to; the loads before must yield it.",
			value: textValue{into: &t.Keys[0]}, required: true},
		{name: "rates", says: "The offered loads in operations per second, each for one step, in this order.",
			required: true, value: listOf[float64]{
				into: &steps.Rates, least: 1, most: maxRates, what: "rates in operations per second",
				bind: func(rate *float64) binding { return rateValue{rate} },
			}},
		{name: "each", says: "How long a step lasts.",
			value: durationValue{&steps.Each, minStep, maxStep}, required: true},
		{name: "hold", says: "Whether the last rate is offered once more, unreported, so that retries of the last step meet the load that they came from.",
			value: truthValue{&steps.Hold}},
		{name: "operations", says: "What is offered, in proportion to the weights.",
			required: true, value: operationsValue(&t.Operations)},
	}}
}

func newSpread() *Traffic { return &Traffic{Entities: 1000, Unit: UnitEach, Drain: defaultDrain} }

func (t *Traffic) asSpread() binding {
	rate := new(Arrivals)
	if t.Arrivals != nil {
		rate = t.Arrivals
	}
	return object{
		what: FormSpread,
		fields: []field{
			{name: "partitions", says: "How many partitions are offered to, or a list of their keys.",
				value: partitionsValue{&t.Partitions, &t.Keys}, required: true},
			{name: "rate", says: "Operations per second for each of the partitions, whether or not they are answered (open loop).",
				value: unlessZero{rateValue{&rate.Constant}, func() bool { return rate.Constant == 0 }}},
			{name: "clients", says: "How many clients do one operation after another (closed loop).",
				value: wholeValue[int]{into: &t.Clients, least: 1, most: maxWorkers, unlessZero: true}},
			{name: "think", says: "How long each client pauses between two operations, on the average.",
				value: unlessZero{durationValue{&t.Think, minThink, maxStep}, func() bool { return t.Think == 0 }}},
			{name: "for", says: "How long operations become due.",
				value: durationValue{&t.For, minStep, maxStep}, required: true},
			{name: "entities", says: "How many entities of each partition are worked on where none was loaded into it.",
				value: wholeValue[int]{into: &t.Entities, least: 1, most: maxSpreadEntities}},
			{name: "operations", says: "What is offered, in proportion to the weights.",
				required: true, value: operationsValue(&t.Operations)},
		},
		one: []string{"rate", "clients"},
		then: func(r *reader, path string, n *node) {
			oneLoop(r, path, n, FormSpread, "rate")
			if rate.Constant > 0 {
				t.Arrivals = rate
			}
		},
	}
}

// written checks a peak or a spread for what depends on the rest of the scenario.
func (c *checker) written(i int, form, path string) {
	t := c.Phases[i].Traffic
	c.partitioned(t.Operations, path+".operations")
	if !c.loadsSound(i) {
		return
	}
	if form == FormPeak {
		if at := path + ".partition_key"; c.sound(at) {
			c.yielded(i, at)
		}
		return
	}
	if c.before.concern(path) {
		return
	}
	if t.Arrivals != nil && t.Arrivals.Constant*t.scale() > maxSpreadRate {
		c.add(path+".rate", "%v a second for each partition are %v in all; expected at most %d",
			t.Arrivals.Constant, t.Arrivals.Constant*t.scale(), maxSpreadRate)
		return
	}
	c.aimed(i, path)
}
