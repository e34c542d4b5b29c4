package verdict_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"loadgen/report/verdict"
	"loadgen/results"
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

// record plays the course into a recorder, from second 1 on, and reads it back.
func (c course) record(t testing.TB) *results.Record {
	t.Helper()
	folder := new(results.Memory)
	m := manifest()
	m.PartitionKey, m.Spread, m.Start, m.Time, m.Retry = "", c.spread, c.start, "virtual", "none"
	recorder, err := results.NewRecorder(folder, m)
	if err != nil {
		t.Fatal(err)
	}
	length := time.Duration(10*len(c.served)) * time.Second
	phase := recorder.Phase(results.Phase{Name: "spread", Begin: time.Second, End: time.Second + length, Rate: 100, Reported: true})
	counts := results.TargetCounts{}
	for i := range 100 * 10 * len(c.served) {
		at := time.Second + time.Duration(i)*10*time.Millisecond
		class, entities := results.Ok, int64(1)
		if i%100 >= c.served[i/1000] {
			class, entities = results.Throttled, 0
			counts.Throttled++
		} else {
			counts.Ok++
		}
		counts.Requests++
		counts.Entities += entities
		recorder.Scheduled(&results.Scheduled{Phase: phase, Kind: 3, Intended: at, Sent: at, Entities: 1})
		recorder.Attempt(&results.Attempt{Phase: phase, Kind: 3, Number: uint64(i), Intended: at, Sent: at, Done: at, Class: class, Counted: entities})
		recorder.Completed(&results.Completed{Phase: phase, Kind: 3, Number: uint64(i), Intended: at, Done: at, Class: class, Attempts: 1, Entities: 1, Served: entities})
	}
	for _, e := range c.events {
		recorder.Event(e)
	}
	recorder.Take(func(of *results.Record) { of.Tail, of.Rival = c.tail, c.rival })
	if err := recorder.Finish(time.Second+length, results.Valid, nil, &counts); err != nil {
		t.Fatal(err)
	}
	record, err := results.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	return record
}

func decided(second int, what string, ranges int) results.Event {
	return results.Event{At: int64(second) * int64(time.Second), What: what, Decision: &results.Decision{
		Ranges: ranges, Key: "NYC", Reason: "no boundary divides its load", Until: time.Duration(second+5) * time.Second}}
}

func seconds(s float64) *float64 { return &s }

func TestBalance(t *testing.T) {
	twelve, one := &results.Spread{Partitions: 12, Rate: 100. / 12}, &results.Spread{Partitions: 1, Rate: 3000}
	for _, tt := range []struct {
		name                string
		course              course
		outcome             string
		throttled, relieved *float64
		says, says2, not    string
	}{
		{"a load that is borne", course{served: []int{100, 100, 100, 100, 100}, spread: twelve, start: "cold"},
			results.LoadHeld, nil, nil, "borne from the start", "Load balancing changed nothing", "throttled from"},
		{"one that is relieved", course{served: []int{50, 50, 60, 100, 100, 100, 100}, spread: twelve, start: "cold",
			events: []results.Event{decided(11, results.RangeSplit, 2), decided(11, results.RangeMoved, 2), decided(21, results.RangeSplit, 3)}},
			results.LoadRelieved, seconds(0), seconds(30), "relieves it after 30 s, by 2 splits, 1 move and no merge, into 3 ranges", "throttled from the start", "to the end"},
		{"one that is throttled later", course{served: []int{100, 50, 100, 100, 100, 100}, spread: twelve, start: "cold"},
			results.LoadRelieved, seconds(10), seconds(20), "throttled after 10 s", "", ""},
		{"one that is throttled to the end", course{served: []int{50, 50, 50, 50, 50}, spread: twelve, start: "cold",
			events: []results.Event{decided(11, results.RangeKept, 1)}, tail: []results.KeyTail{{Key: "NYC", Attempts: 100, Throttled: 50}, {Key: "Berlin", Attempts: 1000, Throttled: 1}}},
			results.LoadThrottled, seconds(0), nil, `"NYC" (50.0 % of its attempts)`, "no boundary divides its load", "Berlin"},
		{"one that ends too soon to tell", course{served: []int{50, 50, 50, 100, 100}, spread: twelve, start: "cold"},
			results.LoadThrottled, seconds(0), nil, "did not last long enough", "", ""},
		{"a single hot key", course{served: []int{50, 50, 50, 50, 50}, spread: one, start: "cold", tail: []results.KeyTail{{Key: "NYC", Attempts: 100, Throttled: 50}}},
			results.LoadThrottled, seconds(0), nil, "never divided", `"NYC" alone is asked for more than the 2,000/s`, ""},
		{"a verdict that survives", course{served: []int{100, 100, 100, 100}, spread: twelve, start: "cold", rival: &results.Rival{Profile: "headroom", Outcome: results.LoadHeld}},
			results.LoadHeld, nil, nil, "This verdict survives: under profile headroom the same load is borne from the start, too", "", "flips"},
		{"a verdict that flips", course{served: []int{100, 100, 100, 100}, spread: twelve, start: "cold", rival: &results.Rival{Profile: "headroom", Outcome: results.LoadRelieved, Relieved: seconds(3700)}},
			results.LoadHeld, nil, nil, "This verdict flips with the model: under profile headroom the same load is throttled, and relieved after 1 h 1 min 40 s", "", "survives"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			record := tt.course.record(t)
			summary := verdict.Judge(record)
			b := summary.Balance
			if b == nil || b.Outcome != tt.outcome || !same(b.Throttled, tt.throttled) || !same(b.Relieved, tt.relieved) {
				t.Fatalf("balance %+v; want %s, throttled %v, relieved %v", b, tt.outcome, tt.throttled, tt.relieved)
			}
			for _, want := range []string{tt.says, tt.says2} {
				if !strings.Contains(summary.Verdict, want) {
					t.Errorf("the verdict is %q; want it to say %q", summary.Verdict, want)
				}
			}
			if tt.not != "" && strings.Contains(summary.Verdict, tt.not) {
				t.Errorf("the verdict is %q; want it not to say %q", summary.Verdict, tt.not)
			}
			if summary.Saturation != nil {
				t.Errorf("saturation %v; want none of several partitions", *summary.Saturation)
			}
			rival := verdict.RivalOf(record)
			if rival.Outcome != tt.outcome || !same(rival.Relieved, tt.relieved) {
				t.Errorf("RivalOf = %+v; want the same outcome", rival)
			}
		})
	}
}

func TestBalanceNamesALoadThatNobodySpread(t *testing.T) {
	c := course{served: []int{50, 50, 60, 100, 100, 100, 100}, start: "cold", events: []results.Event{decided(11, results.RangeSplit, 2)}}
	record := c.record(t)
	if got := verdict.Judge(record).Verdict; !strings.HasPrefix(got, "The load is throttled from the start") {
		t.Errorf("the verdict is %q; want it to begin with the load, named once", got)
	}
	record.Manifest.PartitionKey = "NYC"
	if got := verdict.Judge(record).Verdict; !strings.HasPrefix(got, `The load on the partition "NYC" is throttled`) {
		t.Errorf("the verdict is %q; want it to name the partition", got)
	}
}

func same(a, b *float64) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

func TestMinutesSumUpTheLoad(t *testing.T) {
	c := course{spread: &results.Spread{Partitions: 12, Rate: 1}, start: "cold",
		events: []results.Event{decided(30, results.RangeSplit, 2), decided(70, results.RangeMoved, 2), decided(70, results.RangesMerged, 1)}}
	for range 18 {
		c.served = append(c.served, 40)
	}
	record := c.record(t)
	list := verdict.Minutes(record, 40)
	if len(list) != 3 || list[0].Splits != 1 || list[1].Moves != 1 || list[1].Merges != 1 || list[1].Ranges != 1 || list[2].Splits != 0 {
		t.Fatalf("Minutes = %+v; want three, a split in the first, a move and a merge in the second", list)
	}
	for i, m := range list {
		if m.From != time.Duration(i)*time.Minute || m.Offered != 100 || m.Served != 40 || m.Throttled != 60 {
			t.Errorf("minute %d = %+v; want 100/s offered, 40/s served, 60/s throttled", i, m)
		}
	}
	if list := verdict.Minutes(record, 2); len(list) != 2 || list[1].From != 2*time.Minute {
		t.Errorf("Minutes in two rows = %+v; want two minutes each", list)
	}
	record.Manifest.Spread, record.Manifest.Start = nil, "warm"
	if list := verdict.Minutes(record, 40); list != nil {
		t.Errorf("Minutes of another run = %v; want none", list)
	}
}

func TestFindingsOfBalance(t *testing.T) {
	c := course{served: []int{50, 100, 100, 100, 100}, spread: &results.Spread{Partitions: 2, Rate: 50}, start: "cold", events: []results.Event{
		decided(11, results.RangeSplit, 2), decided(11, results.RangeMoved, 2), decided(12, results.RangeKept, 2)}}
	found := strings.Join(verdict.Findings(c.record(t)), "\n")
	for _, want := range []string{"90.0 % of 5,000 operations succeeded", "first step, a split, after 10 s of load", "made 1 split, 1 move and no merge, and there were 2 ranges",
		"offline for 5,000 ms on average", `After 11 s the range from "NYC" on was overloaded and left as it was: no boundary divides its load.`} {
		if !strings.Contains(found, want) {
			t.Errorf("findings:\n%s\nwant them to say %q", found, want)
		}
	}
	for n := range 5 {
		c.events = append(c.events, decided(13+n, results.RangeKept, 2))
	}
	if found := verdict.Findings(c.record(t)); !slices.Contains(found, "So were 3 more.") {
		t.Errorf("findings %q; want those beyond three counted", found)
	}
}

func TestLimitsOfSimulations(t *testing.T) {
	for _, tt := range []struct {
		name, profile, start string
		dataless             bool
		want, not            string
	}{
		{"a cold start", "documented", "cold", false, "are assumptions", "Balancing is not modelled"},
		{"a warm start", "documented", "warm", false, "Balancing is not modelled", "one range"},
		{"headroom", "headroom", "cold", false, "profile headroom, which lets partitions exceed", "held hard"},
		{"2010", "measured-2010", "cold", false, "published in 2010", "held hard"},
		{"without data", "documented", "cold", true, "Nothing was stored", ""},
	} {
		record := course{served: []int{100}, spread: &results.Spread{Partitions: 2}, start: tt.start}.record(t)
		record.Manifest.Profile, record.Manifest.Dataless = tt.profile, tt.dataless
		text := fmt.Sprint(verdict.Limits(record))
		if !strings.Contains(text, tt.want) || tt.not != "" && strings.Contains(text, tt.not) {
			t.Errorf("%s: Limits = %s; want %q and not %q", tt.name, text, tt.want, tt.not)
		}
	}
}

// What is modelled of a network is in the times, and nothing else of one is.
func TestLimitsNameTheNetwork(t *testing.T) {
	const ends = "and none of a network beyond the modelled "
	for _, tt := range []struct{ loss, bandwidth, want string }{
		{"0", "0", "round trip."},
		{"50", "0", "round trip and packets that it loses."},
		{"0", "2500000", "round trip and line of the clients."},
		{"50", "2500000", "round trip, packets that it loses and line of the clients."},
	} {
		record := course{served: []int{100}, spread: &results.Spread{Partitions: 2}, start: "warm"}.record(t)
		record.Manifest.Target = results.Embedded
		record.Manifest.Model = []results.Parameter{{Name: "packet_loss", Value: tt.loss}, {Name: "client_bandwidth", Value: tt.bandwidth}}
		if text := fmt.Sprint(verdict.Limits(record)); !strings.Contains(text, ends+tt.want) {
			t.Errorf("loss %s, bandwidth %s: Limits = %s; want %q", tt.loss, tt.bandwidth, text, ends+tt.want)
		}
	}
}
