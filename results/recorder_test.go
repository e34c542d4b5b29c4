package results_test

import (
	"bytes"
	"cmp"
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

// operation is one random operation with all of its attempts.
type operation struct {
	due      results.Scheduled
	attempts []results.Attempt
	waits    []time.Duration
	end      results.Completed
}

// maxAttemptLength bounds the attempts of random operations, and so how far the
// watermark must stay behind.
const maxAttemptLength = 3 * time.Second

// counterPhases is a preparation, a step, an unreported hold, and a second step
// that crosses a minute.
func counterPhases() []results.Phase {
	return []results.Phase{
		{Name: "load", Stage: "load", End: 5 * time.Second},
		{Name: "500/s", Stage: "peak", Begin: 5 * time.Second, End: 30 * time.Second, Rate: 500, Reported: true},
		{Name: "hold", Stage: "peak", Begin: 30 * time.Second, End: 40 * time.Second, Rate: 500},
		{Name: "4,000/s", Stage: "peak", Begin: 40*time.Second + 1, End: 65 * time.Second, Rate: 4000, Reported: true},
	}
}

// spread is where random operations go: to so many partitions and accounts, in phases. Some of
// what fails may do so because somebody asked for it.
type spread struct {
	phases               []results.Phase
	partitions, accounts int
	injects              bool
}

func (s spread) operations(rng *rand.Rand, n int) []operation {
	ops := make([]operation, n)
	for i := range ops {
		p := rng.IntN(len(s.phases))
		due := s.phases[p].Begin + time.Duration(rng.Int64N(int64(s.phases[p].End-s.phases[p].Begin)))
		ops[i] = s.operation(rng, uint64(i), p, due)
	}
	return ops
}

func (s spread) operation(rng *rand.Rand, number uint64, phase int, due time.Duration) operation {
	kind, entities := rng.IntN(3), 1+rng.Int64N(100)
	op := operation{due: results.Scheduled{Phase: phase, Kind: kind, Intended: due, Entities: entities,
		Dropped: rng.IntN(10) == 0}}
	if op.due.Dropped {
		return op
	}
	partition, nowhere := rng.IntN(s.partitions), rng.IntN(4) == 0
	key, table := fmt.Sprint("key ", partition/2), []string{"", "Copies"}[partition%2]
	sent := due + time.Duration(rng.ExpFloat64()*float64(3*time.Millisecond))
	op.due.Sent = sent
	tries := 1 + rng.IntN(4)
	for try := range tries {
		done := sent + min(maxAttemptLength, time.Duration(rng.ExpFloat64()*float64(200*time.Millisecond)))
		a := results.Attempt{Phase: phase, Kind: kind, Number: number, Try: try, Retry: try > 0, Intended: due, Sent: sent, Done: done,
			Class: results.Throttled, Status: 503, Entities: entities, Due: entities, Account: partition % s.accounts,
			BytesOut: rng.Int64N(1000), BytesIn: rng.Int64N(1000)}
		if !nowhere {
			a.Table, a.PartitionKey, a.HasPartition = table, key, true
		}
		a.Code = []string{"ServerBusy", "OperationTimedOut", "Other<1>"}[rng.IntN(3)]
		if try == tries-1 {
			a.Class = results.Class(1 + rng.IntN(3))
		}
		if s.injects && a.Class != results.Ok && rng.IntN(9) == 0 {
			a.Injected, a.Kept = "refuse", rng.IntN(2) == 0
		}
		if a.Class != results.Throttled {
			a.Status, a.Code = 0, ""
			a.Counted, a.Returned = entities, rng.Int64N(3)
			a.Stored = rng.Int64N(5000)
		}
		op.attempts = append(op.attempts, a)
		if try < tries-1 {
			op.waits = append(op.waits, time.Duration(rng.Int64N(int64(2*time.Second))))
			sent = done + op.waits[try]
		}
	}
	last := op.attempts[tries-1]
	op.end = results.Completed{Phase: phase, Kind: kind, Number: number, Intended: due, Done: last.Done,
		Class: last.Class, Attempts: tries, Entities: entities, Cut: rng.IntN(20) == 0}
	if last.Class == results.Ok {
		op.end.Served = last.Counted
	}
	return op
}

// moment is one call of the recorder at its instant.
type moment struct {
	at   time.Duration
	call func(*results.Recorder)
}

// momentsOf returns the calls that record the operations, in the order of their instants.
func momentsOf(ops []operation) []moment {
	var moments []moment
	for i := range ops {
		op := &ops[i]
		moments = append(moments, moment{max(op.due.Intended, op.due.Sent), func(r *results.Recorder) { r.Scheduled(&op.due) }})
		for a := range op.attempts {
			if a > 0 {
				moments = append(moments, moment{op.attempts[a].Sent, func(r *results.Recorder) { r.FurtherRequest(op.attempts[a].Sent) }})
			}
			moments = append(moments, moment{op.attempts[a].Done, func(r *results.Recorder) {
				r.Attempt(&op.attempts[a])
				if a < len(op.waits) {
					r.Waited(op.due.Phase, op.waits[a])
				} else {
					r.Completed(&op.end)
				}
			}})
		}
	}
	slices.SortStableFunc(moments, func(a, b moment) int { return cmp.Compare(a.at, b.at) })
	return moments
}

// play records the operations in the order of their instants, with the
// watermark as close as the longest attempt allows.
func play(r *results.Recorder, ops []operation) error {
	for _, m := range momentsOf(ops) {
		m.call(r)
		if err := r.Advance(m.at - maxAttemptLength); err != nil {
			return err
		}
	}
	return nil
}

// counter is what a recorder must arrive at, counted the slow way: durations are
// kept one by one.
type counter struct {
	results.KindStats
	response, lost []time.Duration
	service        [4][]time.Duration
}

// count adds up the operations of one phase and kind.
func count(ops []operation, phase, kind int) *counter {
	bounds := counterPhases()[phase]
	middle := (bounds.Begin + bounds.End) / 2
	t := new(counter)
	for _, op := range ops {
		if op.due.Phase != phase || op.due.Kind != kind {
			continue
		}
		late := op.due.Intended >= middle
		t.Scheduled++
		t.Offered += op.due.Entities
		if late {
			t.LastHalf.Offered += op.due.Entities
			t.LastHalf.Scheduled++
		}
		if op.due.Dropped {
			t.Dropped++
			continue
		}
		t.Sent++
		t.Operations++
		first := int64(0)
		if op.attempts[0].Class == results.Throttled {
			first = 1
		}
		t.FirstThrottled += first
		if late {
			t.LastHalf.Sent++
			t.LastHalf.FirstThrottled += first
		}
		if op.attempts[0].Sent-op.due.Intended > 5*time.Millisecond {
			t.Late++
		}
		t.attempts(op.attempts)
		t.ended(&op.end, late)
	}
	return t
}

func (t *counter) attempts(attempts []results.Attempt) {
	for _, a := range attempts {
		t.Attempts++
		if a.Retry {
			t.Retries++
		}
		if a.Class != results.Ok {
			t.Causes = causedOnce(t.Causes, &a)
		}
		t.Counted += a.Counted
		t.Returned += a.Returned
		t.BytesOut += a.BytesOut
		t.BytesIn += a.BytesIn
		t.Stored += a.Stored
		t.service[a.Class] = append(t.service[a.Class], a.Done-a.Sent)
	}
	t.Ok = int64(len(t.service[results.Ok]))
	t.Throttled = int64(len(t.service[results.Throttled]))
	t.Failed = int64(len(t.service[results.Failed]))
}

func (t *counter) ended(end *results.Completed, late bool) {
	t.Served += end.Served
	if late {
		t.LastHalf.Served += end.Served
	}
	if late && end.Class == results.Ok {
		t.LastHalf.Succeeded++
	}
	if end.Cut {
		t.Cut++
	}
	if end.Class == results.Ok {
		t.Succeeded++
		t.response = append(t.response, end.Done-end.Intended)
	} else {
		t.lost = append(t.lost, end.Done-end.Intended)
	}
}

// manifest has three kinds of operation: one for preparation, one for each of
// the report's tables.
func manifest() results.Manifest {
	return resultstest.Manifest(func(m *results.Manifest) { m.Seed, m.Operations = 7, m.Operations[:3] })
}

// begin opens a recorder over the folder.
func begin(t testing.TB, folder results.Folder) *results.Recorder {
	t.Helper()
	return resultstest.Open(t, folder, manifest())
}

// playRecord returns the record of a run that lasts so long.
func playRecord(t testing.TB, lasts time.Duration, play func(*results.Recorder)) *results.Record {
	t.Helper()
	return resultstest.Play(t, manifest(), lasts, play)
}

// advance moves the watermark of a recorder that can write.
func advance(t testing.TB, r *results.Recorder, watermark time.Duration) {
	t.Helper()
	require.NoError(t, r.Advance(watermark), "Advance")
}

// succeed records an operation that was sent when it was due and came back ok.
func succeed(r *results.Recorder, phase, kind int, due, took time.Duration) {
	resultstest.Single(r, results.Attempt{Phase: phase, Kind: kind, Intended: due, Sent: due, Done: due + took,
		PartitionKey: "full", HasPartition: true})
}
