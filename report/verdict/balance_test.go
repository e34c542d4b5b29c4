package verdict_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// course is a load of 100 operations/s, of which so many are served in each
// stretch of ten seconds.
type course struct {
	served []int
	spread *results.Spread
	start  string
	events []results.Event
	tail   []results.KeyTail
	rival  *results.Rival
}

// record plays the course, from second 1 on.
func (c course) record(t testing.TB) *results.Record {
	t.Helper()
	m := manifest()
	m.PartitionKey, m.Spread, m.Start, m.Time, m.Retry = "", c.spread, c.start, "virtual", "none"
	length := time.Duration(10*len(c.served)) * time.Second
	phase := resultstest.Phase{Kind: 3, Phase: results.Phase{Name: "spread", Begin: time.Second, End: time.Second + length, Rate: 100, Reported: true}}
	r := resultstest.Run{Manifest: m, Phases: []resultstest.Phase{phase}, Events: c.events,
		Take: func(of *results.Record) { of.Tail, of.Rival = c.tail, c.rival },
		Attempt: func(op *resultstest.Operation, a *results.Attempt) {
			if a.Done = a.Sent; int(op.Number)%100 >= c.served[op.Number/1000] {
				a.Class = results.Throttled
			}
		}}
	return r.Record(t)
}

// evenCourse is a cold start of twelve partitions that share the load.
func evenCourse(served ...int) course {
	return course{served: served, spread: &results.Spread{Partitions: 12, Rate: 100. / 12}, start: "cold"}
}

func decided(second int, what string, ranges int) results.Event {
	return results.Event{At: int64(second) * int64(time.Second), What: what, Decision: &results.Decision{
		Ranges: ranges, Key: "NYC", Reason: "no boundary divides its load", Until: time.Duration(second+5) * time.Second}}
}

func TestBalance(t *testing.T) {
	relieved := evenCourse(50, 50, 60, 100, 100, 100, 100)
	relieved.events = []results.Event{decided(11, results.RangeSplit, 2), decided(11, results.RangeMoved, 2), decided(21, results.RangeSplit, 3)}
	throttled := evenCourse(50, 50, 50, 50, 50)
	throttled.events = []results.Event{decided(11, results.RangeKept, 1)}
	throttled.tail = []results.KeyTail{{Key: "NYC", Attempts: 100, Throttled: 50}, {Key: "Berlin", Attempts: 1000, Throttled: 1}}
	single := evenCourse(50, 50, 50, 50, 50)
	single.spread, single.tail = &results.Spread{Partitions: 1, Rate: 3000}, throttled.tail[:1]
	survives, flips := evenCourse(100, 100, 100, 100), evenCourse(100, 100, 100, 100)
	survives.rival = &results.Rival{Profile: "headroom", Outcome: results.LoadHeld}
	flips.rival = &results.Rival{Profile: "headroom", Outcome: results.LoadRelieved, Relieved: new(3700.)}
	for _, row := range []struct {
		name                string
		course              course
		outcome             string
		throttled, relieved *float64
		words               string
	}{
		{"a load that is borne", evenCourse(100, 100, 100, 100, 100), results.LoadHeld, nil, nil, "!throttled from"},
		{"one that is relieved", relieved, results.LoadRelieved, new(0.), new(30.), "30 s|2 splits, 1 move and no merge|3 ranges|!to the end"},
		{"one that is throttled later", evenCourse(100, 50, 100, 100, 100, 100), results.LoadRelieved, new(10.), new(20.), "10 s"},
		{"one that is throttled to the end", throttled, results.LoadThrottled, new(0.), nil, `"NYC" (50.0%|no boundary divides its load|!Berlin`},
		{"one that ends too soon to tell", evenCourse(50, 50, 50, 100, 100), results.LoadThrottled, new(0.), nil, "before load balancing finished"},
		{"a single hot key", single, results.LoadThrottled, new(0.), nil, `"NYC" alone|2,000/s`},
		{"a verdict that survives", survives, results.LoadHeld, nil, nil, "headroom|stays|!changes"},
		{"a verdict that flips", flips, results.LoadHeld, nil, nil, "headroom|changes|1 h 1 min 40 s|!stays"},
	} {
		record := row.course.record(t)
		summary := verdict.Judge(record)
		b := summary.Balance
		require.Truef(t, b != nil && b.Outcome == row.outcome && same(b.Throttled, row.throttled) && same(b.Relieved, row.relieved),
			"%s: balance %+v; want %s, throttled %v, relieved %v", row.name, b, row.outcome, row.throttled, row.relieved)
		resultstest.CheckWords(t, row.name, story(record), row.words)
		if summary.Saturation != nil {
			t.Errorf("%s: saturation %v; want none of several partitions", row.name, *summary.Saturation)
		}
		if rival := verdict.RivalOf(record); rival.Outcome != row.outcome || !same(rival.Relieved, row.relieved) {
			t.Errorf("%s: RivalOf = %+v; want the same outcome", row.name, rival)
		}
	}
	relieved.spread = nil
	record := relieved.record(t)
	record.Manifest.PartitionKey = "NYC"
	resultstest.CheckWords(t, "a load that nobody spread", story(record), `"NYC"`)
}

func same(a, b *float64) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

// All accounts together are full where each is, and not where one could be.
func TestAccounts(t *testing.T) {
	for _, row := range []struct {
		name     string
		accounts int
		target   int64
		words    string
	}{
		{"one account that is full", 0, 50, "limit of the account"},
		{"two that are full", 2, 25, "limit of the 2 accounts"},
		{"two of which one alone would be full", 2, 50, "before load balancing finished"},
	} {
		record := evenCourse(50, 50, 50, 50, 50).record(t)
		record.Manifest.Accounts, record.Manifest.Targets.Account = row.accounts, row.target
		resultstest.CheckWords(t, row.name, story(record), row.words)
	}
}

func TestMinutesSumUpTheLoad(t *testing.T) {
	c := evenCourse()
	c.events = []results.Event{decided(30, results.RangeSplit, 2), decided(70, results.RangeMoved, 2), decided(70, results.RangesMerged, 1)}
	for range 18 {
		c.served = append(c.served, 40)
	}
	record := c.record(t)
	list := verdict.Minutes(record, 40)
	if len(list) != 3 || list[0].Splits != 1 || list[1].Moves != 1 || list[1].Merges != 1 || list[1].Ranges != 1 || list[2].Splits != 0 {
		t.Fatalf("Minutes = %+v; want three, a split in the first, a move and a merge in the second", list)
	}
	for i, m := range list {
		assert.Truef(t, m.From == time.Duration(i)*time.Minute && m.Offered == 100 && m.Served == 40 && m.Throttled == 60,
			"minute %d = %+v; want 100/s offered, 40/s served, 60/s throttled", i, m)
	}
	list = verdict.Minutes(record, 2)
	assert.Truef(t, len(list) == 2 && list[1].From == 2*time.Minute, "Minutes in two rows = %+v", list)
	record.Manifest.Spread, record.Manifest.Start = nil, "warm"
	assert.Nil(t, verdict.Minutes(record, 40), "Minutes of another run")
}

func TestLimitsOfSimulations(t *testing.T) {
	for _, row := range []struct {
		name, profile, start string
		alter                func(*results.Manifest)
		words                string
	}{
		{"a cold start", "documented", "cold", nil, "assumptions|!balancing is not"},
		{"a warm start", "documented", "warm", nil, "balancing is not|!one range"},
		{"headroom", "headroom", "cold", nil, "headroom|!exactly"},
		{"2010", "measured-2010", "cold", nil, "2010|!exactly"},
		{"without data", "documented", "cold", func(m *results.Manifest) { m.Dataless = true }, "Nothing was stored"},
		{"a network of round trips alone", "documented", "warm", modelNetwork("0", "0"), "modelled round trip.|!packet loss|!clients' line"},
		{"one that packet loss packets", "documented", "warm", modelNetwork("50", "0"), "packet loss|!clients' line"},
		{"a line", "documented", "warm", modelNetwork("0", "2500000"), "clients' line|!packet loss"},
		{"both", "documented", "warm", modelNetwork("50", "2500000"), "packet loss|clients' line"},
	} {
		record := course{served: []int{100}, spread: &results.Spread{Partitions: 2}, start: row.start}.record(t)
		record.Manifest.Profile = row.profile
		if row.alter != nil {
			row.alter(&record.Manifest)
		}
		resultstest.CheckWords(t, row.name, fmt.Sprint(limitsOf(record)), row.words)
	}
}

// modelNetwork sets what the model has of a network.
func modelNetwork(loss, bandwidth string) func(*results.Manifest) {
	return func(m *results.Manifest) {
		m.Target = results.Embedded
		m.Model = []results.Parameter{{Name: "packet_loss", Value: loss}, {Name: "client_bandwidth", Value: bandwidth}}
	}
}
