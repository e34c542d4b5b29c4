package chart_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/chart"
	"loadgen/results"
)

// heated returns the record with a heat whose cells are what its seconds count, dealt out
// at random among so many partitions, the rest and nowhere.
func heated(t testing.TB, of *results.Record, partitions int, secondsPerColumn int64, seed uint64) *results.Record {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 11))
	record := *of
	var last int64
	for i := range record.Intervals {
		last = max(last, record.Intervals[i].Second)
	}
	h := &results.Heat{SecondsPerColumn: secondsPerColumn, Columns: int(last/secondsPerColumn) + 1, Rows: make([]results.HeatRow, partitions)}
	cells := []*results.HeatCells{&h.Rest, &h.Nowhere}
	for i := range h.Rows {
		h.Rows[i].Key = fmt.Sprintf("key-%04d", i)
		cells = append(cells, &h.Rows[i].HeatCells)
	}
	for _, c := range cells {
		for _, layer := range []*[]int64{&c.Served, &c.Throttled, &c.Failed, &c.Demanded} {
			*layer = make([]int64, h.Columns)
		}
	}
	for i := range record.Intervals {
		second := &record.Intervals[i]
		column := int(second.Second / secondsPerColumn)
		deal := func(n int64, layers ...func(*results.HeatCells) []int64) {
			for range n {
				c := cells[rng.IntN(len(cells))]
				for _, layer := range layers {
					layer(c)[column]++
				}
			}
		}
		demanded := func(c *results.HeatCells) []int64 { return c.Demanded }
		deal(second.Served, func(c *results.HeatCells) []int64 { return c.Served }, demanded)
		deal(second.Throttled, func(c *results.HeatCells) []int64 { return c.Throttled }, demanded)
		deal(second.Failed, func(c *results.HeatCells) []int64 { return c.Failed })
	}
	all := int64(partitions)
	h.Partitions = &all
	record.Heat = h
	return &record
}

// Must show of issue 9: the cells sum to the report's totals exactly, which are counted in
// another way, by kinds and phases.
func TestHeatGridSumsToTheTotals(t *testing.T) {
	total := stress().Total(results.Everything)
	require.True(t, total.Served != 0 && total.Throttled != 0, "the record has nothing to sum")
	for _, row := range []struct {
		name       string
		partitions int
		seconds    int64
		rows       int
	}{
		{"one partition by the second", 1, 1, 1},
		{"twenty by two seconds", 20, 2, 20},
		{"all in one column", 7, 1000, 7},
		{"none told apart", 0, 1, 0},
		{"more partitions than are drawn", 300, 1, chart.MaxRows},
	} {
		record := heated(t, stress(), row.partitions, row.seconds, 5)
		g := chart.HeatGrid(record)
		all := g.Totals()
		assert.Equal(t, []int64{total.Served, total.Throttled, total.Failed}, []int64{all.Served, all.Throttled, all.Failed}, row.name)
		assert.Truef(t, len(g.Rows) == row.rows && g.Others == int64(row.partitions-row.rows),
			"%s: %d rows and %d others; want %d and %d", row.name, len(g.Rows), g.Others, row.rows, row.partitions-row.rows)
		for column := range g.Columns() {
			var sum int64
			for i := range g.Rows {
				sum += g.Rows[i].Served[column]
			}
			sum += g.Rest.Served[column] + g.Nowhere.Served[column]
			var want int64
			for i := range record.Intervals {
				if second := &record.Intervals[i]; second.Second/row.seconds == int64(column) {
					want += second.Served
				}
			}
			assert.Equalf(t, want, sum, "%s: the sum of column %d", row.name, column)
		}
	}
}

// heatOf is a record with nothing but heat.
func heatOf(h *results.Heat) *results.Record {
	return &results.Record{Manifest: manifest(2000), Heat: h}
}

func TestHeatGridLimitsRows(t *testing.T) {
	h := &results.Heat{SecondsPerColumn: 1, Columns: 1}
	for i := range chart.MaxRows + 40 {
		// Every fourth has less than all others.
		n := int64(100)
		if i%4 == 0 {
			n = 1
		}
		h.Rows = append(h.Rows, results.HeatRow{Table: []string{"b", ""}[i%2], Key: fmt.Sprintf("%03d", 999-i), HeatCells: results.HeatCells{Served: []int64{n}}})
	}
	g := chart.HeatGrid(heatOf(h))
	for i := range g.Rows {
		if g.Rows[i].Served[0] != 100 {
			t.Errorf("row %q is drawn, which has less than another that is not", g.Rows[i].Key)
		}
		if i > 0 && (g.Rows[i].Table < g.Rows[i-1].Table || g.Rows[i].Table == g.Rows[i-1].Table && g.Rows[i].Key < g.Rows[i-1].Key) {
			t.Errorf("row %q %q comes after %q %q", g.Rows[i].Table, g.Rows[i].Key, g.Rows[i-1].Table, g.Rows[i-1].Key)
		}
	}
	assert.Truef(t, len(g.Rows) == chart.MaxRows && g.Rest.Served[0] == 40,
		"%d rows and %v of others; want %d and 40", len(g.Rows), g.Rest.Served, chart.MaxRows)
}

// A row that has no more than any row may lack was told apart by chance: beside it there
// may be others with as much that were not.
func TestHeatGridOmitsRowsBelowMaxMissed(t *testing.T) {
	cells := func(served, throttled, demanded int64) results.HeatCells {
		return results.HeatCells{Served: []int64{served, 0}, Throttled: []int64{0, throttled}, Demanded: []int64{demanded, 0}}
	}
	h := &results.Heat{SecondsPerColumn: 1, Columns: 2, MostMissed: 20, Rest: cells(1000, 100, 1100),
		Rows: []results.HeatRow{{Key: "as little", HeatCells: cells(15, 5, 20)}, {Key: "less", HeatCells: cells(3, 0, 3)}, {Key: "more", HeatCells: cells(15, 1, 21)}}}
	g := chart.HeatGrid(heatOf(h))
	assert.Truef(t, len(g.Rows) == 1 && g.Rows[0].Key == "more" && g.Rest.Served[0] == 1018 && g.Rest.Throttled[1] == 105 && g.Rest.Demanded[0] == 1123,
		"rows %+v, rest %+v; want the row with more than 20 alone, and the sums of the others in the rest", g.Rows, g.Rest)
	h.Rows = h.Rows[:2]
	seen := drawChart(t, "heat", heatOf(h))
	seen.checkWords(t, "no row is left", "all partitions together|1,018/s|!less|!partition target")
}

// Whatever a record says of heat, the cells keep its sums and there is a picture.
func FuzzHeat(f *testing.F) {
	seed, err := json.Marshal(heated(f, stress(), 3, 2, 1).Heat)
	require.NoError(f, err)
	f.Add(seed)
	f.Add([]byte(`{"seconds_per_column":9,"columns":2,"rows":[{"key":"<b>\u0000","served_entities":[1,9223372036854775807],"throttled":[1,0]}],"rest":{"failed":[1,0]},"partitions":-5,"most_missed":-1}`))
	f.Add([]byte(`{"seconds_per_column":9223372036854775807,"columns":3,"nowhere":{"throttled":[0,5,0]},"rows":[{},{}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		h := new(results.Heat)
		if json.Unmarshal(text, h) != nil {
			return
		}
		// What results.Read accepts.
		valid := h.SecondsPerColumn > 0 && h.Columns >= 0 && h.Columns <= results.MaxColumns
		var sums [4]int64
		add := func(c *results.HeatCells) {
			for i, layer := range [][]int64{c.Served, c.Throttled, c.Failed, c.Demanded} {
				valid = valid && (layer == nil || len(layer) == h.Columns)
				for _, n := range layer {
					sums[i] += n
					valid = valid && n >= 0
				}
			}
		}
		add(&h.Rest)
		add(&h.Nowhere)
		for i := range h.Rows {
			add(&h.Rows[i].HeatCells)
		}
		if !valid {
			return
		}
		record := heatOf(h)
		g := chart.HeatGrid(record)
		all := g.Totals()
		assert.Equal(t, sums[:3], []int64{all.Served, all.Throttled, all.Failed}, "the sums of the cells")
		if slices.Contains(shown(record), "heat") {
			drawChart(t, "heat", record)
		}
		file(t, chart.Contest([]chart.HeatArm{{Name: "a", Record: record}})[0], "svg")
	})
}
