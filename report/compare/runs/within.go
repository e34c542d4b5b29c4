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

// stretches returns the whole seconds of each reported phase. For records without reported
// phases it returns the seconds of each phase that they name, without the last of each, in
// which the next phase may begin.
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

// Band is the mean of a figure over a phase of two single runs, with bounds by its variation
// from second to second. No verdict is based on it.
type Band struct {
	// Metric is a figure of all operations, by the second of their end.
	Metric string `json:"metric"`
	Phase  string `json:"phase"`
	A      Bounds `json:"a"`
	B      Bounds `json:"b"`
	Change Bounds `json:"change"`
	// Disjoint means that the bounds of A and B do not overlap. It is false if there is a Doubt.
	Disjoint bool `json:"apart"`
	// Seconds is the length of the shorter run's phase, Block the length of bootstrap blocks.
	Seconds int `json:"seconds"`
	Block   int `json:"block_seconds"`
	// Doubt is why the bounds are not reliable, or empty.
	Doubt string `json:"doubt"`

	unit unit
}

// Bounds are a mean and its interval, nil if the run is a single block.
type Bounds struct {
	Mean     float64     `json:"mean"`
	Interval *[2]float64 `json:"interval"`
}

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
		// The highest quantile that every second of both runs has.
		for _, q := range []struct {
			name string
			get  func(*results.Interval) *int64
		}{
			{responseP99, func(i *results.Interval) *int64 { return i.Response.P99 }},
			{"response_us.p90", func(i *results.Interval) *int64 { return i.Response.P90 }},
			{responseP50, func(i *results.Interval) *int64 { return i.Response.P50 }},
		} {
			before, after := was.values(q.get), is.values(q.get)
			if before != nil && after != nil {
				shown = append(shown, series{q.name, was.phase, micros, before, after})
				break
			}
		}
		for _, s := range shown {
			band, err := s.band()
			// A change from 0 has no bounds.
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

// values returns a figure of every second, nil if a second lacks it.
func (s stretch) values(get func(*results.Interval) *int64) []float64 {
	var list []float64
	for i := range s.seconds {
		value := get(&s.seconds[i])
		if value == nil {
			return nil
		}
		list = append(list, float64(*value))
	}
	return list
}

// band returns the band of a series, or [compare.ErrFigures].
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
	// If some blocks have a mean of 0 in A, the change has no bounds.
	if math.IsInf(change.High, 0) || math.IsNaN(change.High) || math.IsNaN(change.Low) || math.IsInf(change.Low, 0) {
		return nil, fmt.Errorf("%w: A is too small for a relative change", compare.ErrFigures)
	}
	single := change.Block >= change.Seconds
	return &Band{Metric: s.metric, Phase: s.phase, A: boundsOf(was, single), B: boundsOf(is, single), Change: boundsOf(change, single),
		Disjoint: change.Doubt == "" && (was.High < is.Low || is.High < was.Low),
		Seconds:  change.Seconds, Block: change.Block, Doubt: change.Doubt, unit: s.unit}, nil
}
