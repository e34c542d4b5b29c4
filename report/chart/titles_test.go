package chart_test

import (
	"strings"
	"testing"
	"time"

	"loadgen/report/chart"
	"loadgen/results"
)

// twoSteps is a record of two steps, of which so many operations succeeded in so long a time.
func twoSteps(t *testing.T, due, succeeded [2]int64, took [2]time.Duration) *results.Record {
	t.Helper()
	record := few(t, 12)
	phase := record.Phases[0]
	record.Phases, record.Duration = nil, 4*time.Second
	for i := range 2 {
		p := phase
		p.Name, p.Rate, p.Begin, p.End = []string{"low", "high"}[i], float64(due[i]), time.Duration(i)*2*time.Second, time.Duration(i+1)*2*time.Second
		response := results.NewHistogram()
		for range 2000 {
			response.Record(took[i])
		}
		p.Kinds = []results.KindStats{{Scheduled: 2 * due[i], Operations: 2 * due[i], Attempts: 2 * due[i], Succeeded: 2 * succeeded[i], Response: response,
			LastHalf: results.Cohort{Due: due[i], Succeeded: succeeded[i], Offered: due[i], Served: succeeded[i]}}}
		record.Phases = append(record.Phases, p)
	}
	return record
}

// A title is the answer, in figures of the record.
func TestTitlesSayTheAnswer(t *testing.T) {
	const fast, slow = 4 * time.Millisecond, 900 * time.Millisecond
	holds := twoSteps(t, [2]int64{500, 1000}, [2]int64{500, 1000}, [2]time.Duration{fast, fast})
	loses := twoSteps(t, [2]int64{500, 4000}, [2]int64{500, 1000}, [2]time.Duration{fast, slow})
	waits := few(t, 12)
	for range 40 {
		waits.RetryWaits.Record(100 * time.Millisecond)
	}
	for _, row := range []struct {
		name, chart string
		record      *results.Record
		want        string
	}{
		{"what is offered is served", "steps", holds, "Served follows offered up to 1,000/s"},
		{"what is lost, where no limit can be told", "steps", loses, "Of 4,000/s offered, 75.0 % is lost"},
		{"times stay", "response", holds, "p99 stays near 4.00 ms up to 1,000 operations/s"},
		{"times rise", "response", loses, "p99 rises from 4.00 ms at 500 to 900.1 ms at 4,000 operations/s"},
		{"half and the slow ones", "latency", loses, "Half of 4,000 operations took 4.00 ms or less, 1 % took more than 900.1 ms"},
		{"the slowest of each operation", "percentiles", loses, "The slowest 1 %: get 900.1 ms or more"},
		{"nothing throttled", "throttle", few(t, 12), "12 entities/s served, nothing throttled"},
		{"waits", "waits", waits, "40 waits before retries, half of them of 100.0 ms or more"},
		{"one partition", "heat", heatOf(&results.Heat{SecondsPerColumn: 1, Columns: 1, Rows: []results.HeatRow{{Key: "a", HeatCells: results.HeatCells{Served: []int64{700}, Throttled: []int64{3}}}}}),
			"All of the load went to one partition, at most 700 entities/s, and was throttled"},
		{"the hottest of two", "heat", heatOf(&results.Heat{SecondsPerColumn: 1, Columns: 1, Rows: []results.HeatRow{{Key: "a", HeatCells: results.HeatCells{Served: []int64{750}}}, {Key: "b", HeatCells: results.HeatCells{Served: []int64{250}}}}}),
			`"a" had 75.0 % of the load, at most 750 entities/s`},
		{"no chart", "hat", holds, ""},
	} {
		if got := chart.Title(row.chart, row.record); got != row.want {
			t.Errorf("%s: Title(%s) = %q; want %q", row.name, row.chart, got, row.want)
		}
	}
	full, half := arm("full", 3, [2]int64{400, 200}), arm("half", 3, [2]int64{200, 200})
	for want, arms := range map[string][]chart.HeatArm{
		"Of 2 designs full is throttled":        {full, half},
		"Nothing is throttled under any design": {half, half},
		"Every design is throttled":             {full, full},
		"full is throttled":                     {full},
	} {
		picture, err := chart.InlineContest(arms)
		if got := chart.ContestTitle(arms); got != want || !strings.Contains(string(picture), ` class="wide"`) || err != nil {
			t.Errorf("the contest is called %q, %v; want %q", got, err, want)
		}
	}
}
