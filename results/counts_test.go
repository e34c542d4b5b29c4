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
	each(&sum, func(name string, v reflect.Value) {
		whole := v.Int()
		v.SetInt(-1)
		assert.False(t, sum.Within(1000), "%s below 0", name)
		v.SetInt(1001)
		assert.False(t, sum.Within(1000), "%s over the bound", name)
		v.SetInt(whole)
	})
	assert.True(t, sum.Within(1000))
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
			func(v any) *results.Counts { return &v.(*results.KindStats).Counts }, 24},
		{"a second", &results.Interval{Counts: one}, new(results.Interval), func(v any) *results.Counts { return &v.(*results.Interval).Counts }, 16},
		{"a kind in it", &results.IntervalKind{Counts: one}, new(results.IntervalKind), func(v any) *results.Counts { return &v.(*results.IntervalKind).Counts }, 5},
		{"a cohort", &results.Cohort{Counts: one}, new(results.Cohort), func(v any) *results.Counts { return &v.(*results.Cohort).Counts }, 6},
		{"a member", &results.FleetMember{Counts: one}, new(results.FleetMember), func(v any) *results.Counts { return &v.(*results.FleetMember).Counts }, 5},
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
