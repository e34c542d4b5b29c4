package chart_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/chart"
	"loadgen/results"
)

func hexAt(i image.Image, x, y int) string {
	r, g, b, _ := i.At(x, y).RGBA()
	return fmt.Sprintf("#%02X%02X%02X", r>>8, g>>8, b>>8)
}

// Each cell of the picture has the colours of its cell in the grid: at its top what was served, at its bottom what was
// throttled; in the SVG and, at the same place, in the PNG.
func TestHeatCellsHaveTheirColours(t *testing.T) {
	record := heated(t, stress(), 5, 1, 3)
	record.Heat.Rows[2].Served[9], record.Heat.Rows[2].Demanded[9] = 2600, 3000 // above the target
	record.Heat.Partitions = nil
	seen := drawChart(t, "heat", record)
	page, err := png.Decode(bytes.NewReader(file(t, figure(t, "heat", record), "png")))
	require.NoError(t, err)
	g := chart.ReportedGrid(record)
	rasters := seen.rasters()
	require.Len(t, rasters, 3, "pictures")
	cells := rasters[0]
	lines := cells.Bounds().Dy() / len(g.Rows)
	require.Equal(t, []int{g.Columns(), len(g.Rows) * lines}, []int{cells.Bounds().Dx(), cells.Bounds().Dy()})
	for i := range g.Rows {
		row := &g.Rows[i]
		for column, n := range row.Served {
			for _, line := range []int{0, lines - 1} {
				_, want := chart.Shade(float64(n), 2000, false, false)
				if row.Throttled[column] > 0 && (line > 0 || n == 0) {
					_, want = chart.Shade(float64(row.Demanded[column]-n), 500, true, false)
				}
				y := i*lines + line
				atX := int(2 * (cells.left + (float64(column)+[]float64{.05, .95}[(column+i)%2])*(cells.right-cells.left)/float64(g.Columns())))
				atY := int(2 * (seen.tall - cells.top + (float64(y)+.5)*(cells.top-cells.bottom)/float64(cells.Bounds().Dy())))
				if line > 0 {
					atY-- // a line of paper separates the rows
				}
				if svg, png := hexAt(cells, column, y), hexAt(page, atX, atY); svg != want || png != want {
					t.Errorf("row %d, column %d, line %d: %s in the SVG, %s in the PNG; want %s for %d", i, column, line, svg, png, want, n)
				}
			}
		}
	}
}

func TestHeatNamesItsData(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*results.Record)
		words  string
	}{
		{"keys and scale", func(*results.Record) {}, "key-0000|!no data"},
		{"the target", func(r *results.Record) { r.Heat.Rows[2].Served[9] = 2600 }, "2,000/s: partition target; "},
		{"a target that nothing comes near", func(r *results.Record) { r.Manifest.Targets.Partition = 1e6 }, "key-0000|!partition target"},
		{"another target", func(r *results.Record) { r.Manifest.Targets.Partition = 500 }, "500/s: partition target|!2,000/s: partition"},
		{"no target", func(r *results.Record) { r.Manifest.Targets.Partition = 0 }, "0|!target"},
		{"what a cell is", func(*results.Record) {}, "1 second"},
		{"others, counted", func(r *results.Record) { n := int64(1200); r.Heat.Partitions = &n }, "1,194 others, mean of each"},
		{"others, not counted", func(r *results.Record) { r.Heat.Partitions = nil }, "all others, not counted|!mean of each"},
		{"all have rows", func(*results.Record) {}, "not yet by partition|!others"},
		{"nowhere", func(*results.Record) {}, "no single partition"},
		{"what rows lack", func(r *results.Record) { r.Heat.MostMissed = 70 }, "may lack up to 70 entities"},
		{"failures", func(r *results.Record) { r.Heat.Rows[0].Failed[9] = 3 }, "3 failed attempts"},
		{"nothing throttled", func(r *results.Record) {
			r.Heat.Rest.Throttled, r.Heat.Nowhere.Throttled = nil, nil
			for i := range r.Heat.Rows {
				r.Heat.Rows[i].Throttled = nil
			}
		}, "nothing was throttled|!Throttled, attempts"},
		{"steps of the load", func(*results.Record) {}, "offered 500/s"},
		{"load balancing", func(r *results.Record) {
			r.Events = []results.Event{happened(4, results.RangeSplit), happened(4, results.RangeMoved)}
		}, "split, move"},
		{"load balancing twice within a short time", func(r *results.Record) {
			for _, second := range []float64{4, 4, 4, 4.5} {
				r.Events = append(r.Events, happened(second, results.RangeSplit), happened(second, results.RangeMoved))
			}
			r.Events = append(r.Events, happened(4.5, results.RangesMerged))
		}, "split, move, merge"},
		{"a table", func(r *results.Record) { r.Heat.Rows[0].Table = "copies" }, "key-0000 (table copies)"},
		{"an empty key", func(r *results.Record) { r.Heat.Rows[0].Key = "" }, "(empty)"},
		{"a long key keeps its ends", func(r *results.Record) { r.Heat.Rows[5].Key = strings.Repeat("x", 500) + "-the-end" }, "xxxx…xxxxxxxxx-the-end"},
		{"a key is a word", func(r *results.Record) { r.Heat.Rows[0].Key = "<i>\x1b\x00" }, "<i>??"},
	} {
		record := heated(t, stress(), 6, 1, 9)
		row.change(record)
		seen := drawChart(t, "heat", record)
		seen.checkWords(t, row.name, row.words)
	}
}

// Preparation sets no scale and takes no room: neither its seconds nor partitions that had
// load in them alone.
func TestHeatIsOfReportedPhases(t *testing.T) {
	record := heated(t, stress(), 3, 1, 1)
	begin := record.Phases[slices.IndexFunc(record.Phases, func(p results.Phase) bool { return p.Reported })].Begin
	whole, g := chart.HeatGrid(record), chart.ReportedGrid(record)
	assert.Truef(t, g.Begin() == int64(begin.Seconds()) && g.Begin() != 0 && g.Columns() < whole.Columns(),
		"drawn are %d columns from second %d on; want those from %v on, of %d", g.Columns(), g.Begin(), begin, whole.Columns())
	for column := range record.Heat.Rows[0].Served {
		if int64(column) >= g.Begin() {
			record.Heat.Rows[0].Served[column], record.Heat.Rows[0].Throttled[column] = 0, 0
		}
	}
	record.Heat.Rows[0].Served[0] = 1e6
	assert.Len(t, chart.ReportedGrid(record).Rows, len(g.Rows)-1, "rows are drawn")
}

func TestNamesOfRowsDiffer(t *testing.T) {
	const race = "2011 New York City Marathon by the clock__"
	for _, row := range []struct {
		name       string
		keys, want []string
	}{
		{"short ones are whole", []string{"a", "b"}, []string{"a", "b"}},
		{"one alone keeps its ends", []string{race + "Full"}, []string{"2011 New York City…y the clock__Full"}},
		{"what all begin with goes", []string{race + "Full", race + "Half"}, []string{"…k__Full", "…k__Half"}},
		{"what all end with is short", []string{"a" + race, "b" + race}, []string{"a2011 New York Cit…on by the clock__", "b2011 New York Cit…on by the clock__"}},
		{"no key at all", []string{""}, []string{"(empty)"}},
	} {
		assert.Equal(t, row.want, chart.RowNames(row.keys...), row.name)
	}
}

// Of many rows some are named, the hottest among them, wherever it is.
func TestHeatNamesTheHottestRow(t *testing.T) {
	for hottest := 0; hottest < 100; hottest += 33 {
		h := &results.Heat{SecondsPerColumn: 1, Columns: 1}
		for i := range 100 {
			n := int64(10)
			if i == hottest {
				n = 1500
			}
			h.Rows = append(h.Rows, results.HeatRow{Key: fmt.Sprintf("key-%03d", i), HeatCells: results.HeatCells{Served: []int64{n}}})
		}
		seen := drawChart(t, "heat", heatOf(h))
		named := 0
		for _, w := range seen.texts {
			if strings.HasPrefix(w.text, "key-") {
				named++
			}
		}
		require.Truef(t, seen.says(fmt.Sprintf("key-%03d", hottest)) && named >= 15 && named <= 25,
			"of 100 rows %d are named; want some twenty, among them the hottest, %d", named, hottest)
	}
}

// A row of many partitions together is not held against the target of one: it is drawn as
// their mean, or in greys.
func TestHeatScalesSeveralPartitionsByMean(t *testing.T) {
	h := &results.Heat{SecondsPerColumn: 1, Columns: 2, Rows: []results.HeatRow{{Key: "a", HeatCells: results.HeatCells{Served: []int64{1000, 0}}}},
		Rest: results.HeatCells{Served: []int64{50_000, 0}}}
	n := int64(101)
	h.Partitions = &n
	_, mean := chart.Shade(500, 2000, false, false)
	seen := drawChart(t, "heat", heatOf(h))
	assert.Equal(t, mean, hexAt(seen.rasters()[1], 0, 0), "100 others with 500/s each")
	h.Partitions = nil
	seen = drawChart(t, "heat", heatOf(h))
	assert.Equal(t, greyest(), hexAt(seen.rasters()[1], 0, 0), "an unknown number of others")
}

// greyest is the last colour of the scale of what stands apart.
func greyest() string {
	within, _ := chart.Scales()
	c := within["aside"][len(within["aside"])-1]
	return fmt.Sprintf("#%02X%02X%02X", c[0], c[1], c[2])
}

// An SVG of the greatest map stays small, even where all of it is noise and a fifth of the
// partitions refuse at random.
func TestHeatStaysSmall(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	h := &results.Heat{SecondsPerColumn: 1, Columns: 240}
	for i := range 100 {
		row := results.HeatRow{Key: fmt.Sprintf("key-%03d", i)}
		for range h.Columns {
			row.Served = append(row.Served, rng.Int64N(2500))
			row.Throttled = append(row.Throttled, int64(max(0, 20-i))*rng.Int64N(100))
		}
		h.Rows = append(h.Rows, row)
	}
	noise := file(t, figure(t, "heat", heatOf(h)), "svg")
	assert.LessOrEqual(t, len(noise), 60_000, "bytes of an SVG of noise")
}
