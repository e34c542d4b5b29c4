package verdict_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/resultstest"
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
	return resultstest.Play(t, m, 3*time.Second, func(r *results.Recorder) {
		phase := r.Phase(results.Phase{Name: "observed", Reported: true, End: 2 * time.Second})
		r.Scheduled(&results.Scheduled{Phase: phase, Kind: 1, Entities: 1})
		for try, class := range []results.Class{results.Throttled, results.Ok} {
			r.Attempt(&results.Attempt{Phase: phase, Kind: 1, Try: try, Retry: try > 0, Class: class, Done: time.Second, Counted: int64(try)})
		}
		r.Completed(&results.Completed{Class: results.Ok, Phase: phase, Kind: 1, Done: time.Second, Attempts: 2, Entities: 1, Served: 1})
		r.UpdateRecord(func(of *results.Record) { of.Capture = o })
	})
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
			Requests: 20, Scanned: 5000, Returned: 50, Density: &density}},
		Orders: []results.KeyOrder{{Table: "races", Partitions: results.Order{Keys: 500, Ascending: 6, Descending: 4},
			Rows: results.Order{Keys: 5000, Ascending: 100, Descending: 120}}},
	}
}

// unknown takes from the partition that saturates where it does, and says why.
func unknownLimit(o *results.Capture, why string) {
	p := &o.Partitions[1]
	p.Saturation, p.SaturationInterval, p.SaturationWhy = nil, nil, why
}

// The state of traffic, and what its phase holds, go with the verdict on it.
func TestVerdictsOfTraffic(t *testing.T) {
	calm := func(o *results.Capture) { o.Partitions = o.Partitions[:1] }
	var got strings.Builder
	for _, row := range []struct {
		name   string
		change func(*results.Manifest, *results.Capture)
		state  string
		holds  *bool
		why    string
	}{
		{"a partition saturates", nil, results.NotSound, new(false), ""},
		{"under a model's own target", func(m *results.Manifest, o *results.Capture) { m.Targets.Partition = 1000 }, results.NotSound, new(false), ""},
		{"overloaded in spells too short to tell", func(m *results.Manifest, o *results.Capture) {
			unknownLimit(o, "throttling in 3 of the seconds alone, too few to show a limit")
		}, results.NotSound, nil, "3 partitions"},
		{"throttled by chance", func(m *results.Manifest, o *results.Capture) {
			unknownLimit(o, "the throttling is sporadic: it takes the same share of any load")
		}, results.NotSound, nil, "3 partitions"},
		{"throttled in bursts within a second", func(m *results.Manifest, o *results.Capture) {
			unknownLimit(o, "one rate does not tell a limit from sporadic throttling")
			p := &o.Partitions[1]
			p.Busiest, p.Offered, p.Typical = 700, 900, 30
		}, results.CannotTell, nil, "one rate"},
		{"calm", func(m *results.Manifest, o *results.Capture) { calm(o) }, results.Sound, new(true), ""},
		{"nothing is throttled without limits, but more was counted than one partition may", func(m *results.Manifest, o *results.Capture) {
			calm(o)
			m.Profile, m.Targets = "off", results.Targets{}
			o.Partitions[0].Busiest, o.Partitions[0].Offered = 7000, 7000
		}, results.NotSound, nil, "4 partitions"},
		{"keys that only ascend", func(m *results.Manifest, o *results.Capture) { o.Orders[0].Partitions.Ascending = 490 }, results.NotSound, new(false), ""},
		{"a calm partition of keys that only descend", func(m *results.Manifest, o *results.Capture) {
			calm(o)
			o.Orders[0].Partitions.Descending = 450
		}, results.Sound, new(true), ""},
		{"a query that returns all it reads", func(m *results.Manifest, o *results.Capture) { o.Shapes[0].Returned = 5000 }, results.NotSound, new(false), ""},
		{"a query that returns nothing", func(m *results.Manifest, o *results.Capture) { o.Shapes[0].Returned = 0 }, results.NotSound, new(false), ""},
		{"a query without a filter", func(m *results.Manifest, o *results.Capture) { o.Shapes[0].Shape, o.Shapes[0].Class = "", "" }, results.NotSound, new(false), ""},
		{"no query", func(m *results.Manifest, o *results.Capture) { o.Shapes = nil }, results.NotSound, new(false), ""},
		{"an account that gives in first", func(m *results.Manifest, o *results.Capture) { m.Targets.Account = 1000 }, results.CannotTell, nil, "limits the account"},
		{"no request for an entity", func(m *results.Manifest, o *results.Capture) { *o = results.Capture{Requests: 3} }, results.CannotTell, nil, "no request"},
		{"a service of somebody else's", func(m *results.Manifest, o *results.Capture) { m.Target = "https://example.table" }, results.NotSound, new(false), ""},
		{"names with escapes in them", func(m *results.Manifest, o *results.Capture) {
			p, s := &o.Partitions[1], &o.Shapes[0]
			p.PartitionKey, p.Table = "a\x1b[2J\u202e\""+strings.Repeat("ä", 100), "\n"
			s.Shape, s.Class, s.Table = strings.Repeat("\x07", 200), "\x1b[m", "\u202e"
		}, results.NotSound, new(false), ""},
		{"cut off", func(m *results.Manifest, o *results.Capture) {}, results.CannotTell, nil, results.Partial},
		{"too much failed", func(_ *results.Manifest, o *results.Capture) {
			calm(o)
			o.Partitions[0].Failed = 900
		}, results.NotSound, nil, "failed"},
		{"a calm partition of an account that gives in first", func(m *results.Manifest, o *results.Capture) {
			calm(o)
			m.Targets.Account = 1000
		}, results.CannotTell, nil, "limits the account"},
	} {
		record := observed(t, row.change)
		if row.name == "cut off" {
			record.Validity, record.Reasons = results.Partial, []string{"the server was killed"}
		}
		s := verdict.Judge(record)
		if row.why != "failed" && row.why != "limits the account" {
			fmt.Fprintf(&got, "# %s\n%s\n\n", row.name, strings.ReplaceAll(story(record), ". ", ".\n"))
		}
		checkVerdict(t, row.name, record, s)
		again, ok := verdict.State(s)
		assert.Truef(t, s.State == row.state && again == row.state && ok == nil && s.Ok == nil,
			"%s: %s, again %s, ok %v; want %s", row.name, s.State, again, s.Ok, row.state)
		saturates := row.state != results.Sound && row.holds != nil || row.name == "an account that gives in first"
		if (s.Saturation != nil) != saturates || (s.SaturationWhy == "") != saturates && record.Capture.Partitions != nil {
			t.Errorf("%s: saturation = %v, for %q; want one where the run saturates, else why there is none", row.name, s.Saturation, s.SaturationWhy)
		}
		phase := s.Phases[0]
		assert.Truef(t, cmp.Equal(phase.Holds, row.holds) && (phase.Why == "") == (row.why == "") && strings.Contains(phase.Why, row.why),
			"%s: the phase holds: %v, for %q; want %v, for %q", row.name, phase.Holds, phase.Why, row.holds, row.why)
	}
	resultstest.CheckGolden(t, "testdata/traffic.golden", got.String())
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
	assert.True(t, record.Capture.Partitions[1].SaturationInterval[0] != 7, "the summary shares memory with the record")
	// Nothing was throttled: the partition that counted most, and no saturation.
	record.Capture.Partitions[1].Throttled = 149
	if s := verdict.Judge(record); s.Hottest.Key != "Berlin" || s.Saturation != nil || s.SaturationInterval != nil {
		t.Errorf("Judge of calm traffic = %+v; want Berlin, not saturated", s)
	}
}

// A peak needs as many partitions as its busiest second has targets, with the
// doubt that a stress test allows for.
func TestPartitionsThatAPeakNeeds(t *testing.T) {
	for _, row := range []struct {
		name          string
		asked, target int64
		want          int
	}{
		{"twice the target and the doubt", 4010, 2000, 2},
		{"a little more", 4100, 2000, 3},
		{"a model of its own", 4100, 500, 9},
		{"no target is the documents'", 1_000_000, 0, 495},
		{"less than one, of which a limit at that serves a part", 1999, 2000, 2},
	} {
		record := observed(t, func(m *results.Manifest, o *results.Capture) {
			m.Targets = results.Targets{Partition: row.target}
			o.Partitions[1].Offered, o.Partitions[1].Busiest = row.asked, 10
		})
		resultstest.CheckWords(t, row.name, story(record), fmt.Sprintf(" %d partitions", row.want))
	}
}

func TestFindingsOfTraffic(t *testing.T) {
	keys := func(keys, ascending, descending int64) func(*results.Capture) {
		return func(o *results.Capture) {
			o.Orders[0].Partitions = results.Order{Keys: keys, Ascending: ascending, Descending: descending}
		}
	}
	for _, row := range []struct {
		name   string
		change func(*results.Capture)
		words  string
	}{
		{"what stands out of all", func(*results.Capture) {}, `"New York"|20.0%|3 partitions|!New PartitionKeys|!account|!fail|!x-ms-client`},
		{"a query that is a problem", func(o *results.Capture) { o.Shapes[0].Scanned, o.Shapes[0].Returned = 20_000, 200 },
			"20.0%|PartitionKey eq ?|partition scan|races|20,000|200|100 for each"},
		{"a query that is dense enough", func(o *results.Capture) { o.Shapes[0].Scanned, o.Shapes[0].Returned = 20_000, 2000 }, "!scans"},
		{"keys that ascend", keys(20, 18, 0), `races|ascending|18 of 20|last range`},
		{"keys that descend", keys(20, 1, 19), `races|descending|19 of 20|first range`},
		{"too few keys to tell", keys(19, 19, 0), "!New PartitionKeys"},
		{"one in ten goes another way", keys(100, 89, 0), "!New PartitionKeys"},
		{"requests without an id", func(o *results.Capture) { o.Unnamed, o.Forgotten = 12, 9 }, "12 of 30,000|x-ms-client-request-id"},
		{"requests without an id where nothing was throttled",
			func(o *results.Capture) { o.Unnamed, o.ThrottledByPartition = 12, 0 }, "!x-ms-client"},
		{"operations forgotten", func(o *results.Capture) { o.Forgotten = 9 }, "9 pending"},
		{"requests known too late", func(o *results.Capture) { o.Delayed = 4 }, "4 requests"},
		{"nothing at all", func(o *results.Capture) { *o = results.Capture{} }, "!hottest|!query"},
	} {
		record := observed(t, func(_ *results.Manifest, o *results.Capture) { row.change(o) })
		checkSentences(t, row.name, findings(record), row.words)
	}
}

func TestLimitsOfTraffic(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*results.Capture)
		words  string
	}{
		{"a partition saturates", func(*results.Capture) {}, "documented|server's|waits|balancing|new table|!not known|!sockets|!step"},
		{"calm", func(o *results.Capture) { o.Partitions = o.Partitions[:1] }, "less than 1%"},
		{"overloaded too shortly", func(o *results.Capture) { unknownLimit(o, "in 3 of the seconds") }, "unknown: in 3 of the seconds."},
		{"out of service", func(o *results.Capture) { unknownLimit(o, "an\x1b[2J outage") }, `an\x1b[2J outage.`},
		{"no traffic", func(o *results.Capture) { *o = results.Capture{} }, "!hottest"},
	} {
		record := observed(t, func(_ *results.Manifest, o *results.Capture) { row.change(o) })
		checkSentences(t, row.name, limitsOf(record), row.words)
	}
}

// What is said of load balancing is when it first did something, why, and the shares of the
// seconds that lie wholly before its first step and after its last.
func TestLoadBalancingUnderOutsideTraffic(t *testing.T) {
	split := results.Event{At: int64(4200 * time.Millisecond), What: results.RangeSplit,
		Decision: &results.Decision{Table: "Races", Key: "m", Reason: "overloaded", Overloaded: 3 * time.Second, Until: 4700 * time.Millisecond}}
	move := results.Event{At: int64(6 * time.Second), What: results.RangeMoved, Decision: &results.Decision{Table: "Races", Reason: "overloaded", Until: 8500 * time.Millisecond}}
	kept := results.Event{At: int64(time.Second), What: results.RangeKept, Decision: &results.Decision{Table: "Races", Reason: "one key"}}
	// Of each second a tenth more is throttled than of the one before.
	seconds := func(count int) (list []results.Interval) {
		for n := range count {
			list = append(list, results.Interval{Second: int64(n), Counts: results.Counts{Attempts: 100, Throttled: int64(10 * (n % 10))}})
		}
		return list
	}
	for _, row := range []struct {
		sentence, start string
		capture         *results.Capture
		events          []results.Event
		lasts           int
		want            string
	}{
		{"a warm service", "warm", new(results.Capture), nil, 5, ""},
		{"a run of one's own", "cold", nil, []results.Event{split}, 5, ""},
		{"nothing was done", "cold", new(results.Capture), []results.Event{kept}, 5, "did nothing"},
		{"a split, and a record that ends before it is done", "cold", new(results.Capture), []results.Event{kept, split}, 5,
			`1 split, no move and no merge|15.0%`},
		{"a split and a move", "cold", new(results.Capture), []results.Event{split, move}, 20,
			"1 split, 1 move and no merge|15.0%|45.0%"},
	} {
		record := &results.Record{Capture: row.capture, Events: row.events, Phases: []results.Phase{{Begin: time.Second}}, Duration: time.Duration(row.lasts) * time.Second}
		record.Intervals = seconds(row.lasts)
		record.Manifest.Start = row.start
		record.Validity = results.Valid
		record.Manifest.Operations = nil
		told := answer(record, &results.Summary{Validity: results.Valid, Soundness: results.CannotTell})
		got := strings.Join(slices.DeleteFunc(told.Says, func(said string) bool { return !strings.Contains(said, "Load balancing") }), " ")
		assert.Equalf(t, row.want == "", got == "", "%s: %q; want %q", row.sentence, got, row.want)
		resultstest.CheckWords(t, row.sentence, got, row.want)
	}
}
