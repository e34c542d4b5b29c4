package results_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/resultstest"
)

// heatSum is what cells come to.
type heatSum struct{ Served, Throttled, Failed, Demanded int64 }

// of adds cells up: of one column, or of all where that is negative.
func (s *heatSum) of(c *results.HeatCells, column int) {
	for _, series := range []struct {
		sum  *int64
		list []int64
	}{{&s.Served, c.Served}, {&s.Throttled, c.Throttled}, {&s.Failed, c.Failed}, {&s.Demanded, c.Demanded}} {
		for i, n := range series.list {
			if column < 0 || i == column {
				*series.sum += n
			}
		}
	}
}

// everywhere adds all cells of a map up.
func everywhere(h *results.Heat, column int) heatSum {
	var sum heatSum
	for i := range h.Rows {
		sum.of(&h.Rows[i].HeatCells, column)
	}
	sum.of(&h.Rest, column)
	sum.of(&h.Nowhere, column)
	return sum
}

// sameHeat holds the heat map against the attempts, one by one, and against the seconds.
func sameHeat(t *testing.T, ops []operation, record *results.Record) {
	t.Helper()
	want := make(map[string]heatSum)
	for _, op := range ops {
		for i := range op.attempts {
			a := &op.attempts[i]
			name := "nowhere"
			if a.HasPartition {
				name = results.PartitionName(a.Table, a.PartitionKey)
			}
			sum := want[name]
			sum.attempt(a, a.Entities)
			want[name] = sum
		}
	}
	h := record.Heat
	got := map[string]heatSum{"nowhere": heatSum(h.Nowhere.Sum())}
	for i := range h.Rows {
		got[results.PartitionName(h.Rows[i].Table, h.Rows[i].Key)] = heatSum(h.Rows[i].Sum())
	}
	assert.Equal(t, want, got, "heat")
	if *h.Partitions != 6 || h.MostMissed != 0 || h.SecondsPerColumn != 1 || h.Columns != len(record.Intervals) || !cmp.Equal(h.Rest, results.HeatCells{}) {
		t.Errorf("the map has %d partitions, misses %d, %d columns of %d s, rest %+v; want 6, exact, a column for each of %d seconds",
			*h.Partitions, h.MostMissed, h.Columns, h.SecondsPerColumn, h.Rest, len(record.Intervals))
	}
	booksClose(t, record)
}

// booksClose holds the sums of the map against the totals, and column by column against
// the seconds of the run.
func booksClose(t *testing.T, record *results.Record) {
	t.Helper()
	h, all := record.Heat, record.Total(results.Everything)
	sum := everywhere(h, -1)
	assert.Equal(t, []int64{all.Served, all.Throttled, all.Failed}, []int64{sum.Served, sum.Throttled, sum.Failed},
		"the map sums to")
	for i := 1; i < len(h.Rows); i++ {
		if a, b := &h.Rows[i-1], &h.Rows[i]; a.Table > b.Table || a.Table == b.Table && a.Key >= b.Key {
			t.Errorf("row %d is of %q %q, after %q %q; want the rows in the order of tables and keys", i, b.Table, b.Key, a.Table, a.Key)
		}
	}
	columns := make([]heatSum, h.Columns)
	for _, i := range record.Intervals {
		c := &columns[i.Second/h.SecondsPerColumn]
		c.Served += i.Served
		c.Throttled += i.Throttled
		c.Failed += i.Failed
	}
	for c := range columns {
		got := everywhere(h, c)
		got.Demanded = 0
		if got != columns[c] {
			t.Errorf("column %d of %d s sums to %+v; want %+v as its seconds", c, h.SecondsPerColumn, got, columns[c])
		}
	}
	assert.Truef(t, h.Columns <= results.MaxColumns && len(h.Rows) <= results.KeptRows,
		"the map has %d columns and %d rows; want %d and %d at most", h.Columns, len(h.Rows), results.MaxColumns, results.KeptRows)
}

// attempt adds an attempt whose request is due to touch so many entities.
func (s *heatSum) attempt(a *results.Attempt, due int64) {
	switch a.Class {
	case results.Ok:
		s.Served += a.Counted
		s.Demanded += a.Counted
	case results.Throttled:
		s.Throttled++
		s.Demanded += due
	default:
		s.Failed++
	}
}

// skewed returns the attempts of a run over so many keys, of which some are much hotter
// than others, and keys take turns at being so.
func skewed(seed uint64, keys, attempts int, lasts time.Duration) []results.Attempt {
	rng := rand.New(rand.NewPCG(seed, 9))
	zipf := rand.NewZipf(rng, 1.15, 2, uint64(keys-1))
	list := make([]results.Attempt, attempts)
	for i := range list {
		done := time.Duration(i) * lasts / time.Duration(attempts)
		n := zipf.Uint64()
		if i%3 == 0 {
			// Every key comes now and again, so that all of them take places.
			n = uint64(i/3*7919) % uint64(keys)
		}
		n = (n + uint64(i/(attempts/4))*31) % uint64(keys)
		a := results.Attempt{Sent: done, Done: done, Class: []results.Class{results.Ok, results.Ok, results.Throttled, results.Failed}[rng.IntN(4)],
			Status: 503, Code: "ServerBusy", PartitionKey: fmt.Sprintf("key-%06d", n), HasPartition: rng.IntN(50) > 0, Entities: 1 + rng.Int64N(20)}
		a.Table = []string{"", "Copies"}[n%2]
		if a.Due = a.Entities; a.Class == results.Ok {
			a.Counted = a.Due
		}
		list[i] = a
	}
	return list
}

// tell records an attempt that is an operation of its own, due when it is sent.
func tell(r *results.Recorder, a *results.Attempt) {
	served := a.Counted
	if a.Class != results.Ok {
		served = 0
	}
	r.Attempt(a)
	r.Completed(&results.Completed{Phase: a.Phase, Kind: a.Kind, Intended: a.Sent, Done: a.Done, Class: a.Class, Attempts: 1, Served: served})
}

// ran records attempts in a phase of so long.
func ran(t testing.TB, attempts []results.Attempt, lasts time.Duration) *results.Record {
	t.Helper()
	return playRecord(t, lasts, func(r *results.Recorder) {
		r.Phase(results.Phase{Name: "step", End: lasts, Reported: true})
		for i := range attempts {
			tell(r, &attempts[i])
			advance(t, r, attempts[i].Done)
		}
	})
}

// Bounded memory agrees with brute force on 100,000 keys: no row has too much, none lacks
// more than the map says, whoever had more than that is there, and the rest is what is
// missing from the rows, exactly, column by column.
func TestHeatOfManyKeysAgreesWithBruteForce(t *testing.T) {
	const lasts = 500 * time.Second
	keys := resultstest.Cases(20_000, 100_000)
	list := skewed(5, keys, 3*keys, lasts)
	record := ran(t, list, lasts)
	h := record.Heat
	assert.Equal(t, []any{int64(4), 125}, []any{h.SecondsPerColumn, h.Columns}, "seconds of a column, and columns")
	booksClose(t, record)
	exact, cells := make(map[[2]string]int64), make(map[[2]string]*[results.MaxColumns]heatSum)
	var total [results.MaxColumns]heatSum
	for i := range list {
		a := &list[i]
		if !a.HasPartition {
			continue
		}
		at, column := [2]string{a.Table, a.PartitionKey}, int(a.Done/time.Second)/4
		if cells[at] == nil {
			cells[at] = new([results.MaxColumns]heatSum)
		}
		before := cells[at][column].Demanded
		cells[at][column].attempt(a, a.Due)
		exact[at] += cells[at][column].Demanded - before
		total[column].attempt(a, a.Due)
	}
	require.Truef(t, len(exact) >= keys/10*8 && h.Partitions == nil,
		"%d keys came, and the map counts %v; want most of %d, which are too many", len(exact), h.Partitions, keys)
	least, shown := int64(1<<62), make(map[[2]string]bool)
	for i := range h.Rows {
		row := &h.Rows[i]
		at := [2]string{row.Table, row.Key}
		shown[at] = true
		sum := row.Sum()
		least = min(least, sum.Demanded)
		lacks := exact[at] - sum.Demanded
		assert.Truef(t, lacks >= 0 && lacks <= h.MostMissed, "%q has %d of %d demanded", at, sum.Demanded, exact[at])
		for c := range h.Columns {
			var got heatSum
			got.of(&row.HeatCells, c)
			if want := cells[at][c]; got.Served > want.Served || got.Throttled > want.Throttled || got.Failed > want.Failed || got.Demanded > want.Demanded {
				t.Fatalf("column %d of %q has %+v; want %+v at most", c, at, got, want)
			}
			total[c].Served -= got.Served
			total[c].Throttled -= got.Throttled
			total[c].Failed -= got.Failed
			total[c].Demanded -= got.Demanded
		}
	}
	for c := range h.Columns {
		var rest heatSum
		if rest.of(&h.Rest, c); rest != total[c] {
			t.Fatalf("the rest of column %d is %+v; want %+v, what no row has", c, rest, total[c])
		}
	}
	// What the map may have missed of a partition without a row is bounded by what all
	// demanded over the places there are, whatever the order: a partition that had more
	// than that beside the least row has one, too.
	const places = 1024
	all := int64(0)
	for _, n := range exact {
		all += n
	}
	certain := 0
	for at, n := range exact {
		if n > least+all/places {
			certain++
			assert.Truef(t, shown[at],
				"%q demanded %d and has no row; want one for more than %d + %d", at, n, least, all/places)
		}
	}
	assert.Truef(t, certain >= 20 && h.MostMissed != 0 && h.MostMissed <= all/places,
		"%d partitions are certain to have a row, and %d is missed at most; want 20, and some, %d at most", certain, h.MostMissed, all/places)
}

func TestHeatCountsThePartitionsThatItDoesNotTell(t *testing.T) {
	for _, row := range []struct {
		name       string
		keys, rows int
		exact      bool
	}{
		{"those with a row", 100, 100, true},
		{"more than have one", 101, 100, true},
		{"as many as are followed", 1024, 100, true},
		{"one more than that", 1025, 100, true},
		{"as many as are counted", 10_000, 100, true},
		{"one too many to count", 10_001, 100, false},
	} {
		var list []results.Attempt
		for pass := range 2 {
			for i := range row.keys {
				list = append(list, results.Attempt{Class: results.Ok, Counted: 1, Entities: 1, HasPartition: true, PartitionKey: fmt.Sprint(i * (1 - 2*pass*pass) * (1 - 2*pass))})
			}
		}
		h := ran(t, list, time.Second).Heat
		if len(h.Rows) != row.rows || (h.Partitions != nil) != row.exact || row.exact && *h.Partitions != int64(row.keys) {
			t.Errorf("%s: %d rows, partitions %v; want %d rows of %d, counted %v", row.name, len(h.Rows), h.Partitions, row.rows, row.keys, row.exact)
		}
		assert.Equal(t, (row.keys > 1024), h.MostMissed > 0, row.name)
	}
}

// What brings no demand takes nobody's place: attempts that fail, however many keys they
// fail at, leave the rows exact.
func TestHeatIsNotDrivenOutByFailures(t *testing.T) {
	var list []results.Attempt
	for i := range 3 * 1024 {
		a := results.Attempt{Class: results.Ok, Counted: 2, Entities: 2, HasPartition: true, PartitionKey: fmt.Sprint(i)}
		if i >= 1024 {
			a.Class, a.Counted = results.Failed, 0
		}
		list = append(list, a)
	}
	// One of those then brings demand: what it failed before is in the rest all the same.
	last := list[len(list)-1]
	last.Class, last.Counted = results.Ok, 1000
	late := ran(t, append(list[:len(list):len(list)], last), time.Second).Heat
	at := slices.IndexFunc(late.Rows, func(r results.HeatRow) bool { return r.Key == last.PartitionKey })
	assert.Truef(t, at >= 0 && late.Rows[at].Failed == nil && late.MostMissed == 2 && late.Rest.Sum().Failed == 2*1024,
		"the row of %q is %d, %d is missed at most, %v failed in the rest; want one without failures, which lacks 2, and all 2,048 there", last.PartitionKey, at, late.MostMissed, late.Rest.Failed)
	h := ran(t, list, time.Second).Heat
	if rest := h.Rest.Sum(); h.MostMissed != 0 || *h.Partitions != 3*1024 || rest != (results.HeatSum{Served: 2 * (1024 - 100), Demanded: 2 * (1024 - 100), Failed: 2 * 1024}) {
		t.Errorf("%d is missed at most of %d partitions, the rest is %+v; want none of 3,072, and 924 partitions and the failures in the rest",
			h.MostMissed, *h.Partitions, rest)
	}
}

// TestHeatOfAReplacedPartition has a partition lose its cells to another one, and return.
func TestHeatOfAReplacedPartition(t *testing.T) {
	var list []results.Attempt
	add := func(key string, entities int64, times int) {
		for range times {
			list = append(list, results.Attempt{Class: results.Ok, Counted: entities, Entities: entities, HasPartition: true, PartitionKey: key})
		}
	}
	for i := range 1023 {
		add(fmt.Sprint(i), 10, 1)
	}
	add("replaced", 1, 3)
	add("replacing", 100, 1)
	add("replaced", 50, 3)
	served := make(map[string]int64)
	for _, row := range ran(t, list, time.Second).Heat.Rows {
		served[row.Key] = row.Sum().Served
	}
	assert.Equal(t, []int64{100, 150}, []int64{served["replacing"], served["replaced"]})
}

func TestWhatAThrottledAttemptDemanded(t *testing.T) {
	beyond := []results.Part{{Table: "Copies", PartitionKey: "b", Entities: 30}, {PartitionKey: "c", Entities: 20}}
	for _, row := range []struct {
		name string
		a    results.Attempt
		want heatSum
	}{
		{"what its request says", results.Attempt{Class: results.Throttled, HasPartition: true, Entities: 100, Due: 7}, heatSum{Throttled: 1, Demanded: 7}},
		{"else all of its operation", results.Attempt{Class: results.Throttled, HasPartition: true, Entities: 100}, heatSum{Throttled: 1, Demanded: 100}},
		{"but for what that does beyond", results.Attempt{Class: results.Throttled, HasPartition: true, Entities: 100, Beyond: beyond}, heatSum{Throttled: 1, Demanded: 50}},
		{"a retry as well", results.Attempt{Class: results.Throttled, HasPartition: true, Try: 3, Entities: 100, Due: 7}, heatSum{Throttled: 1, Demanded: 7}},
		{"a request without a partition as it says", results.Attempt{Class: results.Throttled, Entities: 100, Due: 3}, heatSum{Throttled: 1, Demanded: 3}},
		{"none beside the tables, whatever its operation does in them", results.Attempt{Class: results.Throttled, Entities: 100}, heatSum{Throttled: 1}},
		{"one that was served what it counted", results.Attempt{Class: results.Ok, HasPartition: true, Entities: 100, Due: 7, Counted: 5}, heatSum{Served: 5, Demanded: 5}},
		{"one that failed nothing", results.Attempt{Class: results.Failed, HasPartition: true, Entities: 100, Due: 7, Counted: 5}, heatSum{Failed: 1}},
	} {
		h := ran(t, []results.Attempt{row.a}, time.Second).Heat
		assert.Equal(t, row.want, everywhere(h, 0), row.name)
		assert.Truef(t, (len(h.Rows) == 1) == row.a.HasPartition,
			"%s: %d rows; want one for a partition, else none", row.name, len(h.Rows))
	}
}

func TestAddOfFinerHeat(t *testing.T) {
	cells := results.HeatCells{Served: []int64{10, 20, 30}}
	cells.Add(&results.HeatCells{Served: []int64{1, 2, 3, 4, 5}, Failed: []int64{0, 7, 0, 0, 8}}, 2, 3)
	assert.Equal(t, results.HeatCells{Served: []int64{13, 27, 35}, Failed: []int64{7, 0, 8}}, cells)
}
