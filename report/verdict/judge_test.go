package verdict_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loadgen/report/verdict"
	"loadgen/results"
)

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-9*math.Max(1, math.Abs(want)) }

func TestFiguresOfStepsFollowFromTheLoad(t *testing.T) {
	for _, row := range []struct {
		name           string
		serves, rate   int
		offered, lost  float64
		refused, tries float64
	}{
		{"a step below the limit loses nothing", 500, 200, 200, 0, 0, 1},
		{"a step at the limit loses nothing", 500, 500, 500, 0, 0, 1},
		{"a step over the limit loses the rest", 500, 800, 800, 0.375, 300, 1},
		{"twice the limit loses half", 500, 1000, 1000, 0.5, 500, 1},
		{"a partition that serves nothing loses all", 0, 100, 100, 1, 100, 1},
	} {
		r := &run{manifest: manifest(), serves: row.serves, rates: []int{row.rate}, seconds: 4}
		record := r.record(t)
		steps := verdict.Steps(record)
		if len(steps) != 1 {
			t.Fatalf("%s: Steps = %d; want 1", row.name, len(steps))
		}
		f := steps[0].Figures(nil)
		if !near(f.Offered, row.offered) || !near(f.Served, row.offered*(1-row.lost)) || !near(*f.ShareLost, row.lost) ||
			!near(f.RefusedPerSecond, row.refused) || !near(*f.AttemptsPerOperation, row.tries) {
			t.Errorf("%s: Figures = %+v; want offered %v, lost %v, refused %v, attempts %v",
				row.name, f, row.offered, row.lost, row.refused, row.tries)
		}
		summary := verdict.Judge(record)
		if got := summary.Phases[0]; got.Offered != f.Offered || got.Served != f.Served || *got.ShareLost != *f.ShareLost {
			t.Errorf("%s: the summary's phase is %+v; want the step's %+v", row.name, got, f)
		}
		parts := 0.0
		for _, of := range summary.Phases[0].PerOperation {
			parts += of.Served
		}
		if !near(parts, f.Served) {
			t.Errorf("%s: the kinds of operation are served %v together; want %v", row.name, parts, f.Served)
		}
	}
}

// wholeSeconds finds the seconds of saturation another way: by their instants.
func wholeSeconds(record *results.Record) []float64 {
	var served []float64
	for _, phase := range record.Phases {
		attempts, refused := int64(0), int64(0)
		for _, kind := range phase.Kinds {
			attempts, refused = attempts+kind.Attempts, refused+kind.Refused
		}
		for _, row := range record.Intervals {
			begin := time.Duration(row.Second) * time.Second
			if phase.Reported && phase.Rate > 0 && refused*100 >= attempts && attempts > 0 &&
				begin >= phase.Begin+time.Second && begin+time.Second <= phase.End {
				served = append(served, float64(row.Served))
			}
		}
	}
	return served
}

func TestSaturationIsTheMedianOfWholeSecondsUnderRefusal(t *testing.T) {
	for _, row := range []struct {
		name   string
		run    run
		median float64
	}{
		{"the limit, where each second serves it", run{serves: 300, rates: []int{200, 400, 600}, seconds: 5}, 300},
		{"another limit", run{serves: 77, rates: []int{50, 154}, seconds: 4}, 77},
		{"with retries that carry over", run{serves: 300, rates: []int{250, 500}, seconds: 6, retries: 2, pause: 2}, -1},
		{"one per cent of refusals is enough", run{serves: 99, rates: []int{100}, seconds: 4}, 99},
	} {
		row.run.manifest = manifest()
		record := row.run.record(t)
		seconds := wholeSeconds(record)
		slices.Sort(seconds)
		want := (seconds[(len(seconds)-1)/2] + seconds[len(seconds)/2]) / 2
		summary := verdict.Judge(record)
		if summary.Saturation == nil || *summary.Saturation != want {
			t.Fatalf("%s: Saturation = %v; want %v", row.name, summary.Saturation, want)
		}
		if row.median >= 0 && want != row.median {
			t.Errorf("%s: the median is %v; want %v", row.name, want, row.median)
		}
		interval := []float64{seconds[0], seconds[len(seconds)-1]}
		if diff := cmp.Diff(interval, summary.SaturationInterval); diff != "" {
			t.Errorf("%s: SaturationInterval differs (-want +got):\n%s", row.name, diff)
		}
	}
}

func TestSaturationTakesSecondsWithinTheStepOnly(t *testing.T) {
	// 20 of 1,000 attempts are refused, from 2.5 s to 6.25 s; each second
	// serves its own number.
	record := &results.Record{SchemaVersion: 1, Validity: results.Valid, Duration: 9 * time.Second,
		Manifest: results.Manifest{Operations: []results.Kind{{Name: "get", Group: "GET"}}},
		Phases: []results.Phase{{Name: "step", Begin: 2500 * time.Millisecond, End: 6250 * time.Millisecond, Rate: 100,
			Reported: true, Kinds: []results.KindStats{{Attempts: 1000, Ok: 980, Refused: 20}}}}}
	for second := range int64(9) {
		record.Intervals = append(record.Intervals, results.Interval{Second: second, Served: second * 10})
	}
	for _, row := range []struct {
		name     string
		change   func()
		median   float64
		interval []float64
	}{
		{"4 s to 6 s are whole and a second after the begin", func() {}, 45, []float64{40, 50}},
		{"a step that begins on a second loses that one", func() { record.Phases[0].Begin = 2 * time.Second }, 40, []float64{30, 50}},
		{"a step that ends on a second keeps the one before", func() { record.Phases[0].End = 7 * time.Second }, 45, []float64{30, 60}},
		{"an interrupted step ends with the run", func() { record.Duration = 5500 * time.Millisecond }, 35, []float64{30, 40}},
	} {
		row.change()
		got := verdict.Judge(record)
		if got.Saturation == nil || *got.Saturation != row.median || !slices.Equal(got.SaturationInterval, row.interval) {
			t.Errorf("%s: saturation = %v in %v; want %v in %v",
				row.name, got.Saturation, got.SaturationInterval, row.median, row.interval)
		}
	}
	for _, row := range []struct {
		name   string
		change func()
	}{
		{"fewer refusals than one per cent tell nothing", func() { record.Phases[0].Kinds[0].Refused = 9 }},
		{"nor does a hold", func() { record.Phases[0].Kinds[0].Refused, record.Phases[0].Reported = 500, false }},
		{"nor a closed loop", func() { record.Phases[0].Reported, record.Phases[0].Rate = true, 0 }},
		{"nor a step without a whole second after its first", func() {
			record.Phases[0].Rate, record.Phases[0].End = 100, 3900*time.Millisecond
		}},
	} {
		row.change()
		if got := verdict.Judge(record); got.Saturation != nil || got.SaturationInterval != nil {
			t.Errorf("%s: saturation = %v in %v; want none", row.name, *got.Saturation, got.SaturationInterval)
		}
	}
}

func TestSummaryCountsTheWholeRun(t *testing.T) {
	r := &run{manifest: manifest(), serves: 100, rates: []int{80, 200}, seconds: 4, retries: 1, dropped: 50, failed: 33, late: 40}
	record := r.record(t)
	all := record.Total(results.Everything)
	s := verdict.Judge(record)
	got := []int64{s.Scheduled, s.Sent, s.Dropped, s.Late, s.Operations, s.Attempts, s.Ok, s.Refused, s.Failed,
		s.EntitiesCounted, s.EntitiesReturned}
	want := []int64{all.Scheduled, all.Sent, all.Dropped, all.Late, all.Operations, all.Attempts, all.Ok, all.Refused,
		all.Failed, all.Counted, all.Returned}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("counts differ (-record +summary):\n%s", diff)
	}
	if slices.Contains(got, 0) {
		t.Errorf("counts are %v; want a run in which none is 0", got)
	}
	sum := results.OperationSummary{}
	for _, kind := range s.PerOperation {
		sum.Operations += kind.Operations
		sum.Attempts += kind.Attempts
		sum.Ok += kind.Ok
		sum.Refused += kind.Refused
		sum.Failed += kind.Failed
	}
	if diff := cmp.Diff(results.OperationSummary{Operations: all.Operations, Attempts: all.Attempts, Ok: all.Ok,
		Refused: all.Refused, Failed: all.Failed}, sum); diff != "" {
		t.Errorf("per_operation does not sum to the run (-record +sum):\n%s", diff)
	}
	head := []any{s.Scenario, s.Target, s.Start, s.Profile, s.Seed, s.Started, s.DurationS}
	if diff := cmp.Diff([]any{"stress", "in-process", "warm", "documented", uint64(1), "2011-11-06T14:40:00Z", 14.0}, head); diff != "" {
		t.Errorf("head differs (-want +got):\n%s", diff)
	}
}

func TestQuantilesAreOfReportedPhases(t *testing.T) {
	r := stress()
	r.retries = 1
	record := r.record(t)
	s := verdict.Judge(record)
	measured := record.Total(results.Reported)
	if s.Response != results.QuantilesOf(measured.Response) && !cmp.Equal(s.Response, results.QuantilesOf(measured.Response)) {
		t.Errorf("Response = %+v; want that of the reported phases", s.Response)
	}
	if *s.Service.P50 != 4001 || *s.Service.Max != 4001 {
		t.Errorf("Service = %d to %d µs; want the 4 ms of ok attempts", *s.Service.P50, *s.Service.Max)
	}
	if s.RetryWaits.P50 == nil || *s.RetryWaits.P50/1000 != 1000 {
		t.Errorf("RetryWaits = %+v; want a second", s.RetryWaits)
	}
	record.Phases[0].Reported, record.Phases[1].Reported = false, false
	if s := verdict.Judge(record); s.Response.Max != nil || len(s.Phases) != 0 || s.Hottest != nil || s.Saturation != nil {
		t.Errorf("without reported phases response is %+v, phases %v; want none", s.Response, s.Phases)
	}
}

func TestHottestIsTheMostPerSecondOfItsPhase(t *testing.T) {
	record := &results.Record{Validity: results.Valid, Duration: time.Minute, Phases: []results.Phase{
		{Name: "long", End: 20 * time.Second, Reported: true, Partitions: []results.PartitionStats{{Key: "full", Entities: 2000}, {Key: "half", Entities: 90}}},
		{Name: "short", Begin: 20 * time.Second, End: 25 * time.Second, Rate: 9, Reported: true,
			Partitions: []results.PartitionStats{{Key: "half", Entities: 600}, {Key: "10 km", Entities: 5}}},
		{Name: "hold", Begin: 25 * time.Second, End: 26 * time.Second, Partitions: []results.PartitionStats{{Key: "10 km", Entities: 9000}}},
	}}
	want := &results.HottestPartition{Key: "half", EntitiesPerSecond: 120}
	if diff := cmp.Diff(want, verdict.Judge(record).Hottest); diff != "" {
		t.Errorf("Hottest differs (-want +got):\n%s", diff)
	}
}

// A copy under the same key in another table is a partition of its own, and is called so.
func TestHottestOfTwoTables(t *testing.T) {
	record := kept()
	for p := range record.Phases {
		record.Phases[p].Partitions = []results.PartitionStats{{Table: "ByState", Key: "open", Entities: 500}, {Key: "open", Entities: 400}}
		record.Phases[p].Offered = []results.PartitionStats{{Key: "open", Entities: 700}, {Table: "ByState", Key: "open", Entities: 500}}
	}
	record.Manifest.Expectations = []string{"served(hottest) < 51/s", "offered(hottest) < 71/s", `offered("open") < 71/s`, `served("open") < 51/s`}
	summary := verdict.Judge(record)
	want := &results.HottestPartition{Table: "ByState", Key: "open", EntitiesPerSecond: 50}
	if diff := cmp.Diff(want, summary.Hottest); diff != "" {
		t.Errorf("Hottest differs (-want +got):\n%s", diff)
	}
	for i, observed := range []string{"50/s", "70/s", "70/s", "50/s"} {
		if got := summary.Expectations[i]; !strings.HasPrefix(got.Observed, observed) || !got.Pass {
			t.Errorf("%q is observed as %q, %v; want %s of the partition that has most", got.Expr, got.Observed, got.Pass, observed)
		}
	}
}

func TestInterruptedStepIsJudgedAsFarAsItWent(t *testing.T) {
	// The last half of the step begins at 6 s; the run ends at 8 s.
	phase := results.Phase{Name: "step", Begin: 2 * time.Second, End: 10 * time.Second, Rate: 100, Reported: true,
		Kinds: []results.KindStats{{Offered: 600, Served: 500, Refused: 60, Attempts: 600, Operations: 300,
			LastHalf: results.Share{Offered: 200, Served: 150}}}}
	record := &results.Record{Validity: results.Partial, Duration: 8 * time.Second, Phases: []results.Phase{phase},
		Manifest: results.Manifest{Operations: []results.Kind{{Name: "get"}}}}
	f := verdict.Steps(record)[0].Figures(nil)
	if f.Offered != 100 || f.Served != 75 || f.RefusedPerSecond != 10 || *f.ShareLost != .25 || *f.AttemptsPerOperation != 2 {
		t.Errorf("Figures = %+v; want offered 100, served 75, refused 10, lost 0.25, attempts 2", f)
	}
	record.Duration, record.Phases[0].Kinds[0].LastHalf = 5*time.Second, results.Share{}
	f = verdict.Steps(record)[0].Figures(nil)
	if f.Offered != 0 || f.ShareLost != nil || f.RefusedPerSecond != 20 {
		t.Errorf("Figures before the last half = %+v; want no load of it, refused 20", f)
	}
	record.Duration = 2 * time.Second
	if got := verdict.Steps(record); len(got) != 0 {
		t.Errorf("Steps = %d of a run that ended before its step; want none", len(got))
	}
}

func TestClosedLoopIsSummarisedAsAWhole(t *testing.T) {
	record := &results.Record{Validity: results.Valid, Duration: 10 * time.Second,
		Manifest: results.Manifest{Operations: []results.Kind{{Name: "query"}}},
		Phases: []results.Phase{{Name: "scan", End: 10 * time.Second, Reported: true, Kinds: []results.KindStats{
			{Offered: 100, Served: 5000, LastHalf: results.Share{Offered: 1}}}}}}
	got := verdict.Judge(record).Phases[0]
	if got.Offered != 10 || got.Served != 500 || got.ShareLost == nil || *got.ShareLost != 0 {
		t.Errorf("the phase is %+v; want offered 10, served 500, nothing lost", got)
	}
	if steps := verdict.Steps(record); len(steps) != 0 {
		t.Errorf("Steps = %d; want none, a closed loop is no step", len(steps))
	}
}

func TestSummaryOfNothingIsStillJSON(t *testing.T) {
	for _, record := range []*results.Record{{}, {Validity: results.Partial, Phases: []results.Phase{
		{Reported: true, Rate: 5}, {Reported: true, Rate: 5, Begin: math.MinInt64, End: math.MaxInt64},
		{Reported: true, Rate: 5, Begin: math.MaxInt64 - 1, End: math.MaxInt64}}}} {
		text, err := json.Marshal(verdict.Judge(record))
		if err != nil {
			t.Fatalf("Marshal = %v; want no error", err)
		}
		var fields map[string]any
		if err := json.Unmarshal(text, &fields); err != nil {
			t.Fatalf("Unmarshal = %v; want no error", err)
		}
		for _, list := range []string{"reasons", "phases", "expectations"} {
			if _, ok := fields[list].([]any); !ok {
				t.Errorf("%s = %v; want a list", list, fields[list])
			}
		}
		for _, null := range []string{"saturation_entities_per_second", "saturation_interval", "hottest_partition"} {
			if value, exists := fields[null]; !exists || value != nil {
				t.Errorf("%s = %v; want null", null, value)
			}
		}
	}
}

func TestJudgeLeavesTheRecordAlone(t *testing.T) {
	record := stress().record(t)
	before := fmt.Sprintf("%+v", record)
	text, _ := json.Marshal(record)
	s := verdict.Judge(record)
	s.Reasons = append(s.Reasons, "more")
	verdict.Findings(record)
	if after, _ := json.Marshal(record); fmt.Sprintf("%+v", record) != before || string(after) != string(text) {
		t.Errorf("Judge changed the record")
	}
}
