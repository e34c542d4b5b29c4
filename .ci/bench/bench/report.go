package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"loadgen/report/compare/statistics"
	"loadgen/results"
)

// Schema is the version of a report's JSON.
const Schema = 1

// Report is what was measured. It is a plain value.
type Report struct {
	Schema int          `json:"schema"`
	Tool   results.Tool `json:"tool"`
	// CPUs are those of the machine, Cores how many this process may keep busy.
	CPUs  int `json:"cpus"`
	Cores int `json:"cores"`
	// Began is when, Lasted how many seconds it took.
	Began  time.Time `json:"began"`
	Lasted float64   `json:"lasted_s"`
	Rounds int       `json:"rounds"`
	Quick  bool      `json:"quick,omitempty"`
	Groups []string  `json:"groups"`
	// Taken is what others had of the machine meanwhile.
	Taken   Taken    `json:"taken"`
	Aims    []Judged `json:"aims"`
	Ratios  []Ratio  `json:"ratios"`
	Figures []Figure `json:"figures"`
	// Held is the comparison with another report, empty for none.
	Held []Held `json:"held,omitempty"`
	// Notes say which parts were left out, and why.
	Notes []string `json:"notes,omitempty"`
}

// Figure is what a cell came to.
type Figure struct {
	Cell
	Unit string `json:"unit"`
	// Median is that of Rounds, which are in their order.
	Median float64   `json:"median"`
	Rounds []float64 `json:"by_round"`
	// PerSecond is how many operations there were a second of time, the median; 0 where
	// that says nothing.
	PerSecond float64 `json:"per_second,omitempty"`
	// Allocations are those of an operation, the fewest of any round; nil where they were not
	// counted.
	Allocations *float64 `json:"allocations,omitempty"`
	// Per is how many things an operation has, Thing what they are called.
	Per   int    `json:"per,omitempty"`
	Thing string `json:"thing,omitempty"`
}

// cpuUnit is the unit of what an operation costs.
const cpuUnit = "µs CPU"

// Name identifies a figure in a report: group/what@at/of.
func (c Cell) Name() string {
	at := ""
	if c.At != "" {
		at = "@" + c.At
	}
	return c.Group + "/" + c.What + at + "/" + c.Of
}

// Ratio is one figure over another that was measured in the same rounds.
type Ratio struct {
	// Name is that of the figure, a colon, and whose the other is.
	Name string `json:"name"`
	Cell
	To string `json:"to"`
	// Median is that of the rounds' ratios.
	Median float64   `json:"median"`
	Rounds []float64 `json:"by_round"`
	// Interval holds the true ratio in 95 of 100 such runs, were each round as likely to err
	// either way; nil where the rounds are too few to tell.
	Interval *[2]float64 `json:"interval,omitempty"`
}

// confidence is the level of an interval's test.
const confidence = .05

// ratioOf compares two cells that were measured in the same rounds.
func ratioOf(one, other []float64) (median float64, rounds []float64, interval *[2]float64) {
	var logs []float64
	for i := range min(len(one), len(other)) {
		if one[i] > 0 && other[i] > 0 {
			rounds = append(rounds, one[i]/other[i])
			logs = append(logs, math.Log(one[i]/other[i]))
		}
	}
	if len(rounds) == 0 {
		return 0, nil, nil
	}
	median = statistics.Median(rounds)
	if f := statistics.SignFlip(logs, confidence, 1); f.Known {
		// The test's own middle is not the median: the interval holds both.
		interval = &[2]float64{math.Min(median, math.Exp(f.Low)), math.Max(median, math.Exp(f.High))}
	}
	return median, rounds, interval
}

func (r *Report) note(text string) { r.Notes = append(r.Notes, text) }

// add writes down a figure by its rounds.
func (r *Report) add(f Figure, rounds []float64) {
	f.Rounds, f.Median = rounds, statistics.Median(rounds)
	r.Figures = append(r.Figures, f)
}

// enter writes down what the rounds of a cell came to.
func (r *Report) enter(c *cell, found []reading) {
	var costs, rates []float64
	var fewest *float64
	more := map[string][]float64{}
	for _, one := range found {
		operations := float64(one.operations)
		if one.operations > 0 {
			costs = append(costs, one.cpu.Seconds()*1e6/operations)
			rates = append(rates, operations/one.lasted.Seconds())
		}
		if each := float64(one.allocations) / operations; one.counted && (fewest == nil || each < *fewest) {
			fewest = &each
		}
		for _, v := range one.more {
			more[v.what] = append(more[v.what], v.value)
		}
	}
	if len(costs) > 0 {
		r.add(Figure{Cell: c.Cell, Unit: cpuUnit, PerSecond: statistics.Median(rates), Allocations: fewest, Per: c.per, Thing: c.thing}, costs)
	}
	for _, v := range found[0].more {
		named := c.Cell
		named.What += ", " + v.what
		r.add(Figure{Cell: named, Unit: v.unit}, more[v.what])
	}
}

// figure returns a figure by its name, nil where it was not measured.
func (r *Report) figure(name string) *Figure {
	for i := range r.Figures {
		if r.Figures[i].Name() == name {
			return &r.Figures[i]
		}
	}
	return nil
}

// ratio returns a ratio by its name, nil where it was not measured.
func (r *Report) ratio(name string) *Ratio {
	for i := range r.Ratios {
		if r.Ratios[i].Name == name {
			return &r.Ratios[i]
		}
	}
	return nil
}

// compare forms the ratios: in each family, of the first to all others, but of a peer to the
// first where the peer is what should cost many times as much.
func (r *Report) compare() {
	r.Ratios = nil
	for i := range r.Figures {
		for k := range r.Figures {
			one, other := &r.Figures[i], &r.Figures[k]
			if one.Group == other.Group && one.What == other.What && one.At == other.At && one.Unit == other.Unit && compared(one.Of, other.Of) {
				r.addRatio(one, other, other.Of)
			}
		}
	}
	for _, s := range scales {
		if one, other := r.figure(s.of.Name()), r.figure(s.to.Name()); one != nil && other != nil {
			r.addRatio(one, other, s.to.At)
		}
	}
}

func (r *Report) addRatio(one, other *Figure, to string) {
	median, rounds, interval := ratioOf(one.Rounds, other.Rounds)
	if rounds != nil {
		r.Ratios = append(r.Ratios, Ratio{Name: one.Name() + ":" + to, Cell: one.Cell, To: to, Median: median, Rounds: rounds, Interval: interval})
	}
}

// compared reports whether the one's cost is shown as a multiple of the other's.
func compared(one, other string) bool {
	switch [2]string{one, other} {
	case [2]string{ofServe, ofBare}, [2]string{ofAzurite, ofServe}, [2]string{ofDriver, ofBareClient}, [2]string{ofDriver, ofVegeta}:
		return true
	default:
		return false
	}
}

// ErrReport says that a text is no report of this version.
var ErrReport = errors.New("bench: no report")

// Read reads the JSON of a report, and computes its ratios and aims from its figures. Its error wraps [ErrReport], or is the reader's.
func Read(from io.Reader) (*Report, error) {
	const most = 16 << 20
	text, err := io.ReadAll(io.LimitReader(from, most))
	if err != nil {
		return nil, err
	}
	r := new(Report)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrReport, err)
	}
	if r.Schema != Schema {
		return nil, fmt.Errorf("%w: schema %d, expected %d", ErrReport, r.Schema, Schema)
	}
	for _, f := range r.Figures {
		if len(f.Rounds) == 0 || !(f.Median >= 0) || math.IsInf(f.Median, 0) {
			return nil, fmt.Errorf("%w: figure %q has no rounds", ErrReport, f.Name())
		}
	}
	r.compare()
	r.judge()
	return r, nil
}
