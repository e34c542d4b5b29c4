package verdict_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loadgen/report/verdict"
	"loadgen/results"
)

// observed is a run of outside traffic: two requests, throttled once and then
// served, and what is said to have been observed.
func observed(t testing.TB, change func(*results.Manifest, *results.Capture)) *results.Record {
	t.Helper()
	m, o := manifest(), seen()
	m.Target, m.PartitionKey = results.Embedded, ""
	if change != nil {
		change(&m, o)
	}
	folder := new(results.Memory)
	recorder, err := results.NewRecorder(folder, m)
	if err != nil {
		t.Fatalf("NewRecorder = %v; want no error", err)
	}
	phase := recorder.Phase(results.Phase{Name: "observed", Reported: true, End: 2 * time.Second})
	recorder.Scheduled(&results.Scheduled{Phase: phase, Kind: 1, Entities: 1})
	for try, class := range []results.Class{results.Throttled, results.Ok} {
		recorder.Attempt(&results.Attempt{Phase: phase, Kind: 1, Try: try, Retry: try > 0, Class: class, Done: time.Second, Counted: int64(try)})
	}
	recorder.Completed(&results.Completed{Class: results.Ok, Phase: phase, Kind: 1, Done: time.Second, Attempts: 2, Entities: 1, Served: 1})
	recorder.Take(func(of *results.Record) { of.Capture = o })
	if err := recorder.Finish(3*time.Second, results.Valid, nil, nil); err != nil {
		t.Fatalf("Finish = %v; want no error", err)
	}
	record, err := results.Read(folder)
	if err != nil {
		t.Fatalf("Read = %v; want no error", err)
	}
	return record
}

// seen is a partition that saturates beside a calm one that counts more.
func seen() *results.Capture {
	saturation, density := 1998.5, 0.01
	return &results.Capture{Requests: 30_000, Entities: 100_000, ThrottledByPartition: 3000,
		Partitions: []results.ObservedPartition{
			{Table: "races", PartitionKey: "Berlin", Entities: 60_000, Demanded: 60_000, Requests: 9000, Busiest: 900, Offered: 900, Typical: 850, Seconds: 60},
			{Table: "races", PartitionKey: "New York", Entities: 30_000, Demanded: 33_000, Requests: 15_000, Throttled: 3000, Busiest: 2190, Offered: 4100,
				Typical: 1990, Seconds: 15, Saturation: &saturation, SaturationInterval: []float64{1980, 2010}},
		},
		Shapes: []results.QueryShape{{Table: "races", Shape: "PartitionKey eq ? and Price gt ?", Class: "partition scan",
			Requests: 20, Scanned: 20_000, Returned: 200, Density: &density}},
		Orders: []results.KeyOrder{{Table: "races", Partitions: results.Order{Keys: 500, Ascending: 6, Descending: 4},
			Rows: results.Order{Keys: 5000, Ascending: 100, Descending: 120}}},
	}
}

// unknown takes from the partition that saturates where it does, and says why.
func unknown(o *results.Capture, why string) {
	p := &o.Partitions[1]
	p.Saturation, p.SaturationInterval, p.SaturationWhy = nil, nil, why
}

func TestVerdictsOfTraffic(t *testing.T) {
	calm := func(o *results.Capture) { o.Partitions = o.Partitions[:1] }
	var got strings.Builder
	for _, row := range []struct {
		name   string
		change func(*results.Manifest, *results.Capture)
		after  func(*results.Record)
	}{
		{"a partition saturates", nil, nil},
		{"under a model's own target", func(m *results.Manifest, o *results.Capture) { m.Targets.Partition = 1000 }, nil},
		{"overloaded in spells too short to tell", func(m *results.Manifest, o *results.Capture) {
			unknown(o, "throttling in 3 of the seconds alone, too few to show a limit")
		}, nil},
		{"throttled by chance", func(m *results.Manifest, o *results.Capture) {
			unknown(o, "the throttling is sporadic: it takes the same share of any load")
		}, nil},
		{"throttled in bursts within a second", func(m *results.Manifest, o *results.Capture) {
			unknown(o, "one rate does not tell a limit from sporadic throttling")
			p := &o.Partitions[1]
			p.Busiest, p.Offered, p.Typical = 700, 900, 30
		}, nil},
		{"calm", func(m *results.Manifest, o *results.Capture) { calm(o) }, nil},
		{"nothing is throttled without limits, but more was counted than one partition may", func(m *results.Manifest, o *results.Capture) {
			calm(o)
			m.Profile, m.Targets = "off", results.Targets{}
			o.Partitions[0].Busiest, o.Partitions[0].Offered = 7000, 7000
		}, nil},
		{"keys that only ascend", func(m *results.Manifest, o *results.Capture) { o.Orders[0].Partitions.Ascending = 490 }, nil},
		{"a calm partition of keys that only descend", func(m *results.Manifest, o *results.Capture) {
			calm(o)
			o.Orders[0].Partitions.Descending = 450
		}, nil},
		{"a query that returns all it reads", func(m *results.Manifest, o *results.Capture) { o.Shapes[0].Returned = 20_000 }, nil},
		{"a query that returns nothing", func(m *results.Manifest, o *results.Capture) { o.Shapes[0].Returned = 0 }, nil},
		{"a query without a filter", func(m *results.Manifest, o *results.Capture) { o.Shapes[0].Shape, o.Shapes[0].Class = "", "" }, nil},
		{"no query", func(m *results.Manifest, o *results.Capture) { o.Shapes = nil }, nil},
		{"an account that gives in first", func(m *results.Manifest, o *results.Capture) { m.Targets.Account = 1000 }, nil},
		{"no request for an entity", func(m *results.Manifest, o *results.Capture) { *o = results.Capture{Requests: 3} }, nil},
		{"a service of somebody else's", func(m *results.Manifest, o *results.Capture) { m.Target = "https://example.table" }, nil},
		{"names with escapes in them", func(m *results.Manifest, o *results.Capture) {
			p, s := &o.Partitions[1], &o.Shapes[0]
			p.PartitionKey, p.Table = "a\x1b[2J\u202e\""+strings.Repeat("ä", 100), "\n"
			s.Shape, s.Class, s.Table = strings.Repeat("\x07", 200), "\x1b[m", "\u202e"
		}, nil},
		{"cut off", nil, func(r *results.Record) { r.Validity, r.Reasons = results.Partial, []string{"the server was killed"} }},
	} {
		record := observed(t, row.change)
		if row.after != nil {
			row.after(record)
		}
		summary := verdict.Judge(record)
		fmt.Fprintf(&got, "# %s\n%s\n\n", row.name, strings.ReplaceAll(summary.Verdict, ". ", ".\n"))
		record.Manifest.PeakAsked = 1 // Four sentences are allowed.
		held(t, row.name, record, &results.Summary{Validity: results.Valid, Verdict: summary.Verdict})
	}
	const golden = "testdata/traffic.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatalf("%v; -update writes it", err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("verdicts differ (-golden +got); -update writes them anew:\n%s", diff)
	}
}

func TestSummaryOfTrafficIsThatOfTheHottestPartition(t *testing.T) {
	record := observed(t, nil)
	record.Lag.Record(time.Millisecond)
	s := verdict.Judge(record)
	if s.Hottest.Key != "New York" || s.Hottest.EntitiesPerSecond != 1990 || *s.Saturation != 1998.5 ||
		!cmp.Equal(s.SaturationInterval, []float64{1980, 2010}) || s.Lag.P50 != nil || s.Lag.Max != nil || s.Validity != results.Valid {
		t.Errorf("Judge = %+v; want the figures of New York, and no lag", s)
	}
	s.SaturationInterval[0] = 7
	if record.Capture.Partitions[1].SaturationInterval[0] == 7 {
		t.Error("the summary shares memory with the record")
	}
	// Nothing was throttled: the partition that counted most, and no saturation.
	record.Capture.Partitions[1].Throttled = 149
	if s := verdict.Judge(record); s.Hottest.Key != "Berlin" || s.Saturation != nil || s.SaturationInterval != nil {
		t.Errorf("Judge of calm traffic = %+v; want Berlin, not saturated", s)
	}
}

// The state of a capture, and what its phase holds, are what its verdict says.
func TestStateOfTrafficIsThatOfItsVerdict(t *testing.T) {
	calm := func(o *results.Capture) { o.Partitions = o.Partitions[:1] }
	for _, row := range []struct {
		name        string
		change      func(*results.Manifest, *results.Capture)
		after       func(*results.Record)
		says, state string
		holds, why  string
	}{
		{"a partition saturates", nil, nil, "saturates at 1,999", results.Saturates, "false", ""},
		{"the traffic is borne", func(_ *results.Manifest, o *results.Capture) { calm(o) }, nil, "this PartitionKey bears it", results.Holds, "true", ""},
		{"throttled, at no limit that is known", func(_ *results.Manifest, o *results.Capture) { unknown(o, "an outage") }, nil,
			"is not known (an outage)", results.CannotTell, "", "at least 3 partitions"},
		{"throttled in bursts", func(_ *results.Manifest, o *results.Capture) {
			unknown(o, "an outage")
			o.Partitions[1].Busiest, o.Partitions[1].Offered = 700, 900
		}, nil, "one partition would do", results.CannotTell, "", "where it saturates is not known"},
		{"too much failed", func(_ *results.Manifest, o *results.Capture) {
			calm(o)
			o.Partitions[0].Failed = 900
		}, nil, "traffic that fails cannot tell", results.CannotTell, "", "traffic that fails"},
		{"the account gives in first", func(m *results.Manifest, o *results.Capture) {
			calm(o)
			m.Targets.Account = 1000
		}, nil, "says nothing of the PartitionKey", results.CannotTell, "", "the account"},
		{"more than one partition bears, with nothing to stop it", func(m *results.Manifest, o *results.Capture) {
			calm(o)
			o.Partitions[0].Busiest, o.Partitions[0].Offered = 7000, 7000
		}, nil, "over at least 4 partitions", results.CannotTell, "", "over at least 4 partitions"},
		{"nothing was asked for", func(_ *results.Manifest, o *results.Capture) { *o = results.Capture{Requests: 3} }, nil,
			"nothing can be said", results.CannotTell, "", "no request"},
		{"a part of a run saturates", nil, func(r *results.Record) { r.Validity = results.Partial }, "all it shows", results.CannotTell, "", "partial"},
	} {
		record := observed(t, row.change)
		if row.after != nil {
			record.Target = nil
			row.after(record)
		}
		s := verdict.Judge(record)
		holds := ""
		if one := s.Phases[0].Holds; one != nil {
			holds = fmt.Sprint(*one)
		}
		again, ok := verdict.State(s)
		if !strings.Contains(strings.ToLower(s.Verdict), strings.ToLower(row.says)) || s.State != row.state || again != row.state || ok != nil || s.Ok != nil {
			t.Errorf("%s: %s, again %s, ok %v, for %q; want %s, for %q", row.name, s.State, again, s.Ok, s.Verdict, row.state, row.says)
		}
		if (s.Saturation != nil) != (row.state == results.Saturates) || (s.SaturationWhy == "") != (row.state == results.Saturates) && record.Capture.Partitions != nil {
			t.Errorf("%s: saturation = %v, for %q; want one where the run saturates, else why there is none", row.name, s.Saturation, s.SaturationWhy)
		}
		if why := s.Phases[0].Why; holds != row.holds || (why == "") != (row.why == "") || !strings.Contains(why, row.why) {
			t.Errorf("%s: the phase holds: %s, for %q; want %s, for %q", row.name, holds, why, row.holds, row.why)
		}
	}
}

// A peak needs as many partitions as its busiest second has targets, with the
// doubt that a stress test allows for.
func TestPartitionsThatAPeakNeeds(t *testing.T) {
	for _, row := range []struct {
		name   string
		asked  int64
		target int64
		want   string
	}{
		{"twice the target and the doubt", 4010, 2000, "at least 2 partitions"},
		{"a little more", 4100, 2000, "at least 3 partitions"},
		{"a model of its own", 4100, 500, "at least 9 partitions"},
		{"no target is the documents'", 1_000_000, 0, "at least 495 partitions"},
		{"less than one, of which a limit at that serves a part", 1999, 2000, "at least 2 partitions"},
	} {
		record := observed(t, func(m *results.Manifest, o *results.Capture) {
			m.Targets = results.Targets{Partition: row.target}
			o.Partitions[1].Offered, o.Partitions[1].Busiest = row.asked, 10
		})
		if got := verdict.Judge(record).Verdict; !strings.Contains(got, row.want) {
			t.Errorf("%s: Verdict = %q; want it to say %q", row.name, got, row.want)
		}
	}
}

func TestFindingsOfTraffic(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*results.Capture)
		says   []string
		silent []string
	}{
		{"what stands out of all", nil, []string{`Of 100,000 entities counted most, 60.0 %, were of the partition "Berlin".`,
			`Of 20 pages, the query "PartitionKey eq ? and Price gt ?" on the table "races" (partition scan) scanned 20,000 entities and returned 200: a density of 1.0 %`,
			"Retries added 1.00 attempts to each operation: 2 requests were sent for 1 operations."},
			[]string{"append", "prepend", "account", "failed", "x-ms-client", "room", "Beside it", "lag"}},
		{"other partitions that refuse", func(o *results.Capture) { o.Partitions[0].Throttled = 90 },
			[]string{`throttled by "New York" (20.0 %).`}, nil},
		{"many of them", func(o *results.Capture) {
			for range 6 {
				o.Partitions = append(o.Partitions, o.Partitions[1])
			}
		}, []string{"and 3 more."}, nil},
		{"a query that is dense enough", func(o *results.Capture) { o.Shapes[0].Returned = 2000 }, nil, []string{"pages"}},
		{"keys that ascend", func(o *results.Capture) { o.Orders[0].Partitions = results.Order{Keys: 20, Ascending: 18} },
			[]string{`The table "races" is append-only: 18 of 20 new PartitionKeys came in ascending order, and such keys all land in its last range`}, nil},
		{"keys that descend", func(o *results.Capture) {
			o.Orders[0].Partitions = results.Order{Keys: 20, Ascending: 1, Descending: 19}
		}, []string{`The table "races" is prepend-only: 19 of 20 new PartitionKeys came in descending order, and such keys all land in its first range`}, nil},
		{"too few keys to tell", func(o *results.Capture) { o.Orders[0].Partitions = results.Order{Keys: 19, Ascending: 19} },
			nil, []string{"append"}},
		{"one in ten goes another way", func(o *results.Capture) { o.Orders[0].Partitions = results.Order{Keys: 100, Ascending: 89} },
			nil, []string{"append"}},
		{"rows that ascend", func(o *results.Capture) { o.Orders[0].Rows.Ascending = 4900 },
			[]string{`RowKeys of the table "races" come in ascending order within their partitions (4,900 of 5,000)`}, []string{"append"}},
		{"rows that descend", func(o *results.Capture) { o.Orders[0].Rows.Descending = 4900 }, []string{"come in descending order"}, nil},
		{"an account that refuses", func(o *results.Capture) { o.ThrottledByAccount = 70 },
			[]string{"The account throttled 70 of 30,000 requests"}, nil},
		{"failures", func(o *results.Capture) {
			o.Answers = []results.Answer{{Status: 404, Code: "ResourceNotFound", Class: "ok", Requests: 999},
				{Status: 400, Code: "InvalidInput", Class: "failed", Requests: 5}, {Status: 403, Code: "AuthenticationFailed", Class: "failed", Requests: 9, Tableless: 8}}
		}, []string{"14 of 30,000 requests failed for other reasons than load, most often with 403 AuthenticationFailed; 8 of them never reached a table."}, nil},
		{"requests without an id", func(o *results.Capture) { o.Unnamed, o.Forgotten = 12, 9 },
			[]string{"12 of 30,000 requests carried no x-ms-client-request-id"}, nil},
		{"requests without an id where nothing was throttled", func(o *results.Capture) { o.Unnamed, o.ThrottledByPartition = 12, 0 }, nil,
			[]string{"x-ms-client"}},
		{"operations forgotten", func(o *results.Capture) { o.Forgotten = 9 }, []string{"9 operations were given up before their time"}, nil},
		{"requests known too late", func(o *results.Capture) { o.Delayed = 4 }, []string{"4 requests became known"}, nil},
		{"more than is told apart", func(o *results.Capture) { o.PartitionsDropped = 1234 }, []string{"1,234 times a partition made room"}, nil},
		{"nothing at all", func(o *results.Capture) { *o = results.Capture{} }, nil, []string{"hottest", "query"}},
	} {
		record := observed(t, func(_ *results.Manifest, o *results.Capture) {
			if row.change != nil {
				row.change(o)
			}
		})
		saidAndUnsaid(t, row.name, verdict.Findings(record), row.says, row.silent)
	}
}

func TestLimitsOfTraffic(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*results.Manifest, *results.Capture)
		says   []string
		silent []string
	}{
		{"a partition saturates", nil, []string{"profile documented", "times are the server's", "waits for its replies", "Balancing", "warm"},
			[]string{"saturates is not known", "sockets", "step"}},
		{"calm", func(_ *results.Manifest, o *results.Capture) { o.Partitions = o.Partitions[:1] }, []string{"less than 1 %"}, nil},
		{"overloaded too shortly", func(_ *results.Manifest, o *results.Capture) { unknown(o, "throttling in 3 of the seconds alone") },
			[]string{"saturates is not known: throttling in 3 of the seconds alone."}, nil},
		{"out of service", func(_ *results.Manifest, o *results.Capture) { unknown(o, "an\x1b[2J outage") },
			[]string{`saturates is not known: an\x1b[2J outage.`}, nil},
		{"no traffic", func(_ *results.Manifest, o *results.Capture) { *o = results.Capture{} }, nil, []string{"hottest"}},
	} {
		saidAndUnsaid(t, row.name, verdict.Limits(observed(t, row.change)), row.says, row.silent)
	}
}

// No observation that can be read makes the judgement panic.
func TestImpossibleCapturesAreJudged(t *testing.T) {
	nothing, huge := math.NaN(), math.Inf(1)
	for _, o := range []results.Capture{
		{Requests: -1, Entities: math.MinInt64, Partitions: []results.ObservedPartition{{Requests: -5, Throttled: 7, Busiest: -3, Offered: math.MinInt64,
			Typical: nothing, Saturation: &huge, SaturationInterval: []float64{1}}}},
		{Partitions: []results.ObservedPartition{{Requests: 1, Throttled: 1, Saturation: &nothing, SaturationInterval: []float64{2, 1}, Busiest: math.MaxInt64}},
			Shapes: []results.QueryShape{{Scanned: math.MaxInt64, Returned: 1}, {Scanned: -1, Returned: -1}},
			Orders: []results.KeyOrder{{Partitions: results.Order{Keys: math.MaxInt64, Ascending: math.MaxInt64}}}},
	} {
		record := &results.Record{Validity: results.Valid, Capture: &o}
		if verdict.Judge(record).Verdict == "" || len(verdict.Limits(record)) == 0 {
			t.Errorf("nothing is said of %+v", o)
		}
		verdict.Findings(record)
	}
}
