package runs

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"loadgen/report/compare"
	"loadgen/results"
	"loadgen/results/figure"
)

// stretch is the whole seconds of one phase.
type stretch struct {
	phase   string
	seconds []results.Interval
}

// stretches returns the whole seconds of each reported phase; of a record that came to
// none, or has no phases, those of each phase that its seconds name, without the last of each, for
// another may begin in it.
func stretches(record *results.Record) []stretch {
	var list []stretch
	for _, step := range figure.Reported(record) {
		end := step.Phase.End
		if record.Duration > 0 {
			end = min(end, record.Duration)
		}
		one := stretch{phase: step.Phase.Name}
		for i := range record.Intervals {
			if from, to := record.Intervals[i].Span(); from >= step.Phase.Begin && to <= end {
				one.seconds = append(one.seconds, record.Intervals[i])
			}
		}
		list = append(list, one)
	}
	if len(list) > 0 {
		return slices.DeleteFunc(list, func(one stretch) bool { return len(one.seconds) == 0 })
	}
	seconds := record.Intervals
	for i := range seconds {
		name := seconds[i].Phase
		if name == "" || i+1 == len(seconds) || seconds[i+1].Phase != name {
			continue
		}
		at := slices.IndexFunc(list, func(one stretch) bool { return one.phase == name })
		if at < 0 {
			list = append(list, stretch{phase: name})
			at = len(list) - 1
		}
		list[at].seconds = append(list[at].seconds, seconds[i])
	}
	return list
}

// Band is one figure by the second, within two single runs: its mean over a phase, and
// between which bounds that may lie as far as the run itself can tell. It gates nothing.
type Band struct {
	// Metric is of all operations, by the second in which they ended.
	Metric string `json:"metric"`
	Phase  string `json:"phase"`
	A      Bounds `json:"a"`
	B      Bounds `json:"b"`
	Change Bounds `json:"change"`
	// Apart says that the bounds of A and B do not overlap, which proves nothing. Where
	// there is a doubt, it is not said.
	Apart bool `json:"apart"`
	// Seconds is the length of the shorter run's phase, Block how many of them were drawn
	// together.
	Seconds int `json:"seconds"`
	Block   int `json:"block_seconds"`
	// Doubt says why the bounds are not to be relied on, empty where nothing is known
	// against them.
	Doubt string `json:"doubt"`

	unit unit
}

// Bounds are a mean and what it may lie between, nil where the run is a single block.
type Bounds struct {
	Mean     float64     `json:"mean"`
	Interval *[2]float64 `json:"interval"`
}

// boundsOf takes a band over. One of a single block has the mean for its bounds, whatever is
// drawn.
func boundsOf(b compare.Band, single bool) Bounds {
	if single {
		return Bounds{Mean: b.Mean}
	}
	return Bounds{b.Mean, &[2]float64{b.Low, b.High}}
}

// bands returns the bands of two single runs, none of sets.
func bands(a, b *Side) ([]Band, error) {
	list := []Band{}
	if len(a.runs) != 1 || len(b.runs) != 1 {
		return list, nil
	}
	for _, was := range a.runs[0].seconds {
		at := slices.IndexFunc(b.runs[0].seconds, func(other stretch) bool { return other.phase == was.phase })
		if at < 0 {
			continue
		}
		is := b.runs[0].seconds[at]
		shown := []series{{served, was.phase, perSecond, was.rates(), is.rates()}}
		// Of the quantiles the highest is shown that every second of both runs tells.
		for _, q := range []struct {
			name string
			of   func(*results.Interval) *int64
		}{
			{responseP99, func(i *results.Interval) *int64 { return i.Response.P99 }},
			{"response_us.p90", func(i *results.Interval) *int64 { return i.Response.P90 }},
			{responseP50, func(i *results.Interval) *int64 { return i.Response.P50 }},
		} {
			before, after := was.values(q.of), is.values(q.of)
			if before != nil && after != nil {
				shown = append(shown, series{q.name, was.phase, micros, before, after})
				break
			}
		}
		for _, s := range shown {
			band, err := s.band()
			// Where there was nothing before, there is no change to bound.
			if errors.Is(err, compare.ErrFigures) {
				continue
			}
			if err != nil {
				return nil, err
			}
			list = append(list, *band)
		}
	}
	return list, nil
}

// series is one figure by the second on both sides.
type series struct {
	metric, phase string
	unit          unit
	was, is       []float64
}

// rates returns the entities served per second.
func (s stretch) rates() (list []float64) {
	for i := range s.seconds {
		list = append(list, s.seconds[i].PerSecond(s.seconds[i].Served))
	}
	return list
}

// values returns a figure of every second, nil where one does not tell it.
func (s stretch) values(of func(*results.Interval) *int64) []float64 {
	var list []float64
	for i := range s.seconds {
		value := of(&s.seconds[i])
		if value == nil {
			return nil
		}
		list = append(list, float64(*value))
	}
	return list
}

// band returns the bands of a series. Its error wraps [compare.ErrFigures].
func (s *series) band() (*Band, error) {
	change, err := compare.BandOfChange(s.was, s.is)
	if err != nil {
		return nil, err
	}
	was, err := compare.BandOf(s.was)
	if err != nil {
		return nil, err
	}
	is, err := compare.BandOf(s.is)
	if err != nil {
		return nil, err
	}
	// Blocks that happen to hold nothing before give a change without bounds.
	if math.IsInf(change.High, 0) || math.IsNaN(change.High) || math.IsNaN(change.Low) || math.IsInf(change.Low, 0) {
		return nil, fmt.Errorf("%w: too little before for a relative change", compare.ErrFigures)
	}
	single := change.Block >= change.Seconds
	return &Band{Metric: s.metric, Phase: s.phase, A: boundsOf(was, single), B: boundsOf(is, single), Change: boundsOf(change, single),
		Apart:   change.Doubt == "" && (was.High < is.Low || is.High < was.Low),
		Seconds: change.Seconds, Block: change.Block, Doubt: change.Doubt, unit: s.unit}, nil
}
