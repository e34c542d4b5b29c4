package results_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/resultstest"
)

// world is the load of a run, drawn at random: what one recorder is told, and several.
type world struct {
	spread
	operations []operation
	end        time.Duration
}

// draw draws a world of so many operations on so many partitions within so many seconds.
func draw(rng *rand.Rand, operations, partitions, seconds int) world {
	w := world{spread: spread{partitions: partitions, accounts: 1 + rng.IntN(2)*2, injects: true},
		end: time.Duration(seconds)*time.Second + 700*time.Millisecond}
	third := time.Duration(seconds) * time.Second / 3
	for p := range 3 {
		w.phases = append(w.phases, results.Phase{Name: fmt.Sprint("phase ", p), Stage: "load",
			Begin: time.Duration(p) * third, End: time.Duration(p+1) * third, Rate: 10, Reported: p > 0})
	}
	w.operations = w.spread.operations(rng, operations)
	slices.SortFunc(w.operations, func(a, b operation) int { return cmp.Compare(a.due.Intended, b.due.Intended) })
	return w
}

// everyOperation wants all of them.
func everyOperation(int) bool { return true }

// record plays those of the operations that are wanted into a recorder.
func (w *world) record(t testing.TB, wanted func(n int) bool) *results.Record {
	t.Helper()
	m := manifest()
	m.Scenario.SHA256, m.Accounts = "abc", w.accounts
	folder := new(results.Memory)
	r := resultstest.Open(t, folder, m)
	for _, p := range w.phases {
		r.Phase(p)
	}
	counts := results.TargetCounts{}
	for n := range w.operations {
		one := &w.operations[n]
		advance(t, r, one.due.Intended)
		if !wanted(n) {
			continue
		}
		for _, moment := range momentsOf(w.operations[n : n+1]) {
			moment.call(r)
		}
		if n%3 == 0 {
			r.LimitDelay(one.due.Phase, one.due.Kind, one.due.Intended, time.Duration(n+1)*time.Millisecond)
		}
		counts.Requests += int64(len(one.attempts))
		if n%50 == 0 {
			r.Event(results.Event{At: int64(one.end.Done), What: results.TokenSaved, Text: fmt.Sprint(n)})
		}
	}
	r.Counters([]results.Counter{{CounterName: results.CounterName{Operation: "get", Name: "requests"}, Count: counts.Requests}})
	require.NoError(t, r.Finish(w.end, results.Valid, nil, &counts))
	return resultstest.Read(t, folder)
}

// split records the world in so many parts, each operation in one of them by chance.
func (w *world) split(t testing.TB, rng *rand.Rand, parts int) []results.MergePart {
	t.Helper()
	of := make([]int, len(w.operations))
	for n := range of {
		of[n] = rng.IntN(parts)
	}
	var list []results.MergePart
	for p := range parts {
		list = append(list, results.MergePart{Name: fmt.Sprint("part ", p), Record: w.record(t, func(n int) bool { return of[n] == p })})
	}
	return list
}

func merged(t testing.TB, parts []results.MergePart) *results.Record {
	t.Helper()
	r, err := results.Merge(parts)
	require.NoError(t, err)
	// What is compared is what a folder gives back.
	folder := new(results.Memory)
	require.NoError(t, r.Write(folder))
	if r, err = results.Read(folder); err != nil {
		t.Fatal(err)
	}
	return r
}

// Parts of a run, split by chance and put together again, are the record of the whole: count
// for count, bucket for bucket, second for second and partition for partition.
func TestPartsAreTheWhole(t *testing.T) {
	if testing.Short() {
		t.Skip("a single goroutine")
	}
	for seed := range uint64(resultstest.Cases(2, 4)) {
		rng := rand.New(rand.NewPCG(seed, 32))
		w := draw(rng, 60+rng.IntN(300), 1+rng.IntN(19), 9+int(seed)*20)
		whole, sum := w.record(t, everyOperation), merged(t, w.split(t, rng, 1+rng.IntN(4)))
		name := fmt.Sprint("seed ", seed)
		slices.SortStableFunc(whole.Events, func(a, b results.Event) int { return int(a.At - b.At) })
		if diff := gocmp.Diff(whole, sum, cmpopts.EquateApprox(0, 1e-9), cmpopts.EquateEmpty(),
			gocmp.Transformer("bars", func(h *results.Histogram) []results.Bar { return h.Bars() }),
			cmpopts.IgnoreFields(results.Record{}, "Manifest", "Intervals"),
			cmpopts.IgnoreFields(results.Phase{}, "Partitions", "Offered", "Rate")); diff != "" {
			t.Errorf("%s: the sum of the parts differs (-whole +sum):\n%s", name, diff)
		}
		for p := range whole.Phases {
			equalPartitions(t, fmt.Sprint(name, ", phase ", p, ", served"), sum.Phases[p].Partitions, whole.Phases[p].Partitions)
			equalPartitions(t, fmt.Sprint(name, ", phase ", p, ", offered"), sum.Phases[p].Offered, whole.Phases[p].Offered)
		}
		sameSeconds(t, name, sum, whole)
	}
}

// equalPartitions compares partitions of which none is left out: entities are exact, the
// busiest second no more than it was, and no less where it is told as such.
func equalPartitions(t *testing.T, name string, got, want []results.PartitionStats) {
	t.Helper()
	of := map[string]results.PartitionStats{}
	for _, one := range got {
		of[results.PartitionName(one.Table, one.Key)] = one
	}
	assert.Len(t, got, len(want), name)
	for _, one := range want {
		has := of[results.PartitionName(one.Table, one.Key)]
		assert.Truef(t, has.Entities == one.Entities && has.Busiest <= one.Busiest && (has.AtLeast || has.Busiest == one.Busiest),
			"%s: %+v; want %+v", name, has, one)
	}
}

func sameSeconds(t *testing.T, name string, sum, whole *results.Record) {
	t.Helper()
	require.Len(t, sum.Intervals, len(whole.Intervals), name)
	for i := range whole.Intervals {
		got, want := sum.Intervals[i], whole.Intervals[i]
		for _, pair := range [][2]*results.Quantiles{{&got.Response, &want.Response}, {&got.Service, &want.Service}, {&got.Lag, &want.Lag}} {
			boundsOf(t, fmt.Sprint(name, ", second ", i), pair[0], pair[1], pair[1] == &want.Response)
			*pair[0], *pair[1] = results.Quantiles{}, results.Quantiles{}
		}
		assert.Equalf(t, want, got, "%s: second %d is\n%+v; want\n%+v", name, i, got, want)
	}
}

// boundsOf checks that quantiles bound those of the whole from above, response times, which
// have buckets, by half at most.
func boundsOf(t *testing.T, name string, got, want *results.Quantiles, buckets bool) {
	t.Helper()
	assert.Truef(t, reflect.DeepEqual(got.Max, want.Max), "%s: the longest is %v; want %v", name, got.Max, want.Max)
	for i, pair := range [][2]*int64{{got.P50, want.P50}, {got.P90, want.P90}, {got.P99, want.P99}, {got.P999, want.P999}} {
		switch a, b := pair[0], pair[1]; {
		case a == nil && b == nil:
		case b == nil:
			t.Errorf("%s: quantile %d is %d; want none", name, i, *a)
		case a == nil && buckets:
			t.Errorf("%s: quantile %d of response times is missing; want %d or a little more", name, i, *b)
		case a != nil && (*a < *b || buckets && float64(*a) > 1.5*float64(*b)+1):
			t.Errorf("%s: quantile %d is %d; want %d, or half more at most", name, i, *a, *b)
		}
	}
}

// Of more partitions than a record names, and of runs of other lengths, cells sum to the
// books all the same, and no row lacks more than is said.
func TestHeatOfMany(t *testing.T) {
	if testing.Short() {
		t.Skip("a single goroutine")
	}
	rng := rand.New(rand.NewPCG(5, 5))
	w := draw(rng, 900, 300, 260)
	whole, parts := w.record(t, everyOperation), w.split(t, rng, 3)
	short := draw(rng, 100, 300, 12)
	short.accounts, short.phases, short.end = w.accounts, w.phases, 12*time.Second
	parts = append(parts, results.MergePart{Name: "short", Record: short.record(t, func(int) bool { return false })})
	sum := merged(t, parts)
	if sum.Heat.SecondsPerColumn != whole.Heat.SecondsPerColumn || sum.Heat.Columns != whole.Heat.Columns || len(sum.Heat.Rows) != results.KeptRows {
		t.Fatalf("%d columns of %d s, %d rows; want %d of %d s, %d rows", sum.Heat.Columns, sum.Heat.SecondsPerColumn, len(sum.Heat.Rows),
			whole.Heat.Columns, whole.Heat.SecondsPerColumn, results.KeptRows)
	}
	assert.Truef(t, sum.Heat.MostMissed > 0 && sum.Heat.Partitions == nil,
		"rows lack %d at most, of %v partitions; want that some is missing, and that nobody knows of how many", sum.Heat.MostMissed, sum.Heat.Partitions)
	assert.Equal(t, everywhere(whole.Heat, -1), everywhere(sum.Heat, -1), "what the cells come to")
	// Its attempts were told in no order, and its columns put together meanwhile.
	booksClose(t, whole)
	exact := make(map[string]int64)
	for n := range w.operations {
		for i := range w.operations[n].attempts {
			a, sum := &w.operations[n].attempts[i], new(heatSum)
			if sum.attempt(a, a.Due); a.HasPartition {
				exact[results.PartitionName(a.Table, a.PartitionKey)] += sum.Demanded
			}
		}
	}
	for i := range sum.Heat.Rows {
		row := &sum.Heat.Rows[i]
		want := exact[results.PartitionName(row.Table, row.Key)]
		has := row.Sum().Demanded
		assert.Truef(t, has <= want && has >= want-sum.Heat.MostMissed, "%s has %d", row.Key, has)
	}
}

// Records that are not of one kind are refused by the field in which they differ.
func TestRecordsThatDoNotFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	w := draw(rng, 40, 3, 9)
	first, folder := w.record(t, everyOperation), new(results.Memory)
	require.NoError(t, first.Write(folder))
	for _, row := range []struct {
		name   string
		change func(*results.Record)
		field  string
	}{
		{"another scenario", func(r *results.Record) { r.Manifest.Scenario.Name = "other" }, "manifest.scenario.name"},
		{"another target", func(r *results.Record) { r.Manifest.Target = "https://x" }, "manifest.target"},
		{"another kind of time", func(r *results.Record) { r.Manifest.Time = "real" }, "manifest.time"},
		{"other operations", func(r *results.Record) { r.Manifest.Operations[1].Name = "put" }, "manifest.operations"},
		{"other limits", func(r *results.Record) { r.Manifest.Targets.Partition = 500 }, "manifest.targets"},
		{"other checks", func(r *results.Record) { r.Manifest.Checks = []string{"p99 < 1s"} }, "manifest.checks"},
		{"other faults", func(r *results.Record) { r.Manifest.Faults = []string{"refuse"} }, "manifest.faults"},
		{"a phase of another name", func(r *results.Record) { r.Phases[1].Name = "x" }, "phases[1].name"},
		{"a phase that is longer", func(r *results.Record) { r.Phases[2].End += time.Millisecond }, "phases[2].end_ns"},
		{"a phase that begins a second later", func(r *results.Record) { r.Phases[1].Begin += time.Second; r.Phases[1].End += time.Second }, "phases[1].begin_ns"},
		{"a phase that is not reported", func(r *results.Record) { r.Phases[1].Reported = false }, "phases[1].reported"},
		{"a phase less", func(r *results.Record) { r.Phases = r.Phases[:2] }, "phases"},
		{"a search", func(r *results.Record) { r.Limit = new(results.Limit) }, "limit"},
		{"what a server saw", func(r *results.Record) { r.Capture = new(results.Capture) }, "capture"},
		{"a run that was killed", func(r *results.Record) { r.Validity, r.Duration = results.Partial, 0 }, "duration_ns"},
	} {
		other := resultstest.Read(t, folder)
		row.change(other)
		sum, err := results.Merge([]results.MergePart{{"a", first}, {"b", other}})
		var mismatch *results.MergeMismatch
		if !errors.As(err, &mismatch) || !errors.Is(err, results.ErrMergeMismatch) || mismatch.Field != row.field || mismatch.Part != "b" || sum != nil {
			t.Errorf("%s: %v; want a mismatch of b in %s", row.name, err, row.field)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q has several lines", row.name, err)
		}
	}
	for name, parts := range map[string][]results.MergePart{"none": nil, "one twice": {{"a", first}, {"a", first}}} {
		_, err := results.Merge(parts)
		assert.ErrorIs(t, err, results.ErrMergeMismatch, name)
	}
}

// What the runs differ in is told, and one that ended early takes nothing from the others.
func TestRecordsThatDiffer(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	w := draw(rng, 120, 3, 9)
	parts := w.split(t, rng, 3)
	parts[1].Record.Manifest.Seed, parts[1].Record.Manifest.Scenario.SHA256, parts[1].Record.Manifest.Tool.Commit = 8, "def", "0123"
	parts[2].Record.Manifest.Started = parts[0].Record.Manifest.Started.Add(26 * time.Hour)
	early := parts[2].Record
	early.Phases, early.Validity, early.Reasons = early.Phases[:2], results.Partial, []string{"the run was interrupted"}
	early.EndedBy = results.EndedByStopOn
	parts[1].Record.Phases[1].Begin += 400 * time.Millisecond
	parts[1].Record.Phases[1].End += 400 * time.Millisecond
	sum := merged(t, parts)
	told := strings.Join(sum.Manifest.Merged.Notes, "\n")
	for _, says := range []string{"2 different builds", "2 different texts", "2 different seeds", "26h0m0s apart", "modelled its own target"} {
		assert.Containsf(t, told, says, "the notes lack %q:\n%s", says, told)
	}
	assert.Equal(t, results.EndedByStopOn, sum.EndedBy, "ended by")
	assert.Equal(t, []any{results.Partial, []string{"part 2: the run was interrupted"}, 3}, []any{sum.Validity, sum.Reasons, len(sum.Phases)})
	p := sum.Phases[1] // It begins where all have begun it, as long as planned, at the rates' sum.
	assert.Equal(t, []any{3400 * time.Millisecond, 6400 * time.Millisecond, 30.}, []any{p.Begin, p.End, p.Rate}, "the second phase")
	again, err := results.Merge([]results.MergePart{{"both", sum}, parts[0]})
	assert.Truef(t, err == nil && len(again.Manifest.Merged.Runs) == 4,
		"what was merged, merged once more: %v, runs %v; want all four", err, again.Manifest.Merged.Runs)
}
