package chart_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/report/chart"
	"loadgen/results"
)

// spells is a record of so many seconds of a reported phase, with response times in a few
// buckets, and of as many seconds of preparation.
func spells(first, seconds int64, buckets ...int) *results.Record {
	rng := rand.New(rand.NewPCG(uint64(seconds), 4))
	record := &results.Record{Manifest: manifest(2000), Phases: []results.Phase{{Name: "step", Reported: true}, {Name: "load"}}}
	for i := range seconds {
		second := results.Interval{Second: first + i, Phase: "step"}
		for _, bucket := range buckets {
			second.ResponseBuckets[bucket] = 1 + rng.Int64N(1000)
		}
		other := results.Interval{Second: i, Phase: "load"}
		other.ResponseBuckets[3] = 1e6
		record.Intervals = append(record.Intervals, second, other)
	}
	return record
}

func TestResponseHeatSumsToTheSeconds(t *testing.T) {
	apart := spells(0, 2, 8)
	apart.Intervals[0].Second, apart.Intervals[2].Second = math.MinInt64, math.MaxInt64
	for _, row := range []struct {
		name            string
		record          *results.Record
		columns         int
		seconds         int64
		lowest, highest int
	}{
		{"seconds in which nothing succeeded", spells(0, 4), 4, 1, results.Buckets, -1},
		{"a second", spells(7, 1, 20), 1, 1, 20, 20},
		{"all buckets", spells(0, 10, 0, results.Buckets-1), 10, 1, 0, results.Buckets - 1},
		{"as many as there are columns", spells(5, chart.MaxMoments, 12, 14), chart.MaxMoments, 1, 12, 14},
		{"one more", spells(5, chart.MaxMoments+1, 12, 14), 121, 2, 12, 14},
		{"an hour", spells(0, 3600, 12), 240, 15, 12, 12},
		{"a real record", stress(), 8, 1, 18, 33},
		{"seconds as far apart as can be", apart, 1, 1, 8, 8},
	} {
		g := chart.ResponseHeat(row.record)
		assert.Equal(t, []int{row.columns, row.lowest, row.highest}, []int{g.Columns(), g.Lowest, g.Highest}, row.name)
		assert.Equal(t, row.seconds, g.SecondsPerColumn(), row.name)
		var want, got int64
		for i := range row.record.Intervals {
			second := &row.record.Intervals[i]
			if slices.ContainsFunc(row.record.Phases, func(p results.Phase) bool { return p.Reported && p.Name == second.Phase }) {
				for _, n := range second.ResponseBuckets {
					want += n
				}
			}
		}
		for _, line := range g.Counts {
			for _, n := range line {
				got += n
			}
		}
		assert.Equal(t, want, got, row.name)
	}
}

// In the picture a bucket lies where its bounds are on the axis, which its ticks tell.
func TestResponseBucketsAreAtTheirTimes(t *testing.T) {
	for _, axis := range []chart.Axis{"", chart.Linear, chart.Logarithmic} {
		record := spells(3, 2, 19, 20, 23) // 768 µs, 1.024 ms and 3.072 ms on
		for i := range record.Intervals {
			record.Intervals[i].ResponseBuckets[20] = 0
		}
		seen := drawChart(t, "response", record, axis)
		height := func(label string) float64 {
			for _, w := range seen.texts {
				if w.text == label {
					return (w.bottom+w.top)/2 - .6 // a label's middle lies a little above its tick
				}
			}
			t.Fatalf("%q axis: no tick says %q", axis, label)
			return 0
		}
		one, two := height("1 ms"), height("2 ms")
		where := func(ms float64) float64 {
			if axis == chart.Linear {
				return one + (two-one)*(ms-1)
			}
			return one + (two-one)*math.Log2(ms)
		}
		for _, row := range []struct {
			ms    float64
			drawn bool
		}{{.8, true}, {.95, true}, {1.1, false}, {2, false}, {2.9, false}, {3.3, true}, {3.9, true}} {
			drawn := slices.ContainsFunc(seen.images, func(cells picturedCells) bool {
				return cells.bottom < where(row.ms) && where(row.ms) < cells.top && cells.Bounds().Dx() == 2 && hexAt(cells, 1, 0) != "#FDFDFD"
			})
			assert.Equalf(t, row.drawn, drawn, "%q axis: something at %v ms", axis, row.ms)
		}
	}
}

func TestPercentilesOfManyOperations(t *testing.T) {
	record := *stress()
	record.Manifest.Operations = nil
	record.Phases = []results.Phase{{Name: "p", Reported: true}}
	for k := range chart.MaxCurves + 3 {
		record.Manifest.Operations = append(record.Manifest.Operations, results.Kind{Name: fmt.Sprintf("operation-%d", k), Group: []string{"GET", "PUT", ""}[k%3]})
		record.Phases[0].Kinds = append(record.Phases[0].Kinds, stress().Phases[3].Kinds[0])
	}
	seen := drawChart(t, "percentiles", &record, chart.Linear)
	assert.True(t, seen.says("3 more not drawn") && seen.says("operation-0: ") && !seen.says(fmt.Sprintf("operation-%d", chart.MaxCurves)),
		"the picture does not say that it leaves out the last three of nine equal operations")
}
