package chart_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/chart"
	"loadgen/results"
)

// arm is a design whose partitions were each asked for and served so much a second.
func arm(name string, seconds int, loads ...[2]int64) chart.HeatArm {
	h := &results.Heat{SecondsPerColumn: 1, Columns: seconds}
	for i, load := range loads {
		row := results.HeatRow{Key: fmt.Sprintf("%s-%02d", name, i)}
		for range seconds {
			row.Demanded = append(row.Demanded, load[0])
			row.Served = append(row.Served, load[1])
			row.Throttled = append(row.Throttled, load[0]-load[1])
		}
		h.Rows = append(h.Rows, row)
	}
	n := int64(len(loads))
	h.Partitions = &n
	record := heatOf(h)
	return chart.HeatArm{Name: name, Keys: "PartitionKey {" + name + "}", Says: "what " + name + " came to", Record: record}
}

// contest returns what the picture of a contest shows.
func contest(t *testing.T, arms ...chart.HeatArm) picture {
	t.Helper()
	seen := look(t, file(t, chart.Contest(arms)[0], "svg"))
	seen.checkTexts(t, "contest")
	return seen
}

// rows returns the pictures of cells, without the ground below them.
func rows(p *picture) []picturedCells {
	return slices.DeleteFunc(p.rasters(), func(i picturedCells) bool { return i.Bounds().Dx() == 1 && i.Bounds().Dy() == 1 })
}

// orange reports whether a cell shows something that was throttled.
func orange(cells picturedCells, x, y int) bool {
	r, _, b, _ := cells.At(x, y).RGBA()
	return r > b+b/20
}

// Whatever the design, the same load has the same colour, a second the same place, and
// what was throttled the same share of a cell's height.
func TestContestUsesOneScale(t *testing.T) {
	buckets := slices.Repeat([][2]int64{{250, 250}}, 16)
	seen := contest(t, arm("hour", 60, [2]int64{4000, 2000}), arm("buckets", 60, buckets...), arm("short", 30, [2]int64{250, 250}, [2]int64{0, 0}))
	assert.True(t, len(rows(&seen)) <= 1 || rows(&seen)[2].Bounds().Dy() == rows(&seen)[0].Bounds().Dy(),
		"a partition that was idle has a row")
	rasters := rows(&seen)
	require.Lenf(t, rasters, 3, "%d pictures of three designs", len(rasters))
	if long, short := rasters[0].right-rasters[0].left, rasters[2].right-rasters[2].left; math.Abs(long-2*short) > 1 || rasters[0].left != rasters[2].left {
		t.Errorf("60 s are %v wide and 30 s %v; want half", long, short)
	}
	if a, b := hexAt(rasters[1], 0, 0), hexAt(rasters[2], 0, 0); a != b {
		t.Errorf("250/s are %s in one design and %s in another", a, b)
	}
	_, want := chart.Shade(250, 2000, false, false)
	assert.Truef(t, hexAt(rasters[1], 0, 0) == want, "250/s are %s", hexAt(rasters[1], 0, 0))
	throttled := func(cells picturedCells) float64 {
		n := 0
		for line := range cells.Bounds().Dy() {
			if orange(cells, 5, line) {
				n++
			}
		}
		return float64(n) / float64(cells.Bounds().Dy())
	}
	for i, want := range []float64{.5, 0, 0} {
		assert.InDelta(t, want, throttled(rasters[i]), .03)
	}
	if lines := rasters[0].Bounds().Dy(); hexAt(rasters[0], 5, lines-1) != "#D55E00" || hexAt(rasters[0], 5, 0) != "#0072B2" {
		t.Error("what was throttled does not fill the cell from below")
	}
	seen.checkWords(t, "contest", "hour|buckets|PartitionKey {hour}|what buckets came to|partition target|throttled|hour-00|scenario stress")
}

// A refusal is seen however few there were, and shares are of entities where the record
// has them, of attempts where not.
func TestContestFillsTheThrottledShare(t *testing.T) {
	for _, row := range []struct {
		name                        string
		demanded, served, throttled int64
		share                       float64
	}{
		{"one of a million", 1_000_000, 999_999, 1, 1. / 24},
		{"a batch of a hundred throttled beside one served", 101, 1, 1, 1},
		{"all", 500, 0, 500, 1},
		{"attempts, where demand is not told", 0, 30, 10, .25},
		{"a demand below what was served", 10, 30, 10, .25},
		{"nothing", 20, 20, 0, 0},
	} {
		a := arm("x", 1, [2]int64{1, 1})
		cells := &a.Record.Heat.Rows[0].HeatCells
		cells.Demanded[0], cells.Served[0], cells.Throttled[0] = row.demanded, row.served, row.throttled
		seen := contest(t, a)
		raster := rows(&seen)[0]
		filled := 0
		for line := range raster.Bounds().Dy() {
			if orange(raster, 0, line) {
				filled++
			}
		}
		assert.InDelta(t, row.share, float64(filled)/float64(raster.Bounds().Dy()), .022, row.name)
	}
}

func TestContestFiles(t *testing.T) {
	hostile := arm("../<b>\x00A b", 2, [2]int64{1, 1})
	hostile.Keys, hostile.Says = strings.Repeat("key ", 500), "<script>\x1b"
	bare := chart.HeatArm{Record: &results.Record{}}
	folder := new(results.Memory)
	names, err := chart.Save(folder, chart.Contest([]chart.HeatArm{hostile, bare, hostile})...)
	want := []string{"heat", "heat-----b--a-b", "heat-design", "heat-----b--a-b-2"}
	for i, name := range []string{".png", ".svg"} {
		for n := range want {
			require.Truef(t, err == nil && len(names) == 8 && names[2*n+i] == want[n]+name && len(folder.Bytes(names[2*n+i])) != 0,
				"Save() = %q, %v; want %q, each as PNG and SVG", names, err, want)
		}
	}
	seen := look(t, folder.Bytes("heat.svg"))
	seen.checkTexts(t, "contest")
	assert.True(t, seen.says("<script>?") && seen.says("no data"),
		"the picture does not show a hostile word as a word, or a record without heat as one")
	_, err = chart.Save(&full{room: 3}, chart.Contest([]chart.HeatArm{hostile})...)
	assert.ErrorIs(t, err, results.ErrWrite, "on a full disk")
	seen = contest(t)
	assert.True(t, seen.says("no data: no design"), "a contest of nobody does not say so")
}

func TestContestOfManyDesigns(t *testing.T) {
	many := arm("many", 3, slices.Repeat([][2]int64{{5, 5}}, chart.MaxContestRows+70)...)
	arms := slices.Repeat([]chart.HeatArm{many}, chart.MaxArms)
	seen := contest(t, arms...)
	assert.Len(t, rows(&seen), 2*chart.MaxArms, "pictures")
	assert.True(t, seen.says("70 others, mean of each"), "the picture does not say what it leaves out")
	moved := arm("moved", 60, [2]int64{2000, 1000})
	moved.Record.Events = []results.Event{happened(20, results.RangeSplit), happened(20, results.RangeMoved)}
	if seen := contest(t, moved, many); !seen.says("split, move") || !seen.says("load balancing") {
		t.Error("the picture does not mark what load balancing did")
	}
}
