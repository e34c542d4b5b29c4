package contest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode"

	"loadgen/report/compare/contest"
	"loadgen/report/text"
	"loadgen/results"
	"loadgen/results/figure"
)

// logRecord is a record of a log under a design: what its operations came to, and where
// the load went.
func logRecord(throttled, counted int64, heat *results.Heat) *results.Record {
	response := results.NewHistogram()
	for range 2000 {
		response.Record(6 * time.Millisecond)
	}
	write := results.KindStats{Scheduled: 2000, Sent: 2000, Succeeded: 2000 - throttled, Attempts: 2000, Ok: 2000 - throttled, Throttled: throttled,
		Offered: 2000, Counted: 2000 - throttled, Response: response}
	list := results.KindStats{Scheduled: 10, Sent: 10, Succeeded: 10, Attempts: 10, Ok: 10, Offered: 10 * counted, Counted: 10 * counted, Returned: 200, Response: response}
	return &results.Record{Manifest: results.Manifest{Target: results.InProcess, Profile: "documented", Start: "warm", Time: "virtual",
		Operations: []results.Kind{{Name: "write"}, {Name: "list", Filtered: true}}, Targets: results.Targets{Partition: 2000, Account: 20_000, Documented: true}},
		Validity: results.Valid, Duration: 11 * time.Second, Heat: heat,
		Phases: []results.Phase{{Name: "measure", Begin: time.Second, End: 11 * time.Second, Rate: 201, Reported: true, Kinds: []results.KindStats{write, list}}}}
}

// hourly is a heat map in which the current hour is throttled from the second column on.
func hourly() *results.Heat {
	return &results.Heat{SecondsPerColumn: 2, Columns: 3, Rows: []results.HeatRow{
		{Key: "2026-05-01T11", HeatCells: results.HeatCells{Served: []int64{3000}, Demanded: []int64{3000}}},
		{Key: "2026-05-01T12", HeatCells: results.HeatCells{Served: []int64{1000, 4000, 4000}, Throttled: []int64{0, 900, 1100}, Demanded: []int64{1000, 4900, 5100}}},
	}, Rest: results.HeatCells{Demanded: []int64{500}}, Nowhere: results.HeatCells{Demanded: []int64{0, 500}}}
}

// logContest is a log by hour, by hour and bucket, by device and copied, and by a design
// that cannot.
func logContest() []contest.Arm {
	figures := func(rate, lost, counted, billed float64, p99 int64) []contest.Trial {
		return with(trialsOf(rate, rate*1.004, rate*0.996, rate*1.002, rate*0.998), func(i int, t *contest.Trial) {
			t.Lost, t.Counted, t.Billed, t.ThrottledRequests, t.Stored = lost, counted, billed, lost, 420
			p50, worst, listed, listedWorst := int64(5_800), p99+int64(i)*100, int64(9_000), int64(15_000)
			t.Operations = []contest.OperationTrial{{Name: "write", P50: &p50, P99: &worst}, {Name: "list", P50: &listed, P99: &listedWorst}}
			t.Expected = []results.Check{{Expr: "p99(write) < 50ms", Ok: new(worst < 50_000)}, {Expr: "throttled < 1%", Ok: new(lost < 0.01)}}
		})
	}
	hour := figures(2010, 0.42, 0.58, 0.58, 120_000)
	for i := range hour {
		recovery, fairness, served := 12.0+float64(i), 0.93, 0.81
		hour[i].Moves, hour[i].Unrecovered, hour[i].Recovery, hour[i].Fairness, hour[i].ColdServed = 2, 1, &recovery, &fairness, &served
	}
	return []contest.Arm{
		{Design: "hour", PartitionKey: "{at:hour}", RowKey: "{at:ticks}_{id}", Order: "append-only", Trials: hour, Others: hour,
			Record: logRecord(840, 20, hourly())},
		{Design: "hour-buckets", PartitionKey: "{at:hour}_{hash(id,8)}", RowKey: "{at:ticks}_{id}", Order: "spread", Trials: figures(3500, 0, 1, 1.1, 21_000),
			Others: figures(3500, 0, 1, 1.1, 21_000), Record: logRecord(0, 160, nil)},
		{Design: "device", PartitionKey: "{device}", RowKey: "{at:ticks}_{id}", Copies: 1, Order: "spread", Trials: figures(3500, 0, 2, 2.1, 21_000),
			Others: figures(3500, 0, 2, 2.1, 21_000), Record: logRecord(0, 4000, nil)},
		{Design: "guid", PartitionKey: "{guid}", RowKey: "", Cannot: []contest.Obstacle{{Operation: "group", Why: "its entities lie in several partitions, and a transaction takes one"}}},
	}
}

func TestText(t *testing.T) {
	o := contest.Options{Scenario: "log", Profile: "documented", Other: "headroom", Price: contest.Price{PerMillion: 0.036, PerGiBMonth: 0.045, BillRefused: true},
		Repeat: "loadgen contest log.yaml --designs device,guid,hour,hour-buckets --seeds 5"}
	c := contest.Rank(logContest(), o)
	var text, data bytes.Buffer
	if err := errors.Join(contest.Text(&text, c), contest.JSON(&data, c)); err != nil {
		t.Fatal(err)
	}
	golden(t, "log", text.Bytes())
	golden(t, "log.json", data.Bytes())
	var parsed struct {
		Verdict string
		Ranking []map[string]any
	}
	if err := json.Unmarshal(data.Bytes(), &parsed); err != nil || parsed.Verdict == "" || len(parsed.Ranking) != 4 {
		t.Fatalf("JSON: %v, verdict %q, %d designs; want a verdict and a ranking of 4", err, parsed.Verdict, len(parsed.Ranking))
	}
	for _, one := range parsed.Ranking {
		if _, has := one["design"].(string); !has {
			t.Errorf("a design without its name: %v", one)
		}
		if reason, has := one["reason"].(string); !has || (reason == "") != (one["design"] == "hour-buckets") {
			t.Errorf("the reason of %v is %q; want one for all but the first", one["design"], reason)
		}
	}
}

// A contest of runs that show nothing, without a record, a price or a second profile.
func TestTextOfLittle(t *testing.T) {
	c := contest.Rank([]contest.Arm{arm("a", trialsOf(100)), arm("b", trialsOf(90)), {Design: "c"}}, contest.Options{})
	var text bytes.Buffer
	if err := contest.Text(&text, c); err != nil {
		t.Fatal(err)
	}
	golden(t, "little", text.Bytes())
}

// FuzzContest has names and figures of any kind go through: nothing of it panics, is
// wider than a page, or reaches the terminal as a control.
func FuzzContest(f *testing.F) {
	f.Add("hour", "\x1b[2J", "a\nb", 100.0, 0.5, int64(3), int64(-1))
	f.Add("", "\u202e", "\xff", 1e300, -1.0, int64(0), int64(1<<62))
	f.Fuzz(func(t *testing.T, design, key, operation string, rate, share float64, n, second int64) {
		record := logRecord(n, second, &results.Heat{SecondsPerColumn: second, Rows: []results.HeatRow{{Key: key, Table: operation,
			HeatCells: results.HeatCells{Throttled: []int64{n}, Demanded: []int64{second, n}}}}})
		record.Manifest.Operations[0].Name = operation
		record.Intervals = []results.Interval{{Second: second, Attempts: n, Throttled: n}}
		record.Phases[0].Shares = []results.SharesClass{{From: second, Partitions: n, Shares: rate, Squares: share}}
		record.Events = []results.Event{{At: second, What: results.RangeMoved, Decision: &results.Decision{Overloaded: time.Duration(n)}}}
		first := contest.Measure(record, nil, figure.Needs{Within: map[string]int64{operation: n}, Entities: map[string]int64{operation: second}})
		other := trialsOf(rate, share)
		other[0].Expected = []results.Check{{Expr: key}}
		c := contest.Rank([]contest.Arm{{Design: design, PartitionKey: key, Order: operation, Trials: []contest.Trial{first, first}, Record: record},
			{Design: key, Trials: other, Others: other}, {Design: operation, Cannot: []contest.Obstacle{{Operation: operation, Why: key}}}},
			contest.Options{Scenario: key, Repeat: operation, Alpha: share, Price: contest.Price{PerMillion: rate}})
		var prose, data bytes.Buffer
		if err := errors.Join(contest.Text(&prose, c), contest.JSON(&data, c)); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(strings.TrimSuffix(prose.String(), "\n"), "\n") {
			if text.Columns(line) > text.Width && !strings.HasPrefix(line, "  "+text.Harmless(operation)) {
				t.Errorf("%q fills %d columns; want %d at most", line, text.Columns(line), text.Width)
			}
			for _, r := range line {
				if !unicode.IsPrint(r) {
					t.Errorf("%q holds %U", line, r)
				}
			}
		}
		if !json.Valid(data.Bytes()) {
			t.Errorf("no JSON: %s", data.Bytes())
		}
	})
}
