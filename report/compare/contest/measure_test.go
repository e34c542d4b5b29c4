package contest_test

import (
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/report/compare/contest"
	"loadgen/results"
	"loadgen/results/figure"
)

// What is billed are the requests that the engine saw and did not refuse, in the log of a
// target that keeps one, in the engine's own books, and in what is measured; a transaction
// of a hundred is one of them, and a hundred entities counted.
func TestBilledIsWhatTheEngineDidNotRefuse(t *testing.T) {
	for _, row := range []struct {
		name string
		set  []string
		// refuses says that some has to be throttled, or nothing.
		refuses bool
	}{
		{"a hundred at a time, beyond what a partition bears", nil, true},
		{"with copies in other partitions", []string{"use=copied"}, true},
		{"without a limit", []string{"model.profile=off", "model.partition_target=1000000"}, false},
	} {
		record, log := simulated(t, parsed(t, "lines", 7, row.set...))
		trial := contest.Measure(record, nil, figure.Needs{})
		measured := int64(math.Round(trial.Billed * float64(trial.Served)))
		beside := record.Total(func(p *results.Phase, _ results.Kind) bool { return !p.Reported })
		got := measured + beside.Attempts - beside.Throttled
		want := record.Target.Requests - record.Target.Throttled
		assert.Equal(t, []int64{want, log.requests - log.throttled}, []int64{got, got}, row.name)
		assert.Truef(t, (log.throttled > 0) == row.refuses && (trial.ThrottledRequests > 0) == row.refuses,
			"%s: %d were throttled, %v an event; want some: %v", row.name, log.throttled, trial.ThrottledRequests, row.refuses)
		throttled := int64(math.Round(trial.ThrottledRequests * float64(trial.Served)))
		assert.Equalf(t, record.Target.Throttled, throttled+beside.Throttled, "%s: were throttled", row.name)
	}
}

// A copy adds to what is counted and billed, and nothing to what is sustained; nor does
// what a query scans and does not return.
func TestCopiesAndScansDoNotSustain(t *testing.T) {
	needs := figure.Needs{Entities: map[string]int64{"write": 100}, Reads: map[string]bool{"read": true}}
	free := []string{"model.partition_target=0", "model.profile=off"}
	alone, record := measured(t, parsed(t, "lines", 3, append(free, "use=plain")...), needs)
	copied, _ := measured(t, parsed(t, "lines", 3, append(free, "use=copied")...), needs)
	assert.Truef(t, alone.Sustained == copied.Sustained && alone.Events == copied.Events,
		"sustained %v without and %v with copies; want the same of the same events", alone.Sustained, copied.Sustained)
	assert.Truef(t, copied.Counted >= 1.8*alone.Counted && copied.Billed > alone.Billed,
		"counted %v and %v, billed %v and %v; want more with copies", alone.Counted, copied.Counted, alone.Billed, copied.Billed)
	sum := record.Total(results.Reported)
	assert.Equal(t, (float64(sum.Served-counted(record, "read"))+float64(sum.Returned))/5, alone.Sustained, "sustained")
}

func counted(record *results.Record, name string) int64 {
	sum := record.Total(func(p *results.Phase, k results.Kind) bool { return p.Reported && k.Name == name })
	return sum.Counted
}

// recordOf is a record of one reported phase of ten seconds with one operation.
func recordOf(change func(r *results.Record, k *results.KindStats)) *results.Record {
	k := results.KindStats{Counts: results.Counts{Scheduled: 100, Sent: 90, Operations: 90, Succeeded: 80, Attempts: 120, Ok: 80, Throttled: 35, Failed: 5,
		Counted: 400, Returned: 40, Stored: 9000}, Response: results.NewHistogram()}
	for i := range 80 {
		k.Response.Record(time.Duration(i+1) * 100 * time.Microsecond)
	}
	idle := results.KindStats{Counts: results.Counts{Scheduled: 50, Sent: 50, Succeeded: 50, Attempts: 50, Counted: 50}, Response: results.NewHistogram()}
	r := &results.Record{Manifest: results.Manifest{Seed: 9, Operations: []results.Kind{{Name: "load"}, {Name: "save"}},
		Targets: results.Targets{Partition: 2000}}, Validity: results.Valid, Duration: 20 * time.Second,
		Phases: []results.Phase{{Name: "load", End: 5 * time.Second, Kinds: []results.KindStats{idle, {}}},
			{Name: "measure", Begin: 5 * time.Second, End: 15 * time.Second, Reported: true, Kinds: []results.KindStats{{}, k}}}}
	if change != nil {
		change(r, &r.Phases[1].Kinds[1])
	}
	return r
}

func TestMeasure(t *testing.T) {
	needs := figure.Needs{}
	for _, row := range []struct {
		name   string
		needs  figure.Needs
		change func(r *results.Record, k *results.KindStats)
		see    func(got contest.Trial) any
		want   any
	}{
		{"an operation that needs nothing is an entity however long it took", needs, nil, sustained, 8.0},
		{"a batch is as many entities as it writes", figure.Needs{Entities: map[string]int64{"save": 5}}, nil, sustained, 40.0},
		{"a read is what it returned", figure.Needs{Reads: map[string]bool{"save": true}}, nil, sustained, 4.0},
		{"half of all came in time", figure.Needs{Within: map[string]int64{"save": 4001}}, nil, sustained, 4.0},
		{"the rest of a bucket of the histogram counts for nothing", figure.Needs{Within: map[string]int64{"save": 4000}}, nil, sustained, 3.9},
		{"a read returned in time, in proportion", figure.Needs{Reads: map[string]bool{"save": true}, Within: map[string]int64{"save": 4001}}, nil, sustained, 2.0},
		{"none in time", figure.Needs{Within: map[string]int64{"save": 99}}, nil, sustained, 0.0},
		{"nothing can be served within nothing", figure.Needs{Within: map[string]int64{"save": 0}}, nil, sustained, 0.0},
		{"a run that ended early lasted less", needs, func(r *results.Record, _ *results.KindStats) { r.Duration = 7 * time.Second }, sustained, 40.0},
		{"two phases are added, and their times", needs, func(r *results.Record, k *results.KindStats) {
			r.Phases[0].Reported, r.Phases[0].Kinds[1] = true, *k
		}, sustained, (80 + 80 + 50) / 15.0},
		{"three of them", needs, func(r *results.Record, k *results.KindStats) {
			r.Phases = append(r.Phases, r.Phases[1], r.Phases[1])
		}, func(got contest.Trial) any { return [2]float64{got.Sustained, float64(got.Events)} }, [2]float64{8, 270}},
		{"what was dropped is lost as well", needs, nil, func(got contest.Trial) any { return got.Lost }, 0.2},
		{"costs are of an operation that succeeded", needs, nil, func(got contest.Trial) any {
			return [6]float64{float64(got.Events), float64(got.Served), got.Counted, got.Billed, got.ThrottledRequests, got.Stored}
		}, [6]float64{90, 80, 400.0 / 80, 85.0 / 80, 35.0 / 80, 9000.0 / 80}},
		{"where none succeeded no costs are told", needs, func(_ *results.Record, k *results.KindStats) { k.Succeeded = 0 }, func(got contest.Trial) any {
			return [3]float64{float64(got.Events), float64(got.Served), got.Counted}
		}, [3]float64{90, 0, 0}},
		{"a quantile of too few is not told", needs, nil, func(got contest.Trial) any {
			return []any{len(got.Operations), got.Operations[0].Name, *got.Operations[0].P50, got.Operations[0].P99 == nil}
		}, []any{1, "save", int64(4001), true}},
		{"nothing happened", needs, func(r *results.Record, k *results.KindStats) { *k = results.KindStats{} }, func(got contest.Trial) any { return got },
			contest.Trial{Seed: 9, Validity: results.Valid}},
		{"more operations than the manifest names", needs, func(r *results.Record, k *results.KindStats) { r.Manifest.Operations = r.Manifest.Operations[:1] },
			sustained, 0.0},
		{"fewer", needs, func(r *results.Record, k *results.KindStats) { r.Phases[1].Kinds = nil }, sustained, 0.0},
	} {
		record := recordOf(row.change)
		got := row.see(contest.Measure(record, nil, row.needs))
		assert.Truef(t, reflect.DeepEqual(got, row.want), "%s: %v; want %v", row.name, got, row.want)
	}
	summary := &results.Summary{Validity: results.Partial, Checks: []results.Check{{Expr: "p99 < 1s", Ok: new(true)}}}
	got := contest.Measure(recordOf(nil), summary, needs)
	assert.Truef(t, got.Validity == results.Partial && reflect.DeepEqual(got.Expected, summary.Checks),
		"of a judged record: %+v; want the validity and the expectations of its summary", got)
	summary.Checks[0] = results.Check{}
	assert.True(t, got.Expected[0].Holds(), "the trial shares its expectations with the summary; want its own")
}

// A trial whose rates and times the generator's lateness spoils is marked so; what was
// prepared late spoils nothing.
func TestLateTrials(t *testing.T) {
	for _, row := range []struct {
		sentence string
		change   func(r *results.Record, k *results.KindStats)
		want     bool
	}{
		{"all in time", nil, false},
		{"two of ninety late", func(_ *results.Record, k *results.KindStats) { k.Late = 2 }, true},
		{"two of two hundred late", func(_ *results.Record, k *results.KindStats) { k.Sent, k.Late = 200, 2 }, false},
		{"some dropped", func(_ *results.Record, k *results.KindStats) { k.Dropped = 1 }, true},
		{"the preparation late", func(r *results.Record, _ *results.KindStats) { r.Phases[0].Kinds[0].Late = 50 }, false},
		{"late for a target that answered nothing", func(r *results.Record, k *results.KindStats) {
			k.Late = 50
			r.Intervals = append(r.Intervals, results.Interval{Second: 7, Counts: results.Counts{Scheduled: 9, Sent: 9, Late: 9, Attempts: 9}, Generator: &results.Health{Second: 7,
				Lasted: time.Second, Starved: time.Second, Unanswered: []results.Stretch{{From: 7 * time.Second, To: 8 * time.Second, Waiting: 16}}}})
		}, false},
	} {
		got := contest.Measure(recordOf(row.change), nil, figure.Needs{})
		assert.Equal(t, []any{row.want, results.Valid}, []any{got.Late, got.Validity}, row.sentence)
	}
}

func sustained(got contest.Trial) any { return got.Sustained }

func TestFairnessOfColdPartitions(t *testing.T) {
	for _, row := range []struct {
		name             string
		target           int64
		shares           []results.SharesClass
		fairness, served float64
	}{
		{"no partition", 2000, nil, -1, -1},
		{"one alone is like itself", 2000, []results.SharesClass{{From: 1, Partitions: 1, Shares: 1, Squares: 1}}, -1, -1},
		{"all alike", 2000, []results.SharesClass{{From: 1, Partitions: 4, Shares: 4, Squares: 4}}, 1, 1},
		{"all hurt alike", 2000, []results.SharesClass{{From: 1, Partitions: 4, Shares: 2, Squares: 1}}, 1, 0.5},
		{"one of two starves", 2000, []results.SharesClass{{From: 64, Partitions: 2, Shares: 1, Squares: 1}}, 0.5, 0.5},
		{"classes are added", 2000, []results.SharesClass{{From: 0, Partitions: 1, Shares: 1, Squares: 1}, {From: 256, Partitions: 1}}, 0.5, 0.5},
		{"a class that reaches beyond half the target is not cold", 2000, []results.SharesClass{{From: 8, Partitions: 2, Shares: 2, Squares: 2},
			{From: 512, Partitions: 2, Shares: 1, Squares: 1}}, 1, 1},
		{"one that ends there is", 2048, []results.SharesClass{{From: 512, Partitions: 2, Shares: 1, Squares: 1}}, 0.5, 0.5},
		{"nobody was served", 2000, []results.SharesClass{{From: 8, Partitions: 3}}, -1, -1},
		{"a record that counts beyond all bounds", 2000, []results.SharesClass{{From: math.MaxInt64, Partitions: 3, Shares: 3, Squares: 3}}, -1, -1},
		{"nobody knows the target, of what is hardly asked for", 0, []results.SharesClass{{From: 0, Partitions: 3, Shares: 3, Squares: 3}}, -1, -1},
		{"nobody knows the target", 0, []results.SharesClass{{From: 8, Partitions: 3, Shares: 3, Squares: 3}}, -1, -1},
	} {
		record := recordOf(func(r *results.Record, _ *results.KindStats) {
			r.Manifest.Targets.Partition, r.Phases[1].Shares = row.target, row.shares
			r.Phases[0].Shares = []results.SharesClass{{From: 1, Partitions: 100, Shares: 1, Squares: 1}}
		})
		got := contest.Measure(record, nil, figure.Needs{})
		assert.Truef(t, value(got.Fairness) == row.fairness && value(got.ColdServed) == row.served,
			"%s: fairness %v, served %v; want %v and %v", row.name, value(got.Fairness), value(got.ColdServed), row.fairness, row.served)
	}
}

// value is a figure, −1 where it is not told.
func value(v *float64) float64 {
	if v == nil {
		return -1
	}
	return *v
}

func TestRecovery(t *testing.T) {
	const s = time.Second
	move := func(at time.Duration, overloaded time.Duration) results.Event {
		return results.Event{At: int64(at), What: results.RangeMoved, Decision: &results.Decision{Overloaded: overloaded}}
	}
	for _, row := range []struct {
		name string
		// throttled are the attempts throttled of a hundred, by second.
		throttled          []int64
		events             []results.Event
		recovery           float64
		moves, unrecovered int
	}{
		{"nothing moved", []int64{0, 0, 0, 0, 0, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50}, nil, -1, 0, 0},
		{"three seconds of quiet after four", []int64{0, 0, 0, 0, 0, 50, 50, 50, 50, 50, 0, 0, 0, 0, 0}, []results.Event{move(6*s, s)}, 4, 1, 0},
		{"a hundredth is quiet", []int64{0, 0, 0, 0, 0, 50, 50, 1, 1, 1, 1, 1, 1, 1, 1}, []results.Event{move(6*s, s)}, 1, 1, 0},
		{"two fiftieths are not", []int64{0, 0, 0, 0, 0, 50, 50, 2, 2, 2, 2, 2, 2, 2, 2}, []results.Event{move(6*s, s)}, -1, 1, 1},
		{"unless it was so before the overload", []int64{2, 2, 2, 2, 2, 50, 50, 2, 2, 2, 2, 2, 2, 2, 2}, []results.Event{move(6*s, s)}, 1, 1, 0},
		{"two seconds are too short a quiet", []int64{0, 0, 0, 0, 0, 50, 50, 0, 0, 50, 0, 0, 0, 0, 0}, []results.Event{move(6*s, s)}, 4, 1, 0},
		{"quiet at the end is too short to tell", []int64{0, 0, 0, 0, 0, 50, 50, 50, 50, 50, 50, 50, 50, 0, 0}, []results.Event{move(6*s, s)}, -1, 1, 1},
		{"quiet after the load does not count", []int64{0, 0, 0, 0, 0, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 0, 0, 0, 0}, []results.Event{move(6*s, s)}, -1, 1, 1},
		{"nothing was throttled", make([]int64, 15), []results.Event{move(6500*time.Millisecond, 0)}, 0, 1, 0},
		{"half a second after the move", []int64{0, 0, 0, 0, 0, 50, 50, 0, 0, 0, 0, 0, 0, 0, 0}, []results.Event{move(6500*time.Millisecond, s)}, 0.5, 1, 0},
		{"the worst of two", []int64{0, 0, 0, 0, 0, 50, 50, 0, 0, 0, 50, 0, 0, 0, 0}, []results.Event{move(6*s, s), move(8*s, s)}, 3, 2, 0},
		{"one did not recover", []int64{0, 0, 0, 0, 0, 50, 0, 0, 0, 0, 50, 50, 50, 50, 50}, []results.Event{move(5*s, 0), move(10*s, 0)}, 1, 2, 1},
		{"moves of the preparation are not measured", make([]int64, 15), []results.Event{move(4*s, 0), move(15*s, 0)}, -1, 0, 0},
		{"a second in which nothing was answered is not quiet", []int64{0, 0, 0, 0, 0, 50, -1, -1, -1, 0, 0, 0, 0, 0, 0}, []results.Event{move(6*s, s)}, 3, 1, 0},
		{"a second that is missing ends the quiet", []int64{0, 0, 0, 0, 0, 50, 0, 0, -2, 0, 0, 0, 0, 0, 0}, []results.Event{move(6*s, s)}, 3, 1, 0},
		{"a range that was kept did not move", make([]int64, 15), []results.Event{{At: int64(6 * s), What: results.RangeKept, Decision: &results.Decision{}}}, -1, 0, 0},
		{"an event without its decision", make([]int64, 15), []results.Event{{At: int64(6 * s), What: results.RangeMoved}}, -1, 0, 0},
	} {
		record := recordOf(func(r *results.Record, _ *results.KindStats) {
			r.Events = row.events
			for second, throttled := range row.throttled {
				one := results.Interval{Second: int64(second), Counts: results.Counts{Scheduled: 100, Attempts: 100, Throttled: throttled}}
				switch throttled {
				case -2:
					continue
				case -1:
					one.Attempts, one.Throttled = 0, 0
				}
				r.Intervals = append(r.Intervals, one)
			}
		})
		got := contest.Measure(record, nil, figure.Needs{})
		assert.Truef(t, value(got.Recovery) == row.recovery && got.Moves == row.moves && got.Unrecovered == row.unrecovered,
			"%s: recovered after %v s, %d moves, %d not recovered; want %v, %d, %d", row.name, value(got.Recovery), got.Moves, got.Unrecovered, row.recovery, row.moves, row.unrecovered)
	}
}
