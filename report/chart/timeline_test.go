package chart_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/report/chart"
	"loadgen/results"
)

// busySeconds is a record whose reported phase has load in these seconds.
func busySeconds(seconds ...int64) *results.Record {
	record := &results.Record{Manifest: manifest(2000), Phases: []results.Phase{{Name: "step", End: 12 * time.Hour, Reported: true}},
		Capture: new(results.Capture)}
	for _, at := range seconds {
		row := results.Interval{Second: at, Phase: "step", Counts: results.Counts{Scheduled: 9, Operations: 9, Attempts: 10, Served: 9, Throttled: 1}}
		row.ResponseBuckets[12] = 9
		record.Intervals = append(record.Intervals, row)
	}
	return record
}

// between returns the seconds from one up to another.
func between(from, to int64) (seconds []int64) {
	for at := from; at < to; at++ {
		seconds = append(seconds, at)
	}
	return seconds
}

func TestTimeAxesLeaveOutIdleTime(t *testing.T) {
	const hour = 3600
	waiting := busySeconds(slices.Concat(between(0, 60), between(hour, hour+60))...)
	for at := int64(60); at < hour; at++ {
		waiting.Intervals = append(waiting.Intervals, results.Interval{Second: at, Phase: "step", InFlight: 1})
	}
	slices.SortFunc(waiting.Intervals, func(a, b results.Interval) int { return int(a.Second - b.Second) })
	lost := busySeconds(slices.Concat(between(0, 60), between(hour, hour+60))...)
	lost.Capture = nil
	var scattered []int64
	for at := int64(0); at < 10*hour; at += 40 {
		scattered = append(scattered, at)
	}
	for _, row := range []struct {
		name   string
		record *results.Record
		words  string
	}{
		{"two bursts", busySeconds(slices.Concat(between(0, 60), between(3*hour, 3*hour+60))...), "// 2 h 59 min idle, not shown|>0:00:00<|>3:00:00<"},
		{"three bursts", busySeconds(slices.Concat(between(0, 60), between(hour, hour+60), between(5*hour, 5*hour+60))...), "// 4 h 58 min|>1:00:00<|>5:00:00<"},
		{"a short pause", busySeconds(slices.Concat(between(0, 60), between(80, 140))...), "!not shown|>60 s<"},
		{"a pause that is a small part", busySeconds(slices.Concat(between(0, 3600), between(3640, 7200))...), "!not shown|>60 min<"},
		{"seconds that the record lost", lost, "!not shown"},
		{"requests in flight", waiting, "!not shown"},
		{"scattered requests", busySeconds(scattered...), "!not shown|>8 h<"},
	} {
		for _, name := range []string{"throttle", "response"} {
			seen := drawChart(t, name, row.record)
			for i := range seen.texts {
				seen.texts[i].text = ">" + seen.texts[i].text + "<"
			}
			seen.checkWords(t, row.name+", "+name, row.words)
		}
	}
}

// A second has the same width in every stretch, and no sum is lost.
func TestBreaksKeepTheData(t *testing.T) {
	record := busySeconds(slices.Concat(between(0, 30), between(9000, 9020), between(20000, 20005))...)
	seen := drawChart(t, "throttle", record)
	boxes := seen.rectangles("#0072B2")
	assert.Len(t, boxes, 55)
	for _, b := range boxes {
		assert.InDelta(t, boxes[0].right-boxes[0].left, b.right-b.left, 1)
	}
	g := chart.ResponseHeat(record)
	assert.Equal(t, 55, g.Columns())
	assert.Equal(t, slices.Repeat([]int64{9}, 55), g.Counts[12])
	assert.Equal(t, 402, len(chart.ThrottleBars(busySeconds(slices.Concat(between(0, 601), between(9000, 9601))...))), "bars of three seconds, none in both stretches")
}

// What the generator dropped or sent late has a colour and words of its own.
func TestGeneratorLossIsNotThatOfTheTarget(t *testing.T) {
	const generator, lost = "#9C755F", "#E69F00"
	record := *stress()
	record.Intervals, record.Phases = slices.Clone(record.Intervals), slices.Clone(record.Phases)
	var dropped []float64
	for i := range record.Intervals {
		if row := &record.Intervals[i]; row.Second >= 5 && row.Second < 9 {
			row.Dropped, row.Late = row.Scheduled/4, row.Scheduled/8
			dropped = append(dropped, float64(row.Dropped+row.Late))
		}
	}
	top := &record.Phases[8]
	top.Kinds = slices.Clone(top.Kinds)
	for k := range top.Kinds {
		due := top.Kinds[k].LastHalf.Scheduled
		top.Kinds[k].LastHalf.Sent, top.Kinds[k].Dropped = due-due/2, due
	}
	throttle, steps := drawChart(t, "throttle", &record), drawChart(t, "steps", &record)
	checkHeights(t, "dropped and late", throttle.rectangles(generator), dropped)
	throttle.checkWords(t, "throttle", "dropped 2,|late 1,")
	steps.checkWords(t, "steps", "dropped by the generator|50.0% dropped|not served|% lost")
	plain := drawChart(t, "throttle", stress())
	assert.Empty(t, plain.rectangles(generator), "a generator on time")
	plain.checkWords(t, "throttle", "!generator")
}

func TestHeatOfOnePartitionIsNotShown(t *testing.T) {
	row := func(key string, n int64) results.HeatRow {
		return results.HeatRow{Key: key, HeatCells: results.HeatCells{Served: []int64{n, n}}}
	}
	one, many := int64(1), int64(900)
	for _, tt := range []struct {
		name  string
		heat  *results.Heat
		shown bool
	}{
		{"one partition", &results.Heat{Rows: []results.HeatRow{row("a", 500)}, Partitions: &one}, false},
		{"two partitions", &results.Heat{Rows: []results.HeatRow{row("a", 500), row("b", 5)}}, true},
		{"one and an idle one", &results.Heat{Rows: []results.HeatRow{row("a", 5000), row("b", 1)}}, false},
		{"one and what came before its row", &results.Heat{Rows: []results.HeatRow{row("a", 500)}, Rest: row("", 90).HeatCells, Partitions: &one}, false},
		{"one and others", &results.Heat{Rows: []results.HeatRow{row("a", 500)}, Rest: row("", 90).HeatCells, Partitions: &many}, true},
		{"one and queries of all", &results.Heat{Rows: []results.HeatRow{row("a", 500)}, Nowhere: row("", 90).HeatCells, Partitions: &one}, true},
		{"no rows", &results.Heat{Rest: row("", 90).HeatCells, MostMissed: 200}, true},
	} {
		tt.heat.SecondsPerColumn, tt.heat.Columns = 1, 2
		assert.Equal(t, tt.shown, slices.Contains(shown(heatOf(tt.heat)), "heat"), tt.name)
	}
}
