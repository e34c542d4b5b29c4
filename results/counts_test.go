package results_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/resultstest"
)

// each calls with every count of a struct, by its JSON name.
func each(of any, call func(name string, count reflect.Value)) {
	value := reflect.ValueOf(of).Elem()
	for _, field := range reflect.VisibleFields(value.Type()) {
		if one := value.FieldByIndex(field.Index); one.Kind() == reflect.Int64 {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			call(name, one)
		}
	}
}

// drawn returns counts that all differ.
func drawn() (c results.Counts) {
	n := int64(0)
	each(&c, func(_ string, count reflect.Value) { n += 7; count.SetInt(n) })
	return c
}

// No count is forgotten wherever counts are summed, nor is one that is added later: the fields are
// found by reflection here, too.
func TestEveryCountIsSummed(t *testing.T) {
	one := drawn()
	kind := results.KindStats{Counts: one, LastHalf: results.Cohort{Counts: one}}
	second := results.Interval{Counts: one, Kinds: []results.IntervalKind{{Counts: one}}}
	var sum, twice, cohort results.Counts
	twice.Add(&one)
	twice.Add(&one)
	var kinds results.KindStats
	kinds.Count(&kind)
	kinds.Count(&kind)
	cohort.Add(&kinds.LastHalf.Counts)
	seconds := results.MergeSecond([]*results.Interval{&second, &second})
	for name, got := range map[string]results.Counts{"a sum": twice, "a kind": kinds.Counts, "a cohort": cohort, "a second": seconds.Counts, "a kind in it": seconds.Kinds[0].Counts} {
		each(&got, func(count string, v reflect.Value) {
			each(&one, func(other string, w reflect.Value) {
				if count == other {
					assert.Equal(t, 2*w.Int(), v.Int(), "%s of %s", count, name)
				}
			})
		})
	}
	sum.Add(&twice)
	sum.Sub(&one)
	assert.True(t, sum.Equal(&one))
	assert.False(t, sum.Equal(&twice))
}

// The JSON form of a struct that embeds counts: the named fields in their order, and a new count.
func TestLayoutOfCounts(t *testing.T) {
	type grown struct {
		results.Counts
		Name    string         `json:"name"`
		Labels  map[string]int `json:"labels,omitempty"`
		Planted int64          `json:"planted"`
	}
	layout := results.LayoutOf[grown]("name throttled=refused ok labels")
	for _, tt := range []struct {
		name string
		of   grown
		want string
	}{
		{"named fields also where they are zero", grown{Name: "a"}, `{"name":"a","refused":0,"ok":0}`},
		{"under another name", grown{Counts: results.Counts{Throttled: 3}}, `{"name":"","refused":3,"ok":0}`},
		{"omitempty", grown{Labels: map[string]int{}}, `{"name":"","refused":0,"ok":0}`},
		{"a count that is not named", grown{Counts: results.Counts{Sent: 3}}, `{"name":"","refused":0,"ok":0}`},
		{"a new count", grown{Planted: 9}, `{"name":"","refused":0,"ok":0,"planted":9}`},
	} {
		text, err := layout.Encode(tt.of)
		require.NoError(t, err)
		assert.Equal(t, tt.want, string(text), tt.name)
	}
	assert.Panics(t, func() { results.LayoutOf[grown]("nmae") }, "a field that it does not have")
}

// What is written is read again, but for what a struct leaves out.
func TestCountsAreReadAgain(t *testing.T) {
	one := drawn()
	for _, tt := range []struct {
		name     string
		of, read any
		counts   func(any) *results.Counts
		want     int
	}{
		{"a kind", &results.KindStats{Counts: one, Response: results.NewHistogram(), Lost: results.NewHistogram()}, new(results.KindStats),
			func(v any) *results.Counts { return &v.(*results.KindStats).Counts }, 26},
		{"a second", &results.Interval{Counts: one}, new(results.Interval), func(v any) *results.Counts { return &v.(*results.Interval).Counts }, 18},
		{"a kind in it", &results.IntervalKind{Counts: one}, new(results.IntervalKind), func(v any) *results.Counts { return &v.(*results.IntervalKind).Counts }, 7},
		{"a cohort", &results.Cohort{Counts: one}, new(results.Cohort), func(v any) *results.Counts { return &v.(*results.Cohort).Counts }, 8},
		{"a member", &results.FleetMember{Counts: one}, new(results.FleetMember), func(v any) *results.Counts { return &v.(*results.FleetMember).Counts }, 7},
	} {
		text, err := json.Marshal(tt.of)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, tt.read))
		had := map[int64]bool{}
		each(&one, func(_ string, v reflect.Value) { had[v.Int()] = true })
		found := 0
		each(tt.counts(tt.read), func(name string, v reflect.Value) {
			if v.Int() != 0 {
				found++
				assert.True(t, had[v.Int()], "%s of %s is %d", name, tt.name, v.Int())
			}
		})
		assert.Equal(t, tt.want, found, "counts of %s", tt.name)
	}
}

// offer records operations at a partition in a phase: so many entities offered, so many of
// them served.
func offer(r *results.Recorder, phase int, table, key string, offered, served int64) {
	r.Attempt(&results.Attempt{Phase: phase, Class: results.Throttled, Table: table, PartitionKey: key, HasPartition: true, Entities: offered, Due: offered})
	if served > 0 {
		r.Attempt(&results.Attempt{Phase: phase, Try: 1, Class: results.Ok, Table: table, PartitionKey: key, HasPartition: true, Entities: offered, Counted: served})
	}
}

// What partitions of a phase were offered, by classes of doubling load, and how evenly
// they were served: by hand.
func TestSharesByHand(t *testing.T) {
	folder := new(results.Memory)
	recorder := begin(t, folder)
	step := recorder.Phase(results.Phase{Name: "step", End: 10 * time.Second, Reported: true})
	offer(recorder, step, "", "nothing due", 0, 0)
	offer(recorder, step, "", "cold", 9, 9)      // 0.9/s
	offer(recorder, step, "", "one", 10, 5)      // 1/s
	offer(recorder, step, "", "1.9", 19, 0)      // 1.9/s
	offer(recorder, step, "", "1023", 10230, 30) // 1,023/s
	offer(recorder, step, "", "1024", 10240, 2560)
	offer(recorder, step, "Copies", "1024", 20470, 30000) // 2,047/s, and served more than was due
	// Served without being due in the phase.
	recorder.Attempt(&results.Attempt{Try: 1, Class: results.Ok, PartitionKey: "guest", HasPartition: true, Counted: 7})
	brief := recorder.Phase(results.Phase{Name: "create", Begin: 10 * time.Second})
	offer(recorder, brief, "", "short", 5, 0)
	recorder.EndPhase(brief, 10*time.Second)
	resultstest.Finish(t, recorder, 10*time.Second)
	record := resultstest.Read(t, folder)
	low := 30.0 / 10230
	want := []results.SharesClass{
		{From: 0, Partitions: 1, Offered: 9, Served: 9, Shares: 1, Squares: 1},
		{From: 1, Partitions: 2, Offered: 29, Served: 5, Shares: .5, Squares: .25},
		{From: 512, Partitions: 1, Offered: 10230, Served: 30, Shares: low, Squares: low * low},
		{From: 1024, Partitions: 2, Offered: 30710, Served: 32560, Shares: 1.25, Squares: 1.0625},
	}
	assert.Equal(t, want, record.Phases[step].Shares, "shares")
	got := record.Phases[brief].Shares
	assert.Truef(t, got == nil, "a phase of no length has shares %+v; want none", got)
	assert.EqualValues(t, 7, record.Phases[step].PartitionsHit, "PartitionsHit")
}

func TestBusiestAccount(t *testing.T) {
	one := playRecord(t, 0, func(r *results.Recorder) { succeed(r, r.Phase(results.Phase{Name: "load", End: 1}), 1, 0, 0) })
	assert.Nil(t, one.Phases[0].Accounts, "the accounts of a run over one")
	for _, row := range []struct {
		name    string
		offered []int64
		want    int
	}{
		{"the one that was offered most", []int64{3, 9, 4}, 1},
		{"the first of equals", []int64{3, 9, 9}, 1},
		{"nobody was offered anything", []int64{0, 0}, 0},
	} {
		var phase results.Phase
		for _, offered := range row.offered {
			phase.Accounts = append(phase.Accounts, results.AccountStats{Offered: offered})
		}
		got, several := phase.Busiest()
		assert.Truef(t, got == row.want && several, "%s: Busiest() = %d, %v", row.name, got, several)
	}
}

// A record of an hour of 12 operations over 1,000 partitions stays a file that a browser
// and an editor take: below 6 MB.
func TestAnHourIsBelowSixMegabytes(t *testing.T) {
	phases := resultstest.Cases(1, 6)
	m := manifest()
	m.Operations = nil
	for i := range 12 {
		m.Operations = append(m.Operations, results.Kind{Name: fmt.Sprintf("operation %d", i), Group: "GET"})
	}
	folder := new(results.Memory)
	recorder := resultstest.Open(t, folder, m)
	const each, perSecond = 10 * time.Minute, 40
	rng := rand.New(rand.NewPCG(6, 6))
	for p := range phases {
		phase := recorder.Phase(results.Phase{Name: fmt.Sprint("step ", p), Begin: time.Duration(p) * each, End: time.Duration(p+1) * each, Reported: true})
		for i := range int(each/time.Second) * perSecond {
			due := time.Duration(p)*each + time.Duration(i)*time.Second/perSecond
			a := results.Attempt{Phase: phase, Kind: rng.IntN(12), Intended: due, Sent: due, Done: due + time.Duration(math.Exp(rng.NormFloat64())*float64(20*time.Millisecond)),
				Class: []results.Class{results.Ok, results.Ok, results.Ok, results.Throttled}[rng.IntN(4)], Status: 503, Code: "ServerBusy",
				PartitionKey: fmt.Sprintf("2011 New York City Marathon__%04d", int(math.Pow(rng.Float64(), 3)*1000)), HasPartition: true,
				Entities: 1 + rng.Int64N(1000), Stored: 1000}
			if a.Due = a.Entities; a.Class == results.Ok {
				a.Counted = a.Entities
			}
			resultstest.Single(recorder, a)
			advance(t, recorder, due)
		}
	}
	resultstest.Finish(t, recorder, time.Duration(phases)*each)
	record := resultstest.Read(t, folder)
	// The last attempts end after the last phase.
	columns := map[int]int{1: 151, 6: 226}[phases]
	if h := record.Heat; len(h.Rows) != results.KeptRows || h.Columns != columns || *h.Partitions != 1000 || h.MostMissed != 0 {
		t.Errorf("%d rows of %d columns, %v partitions, %d missed; want 100 of %d, 1,000 and none", len(h.Rows), h.Columns, *h.Partitions, h.MostMissed, columns)
	}
	booksClose(t, record)
	whole := len(folder.Bytes(results.RunFile))
	assert.Truef(t, whole <= phases<<20, "run.json has %d bytes after %d of 6 phases", whole, phases)
}

func TestCausesOfASecond(t *testing.T) {
	many := func(ways int) (list results.Causes) {
		for i := range ways {
			list = append(list, results.Cause{Class: results.Throttled, Status: 500 + i, Code: fmt.Sprint("code ", i), Attempts: int64(200 - i)})
		}
		return list
	}
	other := func(class results.Class, attempts int64) results.Cause {
		return results.Cause{Class: class, Code: results.OtherCauses, Attempts: attempts}
	}
	beyond := func(from, to int) (sum int64) {
		for i := from; i < to; i++ {
			sum += int64(200 - i)
		}
		return sum
	}
	const throttled, failed = results.Throttled, results.Failed
	long := strings.Repeat("é", 40)
	for _, row := range []struct {
		name         string
		causes, want results.Causes
	}{
		{"none", nil, nil},
		{"most first, whichever came first",
			results.Causes{{throttled, 503, "ServerBusy", 2, false}, {failed, 500, "InternalError", 5, false}, {throttled, 503, "Else", 2, false}},
			results.Causes{{failed, 500, "InternalError", 5, false}, {throttled, 503, "Else", 2, false}, {throttled, 503, "ServerBusy", 2, false}}},
		{"one code with two statuses is two causes", results.Causes{{throttled, 503, "Busy", 1, false}, {throttled, 429, "Busy", 1, false}},
			results.Causes{{throttled, 429, "Busy", 1, false}, {throttled, 503, "Busy", 1, false}}},
		{"one answer that an operation takes twofold is two causes", results.Causes{{failed, 404, "Gone", 1, false}, {throttled, 404, "Gone", 1, false}},
			results.Causes{{throttled, 404, "Gone", 1, false}, {failed, 404, "Gone", 1, false}}},
		{"what was injected is apart", results.Causes{{throttled, 503, "Busy", 1, false}, {throttled, 503, "Busy", 2, true}},
			results.Causes{{throttled, 503, "Busy", 2, true}, {throttled, 503, "Busy", 1, false}}},
		{"no reply has the status 0", results.Causes{{failed, 0, "Timeout", 3, false}, {failed, 0, "", 1, false}}, results.Causes{{failed, 0, "Timeout", 3, false}, {failed, 0, "", 1, false}}},
		{"sixteen causes", many(16), many(16)},
		{"a seventeenth is another", many(17), append(many(16), other(throttled, 184))},
		{"the others of each class are apart", append(many(17), results.Cause{Class: failed, Status: 400, Code: "rare", Attempts: 3}),
			append(many(16), other(throttled, 184), other(failed, 3))},
		{"as many as are kept", many(128), append(many(16), other(throttled, beyond(16, 128)))},
		{"the last that is kept, named where it is the commonest", append(many(127), results.Cause{Class: failed, Status: 400, Code: "late", Attempts: 1000}),
			append(append(results.Causes{{failed, 400, "late", 1000, false}}, many(15)...), other(throttled, beyond(15, 127)))},
		{"those beyond, which are among the others whatever they had",
			append(many(128), results.Cause{Class: throttled, Status: 999, Code: "late", Attempts: 1000}, results.Cause{Class: failed, Status: 998, Code: "later", Attempts: 10}),
			append(many(16), other(throttled, beyond(16, 128)+1000), other(failed, 10))},
		{"a code of any length, cut between two characters", results.Causes{{throttled, 503, "x" + long, 1, false}, {throttled, 503, "x" + long + "y", 1, false}},
			results.Causes{{throttled, 503, "x" + long[:62], 2, false}}},
		{"a long code that is no text", results.Causes{{failed, 400, strings.Repeat("\xffa", 50), 1, false}}, results.Causes{{failed, 400, strings.Repeat("\ufffda", 16), 1, false}}},
		{"a code that is no text", results.Causes{{failed, 400, "a\xffb", 1, false}}, results.Causes{{failed, 400, "a\ufffdb", 1, false}}},
	} {
		record := playRecord(t, 3*time.Second, func(r *results.Recorder) {
			r.Phase(results.Phase{Name: "step", End: 3 * time.Second})
			// What a second had is not the next one's.
			for _, at := range []time.Duration{0, 2 * time.Second} {
				for _, one := range row.causes {
					for range one.Attempts {
						a := &results.Attempt{Class: one.Class, Status: one.Status, Code: one.Code, Sent: at, Done: at}
						if one.Injected {
							a.Injected = "refuse"
						}
						r.Attempt(a)
					}
				}
				r.Attempt(&results.Attempt{Class: results.Ok, Status: 404, Code: "ResourceNotFound", Sent: at, Done: at})
				advance(t, r, at)
			}
		})
		for second, i := range record.Intervals {
			want := row.want
			if second == 1 {
				want = nil
			}
			assert.Equalf(t, []results.Causes{want, want}, []results.Causes{i.Causes, i.Kinds[0].Causes},
				"%s: second %d and its operation", row.name, second)
		}
	}
}

func TestCausesAreBounded(t *testing.T) {
	const codes = 10_000
	var causes, halves [2]results.Causes
	for i := range codes {
		causes[0].Merge(results.Causes{{Class: results.Failed, Status: 400, Code: fmt.Sprint("code ", i), Attempts: 1}})
		causes[0].Merge(results.Causes{{Class: results.Throttled, Status: 503, Code: fmt.Sprint("code ", i), Attempts: 2}})
		halves[i%2].Merge(results.Causes{{Class: results.Failed, Status: 400, Code: fmt.Sprint("code ", i), Attempts: 1}})
		halves[i%2].Merge(results.Causes{{Class: results.Throttled, Status: 503, Code: fmt.Sprint("code ", i), Attempts: 2}})
	}
	causes[1].Merge(halves[0])
	causes[1].Merge(halves[1])
	for i, c := range causes {
		assert.Truef(t, len(c) <= 130 && len(c.Frequent()) <= 18,
			"%d: %d causes are kept and %d told; want at most 130 and 18", i, len(c), len(c.Frequent()))
		for _, all := range []results.Causes{c, c.Frequent()} {
			assert.Truef(t, all.ClassAttempts(results.Failed) == codes && all.ClassAttempts(results.Throttled) == 2*codes,
				"%d: %d failed, %d throttled; want %d and %d", i, all.ClassAttempts(results.Failed), all.ClassAttempts(results.Throttled), codes, 2*codes)
		}
	}
}

// A class that no reader knows, and one that is no class, are no causes.
func TestForeignCauses(t *testing.T) {
	for _, text := range []string{`[{"class":"refused","status":503,"code":"","attempts":1}]`, `[{"class":7,"status":503,"code":"","attempts":1}]`} {
		var causes results.Causes
		assert.Errorf(t, json.Unmarshal([]byte(text), &causes), "%s was read as %v; want an error", text, causes)
	}
	var class results.Class
	assert.ErrorIs(t, class.UnmarshalText([]byte("refused")), results.ErrCorrupt, "UnmarshalText")
}

func TestRandomCausesAreCountedAsByHand(t *testing.T) {
	for seed := range uint64(resultstest.Cases(8, 30)) {
		rng := rand.New(rand.NewPCG(seed, 21))
		ways := 1 + rng.IntN(100)
		stream := make([]results.Attempt, 200+rng.IntN(2000))
		half := func(i int) int { return 2 * i / len(stream) }
		for i := range stream {
			way := int(float64(ways) * rng.Float64() * rng.Float64())
			at := time.Duration(half(i)) * time.Second
			stream[i] = results.Attempt{Phase: half(i), Kind: rng.IntN(2), Class: results.Class(1 + way%3), Status: 200 + way*7%400,
				Code: fmt.Sprint("code", way%50), Sent: at, Done: at}
		}
		record := playRecord(t, 2*time.Second, func(r *results.Recorder) {
			r.Phase(results.Phase{Name: "a", End: time.Second})
			r.Phase(results.Phase{Name: "b", Begin: time.Second, End: 2 * time.Second})
			for i := range stream {
				r.Attempt(&stream[i])
			}
		})
		for second := range record.Intervals {
			want := byHand(stream, func(a *results.Attempt) bool { return a.Phase == second })
			assert.Emptyf(t, cmp.Diff(want, record.Intervals[second].Causes),
				"seed %d: second %d differs (-tally +record)", seed, second)
			for kind := range record.Manifest.Operations {
				want := byHand(stream, func(a *results.Attempt) bool { return a.Phase == second && a.Kind == kind })
				got := []results.Causes{record.Intervals[second].Kinds[kind].Causes, record.Phases[second].Kinds[kind].Causes}
				if diff := cmp.Diff([]results.Causes{want, want}, got); diff != "" {
					t.Errorf("seed %d: operation %d of second and phase %d differs (-tally +record):\n%s", seed, kind, second, diff)
				}
			}
		}
		sum := record.Total(results.Everything)
		assert.Truef(t, sum.Causes.ClassAttempts(results.Throttled) == sum.Throttled && sum.Causes.ClassAttempts(results.Failed) == sum.Failed,
			"seed %d: the causes are of %d throttled and %d failed; want %d and %d", seed, sum.Causes.ClassAttempts(results.Throttled), sum.Causes.ClassAttempts(results.Failed), sum.Throttled, sum.Failed)
	}
}

// byHand returns what is told of the causes of a stream: the commonest, each with its exact
// count, and the rest of each class.
func byHand(stream []results.Attempt, of func(*results.Attempt) bool) results.Causes {
	var list results.Causes
	for i := range stream {
		if of(&stream[i]) && stream[i].Class != results.Ok {
			list = causedOnce(list, &stream[i])
		}
	}
	var rest results.Causes
	if len(list) > results.MaxCauses {
		list, rest = list[:results.MaxCauses:results.MaxCauses], list[results.MaxCauses:]
	}
	for class := results.Throttled; class <= results.Failed; class++ {
		if n := rest.ClassAttempts(class); n > 0 {
			list = append(list, results.Cause{Class: class, Code: results.OtherCauses, Attempts: n})
		}
	}
	return list
}

// search is one that has everything set.
func search() *results.Limit {
	return &results.Limit{Of: results.LimitPartition, Partitions: 1, MaxThrottled: .005, MaxP99: new(int64(50_000)),
		From: 500, UpTo: 8000, StepSeconds: 10, BurstSeconds: .1, Held: new(1000.0), NotHeld: new(1010.0),
		By: results.LimitThrottled, Finished: true, Entities: 20_101, Steps: []results.LimitStep{
			{Phase: "limit 1: 1000/s", Rate: 1000, Offered: 1000, Seconds: 10, Scheduled: 10_000, P99: new(int64(7000)),
				Entities: 10_000, Outcome: results.LimitHeld},
			{Phase: "limit 2: 1010/s", Rate: 1010, Offered: 1010, Seconds: 10, Scheduled: 10_100, ThrottledShare: .01,
				Entities: 10_101, Outcome: results.LimitClient},
			{Phase: "limit 3: 1010/s", Rate: 1010, Offered: 1010, Seconds: 10, Scheduled: 10_100, ThrottledShare: .02,
				Outcome: results.LimitThrottled}}}
}

// What is told once and in one piece is read back as it was taken down, and not spoken of where
// it was not.
func TestWhatIsTakenIsReadBack(t *testing.T) {
	whole := &results.Record{
		Audit: &results.Audit{Writes: 10, Acknowledged: 6, Unknown: 3, Absent: 1, Own409: 1, Own412: 2, Own404: 3, ForeignConflicts: 4,
			Keys: 9, ReadBack: 8, Unwatched: 7, Lost: 2, Doubled: 1, Overwritten: 5,
			Examples: []results.AuditExample{{PartitionKey: "p", RowKey: "r", Fault: "gone"}}},
		Generator: &results.Generator{Ceiling: &results.Ceiling{Over: results.OverHTTP, Lanes: 64, Operations: 100, Took: time.Second, CPU: time.Second},
			Cores: 2, Workers: 8, CPUKnown: true, Seconds: 4, CPU: time.Second, Pauses: 7, LongestPause: 5, StoodStill: 3, LongestStill: 2,
			LeastFree: new(int64(3)), Goroutines: 9, Heap: 1 << 20, Busiest: &results.Health{Second: 2}},
		Capture: &results.Capture{
			Requests: 1, Entities: 2, Unnamed: 3, Forgotten: 4, Delayed: 5, ThrottledByPartition: 6, ThrottledByAccount: 7,
			Partitions: []results.ObservedPartition{{Table: "races", PartitionKey: "\x1b[2J\"世", Entities: 1, Missed: 2, Requests: 3, Throttled: 4,
				AccountThrottled: 5, Seconds: 6, Typical: 7.5, Busiest: 8, Offered: 9, Saturation: new(1998.5), SaturationInterval: []float64{1, 2}}},
			PartitionsTold: 8, PartitionsDropped: 9,
			Shapes: []results.QueryShape{{Table: "races", Shape: "Price gt ?", Class: "table scan", Requests: 1, Throttled: 2, Scanned: 3, Missed: 4,
				Returned: 5, Density: new(0.01)}},
			ShapesTold: 10, ShapesDropped: 11,
			Orders:        []results.KeyOrder{{Table: "races", Partitions: results.Order{Keys: 3, Ascending: 2, Descending: 1}, Rows: results.Order{Keys: 1}}},
			TablesDropped: 12,
			Answers:       []results.Answer{{Status: 403, Code: "AuthenticationFailed", Class: "failed", Requests: 2, Tableless: 1}},
			AnswersOver:   13,
		},
	}
	given := search()
	record := playRecord(t, time.Second, func(r *results.Recorder) {
		r.UpdateRecord(func(of *results.Record) {
			of.Audit, of.Generator, of.Capture = whole.Audit, whole.Generator, whole.Capture
		})
		r.Limit(&results.Limit{Of: "what was known before"})
		r.Limit(given)
		// The recorder keeps a copy.
		*given.Held, *given.Steps[0].P99, given.Steps[1].Rate = 1, 1, 1
	})
	want := []any{whole.Audit, whole.Generator, whole.Capture, search()}
	assert.Equal(t, want, []any{record.Audit, record.Generator, record.Capture, record.Limit}, "what was taken")
	ceiling, second := record.Generator.Ceiling, &results.Health{CPU: time.Second, Lasted: time.Second}
	assert.Equal(t, []float64{100, 10_000, .5}, []float64{ceiling.PerSecond(), ceiling.CPUMicros(), second.Share(2)}, "in figures")
	ceiling = &results.Ceiling{Operations: 10}
	assert.Equal(t, []float64{0, 0, 0}, []float64{ceiling.PerSecond(), ceiling.CPUMicros(), second.Share(0)}, "of no time and no cores")
	folder := new(results.Memory)
	resultstest.Finish(t, begin(t, folder), time.Second)
	for _, key := range []string{`"audit"`, `"capture"`, `"limit"`} {
		assert.NotContainsf(t, string(folder.Bytes(results.RunFile)), key, "%s has %s of a run that had none", results.RunFile, key)
	}
}

// Health stands in its second, unless the line of that was written long ago.
func TestHealthOfASecond(t *testing.T) {
	health := func(second int64) results.Health {
		return results.Health{Second: second, Lasted: time.Second, CPU: 80 * time.Millisecond, Pauses: 5, LongestPause: 4,
			StoodStill: 30 * time.Millisecond, FreeWorkers: new(int64(3)), Goroutines: 9, Heap: 1 << 20}
	}
	record := playRecord(t, 5*time.Second, func(r *results.Recorder) {
		phase := r.Phase(results.Phase{Name: "500/s", End: 5 * time.Second, Rate: 500, Reported: true})
		succeed(r, phase, 1, 100*time.Millisecond, time.Millisecond)
		r.Health(health(0))
		r.Health(health(2))
		advance(t, r, 4*time.Second)
		r.Health(health(1))
		succeed(r, phase, 1, 4200*time.Millisecond, time.Millisecond)
		r.Health(health(4))
	})
	var got []*results.Health
	for _, second := range record.Intervals {
		got = append(got, second.Generator)
	}
	assert.Equal(t, []*results.Health{new(health(0)), nil, new(health(2)), nil, new(health(4))}, got,
		"the health of the seconds")
	assert.EqualValues(t, 0, record.Misplaced, "counts were misplaced")
}

func TestTailsAreNamedByTheirNumber(t *testing.T) {
	for word, want := range map[string]int{results.Tails(2): 2, results.Tails(64): 64, "2 tails": 2, "": 0, " tails": 0, "tails": 0,
		"two tails": 0, results.AppendOnly: 0, results.HotTail: 0} {
		assert.Equalf(t, want, results.TailsOf(word), "TailsOf(%q)", word)
	}
}

func TestLimitStepIsTheLastOfItsRate(t *testing.T) {
	l := search()
	for _, row := range []struct {
		name  string
		rate  *float64
		phase string
	}{
		{"the step of a rate that was tried once", l.Held, "limit 1: 1000/s"},
		{"the last step of a rate that was tried twice", l.NotHeld, "limit 3: 1010/s"},
		{"none of a rate that was not tried", new(7.0), ""},
		{"none of no rate", nil, ""},
	} {
		phase := ""
		if step := l.Step(row.rate); step != nil {
			phase = step.Phase
		}
		assert.Equalf(t, row.phase, phase, "%s: Step", row.name)
	}
}
