package results_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/resultstest"
)

// recorded plays the operations of a seed and reads the record back.
func recorded(t testing.TB, seed uint64) ([]operation, *results.Record, *results.Memory) {
	t.Helper()
	ops := spread{counterPhases(), 6, 3, false}.operations(rand.New(rand.NewPCG(seed, 1)), 3000)
	m := manifest()
	m.Accounts = 3
	folder := new(results.Memory)
	recorder := resultstest.Open(t, folder, m)
	for _, p := range counterPhases() {
		recorder.Phase(p)
	}
	require.NoError(t, play(recorder, ops), "Advance")
	resultstest.Finish(t, recorder, 80*time.Second)
	return ops, resultstest.Read(t, folder), folder
}

// sameDurations compares a histogram with the durations themselves.
func sameDurations(t *testing.T, name string, h *results.Histogram, durations []time.Duration) {
	t.Helper()
	if h.Count() != int64(len(durations)) {
		t.Errorf("%s counts %d durations; want %d", name, h.Count(), len(durations))
		return
	}
	if len(durations) == 0 {
		return
	}
	slices.Sort(durations)
	near := func(what string, got int64, want time.Duration) {
		t.Helper()
		off := math.Abs(float64(got - want.Microseconds()))
		assert.Truef(t, off <= 1+float64(want.Microseconds())/1000, "%s: %s = %d µs", name, what, got)
	}
	near("maximum", h.Max(), durations[len(durations)-1])
	for _, q := range []float64{.5, .9, .99} {
		rank := int(math.Round(q * float64(len(durations))))
		got, told := h.Quantile(q)
		assert.Equalf(t, float64(len(durations))*(1-q) > 9.99, told,
			"%s: Quantile(%v) of %d durations told", name, q, len(durations))
		if told {
			near(fmt.Sprint("quantile ", q), got, durations[rank-1])
		}
	}
}

func TestRecorderKeepsWhatASlowCounterKeeps(t *testing.T) {
	for seed := range uint64(resultstest.Cases(1, 2)) {
		ops, record, folder := recorded(t, seed)
		for name, check := range map[string]func(*testing.T, []operation, *results.Record){
			"every phase and kind": samePhases, "lag and waits": sameLagAndWaits, "partitions": samePartitions,
			"what partitions were offered": sameOffered, "accounts": sameAccounts, "every second": sameIntervals,
			"every minute": sameMinutes, "heat": sameHeat,
		} {
			t.Run(fmt.Sprint(name, " of seed ", seed), func(t *testing.T) { check(t, ops, record) })
		}
		t.Run(fmt.Sprint("files of seed ", seed), func(t *testing.T) { sameFiles(t, record, folder) })
	}
}

// sameAccounts compares what each account was offered and served with the attempts.
func sameAccounts(t *testing.T, ops []operation, record *results.Record) {
	t.Helper()
	for p := range record.Phases {
		phase := &record.Phases[p]
		want := make([]results.AccountStats, 3)
		for _, op := range ops {
			for _, a := range op.attempts {
				of := &want[a.Account]
				if a.Phase == p && a.Try == 0 {
					of.Offered += a.Entities
				}
				if a.Done < phase.Begin || a.Done >= phase.End {
					continue
				}
				switch a.Class {
				case results.Ok:
					of.Served += a.Counted
				case results.Throttled:
					of.Throttled++
				}
			}
		}
		assert.Equalf(t, want, phase.Accounts, "accounts of phase %d", p)
	}
}

func samePhases(t *testing.T, ops []operation, record *results.Record) {
	t.Helper()
	for p := range record.Phases {
		for k := range record.Phases[p].Kinds {
			got, want := record.Phases[p].Kinds[k], count(ops, p, k)
			name := record.Phases[p].Name + " " + record.Manifest.Operations[k].Name
			sameDurations(t, name+" response", got.Response, want.response)
			sameDurations(t, name+" lost", got.Lost, want.lost)
			for class := range want.service {
				sameDurations(t, fmt.Sprint(name, " service ", results.Class(class)), got.Service[class], want.service[class])
			}
			got.Response, got.Lost, got.Service = nil, nil, want.Service
			assert.Equal(t, want.KindStats, got, name)
		}
	}
	assert.EqualValues(t, 0, record.Misplaced, "Misplaced")
}

func sameLagAndWaits(t *testing.T, ops []operation, record *results.Record) {
	t.Helper()
	var lag, waits []time.Duration
	for _, op := range ops {
		if record.Phases[op.due.Phase].Reported && !op.due.Dropped {
			lag = append(lag, op.attempts[0].Sent-op.due.Intended)
			waits = append(waits, op.waits...)
		}
	}
	sameDurations(t, "lag", record.Lag, lag)
	sameDurations(t, "retry waits", record.RetryWaits, waits)
}

func samePartitions(t *testing.T, ops []operation, record *results.Record) {
	t.Helper()
	for p := range record.Phases {
		want := make(tallied)
		for _, op := range ops {
			for _, a := range op.attempts {
				if phaseOf(a.Done) == record.Phases[p].Name && a.Class == results.Ok && a.HasPartition {
					want.add(a.Table, a.PartitionKey, a.Done-record.Phases[p].Begin, a.Counted)
				}
			}
		}
		assert.Equalf(t, want.stats(), record.Phases[p].Partitions, "partitions of phase %d", p)
	}
}

// tallied are the entities of each partition, by the seconds of their phase.
type tallied map[[2]string]map[time.Duration]int64

func (all tallied) add(table, key string, at time.Duration, entities int64) {
	of := [2]string{table, key}
	if all[of] == nil {
		all[of] = make(map[time.Duration]int64)
	}
	all[of][at/time.Second] += entities
}

// stats lists the partitions, that with the busiest second first.
func (all tallied) stats() []results.PartitionStats {
	list := []results.PartitionStats{}
	for of, seconds := range all {
		one := results.PartitionStats{Table: of[0], Key: of[1]}
		for _, entities := range seconds {
			one.Entities += entities
			one.Busiest = max(one.Busiest, entities)
		}
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b results.PartitionStats) int {
		return cmpFirst(b.Busiest-a.Busiest, b.Entities-a.Entities, int64(strings.Compare(a.Key, b.Key)), int64(strings.Compare(a.Table, b.Table)))
	})
	return list
}

// sameOffered holds what each partition was offered against the operations that were
// sent, whatever became of them.
func sameOffered(t *testing.T, ops []operation, record *results.Record) {
	t.Helper()
	for p := range record.Phases {
		want := make(tallied)
		for _, op := range ops {
			if op.due.Phase == p && !op.due.Dropped && op.attempts[0].HasPartition {
				want.add(op.attempts[0].Table, op.attempts[0].PartitionKey, op.due.Intended-record.Phases[p].Begin, op.due.Entities)
			}
		}
		assert.Equalf(t, want.stats(), record.Phases[p].Offered, "what partitions of phase %d were offered", p)
		if hit := record.Phases[p].PartitionsHit; hit != int64(len(want)) || record.Phases[p].OfferedOver != 0 {
			t.Errorf("PartitionsHit, OfferedOver of phase %d = %d, %d; want %d and none", p, hit, record.Phases[p].OfferedOver, len(want))
		}
	}
}

// naiveIntervals counts the seconds of a run one by one.
func naiveIntervals(ops []operation, seconds int64) []results.Interval {
	rows := make([]results.Interval, seconds)
	for s := range rows {
		rows[s] = results.Interval{Second: int64(s), Phase: phaseOf(time.Duration(s) * time.Second),
			Kinds: []results.IntervalKind{{Name: "load"}, {Name: "get"}, {Name: "insert"}}}
	}
	at := func(d time.Duration) *results.Interval { return &rows[int(d.Seconds())] }
	for _, op := range ops {
		at(op.due.Intended).Scheduled++
		at(op.due.Intended).Offered += op.due.Entities
		if op.due.Dropped {
			at(op.due.Intended).Dropped++
			continue
		}
		at(op.attempts[0].Sent).Sent++
		if op.attempts[0].Sent-op.due.Intended > 5*time.Millisecond {
			at(op.attempts[0].Sent).Late++
		}
		for _, a := range op.attempts {
			for s := range rows {
				// The last nanosecond of the second.
				if end := time.Duration(s+1)*time.Second - 1; a.Sent <= end && end < a.Done {
					rows[s].InFlight++
				}
			}
			row := at(a.Done)
			kind := &row.Kinds[a.Kind]
			if a.Class != results.Ok {
				row.Causes = causedOnce(row.Causes, &a)
				kind.Causes = causedOnce(kind.Causes, &a)
			}
			row.Attempts++
			kind.Attempts++
			row.Counted += a.Counted
			row.Returned += a.Returned
			if a.Class == results.Ok {
				row.Served += a.Counted
				kind.Served += a.Counted
			}
			*[]*int64{&row.Ok, &row.Throttled, &row.Failed}[a.Class-results.Ok]++
			*[]*int64{&kind.Ok, &kind.Throttled, &kind.Failed}[a.Class-results.Ok]++
		}
		row := at(op.end.Done)
		row.Operations++
		if op.end.Class == results.Ok {
			row.Succeeded++
			row.ResponseBuckets[results.BucketOf(op.end.Done-op.end.Intended)]++
		}
	}
	return rows
}

// causedOnce adds a cause, and keeps them in order.
func causedOnce(list results.Causes, a *results.Attempt) results.Causes {
	cause := results.Cause{Class: a.Class, Status: a.Status, Code: a.Code}
	i := slices.IndexFunc(list, func(r results.Cause) bool {
		r.Attempts = 0
		return r == cause
	})
	if i < 0 {
		list, i = append(list, cause), len(list)
	}
	list[i].Attempts++
	slices.SortFunc(list, func(a, b results.Cause) int {
		return cmpFirst(b.Attempts-a.Attempts, int64(a.Status-b.Status), int64(strings.Compare(a.Code, b.Code)), int64(a.Class)-int64(b.Class))
	})
	return list
}

// cmpFirst returns the first difference that is one.
func cmpFirst(differences ...int64) int {
	for _, d := range differences {
		if d != 0 {
			return int(d)
		}
	}
	return 0
}

func phaseOf(at time.Duration) string {
	name := ""
	for _, p := range counterPhases() {
		if p.Begin <= at && at < p.End {
			name = p.Name
		}
	}
	return name
}

func sameIntervals(t *testing.T, ops []operation, record *results.Record) {
	t.Helper()
	got := slices.Clone(record.Intervals)
	for s := range got {
		sameSecond(t, &got[s], ops)
		got[s].Response, got[s].Service, got[s].Lag = results.Quantiles{}, results.Quantiles{}, results.Quantiles{}
	}
	assert.Empty(t, gocmp.Diff(naiveIntervals(ops, int64(len(got))), got), "intervals (-counted +recorded)")
	assert.Truef(t, len(got) >= 80, "%d seconds were written; want the 80 of the run at least", len(got))
}

// sameSecond compares the quantiles of a second with the durations.
func sameSecond(t *testing.T, row *results.Interval, ops []operation) {
	t.Helper()
	response, service, lag := results.NewHistogram(), results.NewHistogram(), results.NewHistogram()
	for _, op := range ops {
		if !op.due.Dropped && int64(op.due.Sent/time.Second) == row.Second {
			lag.Record(op.due.Sent - op.due.Intended)
		}
		for _, a := range op.attempts {
			if a.Class == results.Ok && int64(a.Done/time.Second) == row.Second {
				service.Record(a.Done - a.Sent)
				response.Record(a.Done - a.Intended)
			}
		}
	}
	want := []results.Quantiles{results.QuantilesOf(response), results.QuantilesOf(service), results.QuantilesOf(lag)}
	assert.Equalf(t, want, []results.Quantiles{row.Response, row.Service, row.Lag},
		"response, service and lag of second %d", row.Second)
}

func sameMinutes(t *testing.T, ops []operation, record *results.Record) {
	t.Helper()
	want := make(map[int64][]time.Duration)
	for _, op := range ops {
		if !op.due.Dropped && op.end.Class == results.Ok {
			minute := int64(op.end.Done / time.Minute)
			want[minute] = append(want[minute], op.end.Done-op.end.Intended)
		}
	}
	assert.Len(t, record.Minutes, len(want), "the record")
	for _, m := range record.Minutes {
		sameDurations(t, fmt.Sprint("minute ", m.Minute), m.Response, want[m.Minute])
	}
}

func sameFiles(t *testing.T, record *results.Record, folder *results.Memory) {
	t.Helper()
	again, err := json.MarshalIndent(record, "", " ")
	require.NoError(t, err, "Marshal")
	assert.True(t, bytes.Equal(append(again, '\n'), folder.Bytes(results.RunFile)),
		"a record read and written again differs from the file")
	var lines bytes.Buffer
	for _, row := range record.Intervals {
		text, err := json.Marshal(row)
		require.NoError(t, err, "Marshal")
		lines.Write(append(text, '\n'))
	}
	assert.True(t, bytes.Equal(lines.Bytes(), folder.Bytes(results.IntervalsFile)),
		"intervals read and written again differ from the file")
}
