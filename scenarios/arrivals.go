package scenarios

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/nearest"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/keys"
)

// Arrivals says when the operations of an open loop are due: exactly one of its
// fields is set. Rates are per second, of what [Traffic.Unit] says. All but random
// arrivals and those of a trace have slots of their own, at a random instant of
// which each operation is due.
type Arrivals struct {
	_ struct{} `object:"arrivals" either:"constant,poisson,ramp,steps,burst,sine,trace"`
	// Constant is one rate all the time.
	Constant float64 `yaml:"constant,omitempty" says:"A constant rate." form:"rate"`
	// Poisson is the rate of random arrivals.
	Poisson float64 `yaml:"poisson,omitempty" says:"The mean rate of random arrivals." form:"rate"`
	// Ramp goes from one rate to another.
	Ramp *Ramp `yaml:"ramp" says:"A rate that changes linearly."`
	// Steps are rates one after another.
	Steps *Steps `yaml:"steps" says:"Rates in sequence."`
	// Burst is a rate that bursts interrupt.
	Burst *Burst `yaml:"burst" says:"A rate with bursts."`
	// Sine is a rate that swings.
	Sine *Sine `yaml:"sine" says:"A rate that oscillates."`
	// Trace is a file of instants, by its path from the scenario's folder. What it
	// holds is read by [Files.Read], which puts it into Recorded.
	Trace string `yaml:"trace,omitempty" says:"A file of instants, relative to the scenario's folder." form:"path"`
	// Time is the column of that file which holds the instants; empty for a file of
	// instants alone, or of instants, operations and keys.
	Time string `yaml:"time,omitempty" says:"The trace's column of instants; by default the file's own form." max:"1000"`
	// TimeFormat is how the instants are written, by a name of [clock.NotationNames]; empty finds it.
	TimeFormat string `yaml:"time_format,omitempty" says:"How the trace's instants are written, such as day-first; found by default." max:"40"`
	// Speed replays the instants faster by this factor than recorded, 0 for once. Peak is
	// the rate of the busiest second then, by more or fewer operations; 0 for as many as recorded.
	Speed float64 `yaml:"speed,omitempty" says:"The trace's speed, as a multiple of that recorded." range:"0.001..1000" expected:"a multiple such as 2 or 0.5, from 0.001 to 1000"`
	Peak  float64 `yaml:"peak,omitempty" says:"The rate of the trace's busiest second, after its speed, by more or fewer operations." form:"rate"`

	Recorded *arrival.Trace
}

// Ramp is a rate that goes from one to another in a straight line; one of them may
// be 0.
type Ramp struct {
	_    struct{} `object:"a ramp"`
	From float64  `yaml:"from,required" says:"The first rate." form:"level"`
	To   float64  `yaml:"to,required" says:"The last rate." form:"level"`
}

// Steps are rates of equal length, 1 s to 24 h. Hold offers
// the last rate again, unreported, so that the retries of the last step meet the
// load that they came from: for Each, or for as long as the back-off policy can wait if
// that is more.
type Steps struct {
	_     struct{}      `object:"steps"`
	Rates []float64     `yaml:"rates,required" says:"The rates, in order." list:"1..1000 rates a second" form:"rate" peak:"rates,required" peak.says:"Operations per second, by step." peak.list:"1..1000 rates per second"`
	Each  time.Duration `yaml:"each,required" says:"Duration per rate." range:"1s..24h" peak:"each,required" peak.says:"Duration per step."`
	Hold  bool          `yaml:"hold,omitempty" peak:"hold" says:"Whether an unreported last step repeats, so retries meet the same load."`
}

// Burst is a base rate, 0 or more, and bursts of another that come every so often,
// 1 ms to 24 h, and last for a part of that.
type Burst struct {
	_      struct{}      `object:"a burst"`
	Base   float64       `yaml:"base,required" says:"Rate between bursts." form:"level"`
	Peak   float64       `yaml:"peak,required" says:"Rate during bursts." form:"rate"`
	Every  time.Duration `yaml:"every,required" says:"Time from burst to burst." range:"1ms..24h"`
	Length time.Duration `yaml:"length,required" says:"Duration of a burst." range:"1ms..24h"`
}

// Sine is a rate that swings around a mean by an amplitude of at most the mean,
// once in a period of 1 ms to 24 h; it begins at the mean and rises.
type Sine struct {
	_         struct{}      `object:"a sine"`
	Mean      float64       `yaml:"mean,required" says:"The mean, and the initial rate." form:"rate"`
	Amplitude float64       `yaml:"amplitude,required" says:"The greatest deviation from the mean." form:"level"`
	Period    time.Duration `yaml:"period,required" says:"Duration of a cycle." range:"1ms..24h"`
}

// Complete implements [fields.Completer].
func (a *Arrivals) Complete(r *fields.Reader, path string, n *fields.Node) {
	kinds := []string{"constant", "poisson", "ramp", "steps", "burst", "sine", "trace"}
	if given := present(n, kinds); len(given) != 1 {
		r.Fault(n.At, path, "arrivals have %d of %s; expected exactly one", len(given), strings.Join(kinds, ", "))
	}
	for _, name := range []string{"time", "time_format", "speed", "peak"} {
		misplaced(r, path, n, "another kind of arrivals", owned{name, "a trace", n.Has("trace")})
	}
}

func pathValue(into *string) fields.Text {
	const most = 4096
	return fields.Text{Into: into, Allow: func(s string) bool { return s != "" && len(s) <= most && !strings.ContainsRune(s, 0) }, Expected: "a file's path"}
}

// level is a rate that may be 0.
func levelValue(into *float64) fields.Binding {
	v := fields.Rate(into)
	rate := v.Parse
	v.Parse = func(text string) (float64, bool) {
		if text == "0" {
			return 0, true
		}
		return rate(text)
	}
	v.Expected = fmt.Sprintf("0, or a rate per second, such as 500, from %v to %d", fields.MinRate, fields.MaxRate)
	v.Form.AnyOf = []*fields.Schema{{Constant: "0"}, {Minimum: v.Form.Minimum}}
	v.Form.Minimum = ""
	return v
}

// shareValue is a share above 0 and up to 1, written in percent.
func shareValue(into *float64) fields.Binding {
	const expected = "a percentage above 0, such as 2%"
	return fields.Single[float64]{Into: into, Expected: expected, Written: keys.Percent,
		Form: &fields.Schema{Type: fields.Types{"string"}, Pattern: percentage.String(), Description: fields.Sentence(expected)},
		Parse: func(text string) (float64, bool) {
			share, sound := parseShare(text)
			return share, sound && share > 0
		}}
}

var percentage = regexp.MustCompile(`^(0|[1-9][0-9]?|100)(\.[0-9]{1,6})?%$`)

// parseShare reads a percentage as a share.
func parseShare(text string) (float64, bool) {
	percent, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	return percent / 100, percentage.MatchString(text) && err == nil && percent <= 100
}

// Schedule returns when the operations of an open loop are due. Chance draws where
// in their slots, or at which instants. The error wraps [arrival.ErrSchedule]; it
// is one, too, that a trace has not been read.
func (t *Traffic) Schedule(chance clock.Stream) (arrival.Schedule, error) {
	a, scale := t.Arrivals, t.scale()
	length := t.Lasts()
	var even arrival.Even
	var err error
	switch {
	case a.Poisson > 0:
		return arrival.NewPoisson(a.Poisson*scale, length, chance)
	case a.Trace != "" && a.Recorded == nil:
		return nil, nearest.Faultf(arrival.ErrSchedule, "trace %s was not read", a.Trace)
	case a.Trace != "":
		trace := a.Recorded
		if a.Peak > 0 {
			if trace, err = trace.WithPeak(t.PerSecond(a.Peak), chance); err != nil {
				return nil, err
			}
		}
		return trace.Truncate(length)
	case a.Ramp != nil:
		even, err = arrival.NewRamp(a.Ramp.From*scale, a.Ramp.To*scale, length)
	case a.Burst != nil:
		surge := arrival.Surge{Base: a.Burst.Base * scale, Peak: a.Burst.Peak * scale, Every: a.Burst.Every, Length: a.Burst.Length}
		even, err = arrival.NewBurst(surge, length)
	case a.Sine != nil:
		wave := arrival.Wave{Mean: a.Sine.Mean * scale, Amplitude: a.Sine.Amplitude * scale, Period: a.Sine.Period}
		even, err = arrival.NewSine(wave, length)
	case a.Steps != nil:
		even, err = arrival.NewSteps(t.Ladder()...)
	default:
		even, err = arrival.NewSteps(arrival.Step{Rate: a.Constant * scale, Length: length})
	}
	if err != nil {
		return nil, err
	}
	return arrival.NewJittered(even, chance), nil
}

// SpreadOver returns the second or minute over which rows of a trace with the same timestamp
// are spread, the longest of all phases, 0 where none are.
func (s *Scenario) SpreadOver() (unit time.Duration) {
	for i := range s.Phases {
		if t := s.Phases[i].Traffic; t != nil && t.Arrivals != nil && t.Arrivals.Recorded != nil {
			unit = max(unit, t.Arrivals.Recorded.SpreadOver)
		}
	}
	return unit
}

// InputNotes returns sentences about what was assumed or left out of files, each once.
func (s *Scenario) InputNotes() (notes []string) {
	add := func(file string, list []string) {
		for _, one := range list {
			if note := file + ": " + one; !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	for _, a := range s.Attributes {
		if column, is := a.Values.(keys.ValueColumn); is && column.Table != nil {
			add(column.File, column.Table.Notes)
		}
	}
	for i := range s.Phases {
		if t := s.Phases[i].Traffic; t != nil && t.Arrivals != nil && t.Arrivals.Recorded != nil {
			add(t.Arrivals.Trace, t.Arrivals.Recorded.Notes)
		}
	}
	return notes
}

// Ladder returns the steps of arrivals at one rate after another, in operations per
// second and without what holds the last, nil if there are none.
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

// AskedRate returns the highest rate that the arrivals ask for, in operations per second; 0 for
// clients that wait for answers and for a trace.
func (t *Traffic) AskedRate() float64 {
	a := t.Arrivals
	if a == nil {
		return 0
	}
	rate := max(a.Constant, a.Poisson)
	switch length := t.Lasts(); {
	case a.Steps != nil:
		rate = slices.Max(a.Steps.Rates)
	case a.Ramp != nil:
		rate = max(a.Ramp.From, a.Ramp.To)
	case a.Burst != nil && length > a.Burst.Every-a.Burst.Length:
		rate = max(a.Burst.Base, a.Burst.Peak)
	case a.Burst != nil:
		rate = a.Burst.Base
	case a.Sine != nil:
		// It begins at the mean and reaches its highest rate after a quarter of the period.
		part := min(float64(length)/float64(a.Sine.Period), 0.25)
		rate = a.Sine.Mean + a.Sine.Amplitude*math.Sin(2*math.Pi*part)
	}
	return t.PerSecond(rate)
}

// scale returns how many operations are due for each of what rates count.
func (t *Traffic) scale() float64 {
	switch t.Unit {
	case UnitEntities:
		weights, entities := 0, 0
		for i := range t.Operations {
			weights += t.Operations[i].Weight
			entities += t.Operations[i].Weight * t.Operations[i].Offers()
		}
		if entities == 0 {
			return 1
		}
		return 1 / (float64(entities) / float64(weights))
	case UnitEach:
		return float64(max(t.Partitions, len(t.Keys)))
	default:
		return 1
	}
}

// Budget is a share of what was attempted or due that may come to an end of some
// kind; more of it ends the run. It is judged at each whole second, of the five
// before it, if they have a hundred attempts.
type Budget struct {
	// Of is what is counted, one of [budgets].
	Of string
	// Above is the share that is not yet too much, from 0 to 1.
	Above float64
}

// What a budget can be of.
const (
	// BudgetFailed and BudgetThrottled are shares of the attempts.
	BudgetFailed    = "failed"
	BudgetThrottled = "throttled"
	// BudgetLate is the share of the operations sent that were sent more than 5 ms
	// after their instant, BudgetDropped that of the operations due that were not
	// sent a second after it.
	BudgetLate    = "late"
	BudgetDropped = "dropped"
)

// budgets returns what a budget can be of, in the order in which they are listed.
func budgets() []string { return []string{BudgetFailed, BudgetThrottled, BudgetLate, BudgetDropped} }

// String returns the budget as a scenario has it: "failed > 1%".
func (b Budget) String() string { return b.Of + " > " + keys.Percent(b.Above) }

var budgetText = regexp.MustCompile(`^([a-z]+) *> *([0-9.]+%)$`)

// ParseBudget reads a budget, and returns false where the text is none.
func ParseBudget(text string) (Budget, bool) {
	match := budgetText.FindStringSubmatch(text)
	if match == nil || !slices.Contains(budgets(), match[1]) {
		return Budget{}, false
	}
	share, sound := parseShare(match[2])
	return Budget{match[1], share}, sound
}
