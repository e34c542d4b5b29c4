package chart_test

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"loadgen/report/chart"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// twoSteps is a record of two steps, of which so many operations succeeded in so long a time.
func twoSteps(t *testing.T, due, succeeded [2]int64, took [2]time.Duration) *results.Record {
	t.Helper()
	record := few(t, 12)
	phase := record.Phases[0]
	record.Phases, record.Intervals, record.Duration = nil, nil, 4*time.Second
	for i := range 2 {
		p := phase
		p.Name, p.Rate, p.Begin, p.End = []string{"low", "high"}[i], float64(due[i]), time.Duration(i)*2*time.Second, time.Duration(i+1)*2*time.Second
		response := results.NewHistogram()
		for range 2000 {
			response.Record(took[i])
		}
		p.Kinds = []results.KindStats{{Counts: results.Counts{Scheduled: 2 * due[i], Operations: 2 * due[i], Attempts: 2 * due[i], Succeeded: 2 * succeeded[i]}, Response: response,
			LastHalf: results.Cohort{Counts: results.Counts{Scheduled: due[i], Succeeded: succeeded[i], Offered: due[i], Served: succeeded[i]}}}}
		record.Phases = append(record.Phases, p)
		second := results.Interval{Second: int64(2 * i), Phase: p.Name}
		second.ResponseBuckets[12] = 1
		record.Intervals = append(record.Intervals, second)
	}
	return record
}

// A title is the answer, in figures of the record.
func TestTitles(t *testing.T) {
	const fast, slow = 4 * time.Millisecond, 900 * time.Millisecond
	holds := twoSteps(t, [2]int64{500, 1000}, [2]int64{500, 1000}, [2]time.Duration{fast, fast})
	loses := twoSteps(t, [2]int64{500, 4000}, [2]int64{500, 1000}, [2]time.Duration{fast, slow})
	waits := few(t, 12)
	for range 40 {
		waits.RetryWaits.Record(100 * time.Millisecond)
	}
	one := func(key string, served, throttled int64) results.HeatRow {
		return results.HeatRow{Key: key, HeatCells: results.HeatCells{Served: []int64{served}, Throttled: []int64{throttled}}}
	}
	hot := heatOf(&results.Heat{SecondsPerColumn: 1, Columns: 1, Rows: []results.HeatRow{one("a", 700, 3), one("b", 300, 0)}})
	two := heatOf(&results.Heat{SecondsPerColumn: 1, Columns: 1, Rows: []results.HeatRow{one("a", 750, 0), one("b", 250, 0)}})
	for _, row := range []struct {
		name, chart string
		record      *results.Record
		words       string
	}{
		{"what is offered is served", "steps", holds, "up to 1,000/s|!lost"},
		{"what is lost, where no limit can be told", "steps", loses, "75.0% of 4,000/s"},
		{"times stay", "response", holds, "p99|4.00 ms at 500/s|4.00 ms at 1,000/s"},
		{"times rise", "response", loses, "p99|4.00 ms at 500/s|900.1 ms at 4,000/s"},
		{"half and the slow ones", "latency", loses, "4,000 operations|p50|4.00 ms|p99|900.1 ms"},
		{"the slowest of each operation", "percentiles", loses, "p99|900.1 ms (get)"},
		{"nothing throttled", "throttle", few(t, 12), "12 entities/s|nothing throttled"},
		{"waits", "waits", waits, "40 waits|p50|100.0 ms"},
		{"the hottest of two, throttled", "heat", hot, `"a"|70.0%|700 entities/s|throttled`},
		{"the hottest of two", "heat", two, `"a"|75.0%|750 entities/s|!throttled`},
	} {
		resultstest.CheckWords(t, row.name, figure(t, row.chart, row.record).Title, row.words)
	}
	full, half := arm("full", 3, [2]int64{400, 200}), arm("half", 3, [2]int64{200, 200})
	for want, arms := range map[string][]chart.HeatArm{
		"Throttled designs: full (1 of 2)":          {full, half},
		"No design is throttled":                    {half, half},
		"Throttled designs: full and full (2 of 2)": {full, full},
		"Throttled designs: full (1 of 1)":          {full},
	} {
		f := chart.Contest(arms)[0]
		picture, err := f.Inline(false)
		if got := f.Title; got != want || !strings.Contains(string(picture), ` class="wide"`) || err != nil {
			t.Errorf("the contest is called %q, %v; want %q", got, err, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, seed := range []string{"", "2011 New York City Marathon__Full", "<script>", "a\x00\x1b[31m\u202eb", "\xff\xfe",
		"line\nbreak\tand\u2028more", strings.Repeat("長", 1024)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, word string) {
		got := chart.Clean(word, chart.MaxKey)
		length := utf8.RuneCountInString(got)
		assert.Truef(t, length <= chart.MaxKey+1, "Clean(%q) has %d characters", word, length)
		for _, r := range got {
			assert.Truef(t, unicode.IsPrint(r) && r != unicode.ReplacementChar,
				"Clean(%q) = %q, with %U; want what can be printed", word, got, r)
		}
		assert.Equalf(t, got, chart.Clean(got, chart.MaxKey+1), "Clean(%q)", got)
	})
}

func happened(second float64, what string) results.Event {
	return results.Event{At: int64(second * float64(time.Second)), What: what, Decision: &results.Decision{}}
}

func TestLoadBalancingIsMarked(t *testing.T) {
	record := &results.Record{Events: []results.Event{
		{At: 0, What: results.StageBegins},
		happened(10, results.RangeSplit), happened(10, results.RangeMoved), happened(12, results.RangeSplit),
		happened(30, results.RangeKept), happened(40, results.RangesMerged), happened(70, results.SizeSplit),
		{At: int64(50 * time.Second), What: results.RangeSplit},
	}}
	for _, tt := range []struct {
		name     string
		from, to float64
		want     []string
	}{
		{"each separately", 0, 100, []string{"10 split, move", "12 split", "40 merge", "70 split"}},
		{"neighbours together", 0, 300, []string{"10 2 splits, move", "40 merge", "70 split"}},
		{"within bounds", 11, 40, []string{"12 split", "40 merge"}},
		{"none", 80, 90, nil},
	} {
		assert.Equal(t, tt.want, chart.Turns(record, tt.from, tt.to), tt.name)
	}
}
