package compare_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/compare"
	"loadgen/results"
)

// histogram records durations in microseconds that a function draws.
func histogram(n int, draw func(i int) float64) []results.Bar {
	h := results.NewHistogram()
	for i := range n {
		h.Record(time.Duration(draw(i) * float64(time.Microsecond)))
	}
	return h.Bars()
}

// spread is a distribution between 1 ms and about 11 ms, with the i-th of n at its
// quantile, whose durations beyond the q-th quantile are longer by a factor.
func spread(n int, q, beyond float64) func(i int) float64 {
	return func(i int) float64 {
		at := (float64(i) + 0.5) / float64(n)
		micros := 1000 + 2000*-math.Log1p(-at)
		if at > q {
			micros *= beyond
		}
		return micros
	}
}

func TestShapeInWords(t *testing.T) {
	const n = 20_000
	before := histogram(n, spread(n, 0, 1))
	for _, row := range []struct {
		name string
		is   []results.Bar
		want string
	}{
		{"the same", before, "same"},
		{"all of it slower", histogram(n, spread(n, 0, 1.25)), "whole distribution changed by about +25.0 %"},
		{"all of it faster", histogram(n, spread(n, 0, 0.5)), "whole distribution changed by about −50.0 %"},
		{"the tail alone", histogram(n, spread(n, 0.9, 3)), "tail changed: p99.9 by +200.1 %"},
		{"the body alone", histogram(n, func(i int) float64 {
			if micros := spread(n, 0, 1)(i); i > n*95/100 {
				return micros
			}
			return spread(n, 0, 2)(i)
		}), "body changed: the median by +100.0 %"},
		{"both, and not alike", histogram(n, func(i int) float64 { return 1.2 * spread(n, 0.8, 2)(i) }),
			"median by +19.9 %, p99.9 by +140.1 %"},
		{"a hole above the median", histogram(n, func(i int) float64 {
			micros := spread(n, 0, 1)(i)
			if i > n*55/100 && i < n*75/100 {
				return 4000
			}
			return micros
		}), "20.0 % of the durations crossed 3.78 ms"},
		{"too few for a tail", histogram(25, spread(25, 0, 2)), "median changed by +100.0 %"},
		{"too few for a tail, and the same", histogram(25, spread(25, 0, 1)), "median stayed; the tail"},
		{"too few for anything", histogram(19, spread(19, 0, 1)), "Too few"},
	} {
		shape, err := compare.ShapeOf(before, row.is)
		assert.Truef(t, err == nil && strings.Contains(shape.Sentence, row.want),
			"%s: ShapeOf = %q, %v; want %q", row.name, shape.Sentence, err, row.want)
	}
}

// slowShape measures the distances duration by duration.
func slowShape(was, is []int64) (distance, shift float64) {
	all := append(slices.Clone(was), is...)
	slices.Sort(all)
	share := func(values []int64, end int64) float64 {
		below := 0
		for _, value := range values {
			if value <= end {
				below++
			}
		}
		return float64(below) / float64(len(values))
	}
	for i, end := range all {
		apart := math.Abs(share(was, end) - share(is, end))
		distance = math.Max(distance, apart)
		if i+1 < len(all) {
			shift += apart * float64(all[i+1]-end)
		}
	}
	return distance, shift
}

func TestShapeEqualsItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	draw := func(n int) []int64 {
		values := make([]int64, n)
		for i := range values {
			values[i] = rng.Int64N(1 << (1 + rng.IntN(10)))
		}
		slices.Sort(values)
		return values
	}
	bars := func(values []int64) (all []results.Bar) {
		for _, value := range values {
			if last := len(all) - 1; last >= 0 && all[last].To == value {
				all[last].Count++
				continue
			}
			all = append(all, results.Bar{From: value, To: value, Count: 1})
		}
		return all
	}
	for range 200 {
		was, is := draw(1+rng.IntN(60)), draw(1+rng.IntN(60))
		shape, err := compare.ShapeOf(bars(was), bars(is))
		distance, shift := slowShape(was, is)
		if err != nil || math.Abs(shape.Distance-distance) > 1e-12 || math.Abs(shape.ShiftMicros-shift) > 1e-9*math.Max(1, shift) {
			t.Fatalf("ShapeOf(%v, %v) = %v, %v, %v; want %v, %v", was, is, shape.Distance, shape.ShiftMicros, err, distance, shift)
		}
		back, _ := compare.ShapeOf(bars(is), bars(was))
		require.Truef(t, back.Distance == shape.Distance && back.AtMicros == shape.AtMicros && back.ShiftMicros == shape.ShiftMicros,
			"ShapeOf the other way = %+v; want the distances of %+v", back, shape)
	}
}

func TestShapeOfOneBarEach(t *testing.T) {
	shape, err := compare.ShapeOf([]results.Bar{{From: 0, To: 0, Count: 100}}, []results.Bar{{From: 7, To: 9, Count: 50}})
	assert.Truef(t, err == nil && shape.Distance == 1 && shape.AtMicros == 0 && shape.ShiftMicros == 9 && shape.Was == 100 && shape.Is == 50,
		"ShapeOf 0 and 9 µs = %+v, %v; want all of it 9 µs away", shape, err)
	assert.Truef(t, len(shape.Quantiles) == 1 && math.IsInf(shape.Quantiles[0].Change, 1),
		"ShapeOf 0 and 9 µs: quantiles %v; want the median alone, from nothing", shape.Quantiles)
}

func TestQuantilesAreThoseOfTheRecord(t *testing.T) {
	const n = 20_000
	h := results.NewHistogram()
	for i := range n {
		h.Record(time.Duration(spread(n, 0, 1)(i) * float64(time.Microsecond)))
	}
	shape, err := compare.ShapeOf(h.Bars(), h.Bars())
	require.Truef(t, err == nil && len(shape.Quantiles) == 4, "ShapeOf = %+v, %v; want four quantiles", shape, err)
	for _, shift := range shape.Quantiles {
		if want, told := h.Quantile(shift.Quantile); !told || shift.WasMicros != want || shift.IsMicros != want {
			t.Errorf("quantile %v = %d, %d; want %d, as the record tells it", shift.Quantile, shift.WasMicros, shift.IsMicros, want)
		}
	}
}

func TestBarsThatAreNoHistogram(t *testing.T) {
	good := []results.Bar{{From: 1, To: 2, Count: 3}}
	for _, row := range []struct {
		name string
		bars []results.Bar
	}{
		{"none", nil},
		{"an empty bar", []results.Bar{{From: 1, To: 2}}},
		{"a negative count", []results.Bar{{From: 1, To: 2, Count: -1}}},
		{"turned round", []results.Bar{{From: 2, To: 1, Count: 1}}},
		{"below nothing", []results.Bar{{From: -1, To: 1, Count: 1}}},
		{"out of order", []results.Bar{{From: 5, To: 6, Count: 1}, {From: 1, To: 2, Count: 1}}},
		{"overlapping", []results.Bar{{From: 1, To: 5, Count: 1}, {From: 5, To: 6, Count: 1}}},
		{"too many to count", []results.Bar{{From: 1, To: 1, Count: math.MaxInt64}, {From: 2, To: 2, Count: 1}}},
	} {
		for _, sides := range [][2][]results.Bar{{row.bars, good}, {good, row.bars}} {
			if _, err := compare.ShapeOf(sides[0], sides[1]); !errors.Is(err, compare.ErrFigures) {
				t.Errorf("%s: ShapeOf(%v, %v): %v; want ErrFigures", row.name, sides[0], sides[1], err)
			}
		}
	}
}
