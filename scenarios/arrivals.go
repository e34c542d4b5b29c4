package scenarios

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"loadgen/engine/clock"
	"loadgen/scenarios/arrival"
)

// Arrivals says when the operations of an open loop are due: exactly one of its
// fields is set. Rates are per second, of what [Traffic.Unit] says. All but random
// arrivals and those of a trace have slots of their own, at a random instant of
// which each operation is due.
type Arrivals struct {
	// Constant is one rate all the time.
	Constant float64
	// Poisson is the rate of random arrivals.
	Poisson float64
	// Ramp goes from one rate to another.
	Ramp *Ramp
	// Steps are rates one after another.
	Steps *Steps
	// Burst is a rate that bursts interrupt.
	Burst *Burst
	// Sine is a rate that swings.
	Sine *Sine
	// Trace is a file of instants, by its path from the scenario's folder. What it
	// holds is read by [Scenario.ReadFiles], which puts it into Recorded.
	Trace    string
	Recorded *arrival.Trace
}

// Ramp is a rate that goes from one to another in a straight line; one of them may
// be 0.
type Ramp struct{ From, To float64 }

// Steps are rates, each of which lasts as long as the others, 1 s to 24 h. Hold offers
// the last rate once more, unreported, so that the retries of the last step meet the
// load that they came from: for Each, or for as long as the back-off policy can wait if
// that is more.
type Steps struct {
	Rates []float64
	Each  time.Duration
	Hold  bool
}

// Burst is a base rate, 0 or more, and bursts of another that come every so often,
// 1 ms to 24 h, and last for a part of that.
type Burst struct {
	Base, Peak    float64
	Every, Length time.Duration
}

// Sine is a rate that swings around a mean by an amplitude of at most the mean,
// once in a period of 1 ms to 24 h; it begins at the mean and rises.
type Sine struct {
	Mean, Amplitude float64
	Period          time.Duration
}

// arrivalKinds are the words for how operations become due, in the order in which
// they are listed.
func arrivalKinds() []string {
	return []string{"constant", "poisson", "ramp", "steps", "burst", "sine", "trace"}
}

func newArrivals() *Arrivals { return &Arrivals{} }

func (a *Arrivals) binding() binding {
	kinds := arrivalKinds()
	return object{
		what: "arrivals",
		fields: []field{
			{name: kinds[0], says: "One rate all the time.",
				value: unlessZero{rateValue{&a.Constant}, func() bool { return a.Constant == 0 }}},
			{name: kinds[1], says: "The rate of random arrivals.",
				value: unlessZero{rateValue{&a.Poisson}, func() bool { return a.Poisson == 0 }}},
			{name: kinds[2], says: "A rate that goes from one to another in a straight line.",
				value: optional[Ramp]{&a.Ramp, fresh[Ramp], (*Ramp).binding}},
			{name: kinds[3], says: "Rates one after another.",
				value: optional[Steps]{&a.Steps, fresh[Steps], (*Steps).binding}},
			{name: kinds[4], says: "A rate that bursts interrupt.",
				value: optional[Burst]{&a.Burst, fresh[Burst], (*Burst).binding}},
			{name: kinds[5], says: "A rate that swings around a mean.",
				value: optional[Sine]{&a.Sine, fresh[Sine], (*Sine).binding}},
			{name: kinds[6], says: "A file of instants, by its path from the folder of the scenario.",
				value: unlessZero{pathValue(&a.Trace), func() bool { return a.Trace == "" }}},
		},
		one: kinds,
		then: func(r *reader, path string, n *node) {
			if given := present(n, kinds); len(given) != 1 {
				r.fault(n.at, path, "arrivals have %d of %s; expected exactly one", len(given), strings.Join(kinds, ", "))
			}
		},
	}
}

func fresh[T any]() *T { return new(T) }

func (m *Ramp) binding() binding {
	return object{what: "a ramp", fields: []field{
		{name: "from", says: "The rate at the beginning.",
			value: levelValue(&m.From), required: true},
		{name: "to", says: "The rate at the end.",
			value: levelValue(&m.To), required: true},
	}}
}

func (s *Steps) binding() binding {
	return object{what: "steps", fields: []field{
		{name: "rates", says: "The rates, in this order.",
			required: true, value: listOf[float64]{
				into: &s.Rates, least: 1, most: maxRates, what: "rates a second",
				bind: func(rate *float64) binding { return rateValue{rate} },
			}},
		{name: "each", says: "How long each rate lasts.",
			value: durationValue{&s.Each, minStep, maxStep}, required: true},
	}}
}

func (b *Burst) binding() binding {
	return object{what: "a burst", fields: []field{
		{name: "base", says: "The rate between bursts.",
			value: levelValue(&b.Base), required: true},
		{name: "peak", says: "The rate of a burst.",
			value: rateValue{&b.Peak}, required: true},
		{name: "every", says: "How long it is from the beginning of one burst to that of the next.",
			value: durationValue{&b.Every, minSwing, maxStep}, required: true},
		{name: "length", says: "How long a burst lasts.",
			value: durationValue{&b.Length, minSwing, maxStep}, required: true},
	}}
}

func (s *Sine) binding() binding {
	return object{what: "a sine", fields: []field{
		{name: "mean", says: "The rate around which it swings, and at which it begins.",
			value: rateValue{&s.Mean}, required: true},
		{name: "amplitude", says: "How far the rate goes from the mean; at most as far as the mean is.",
			value: levelValue(&s.Amplitude), required: true},
		{name: "period", says: "How long one swing lasts.",
			value: durationValue{&s.Period, minSwing, maxStep}, required: true},
	}}
}

// minSwing is the shortest time in which a rate goes up and down.
const minSwing = time.Millisecond

// pathValue is the binding of the path of a file.
func pathValue(into *string) textValue {
	const most = 4096
	return textValue{into, func(s string) bool { return s != "" && len(s) <= most && !strings.ContainsRune(s, 0) }, "the path of a file"}
}

// level is a rate that may be 0.
type level struct{ rateValue }

var _ binding = level{}

func levelValue(into *float64) level { return level{rateValue{into}} }

func (v level) read(r *reader, path string, n *node) {
	if n.kind == scalar && !n.quoted && n.text == "0" {
		*v.into = 0
		return
	}
	before := len(r.faults)
	v.rateValue.read(r, path, n)
	if len(r.faults) > before {
		r.faults = r.faults[:before]
		r.expect(n, path, fmt.Sprintf("0, or a rate a second, such as 500 or 0.5, from %v to %d", minRate, maxRate))
	}
}

// shareValue is a share above 0 and up to 1, written in percent.
type shareValue struct{ into *float64 }

var _ binding = shareValue{}

var percentage = regexp.MustCompile(`^(0|[1-9][0-9]?|100)(\.[0-9]{1,6})?%$`)

// parseShare reads a percentage as a share.
func parseShare(text string) (float64, bool) {
	percent, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	return percent / 100, percentage.MatchString(text) && err == nil && percent <= 100
}

// shareText is the way back; six decimals are what a percentage can have.
func shareText(share float64) string {
	text := strconv.FormatFloat(share*100, 'f', 6, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".") + "%"
}

func (v shareValue) read(r *reader, path string, n *node) {
	share, sound := parseShare(n.text)
	if n.kind != scalar || n.quoted || !sound || share == 0 {
		r.expect(n, path, "a share in percent above 0, such as 2%")
		return
	}
	*v.into = share
}

func (v shareValue) write() *node { return plain(shareText(*v.into)) }

// Schedule returns when the operations of an open loop are due. Chance draws where
// in their slots, or at which instants. The error wraps [arrival.ErrSchedule]; it
// is one, too, that a trace has not been read.
func (t *Traffic) Schedule(chance clock.Stream) (arrival.Schedule, error) {
	a, scale := t.Arrivals, t.scale()
	length := t.Lasts()
	switch {
	case a.Poisson > 0:
		return arrival.NewPoisson(a.Poisson*scale, length, chance)
	case a.Trace != "" && a.Recorded == nil:
		return nil, fmt.Errorf("%w: the trace %s has not been read", arrival.ErrSchedule, a.Trace)
	case a.Trace != "":
		return a.Recorded.Until(length)
	}
	even, err := t.even(scale, length)
	if err != nil {
		return nil, err
	}
	return arrival.NewJittered(even, chance), nil
}

// Ladder returns the steps of arrivals at one rate after another, in operations per
// second and without what holds the last, nil where there are none.
func (t *Traffic) Ladder() []arrival.Step {
	if t.Arrivals == nil || t.Arrivals.Steps == nil {
		return nil
	}
	var list []arrival.Step
	for _, rate := range t.Arrivals.Steps.Rates {
		list = append(list, arrival.Step{Rate: t.PerSecond(rate), Length: t.Arrivals.Steps.Each})
	}
	return list
}

// PerSecond returns how many operations a second a rate of arrivals comes to; where it
// counts entities as exactly as a schedule has it, which is in thousandths.
func (t *Traffic) PerSecond(rate float64) float64 {
	if t.Unit == UnitEntities {
		return math.Round(rate*t.scale()*1000) / 1000
	}
	return rate * t.scale()
}

// scale returns how many operations are due for each of what rates count.
func (t *Traffic) scale() float64 {
	switch t.Unit {
	case UnitEntities:
		return 1 / t.EntitiesPerOperation()
	case UnitEach:
		return float64(max(t.Partitions, len(t.Keys)))
	default:
		return 1
	}
}

// even returns the schedule of what has slots.
func (t *Traffic) even(scale float64, length time.Duration) (arrival.Even, error) {
	switch a := t.Arrivals; {
	case a.Ramp != nil:
		return arrival.NewRamp(a.Ramp.From*scale, a.Ramp.To*scale, length)
	case a.Burst != nil:
		surge := arrival.Surge{Base: a.Burst.Base * scale, Peak: a.Burst.Peak * scale, Every: a.Burst.Every, Length: a.Burst.Length}
		return arrival.NewBurst(surge, length)
	case a.Sine != nil:
		wave := arrival.Wave{Mean: a.Sine.Mean * scale, Amplitude: a.Sine.Amplitude * scale, Period: a.Sine.Period}
		return arrival.NewSine(wave, length)
	case a.Steps != nil:
		return arrival.NewSteps(t.Ladder()...)
	default:
		return arrival.NewSteps(arrival.Step{Rate: a.Constant * scale, Length: length})
	}
}

func (v level) schema() *schema {
	s := v.rateValue.schema()
	s.AnyOf = []*schema{{Constant: "0"}, {Minimum: s.Minimum}}
	s.Minimum = ""
	return s
}

func (v shareValue) schema() *schema {
	s := patterned(percentage)
	s.Description = "A share in percent above 0, such as 2%."
	return s
}
